import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import fc from "fast-check";
import { FormatError, type FormatErrorKind } from "./format-error.ts";
import { type Coding, codingOf, receivedBytes, type ReceiveLimits } from "./received-bytes.ts";

const LIMITS: ReceiveLimits = {
  maxSentBytes: 1_000,
  maxUnpackedBytes: 100_000,
  maxUnpackRatio: 50,
  ratioFromBytes: 10_000,
};
const PACK: Readonly<Record<Coding, (bytes: Uint8Array) => Uint8Array>> = {
  identity: (bytes) => bytes,
  gzip: (bytes) => gzipSync(bytes),
  zstd: (bytes) => zstdCompressSync(bytes),
};
const CODINGS = Object.keys(PACK) as Coding[];

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array, void, void> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const receive = async (source: AsyncIterable<Uint8Array>, coding: Coding, limits = LIMITS): Promise<Buffer> =>
  Buffer.concat(await Array.fromAsync(receivedBytes(source, coding, limits)));

test("whatever was packed comes out as it was, however it arrives", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 500 }),
      fc.constantFrom(...CODINGS),
      fc.integer({ min: 1, max: 100 }),
      async (bytes, coding, size) => {
        assert.deepEqual(await receive(inPieces(PACK[coding](bytes), size), coding), Buffer.from(bytes));
      },
    ),
    { numRuns: 100 },
  );
});

const isFormatError = (kind: FormatErrorKind) => (error: unknown) =>
  error instanceof FormatError && error.kind === kind;

test("packing that is damaged, or cut short, is told apart", async () => {
  for (const coding of ["gzip", "zstd"] as const) {
    const packed = PACK[coding](Buffer.from("Glazed stoneware. ".repeat(20)));

    await assert.rejects(receive(inPieces(packed.subarray(0, -4), 10), coding), isFormatError("truncated"));
    await assert.rejects(
      receive(inPieces(Buffer.from("not packed at all"), 10), coding),
      isFormatError("malformed"),
    );
    await assert.rejects(receive(inPieces(Buffer.alloc(0), 1), coding), isFormatError("truncated"));
  }
  await assert.rejects(receive(inPieces(deflateSync("x"), 10), "gzip"), isFormatError("malformed"));
});

test("more than may be sent, or may come out, ends as too large and is read no further", async () => {
  let asked = 0;
  async function* endless(piece: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
    while (true) {
      asked += 1;
      yield piece;
    }
  }

  await assert.rejects(receive(endless(Buffer.alloc(100)), "identity"), isFormatError("too_large"));
  assert.equal(asked, 11);
  const bomb = gzipSync(Buffer.alloc(90_000));
  await assert.rejects(receive(inPieces(bomb, 1_000), "gzip"), isFormatError("too_large"));
  const large = { ...LIMITS, maxUnpackRatio: 1e6, maxSentBytes: 1e6 };
  await assert.rejects(
    receive(inPieces(gzipSync(Buffer.alloc(110_000)), 1_000), "gzip", large),
    isFormatError("too_large"),
  );
  assert.equal((await receive(inPieces(bomb, 1_000), "gzip", large)).length, 90_000);
});

test("what goes wrong with the source itself stays what it was", async () => {
  const gone = new Error("the sender is gone");
  async function* breaking(): AsyncGenerator<Uint8Array, void, void> {
    yield gzipSync("hello").subarray(0, 12);
    throw gone;
  }

  for (const coding of CODINGS) {
    if (coding === "zstd") continue;
    await assert.rejects(receive(breaking(), coding), (error) => error === gone);
  }
});

test("a coding is known by its name, in any spelling; none is none", () => {
  assert.equal(codingOf(undefined), "identity");
  assert.equal(codingOf(" GZip "), "gzip");
  assert.equal(codingOf("x-gzip"), "gzip");
  assert.equal(codingOf("zstd"), "zstd");
  for (const unknown of ["br", "gzip, gzip", "toString", "compress"])
    assert.equal(codingOf(unknown), undefined);
});
