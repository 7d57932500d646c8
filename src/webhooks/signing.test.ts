import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { Stripe } from "stripe";
import { createEncryption } from "../lib/encryption.ts";
import {
  encryptSecret,
  encryptUrl,
  newSecret,
  secretBytes,
  secretDecryptor,
  signatureHeaders,
  urlDecryptor,
} from "./signing.ts";

const stripe = new Stripe("sk_test_unused");
const SECRET = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";
const at = new Date("2026-03-01T12:00:00.999Z");
const SECONDS = 1_772_366_400;
const ENCRYPTION = createEncryption("a key for tests, long enough to be one");
const now = new Date("2026-03-01T12:00:00.000Z");
const later = (ms: number) => new Date(now.getTime() + ms);

test("a secret is whsec_ and 32 random bytes in base64", () => {
  const secrets = Array.from({ length: 100 }, newSecret);

  for (const secret of secrets) {
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.equal(secretBytes(secret).length, 32);
  }
  assert.equal(new Set(secrets).size, 100);
});

test("during a rotation both secrets sign, the new one first; when it is over only the new one does", () => {
  const [fresh, old] = [newSecret(), newSecret()];
  const encrypted = {
    secretEncrypted: encryptSecret(ENCRYPTION, fresh),
    previousSecretEncrypted: encryptSecret(ENCRYPTION, old),
    previousSecretUntil: later(1_000),
  };

  assert.deepEqual(secretDecryptor(ENCRYPTION)(encrypted, now), [fresh, old]);
  assert.deepEqual(secretDecryptor(ENCRYPTION)(encrypted, later(999)), [fresh, old]);
  assert.deepEqual(secretDecryptor(ENCRYPTION)(encrypted, later(1_000)), [fresh]);
  const unrotated = { ...encrypted, previousSecretEncrypted: null, previousSecretUntil: null };
  assert.deepEqual(secretDecryptor(ENCRYPTION)(unrotated, now), [fresh]);
});

test("a secret encrypted with another key does not open", () => {
  const encrypted = encryptSecret(createEncryption("another key, just as long as the first"), newSecret());

  assert.throws(
    () =>
      secretDecryptor(ENCRYPTION)(
        { secretEncrypted: encrypted, previousSecretEncrypted: null, previousSecretUntil: null },
        now,
      ),
    { code: "config_invalid" },
  );
});

test("the header has the seconds and the lowercase hex of an HMAC keyed with the whole secret", () => {
  const payload = '{"event":"sync.completed","created_at":"2026-03-01T12:00:00.000Z","data":{}}';

  const headers = signatureHeaders({ eventId: "event-1", payload, secrets: [SECRET], at });

  const mac = createHmac("sha256", SECRET).update(`${SECONDS}.${payload}`).digest("hex");
  assert.equal(headers["x-service-signature"], `t=${SECONDS},v1=${mac}`);
  assert.match(mac, /^[0-9a-f]{64}$/);
  assert.equal(headers["webhook-id"], "event-1");
  assert.equal(headers["webhook-timestamp"], String(SECONDS));
});

test("the signature of known bytes never changes", () => {
  const headers = signatureHeaders({ eventId: "evt", payload: '{"a":"é"}', secrets: [SECRET], at });

  assert.deepEqual(headers, {
    "x-service-signature": "t=1772366400,v1=b401673d3f448e3c7004bcc74e998aa52baf02435dfaf3349a009c0aaa0dc798",
    "webhook-id": "evt",
    "webhook-timestamp": "1772366400",
    "webhook-signature": "v1,Rd8WEDpe4Itmd8nqPJJCISgOzuG9mAjXx7iXr2qICvM=",
  });
});

/** Any JSON, with all that Unicode has in it: both libraries parse what they have verified. */
const anyPayload = fc.jsonValue({ maxDepth: 2 }).map((data) => JSON.stringify({ event: "x", data }));

test("Stripe's library verifies every signature, with either secret of a rotation", () => {
  fc.assert(
    fc.property(anyPayload, fc.date({ noInvalidDate: true, min: new Date(0) }), (payload, when) => {
      const secrets = [newSecret(), newSecret()];
      const header = signatureHeaders({ eventId: "e", payload, secrets, at: when })["x-service-signature"];

      for (const secret of secrets) {
        const verified = stripe.webhooks.constructEvent(
          payload,
          header,
          secret,
          300,
          undefined,
          when.getTime(),
        );
        assert.deepEqual(verified, JSON.parse(payload));
      }
      assert.throws(() =>
        stripe.webhooks.constructEvent(payload, header, newSecret(), 300, undefined, when.getTime()),
      );
      assert.throws(() =>
        stripe.webhooks.constructEvent(
          `${payload} `,
          header,
          secrets[0] ?? "",
          300,
          undefined,
          when.getTime(),
        ),
      );
    }),
    { numRuns: 50 },
  );
});

test("the Standard Webhooks library verifies every signature, with either secret of a rotation", () => {
  fc.assert(
    fc.property(anyPayload, (payload) => {
      const secrets = [newSecret(), newSecret()];
      const headers = signatureHeaders({ eventId: "event-1", payload, secrets, at: new Date() });

      for (const secret of secrets) {
        assert.deepEqual(new Webhook(secret).verify(payload, headers), JSON.parse(payload));
      }
      assert.throws(() => new Webhook(newSecret()).verify(payload, headers));
      assert.throws(() =>
        new Webhook(secrets[0] ?? "").verify(payload, { ...headers, "webhook-id": "other" }),
      );
    }),
    { numRuns: 50 },
  );
});

test("an address is stored as it is, or masked with the whole of it encrypted, and comes back as it was", () => {
  const decrypt = urlDecryptor(ENCRYPTION);
  const plain = encryptUrl(ENCRYPTION, "https://hooks.example/shop?store=7");
  assert.deepEqual(plain, { url: "https://hooks.example/shop?store=7", urlEncrypted: null });
  assert.equal(decrypt(plain), "https://hooks.example/shop?store=7");

  const secret = encryptUrl(ENCRYPTION, "https://hooks.example/shop?token=s3cret-5f2a9c");
  assert.ok(secret.urlEncrypted);
  assert.doesNotMatch(secret.url + secret.urlEncrypted.toString("latin1"), /s3cret/);
  assert.equal(decrypt(secret), "https://hooks.example/shop?token=s3cret-5f2a9c");
});
