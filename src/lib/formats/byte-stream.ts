/** Small tools for streams of bytes as async iterables. Each closes what it reads from when its reader stops. */
import { createReadStream } from "node:fs";

/**
 * V8 puts texts of 128 kB or more, at two bytes a character, where only a full collection frees them. What is left of
 * the chunk before is added to a chunk.
 */
const CHUNK_BYTES = 48 * 1024;

export function fileBytes(path: string): AsyncIterable<Uint8Array> {
  return createReadStream(path, { highWaterMark: CHUNK_BYTES });
}

/** The first bytes of a stream, `wanted` of them unless it ends before, and the whole stream again. */
export async function peekBytes(
  source: AsyncIterable<Uint8Array>,
  wanted: number,
): Promise<{ head: Uint8Array; bytes: AsyncGenerator<Uint8Array, void, void> }> {
  const iterator = source[Symbol.asyncIterator]();
  const chunks: Uint8Array[] = [];
  let size = 0;
  while (size < wanted) {
    const next = await iterator.next();
    if (next.done === true) break;
    chunks.push(next.value);
    size += next.value.length;
  }
  return { head: Buffer.concat(chunks), bytes: rejoin(chunks, iterator) };
}

async function* rejoin(
  first: readonly Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* first;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}
