import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import fc from "fast-check";
import { FormatError, type FormatErrorKind } from "../../lib/formats/format-error.ts";
import { type Coding, codingOf, receivedBytes, type ReceiveLimits, shortLines } from "./received-bytes.ts";
import { assertAll, assertCases } from "../../../test/assert-cases.ts";

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

test("a compressed body is decompressed, however it is cut into chunks", async () => {
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

const TOO_LARGE = { code: "body_too_large" };

test("damaged compression and truncated compression have different kinds of error", async () => {
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

test("a body beyond a limit is refused, and no more of it is read", async () => {
  let asked = 0;
  async function* endless(piece: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
    while (true) {
      asked += 1;
      yield piece;
    }
  }

  await assert.rejects(receive(endless(Buffer.alloc(100)), "identity"), TOO_LARGE);
  assert.equal(asked, 11);
  const bomb = gzipSync(Buffer.alloc(90_000));
  await assert.rejects(receive(inPieces(bomb, 1_000), "gzip"), TOO_LARGE);
  const large = { ...LIMITS, maxUnpackRatio: 1e6, maxSentBytes: 1e6 };
  await assert.rejects(receive(inPieces(gzipSync(Buffer.alloc(110_000)), 1_000), "gzip", large), TOO_LARGE);
  assert.equal((await receive(inPieces(bomb, 1_000), "gzip", large)).length, 90_000);
});

test("an error of the source is not changed", async () => {
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

test("a coding is recognized by its name, in any spelling; no header means identity", () => {
  assertCases(codingOf, [
    [undefined, "identity"],
    [" GZip ", "gzip"],
    ["x-gzip", "gzip"],
    ["zstd", "zstd"],
  ]);
  assertAll(codingOf, undefined, ["br", "gzip, gzip", "toString", "compress"]);
});

const SPACES = Buffer.alloc(400_000, " ");
const larger: ReceiveLimits = {
  maxSentBytes: 50_000,
  maxUnpackedBytes: 1_000_000,
  maxUnpackRatio: 20,
  ratioFromBytes: 100_000,
};

test("the message for a body that is too large says to send it in parts", async () => {
  const allowed = { ...larger, maxUnpackRatio: 1_000_000, maxUnpackedBytes: 200_000 };

  await assert.rejects(receive(inPieces(SPACES, 100_000), "identity", larger), {
    code: "body_too_large",
    message: /more than 50000 bytes\..*by PATCH/,
  });
  await assert.rejects(receive(inPieces(gzipSync(SPACES), 1_000), "gzip", allowed), {
    code: "body_too_large",
    message: /unpacks to more than 200000 bytes\..*by PATCH/,
  });
});

test("the message for a suspicious compression ratio says to send it uncompressed", async () => {
  await assert.rejects(receive(inPieces(gzipSync(SPACES), 1_000), "gzip", larger), {
    code: "body_too_large",
    message: /more than 20 times its compressed size.*without Content-Encoding/,
  });
});

async function* texts(...all: readonly string[]): AsyncGenerator<Uint8Array, void, void> {
  for (const text of all) yield Buffer.from(text);
}

test("lines within the limit pass through unchanged, however they are cut into chunks", async () => {
  const line = fc.string({ maxLength: 5 }).map((text) => `${text.replaceAll("\n", "")}\n`);

  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 10 }), async (lines) => {
      const passed = await Array.fromAsync(shortLines(texts(...lines), 20));

      assert.equal(Buffer.concat(passed).toString(), lines.join(""));
    }),
    { numRuns: 50 },
  );
});

test("a line that is too long is refused while it arrives, and no more of it is read", async () => {
  let asked = 0;
  async function* endless(): AsyncGenerator<Uint8Array, void, void> {
    yield Buffer.from("first\nsec");
    while (true) {
      asked += 1;
      yield Buffer.from("xxxxx");
    }
  }

  await assert.rejects(Array.fromAsync(shortLines(endless(), 20)), {
    name: "FormatError",
    kind: "too_large",
  });
  assert.equal(asked, 4);
});
