/**
 * Undoes the Content-Encoding of a pushed body while it arrives. Input, output and the ratio between them are limited:
 * a decompression bomb fails after a known number of bytes.
 */
import type { Transform } from "node:stream";
import { createGunzip, createZstdDecompress } from "node:zlib";
import { AppError } from "../../errors.ts";
import { decompressed } from "../../lib/formats/decompress.ts";
import { FormatError } from "../../lib/formats/format-error.ts";
import { RECORD_LIMITS } from "../../sources/product-record/limits.ts";
import { NEWLINE } from "../../lib/char-codes.ts";

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

/** The coding that a header names, or undefined for one that is not supported. None at all is `identity`. */
export function codingOf(header: string | undefined): Coding | undefined {
  const name = header?.trim().toLowerCase() ?? "";
  if (name === "") return "identity";
  const plain = name === "x-gzip" ? "gzip" : name;
  return (Object.keys(UNPACKERS) as Coding[]).find((coding) => coding === plain);
}

export async function* receivedBytes(
  source: AsyncIterable<Uint8Array>,
  coding: Coding,
  { maxSentBytes, maxUnpackedBytes, maxUnpackRatio, ratioFromBytes }: ReceiveLimits,
): AsyncGenerator<Uint8Array, void, void> {
  let [sent, out] = [0, 0];
  async function* counted(): AsyncGenerator<Uint8Array, void, void> {
    for await (const chunk of source) {
      sent += chunk.length;
      if (sent > maxSentBytes) throw tooLarge(`The body has more than ${maxSentBytes} bytes.`, SEND_LESS);
      yield chunk;
    }
  }
  const unpacker = UNPACKERS[coding];
  for await (const chunk of unpacker === null ? counted() : decompressed(counted(), unpacker(), "body")) {
    out += chunk.length;
    const cap = unpacker === null ? Infinity : Math.max(ratioFromBytes, sent * maxUnpackRatio);
    if (out > Math.min(cap, maxUnpackedBytes)) {
      throw cap < maxUnpackedBytes
        ? tooLarge(`The body unpacks to more than ${maxUnpackRatio} times its compressed size.`, SEND_PLAIN)
        : tooLarge(`The body unpacks to more than ${maxUnpackedBytes} bytes.`, SEND_LESS);
    }
    yield chunk;
  }
}

const SEND_LESS = "send less at once, by PATCH.";
const SEND_PLAIN = "send it without Content-Encoding.";

const tooLarge = (what: string, remedy: string): AppError =>
  new AppError("body_too_large", `${what} Nothing was changed; ${remedy}`);

/** Passes bytes on unchanged, and fails at the first line that is longer than `maxLineBytes`. */
export async function* shortLines(
  source: AsyncIterable<Uint8Array>,
  maxLineBytes: number,
): AsyncGenerator<Uint8Array, void, void> {
  let open = 0;
  for await (const bytes of source) {
    const last = bytes.lastIndexOf(NEWLINE);
    // Lines that end within the chunk are not checked: a chunk is shorter than a line may be.
    open = last === -1 ? open + bytes.length : bytes.length - last - 1;
    if (open > maxLineBytes)
      throw new FormatError("too_large", `A line has more than ${maxLineBytes} bytes.`);
    yield bytes;
  }
}

export type PushLimits = ReceiveLimits & {
  /** JSON Lines only: a line that is too long is not stored to its end. */
  readonly maxLineBytes: number;
  readonly chunkBytes: number;
  /**
   * A body of at most so many bytes that arrives within `smallMs` is queued as a whole, and may be applied together
   * with others.
   */
  readonly smallBytes: number;
  readonly smallMs: number;
  /** A sender that sends nothing for so long is disconnected. */
  readonly idleMs: number;
  /** After `graceMs` of waiting for the sender, the average rate must be at least this. */
  readonly graceMs: number;
  readonly minBytesPerS: number;
  readonly leaseMs: number;
  readonly heartbeatMs: number;
};

export const PUSH_LIMITS: PushLimits = {
  // The same as for a feed that is fetched.
  maxSentBytes: 2_000_000_000,
  maxUnpackedBytes: 8_000_000_000,
  maxUnpackRatio: 200,
  ratioFromBytes: 10_000_000,
  // UTF-8 needs at most three bytes for each UTF-16 unit.
  maxLineBytes: RECORD_LIMITS.maxRowChars * 3,
  chunkBytes: 1 << 20,
  // Every call that arrives may hold so much in memory.
  smallBytes: 64 * 1024,
  smallMs: 250,
  idleMs: 60_000,
  graceMs: 60_000,
  minBytesPerS: 1_000,
  leaseMs: 15_000,
  heartbeatMs: 2_000,
};
