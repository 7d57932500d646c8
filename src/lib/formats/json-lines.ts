/**
 * JSON Lines to values. A line that is not JSON is reported, and the next one is read. An unfinished last line throws:
 * it means that the rest is missing too.
 */
import { FormatError } from "./format-error.ts";
import type { TextReader } from "./text-reader.ts";

/** `line` is counted from 1. Blank lines are left out. */
export type JsonLine =
  | { readonly line: number; readonly text: string; readonly value: unknown }
  | { readonly line: number; readonly broken: string };

export function jsonLines({ maxLineChars }: { readonly maxLineChars: number }): TextReader<JsonLine> {
  let pieces: string[] = [];
  let size = 0;
  let line = 0;

  function take(text: string): JsonLine | null {
    checkSize(text.length);
    line += 1;
    return text.trim() === "" ? null : parseLine(line, text);
  }

  function checkSize(chars: number): void {
    if (chars <= maxLineChars) return;
    throw new FormatError("too_large", `Line ${line + 1} has more than ${maxLineChars} characters.`, {
      line: line + 1,
    });
  }

  function push(text: string): readonly JsonLine[] {
    const found: JsonLine[] = [];
    let from = 0;
    for (let to = text.indexOf("\n"); to !== -1; to = text.indexOf("\n", from)) {
      pieces.push(text.slice(from, to));
      const taken = take(pieces.join(""));
      if (taken !== null) found.push(taken);
      pieces = [];
      size = 0;
      from = to + 1;
    }
    pieces.push(text.slice(from));
    size += text.length - from;
    checkSize(size);
    return found;
  }

  function end(): readonly JsonLine[] {
    const last = take(pieces.join(""));
    pieces = [];
    if (last === null) return [];
    if ("value" in last) return [last];
    throw new FormatError("truncated", `The last line (${line}) is incomplete.`, { line });
  }

  return { push, end };
}

function parseLine(line: number, text: string): JsonLine {
  try {
    return { line, text, value: JSON.parse(text) as unknown };
  } catch (cause) {
    return { line, broken: cause instanceof Error ? cause.message : String(cause) };
  }
}
