/**
 * Undoes the Content-Encoding of a request body while it arrives. Input, output and the ratio between them are limited: a
 * decompression bomb fails after a known number of bytes.
 */
import { pipeline, type Transform } from "node:stream";
import { createGunzip, createZstdDecompress } from "node:zlib";
import { FormatError } from "./format-error.ts";

export type ReceiveLimits = {
  readonly maxSentBytes: number;
  readonly maxUnpackedBytes: number;
  /** How many bytes may come out for each byte that went in, once `ratioFromBytes` are out. */
  readonly maxUnpackRatio: number;
  readonly ratioFromBytes: number;
};

const OUT_BYTES = 64 * 1024;

const UNPACKERS = {
  gzip: () => createGunzip({ chunkSize: OUT_BYTES }),
  zstd: () => createZstdDecompress({ chunkSize: OUT_BYTES }),
  identity: null,
} as const satisfies Record<string, (() => Transform) | null>;
export type Coding = keyof typeof UNPACKERS;

/** The coding that a header names, or undefined for one that is not undone here. None at all is `identity`. */
export function codingOf(header: string | undefined): Coding | undefined {
  const name = header?.trim().toLowerCase() ?? "";
  if (name === "") return "identity";
  const plain = name === "x-gzip" ? "gzip" : name;
  return (Object.keys(UNPACKERS) as Coding[]).find((coding) => coding === plain);
}

export async function* receivedBytes(
  source: AsyncIterable<Uint8Array>,
  coding: Coding,
  limits: ReceiveLimits,
): AsyncGenerator<Uint8Array, void, void> {
  const sent = { bytes: 0 };
  const counted = countSent(source, sent, limits.maxSentBytes);
  const unpacker = UNPACKERS[coding];
  let out = 0;
  for await (const chunk of unpacker === null ? counted : through(counted, unpacker())) {
    out += chunk.length;
    const cap = Math.max(limits.ratioFromBytes, sent.bytes * limits.maxUnpackRatio);
    if (out > limits.maxUnpackedBytes || (unpacker !== null && out > cap)) {
      throw new FormatError(
        "too_large",
        `The body unpacks to more than ${Math.min(limits.maxUnpackedBytes, cap)} bytes.`,
      );
    }
    yield chunk;
  }
}

async function* countSent(
  source: AsyncIterable<Uint8Array>,
  sent: { bytes: number },
  maxBytes: number,
): AsyncGenerator<Uint8Array, void, void> {
  for await (const chunk of source) {
    sent.bytes += chunk.length;
    if (sent.bytes > maxBytes)
      throw new FormatError("too_large", `The body has more than ${maxBytes} bytes.`);
    yield chunk;
  }
}

async function* through(
  source: AsyncIterable<Uint8Array>,
  transform: Transform,
): AsyncGenerator<Uint8Array, void, void> {
  // The callback is the stream's way to say that errors are seen; they reach the reader through the iterator.
  pipeline(source, transform, () => undefined);
  try {
    yield* transform as AsyncIterable<Uint8Array>;
  } catch (cause) {
    throw toFormatError(cause);
  }
}

/** Damaged compression, as opposed to an error of the source, which has its own message. */
function toFormatError(cause: unknown): unknown {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  if (code === "Z_BUF_ERROR")
    return new FormatError("truncated", "The compressed body ends early.", { cause });
  return /^(Z|ZSTD)_/.test(code)
    ? new FormatError("malformed", "The compressed body is damaged.", { cause })
    : cause;
}
