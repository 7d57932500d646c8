import assert from "node:assert/strict";
import { test } from "node:test";
import { SignatureError } from "../src/signature-error.ts";
import { verifyAsync } from "../src/verify-async.ts";
import { verify } from "../src/verify.ts";
import { readVectors } from "./vectors.ts";

for (const { name, secret, header, now, body, body_base64, valid, code } of await readVectors()) {
  const bytes = Buffer.from(body_base64, "base64");
  const call = [bytes, header, secret, { now: new Date(now * 1000) }] as const;
  const isExpected = (error: unknown) => error instanceof SignatureError && error.code === code;

  test(`golden vector: ${name}`, async () => {
    if (code === null) {
      const event: unknown = JSON.parse(bytes.toString());
      assert.deepEqual(verify(...call), event);
      assert.deepEqual(await verifyAsync(...call), event);
    } else {
      assert.throws(() => verify(...call), isExpected);
      await assert.rejects(verifyAsync(...call), isExpected);
    }
  });

  test(`golden vector, its fields agree: ${name}`, () => {
    assert.equal(valid, code === null || code === "malformed_body");
    if (body !== undefined) assert.deepEqual(Buffer.from(body), bytes);
  });
}
