/** A feed's bytes without their packing, which is recognized by the first bytes and never by a name: gzip and zstd. */
import { type Transform, pipeline } from "node:stream";
import { createGunzip, createZstdDecompress } from "node:zlib";
import { peekBytes } from "../../../lib/formats/byte-stream.ts";
import { MAGIC_BYTES, type Packing, packingOf } from "../../../lib/formats/file-magic.ts";
import { FormatError } from "../../../lib/formats/format-error.ts";

const OUT_BYTES = 128 * 1024;

const UNPACKERS: Readonly<Record<Packing, (() => Transform) | null>> = {
  gzip: () => createGunzip({ chunkSize: OUT_BYTES }),
  zstd: () => createZstdDecompress({ chunkSize: OUT_BYTES }),
  zip: null,
};

/** Throws `unsupported` for an archive or a file that is known and is not text. */
export async function unpacked(source: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const { head, bytes } = await peekBytes(source, MAGIC_BYTES);
  const packing = packingOf(head);
  if (packing === null) return bytes;
  const unpack = UNPACKERS[packing];
  if (unpack === null) throw new FormatError("unsupported", "The file is a zip archive; unpack it first.");
  const transform = unpack();
  // Without a callback, `pipeline` would throw; errors reach the reader through the iterator.
  pipeline(bytes, transform, () => undefined);
  return translated(transform);
}

async function* translated(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* source;
  } catch (cause) {
    if (cause instanceof Error && "syscall" in cause) throw cause;
    throw new FormatError("malformed", "The packed file is damaged or ends early.", { cause });
  }
}
