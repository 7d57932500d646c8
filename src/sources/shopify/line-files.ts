/**
 * JSON lines on disk: reads them, and distributes them over a fixed number of files by a hash of their key. Memory has
 * one small buffer per file, however many lines there are.
 */
import type { JsonObject } from "../../lib/json-object.ts";
import { createReadStream } from "node:fs";
import { appendFile } from "node:fs/promises";
import { FormatError } from "../../lib/formats/format-error.ts";
import { type JsonLine, jsonLines } from "../../lib/formats/json-lines.ts";
import { toObject } from "../kit/json.ts";

export type BulkLine = { readonly text: string; readonly object: JsonObject };

export type LineBatches = AsyncGenerator<readonly BulkLine[], void, void>;

export type LineReading = { readonly maxLineChars: number; readonly signal: AbortSignal };

/** The lines of a file, in batches. A line that is not JSON, or a last one that is cut off, is a FormatError. */
export async function* readLines(path: string, { maxLineChars, signal }: LineReading): LineBatches {
  const reader = jsonLines({ maxLineChars });
  const chunks = createReadStream(path, { encoding: "utf8", signal }) as AsyncIterable<string>;
  for await (const chunk of chunks) yield reader.push(chunk).map(toLine);
  yield reader.end().map(toLine);
}

function toLine(line: JsonLine): BulkLine {
  if ("broken" in line) {
    throw new FormatError("malformed", `Line ${line.line} is not JSON.`, { line: line.line });
  }
  return { text: line.text, object: toObject(line.value) };
}

/** Above this, a buffer is written to its file. */
const BUFFER_BYTES = 32_000;

export type LineFiles = ReturnType<typeof lineFiles>;

export function lineFiles(pathOf: (index: number) => string, count: number, reading: LineReading) {
  const buffers = Array.from({ length: count }, () => ({ lines: [] as Buffer[], bytes: 0, isOnDisk: false }));

  async function write(minBytes: number): Promise<void> {
    for (const [index, buffer] of buffers.entries()) {
      if (buffer.bytes < minBytes) continue;
      await appendFile(pathOf(index), Buffer.concat(buffer.lines));
      Object.assign(buffer, { lines: [], bytes: 0, isOnDisk: true });
    }
  }

  return {
    /** Lines with the same key are in the same file, in their order. */
    add: (key: string, text: string): void => {
      const buffer = buffers[hashOf(key) % count];
      if (buffer === undefined) return;
      // As bytes: a text that was cut out of a chunk would keep the whole chunk in memory.
      const line = Buffer.from(`${text}\n`);
      buffer.lines.push(line);
      buffer.bytes += line.length;
    },
    /** Writes full buffers. To be called after every batch. */
    drain: () => write(BUFFER_BYTES),
    /** Writes all buffers. To be called after the last batch. */
    flush: () => write(1),
    lines: async function* (index: number): LineBatches {
      if (buffers[index]?.isOnDisk === true) yield* readLines(pathOf(index), reading);
    },
  };
}

/** FNV-1a, which spreads consecutive numbers well. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i += 1) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
