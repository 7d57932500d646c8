import assert from "node:assert/strict";
import { test } from "node:test";
import { redactBytes, redactText } from "./redact.ts";

const REDACTION = { secrets: ["Bearer s3cret-token", "s3cret-token"], label: "[secret]" };

test("every occurrence of a secret is removed, the longest first, and one that is cut off at the end", () => {
  assert.equal(
    redactText("got Bearer s3cret-token, s3cret-token, s3cr", REDACTION),
    "got [secret], [secret], [secret]",
  );
  assert.equal(redactText("nothing s3c", REDACTION), "nothing s3c");
});

test("bytes that are not text stay as they are, and secrets outside of ASCII are found", () => {
  const bytes = Buffer.concat([Buffer.from([0xff, 0x00]), Buffer.from("pässwort!")]);
  const redacted = redactBytes(bytes, { secrets: ["pässwort"], label: "[secret]" });

  assert.deepEqual(redacted, Buffer.concat([Buffer.from([0xff, 0x00]), Buffer.from("[secret]!")]));
});
