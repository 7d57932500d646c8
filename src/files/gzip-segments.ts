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
 * Valid until the next call. The fastest level: feeds are repetitive, and a higher level costs more than it saves. A
 * compressor for each segment, because the bytes of one that is used again depend on what it compressed before.
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

/** What is shifted at once: more than nearly all segments have. */
const MAX_SHIFT = 2 ** 20 - 1;
const DIGITS = 5;
const TABLE = 4 * 256;

/**
 * For each hexadecimal digit of a number of bytes, the products of all CRCs and the power of x that stands for so many
 * bytes: as four tables for the four bytes of a CRC, since the product of a sum is the sum of the products.
 */
const SHIFTS: Uint32Array = (() => {
  const tables = new Uint32Array(DIGITS * 16 * TABLE);
  let step = 0x00800000;
  for (let at = 0; at < DIGITS; at++) {
    let power = 0x80000000;
    for (let digit = 0; digit < 16; digit++) {
      fillTable(tables.subarray((16 * at + digit) * TABLE), power);
      power = multiply(power, step);
    }
    step = power;
  }
  return tables;
})();

function fillTable(table: Uint32Array, power: number): void {
  for (let byte = 0; byte < 4; byte++)
    for (let value = 1; value < 256; value++) {
      const at = 256 * byte + value;
      const rest = value & (value - 1);
      table[at] =
        rest === 0
          ? multiply(value << (8 * byte), power)
          : (table[256 * byte + rest] ?? 0) ^ (table[at - rest] ?? 0);
    }
}

/** The CRC-32 of two parts together, from those of the parts and the length of the second. */
export function combineCrc32(first: number, second: number, secondBytes: number): number {
  let crc = first;
  for (let rest = secondBytes; rest > 0; rest -= MAX_SHIFT) {
    let shift = Math.min(rest, MAX_SHIFT);
    for (let table = 0; shift > 0; shift >>>= 4, table += 16 * TABLE) {
      const at = table + (shift & 15) * TABLE;
      crc =
        (SHIFTS[at + (crc & 255)] ?? 0) ^
        (SHIFTS[at + 256 + ((crc >>> 8) & 255)] ?? 0) ^
        (SHIFTS[at + 512 + ((crc >>> 16) & 255)] ?? 0) ^
        (SHIFTS[at + 768 + (crc >>> 24)] ?? 0);
    }
  }
  return (crc ^ second) >>> 0;
}
