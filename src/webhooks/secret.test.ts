import assert from "node:assert/strict";
import { test } from "node:test";
import { sealer } from "../lib/seal.ts";
import { newSecret, secretOpener, sealSecret, secretBytes } from "./secret.ts";

const SEAL = sealer("a key for tests, long enough to be one");
const now = new Date("2026-03-01T12:00:00.000Z");
const later = (ms: number) => new Date(now.getTime() + ms);

test("a secret is whsec_ and 32 bytes in base64, and never the same twice", () => {
  const secrets = Array.from({ length: 100 }, newSecret);

  for (const secret of secrets) {
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.equal(secretBytes(secret).length, 32);
  }
  assert.equal(new Set(secrets).size, 100);
});

test("during a rotation both secrets sign, the new one first; when it is over only the new one does", () => {
  const [fresh, old] = [newSecret(), newSecret()];
  const sealed = {
    secretSealed: sealSecret(SEAL, fresh),
    previousSecretSealed: sealSecret(SEAL, old),
    previousSecretUntil: later(1_000),
  };

  assert.deepEqual(secretOpener(SEAL)(sealed, now), [fresh, old]);
  assert.deepEqual(secretOpener(SEAL)(sealed, later(999)), [fresh, old]);
  assert.deepEqual(secretOpener(SEAL)(sealed, later(1_000)), [fresh]);
  const unrotated = { ...sealed, previousSecretSealed: null, previousSecretUntil: null };
  assert.deepEqual(secretOpener(SEAL)(unrotated, now), [fresh]);
});

test("a secret sealed with another key does not open", () => {
  const sealed = sealSecret(sealer("another key, just as long as the first"), newSecret());

  assert.throws(
    () =>
      secretOpener(SEAL)(
        { secretSealed: sealed, previousSecretSealed: null, previousSecretUntil: null },
        now,
      ),
    { code: "config_invalid" },
  );
});
