import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { FormatError } from "../../../lib/formats/format-error.ts";
import { inPieces } from "../../validate.fixture.ts";
import { unpacked } from "./unpack.ts";

const TEXT = "id\ttitle\n".repeat(5_000);

async function textOf(bytes: Uint8Array, size: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of await unpacked(inPieces(bytes, size))) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

test("gzip, zstd and plain bytes give the same text, in chunks of any size", async () => {
  const plain = Buffer.from(TEXT);
  for (const bytes of [plain, gzipSync(plain), zstdCompressSync(plain)])
    for (const size of [1, 7, 4_096]) assert.equal(await textOf(bytes, size), TEXT);
});

test("a compressed file that is damaged or truncated is reported as such", async () => {
  const packed = gzipSync(TEXT);
  const damaged = Buffer.from(packed);
  damaged.fill(0xff, 20, 30);

  await assert.rejects(textOf(packed.subarray(0, 40), 16), FormatError);
  await assert.rejects(textOf(damaged, 16), FormatError);
});

test("archives and binary files are refused, and the message names their type", async () => {
  await assert.rejects(textOf(Buffer.from("PK\x03\x04 and so on", "latin1"), 16), /zip archive/);
  await assert.rejects(textOf(Buffer.from("PAR1 and so on"), 16), /Parquet/);
});
