import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { AppError } from "../errors.ts";
import { createEncryption } from "./encryption.ts";

const KEY = "a key for tests, long enough to be one";
const ENCRYPTION = createEncryption(KEY);

function assertStaysShut(open: () => string): void {
  assert.throws(open, (error) => error instanceof AppError && error.code === "config_invalid");
}

test("a value is decrypted with the same purpose and the same key", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.string(), (text, purpose) => {
      assert.equal(createEncryption(KEY).decrypt(ENCRYPTION.encrypt(text, purpose), purpose), text);
    }),
  );
});

test("the same text is encrypted differently each time, and is not visible", () => {
  const one = ENCRYPTION.encrypt("correct horse", "secrets");
  const two = ENCRYPTION.encrypt("correct horse", "secrets");

  assert.equal(one.equals(two), false);
  assert.equal(one.includes("correct horse"), false);
});

test("decryption fails with another purpose or another key", () => {
  const encrypted = ENCRYPTION.encrypt("correct horse", "secrets");

  assertStaysShut(() => ENCRYPTION.decrypt(encrypted, "feed-token"));
  assertStaysShut(() => createEncryption(`${KEY}.`).decrypt(encrypted, "secrets"));
});

test("decryption fails after any bit has changed", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 20 }), fc.nat(), (text, at) => {
      const encrypted = ENCRYPTION.encrypt(text, "secrets");
      const bit = at % (encrypted.length * 8);
      encrypted.writeUInt8(encrypted.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      assertStaysShut(() => ENCRYPTION.decrypt(encrypted, "secrets"));
    }),
  );
});

test("decryption fails if bytes are missing or added", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 20 }), fc.nat(), (text, at) => {
      const encrypted = ENCRYPTION.encrypt(text, "secrets");
      assertStaysShut(() => ENCRYPTION.decrypt(encrypted.subarray(0, at % encrypted.length), "secrets"));
      assertStaysShut(() => ENCRYPTION.decrypt(Buffer.concat([encrypted, Buffer.of(0)]), "secrets"));
    }),
  );
});

test("a truncated authentication tag is refused, even for an empty text", () => {
  const encrypted = ENCRYPTION.encrypt("", "secrets");

  for (let length = 0; length < encrypted.length; length += 1) {
    assertStaysShut(() => ENCRYPTION.decrypt(encrypted.subarray(0, length), "secrets"));
  }
});

test("the error names the setting, and neither the secret nor the key", () => {
  const encrypted = ENCRYPTION.encrypt("correct horse", "secrets");

  assert.throws(
    () => createEncryption("another key, just as long as the first").decrypt(encrypted, "secrets"),
    (error) =>
      error instanceof AppError &&
      error.message.includes("SECRET_KEY") &&
      !/correct horse|another key/.test(error.message),
  );
});
