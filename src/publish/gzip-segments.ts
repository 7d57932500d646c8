/**
 * A gzip file that is made of parts which are compressed one by one, so that a part can be used again in another file.
 * Each part is a sequence of raw deflate blocks that ends at a byte boundary; a header before the first and a trailer
 * after the last make them one ordinary gzip member (RFC 1952).
 */
import { constants, deflateRawSync } from "node:zlib";

/** No name, no time, unknown system: equal content gives equal bytes. */
export const GZIP_HEADER: Buffer = Buffer.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff);

/** An empty final block. */
const FINAL_BLOCK = Buffer.of(0x03, 0x00);

/** What zlib writes at a time. Node's default: with another size, some segments would have other bytes. */
const CHUNK_BYTES = 16 * 1024;
let output = Buffer.alloc(CHUNK_BYTES);

/**
 * Valid until the next call. The fastest level: feeds are repetitive, and a higher level costs more than it saves. A compressor for each
 * segment, because the bytes of one that is used again depend on what it compressed before.
 */
export function compressSegment(bytes: Buffer): Buffer {
  if (bytes.length === 0) return bytes;
  const compressed = deflated(bytes);
  const { length } = compressed;
  if (length > output.length) output = Buffer.allocUnsafeSlow(length);
  compressed.copy(output);
  release(compressed);
  return output.subarray(0, length);
}

/** In memory of its own. */
function deflated(bytes: Buffer): Buffer {
  const { poolSize } = Buffer;
  Buffer.poolSize = 0;
  try {
    return deflateRawSync(bytes, {
      level: 1,
      finishFlush: constants.Z_SYNC_FLUSH,
      chunkSize: CHUNK_BYTES,
    });
  } finally {
    Buffer.poolSize = poolSize;
  }
}

/** Frees the memory at once: 30 to 50 MB of such buffers would wait for a collection. */
function release({ buffer, byteOffset }: Buffer): void {
  if (byteOffset === 0 && buffer.byteLength === CHUNK_BYTES) (buffer as ArrayBuffer).transfer(0);
}

export function gzipTrailer(crc: number, bytes: number): Buffer {
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc, 0);
  trailer.writeUInt32LE(bytes % 2 ** 32, 4);
  return Buffer.concat([FINAL_BLOCK, trailer]);
}

/** The generator polynomial of CRC-32, with its bits in reverse order. */
const POLYNOMIAL = 0xedb88320;

/** The product of two polynomials modulo the generator. The highest bit is the constant term. */
function multiply(a: number, b: number): number {
  let product = 0;
  for (let bit = 0x80000000, power = b; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) product ^= power;
    power = power & 1 ? (power >>> 1) ^ POLYNOMIAL : power >>> 1;
  }
  return product >>> 0;
}

/** x to the power of 8 × 2^n, for every n. */
const POWERS: readonly number[] = (() => {
  let power = 0x00800000;
  return Array.from({ length: 48 }, () => {
    const current = power;
    power = multiply(power, power);
    return current;
  });
})();

/** The CRC-32 of two parts together, from those of the parts and the length of the second. */
export function combineCrc32(first: number, second: number, secondBytes: number): number {
  let shift = 0x80000000;
  for (let rest = secondBytes, n = 0; rest > 0; rest = Math.floor(rest / 2), n++) {
    if (rest % 2 === 1) shift = multiply(POWERS[n] ?? 0, shift);
  }
  return (multiply(shift, first) ^ second) >>> 0;
}
