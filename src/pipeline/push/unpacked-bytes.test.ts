import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import type { Coding, ReceiveLimits } from "../../lib/formats/received-bytes.ts";
import { unpackedBytes } from "./unpacked-bytes.ts";

const LIMITS: ReceiveLimits = {
  maxSentBytes: 50_000,
  maxUnpackedBytes: 1_000_000,
  maxUnpackRatio: 20,
  ratioFromBytes: 100_000,
};

async function* of(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
  yield bytes;
}

const unpack = async (bytes: Uint8Array, coding: Coding, limits = LIMITS): Promise<Buffer> =>
  Buffer.concat(await Array.fromAsync(unpackedBytes(of(bytes), coding, limits)));

const SPACES = Buffer.alloc(400_000, " ");

test("a body within the limits comes out as it is", async () => {
  const text = Buffer.from("[1, 2]");

  assert.deepEqual(await unpack(text, "identity"), text);
  assert.deepEqual(await unpack(gzipSync(text), "gzip"), text);
});

test("a body that is too large as a whole is to be sent in parts", async () => {
  const roomy = { ...LIMITS, maxUnpackRatio: 1_000_000, maxUnpackedBytes: 200_000 };

  await assert.rejects(unpack(SPACES, "identity"), {
    code: "body_too_large",
    message: /more than 50000 bytes\..*by PATCH/,
  });
  await assert.rejects(unpack(gzipSync(SPACES), "gzip", roomy), {
    code: "body_too_large",
    message: /unpacks to more than 200000 bytes\..*by PATCH/,
  });
});

test("a body that unpacks too well is told that this is why", async () => {
  await assert.rejects(unpack(gzipSync(SPACES), "gzip"), {
    code: "body_too_large",
    message: /more than 20 times its compressed size.*without Content-Encoding/,
  });
});

test("a damaged body stays what it is, for those who know the words for that", async () => {
  await assert.rejects(unpack(gzipSync(SPACES).subarray(0, 100), "gzip"), { kind: "truncated" });
});
