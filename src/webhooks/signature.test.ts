import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { Stripe } from "stripe";
import { newSecret } from "./secret.ts";
import { signatureHeaders } from "./signature.ts";

const stripe = new Stripe("sk_test_unused");
const SECRET = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";
const at = new Date("2026-03-01T12:00:00.999Z");
const SECONDS = 1_772_366_400;

test("the header is the contract's: seconds, and the lowercase hex of an HMAC keyed with the whole secret", () => {
  const payload = '{"event":"sync.completed","created_at":"2026-03-01T12:00:00.000Z","data":{}}';

  const headers = signatureHeaders({ eventId: "event-1", payload, secrets: [SECRET], at });

  const mac = createHmac("sha256", SECRET).update(`${SECONDS}.${payload}`).digest("hex");
  assert.equal(headers["x-service-signature"], `t=${SECONDS},v1=${mac}`);
  assert.match(mac, /^[0-9a-f]{64}$/);
  assert.equal(headers["webhook-id"], "event-1");
  assert.equal(headers["webhook-timestamp"], String(SECONDS));
});

test("a signature made today is the one made tomorrow: these are the bytes receivers were promised", () => {
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

test("Stripe's own library verifies whatever is signed, with either secret of a rotation", () => {
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

test("the Standard Webhooks library verifies it too, with either secret of a rotation", () => {
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
