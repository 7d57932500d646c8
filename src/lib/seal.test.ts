import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { AppError } from "../errors.ts";
import { sealer } from "./seal.ts";

const KEY = "a key for tests, long enough to be one";
const SEAL = sealer(KEY);

function assertStaysShut(open: () => string): void {
  assert.throws(open, (error) => error instanceof AppError && error.code === "config_invalid");
}

test("a value is decrypted with the same purpose and the same key", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.string(), (text, purpose) => {
      assert.equal(sealer(KEY).open(SEAL.seal(text, purpose), purpose), text);
    }),
  );
});

test("the same text is encrypted differently each time, and is not visible", () => {
  const one = SEAL.seal("correct horse", "secrets");
  const two = SEAL.seal("correct horse", "secrets");

  assert.equal(one.equals(two), false);
  assert.equal(one.includes("correct horse"), false);
});

test("decryption fails with another purpose or another key", () => {
  const sealed = SEAL.seal("correct horse", "secrets");

  assertStaysShut(() => SEAL.open(sealed, "feed-token"));
  assertStaysShut(() => sealer(`${KEY}.`).open(sealed, "secrets"));
});

test("decryption fails after any bit has changed", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 20 }), fc.nat(), (text, at) => {
      const sealed = SEAL.seal(text, "secrets");
      const bit = at % (sealed.length * 8);
      sealed.writeUInt8(sealed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      assertStaysShut(() => SEAL.open(sealed, "secrets"));
    }),
  );
});

test("decryption fails if bytes are missing or added", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 20 }), fc.nat(), (text, at) => {
      const sealed = SEAL.seal(text, "secrets");
      assertStaysShut(() => SEAL.open(sealed.subarray(0, at % sealed.length), "secrets"));
      assertStaysShut(() => SEAL.open(Buffer.concat([sealed, Buffer.of(0)]), "secrets"));
    }),
  );
});

test("a truncated authentication tag is refused, even for an empty text", () => {
  const sealed = SEAL.seal("", "secrets");

  for (let length = 0; length < sealed.length; length += 1) {
    assertStaysShut(() => SEAL.open(sealed.subarray(0, length), "secrets"));
  }
});

test("the error names the setting, and neither the secret nor the key", () => {
  const sealed = SEAL.seal("correct horse", "secrets");

  assert.throws(
    () => sealer("another key, just as long as the first").open(sealed, "secrets"),
    (error) =>
      error instanceof AppError &&
      error.message.includes("SECRET_KEY") &&
      !/correct horse|another key/.test(error.message),
  );
});
