/**
 * JSON lines on disk: reading them, and sorting them into a fixed number of files by a key. Lines of one key end in
 * one file, in the order they came; what is in memory is a small buffer a file, however many lines there are.
 */
import { createReadStream } from "node:fs";
import { appendFile } from "node:fs/promises";
import { FormatError } from "../../lib/formats/format-error.ts";
import { type JsonLine, jsonLines } from "../../lib/formats/json-lines.ts";
import { isJsonObject, type JsonObject } from "../kit/json.ts";

export type Line = { readonly text: string; readonly object: JsonObject };

export type LineBatches = AsyncGenerator<readonly Line[], void, void>;

export type LineReading = { readonly maxLineChars: number; readonly signal: AbortSignal };

/**
 * The objects of a file, one a line, by the handful: a promise for every line would cost more than the line. A line
 * that is not JSON, or a last one that is cut off, is a FormatError.
 */
export async function* eachLines(path: string, { maxLineChars, signal }: LineReading): LineBatches {
  const reader = jsonLines({ maxLineChars });
  const chunks = createReadStream(path, { encoding: "utf8", signal }) as AsyncIterable<string>;
  for await (const chunk of chunks) yield reader.push(chunk).map(toLine);
  yield reader.end().map(toLine);
}

/** JSON that is no object stays in its place as an object that says nothing. */
function toLine(line: JsonLine): Line {
  if ("broken" in line) {
    throw new FormatError("malformed", `Line ${line.line} is not JSON.`, { line: line.line });
  }
  return isJsonObject(line.value) ? { text: line.text, object: line.value } : { text: "{}", object: {} };
}

export type LineFiles = {
  /** A promise only when a buffer is full: this runs once a line. */
  readonly add: (key: string, line: string) => Promise<void> | undefined;
  /** To be called once all lines are in. */
  readonly flush: () => Promise<void>;
  /** The lines of one file. */
  readonly lines: (index: number) => LineBatches;
};

const BUFFER_BYTES = 32_000;

export function lineFiles(pathOf: (index: number) => string, count: number, reading: LineReading): LineFiles {
  const buffers = Array.from({ length: count }, (): Buffered => ({ lines: [], bytes: 0, isOnDisk: false }));

  function write(buffer: Buffered, index: number): Promise<void> {
    const bytes = Buffer.concat(buffer.lines);
    buffer.lines = [];
    buffer.bytes = 0;
    buffer.isOnDisk = true;
    return appendFile(pathOf(index), bytes);
  }

  return {
    add: (key, text) => {
      const index = fileOf(key, count);
      const buffer = buffers[index];
      if (buffer === undefined) return undefined;
      // As bytes: a text cut out of a chunk would keep the whole chunk in memory.
      const line = Buffer.from(`${text}\n`);
      buffer.lines.push(line);
      buffer.bytes += line.length;
      return buffer.bytes < BUFFER_BYTES ? undefined : write(buffer, index);
    },
    flush: async () => {
      for (const [index, buffer] of buffers.entries()) {
        if (buffer.lines.length > 0) await write(buffer, index);
      }
    },
    lines: (index) => (buffers[index]?.isOnDisk === true ? eachLines(pathOf(index), reading) : nothing()),
  };
}

type Buffered = { lines: Buffer[]; bytes: number; isOnDisk: boolean };

async function* nothing(): LineBatches {}

/** FNV-1a: any hash will do that spreads numbers which follow one another. */
function fileOf(key: string, count: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i += 1) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  return (hash >>> 0) % count;
}
