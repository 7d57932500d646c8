/**
 * Decompresses a file by its magic number: gzip and zstd in a few layers, and the one data file of a zip archive. The
 * output is limited in bytes and in its ratio to the input, so a decompression bomb fails after a known number of
 * bytes.
 */
import { createWriteStream } from "node:fs";
import { stat } from "node:fs/promises";
import { pipeline, type Transform } from "node:stream";
import { pipeline as pipelineDone } from "node:stream/promises";
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";
import { fileBytes, peekBytes } from "./byte-stream.ts";
import { MAGIC_BYTES, type Packing, packingOf } from "./file-magic.ts";
import { FormatError } from "./format-error.ts";
import { zipEntryBytes } from "./zip-entry.ts";

export type UnpackLimits = {
  readonly maxBytes: number;
  /** How many bytes may come out for each byte that went in, once `ratioFromBytes` are out. */
  readonly maxRatio: number;
  readonly ratioFromBytes: number;
};

/** Double gzip is common (a compressed file on a server that compresses); more layers do not occur in feeds. */
const MAX_LAYERS = 3;

const OUT_BYTES = 64 * 1024;

const BLIND_CODINGS: ReadonlyMap<string, () => Transform> = new Map([
  ["br", () => createBrotliDecompress({ chunkSize: OUT_BYTES })],
  ["deflate", () => createInflate({ chunkSize: OUT_BYTES })],
]);

/** `coding`: the Content-Encoding; used only for codings that have no magic number. */
export async function* unpackFile(
  path: string,
  { limits, coding }: { readonly limits: UnpackLimits; readonly coding: string | null },
): AsyncGenerator<Uint8Array, void, void> {
  const { size } = await stat(path);
  const cap = meter(size, limits);
  const blind = BLIND_CODINGS.get(coding ?? "");
  let layer: Layer = { bytes: fileBytes(path), file: path };
  if (blind !== undefined) layer = { bytes: cap(decompressed(layer.bytes, blind())), file: null };
  for (let layers = 0; layers <= MAX_LAYERS; layers += 1) {
    const { head, bytes } = await peekBytes(layer.bytes, MAGIC_BYTES);
    try {
      const packing = packingOf(head);
      if (packing === null) {
        yield* bytes;
        return;
      }
      layer = {
        bytes: cap(await UNPACKERS[packing]({ bytes, file: layer.file }, `${path}.unpacked`)),
        file: null,
      };
    } catch (error) {
      await bytes.return();
      throw error;
    }
  }
  throw new FormatError("unsupported", `The file is compressed more than ${MAX_LAYERS} times.`);
}

/** `file`: the path, if the bytes are a whole file. */
type Layer = { readonly bytes: AsyncIterable<Uint8Array>; readonly file: string | null };
type Unpacker = (
  layer: Layer,
  scratch: string,
) => AsyncIterable<Uint8Array> | Promise<AsyncIterable<Uint8Array>>;

const UNPACKERS: Readonly<Record<Packing, Unpacker>> = {
  gzip: ({ bytes }) => decompressed(bytes, createGunzip({ chunkSize: OUT_BYTES })),
  zstd: ({ bytes }) => decompressed(bytes, createZstdDecompress({ chunkSize: OUT_BYTES })),
  zip: async ({ bytes, file }, scratch) => {
    // An archive is read from its end, so one that arrives as a stream goes to disk first.
    if (file === null) await pipelineDone(bytes, createWriteStream(scratch));
    else await bytes[Symbol.asyncIterator]().return?.();
    return zipEntryBytes(file ?? scratch);
  },
};

function meter(size: number, { maxBytes, maxRatio, ratioFromBytes }: UnpackLimits) {
  const byRatio = Math.max(ratioFromBytes, size * maxRatio);
  return async function* cap(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
    let out = 0;
    for await (const chunk of source) {
      out += chunk.length;
      if (out > maxBytes)
        throw new FormatError("too_large", `The file unpacks to more than ${maxBytes} bytes.`);
      if (out > byRatio) {
        throw new FormatError(
          "too_large",
          `The file unpacks to more than ${maxRatio} times its size of ${size} bytes.`,
        );
      }
      yield chunk;
    }
  };
}

/** Errors of the source pass through unchanged. `what` names the data in messages. */
export async function* decompressed(
  source: AsyncIterable<Uint8Array>,
  transform: Transform,
  what = "data",
): AsyncGenerator<Uint8Array, void, void> {
  // Errors reach the reader through the iterator; without a callback they would be thrown a second time.
  pipeline(source, transform, () => undefined);
  try {
    yield* transform as AsyncIterable<Uint8Array>;
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
    if (code === "Z_BUF_ERROR")
      throw new FormatError("truncated", `The compressed ${what} ends early.`, { cause });
    // Codes of zlib, zstd and Brotli.
    if (/^(Z_|ZSTD_|ERR__|ERR_BROTLI)/.test(code))
      throw new FormatError("malformed", `The compressed ${what} is damaged.`, { cause });
    throw cause;
  }
}
