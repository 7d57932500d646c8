import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Webhook, WebhookVerificationError } from "standardwebhooks";
import { Stripe } from "stripe";
import { sign, signStandard } from "./sign.ts";
import { verify } from "./verify.ts";

const { webhooks } = new Stripe("sk_test_unused");

const anySecret = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => `whsec_${Buffer.from(bytes).toString("base64")}`);
const anyBody = fc
  .string({ unit: "grapheme" })
  .map((message) =>
    JSON.stringify({ event: "webhook.test", created_at: "2026-01-01T00:00:00.000Z", data: { message } }),
  );

test("Stripe's SDK accepts what we sign", () => {
  fc.assert(
    fc.property(anyBody, anySecret, (body, secret) => {
      assert.deepEqual(webhooks.constructEvent(body, sign(body, secret), secret), JSON.parse(body));
    }),
  );
});

test("Stripe's SDK refuses what we signed with another secret", () => {
  assert.throws(() => webhooks.constructEvent("{}", sign("{}", "whsec_a"), "whsec_b"), /signature/);
});

test("Stripe's SDK accepts either secret of a rotation", () => {
  const header = sign("{}", ["whsec_old", "whsec_new"]);

  assert.deepEqual(webhooks.constructEvent("{}", header, "whsec_old"), {});
  assert.deepEqual(webhooks.constructEvent("{}", header, "whsec_new"), {});
});

test("we accept what Stripe's SDK signs", () => {
  fc.assert(
    fc.property(anyBody, anySecret, (body, secret) => {
      const header = webhooks.generateTestHeaderString({ payload: body, secret });

      assert.deepEqual(verify(body, header, secret), JSON.parse(body));
    }),
  );
});

test("a Standard Webhooks library accepts our Standard headers", () => {
  fc.assert(
    fc.property(anyBody, anySecret, fc.uuid(), (body, secret, id) => {
      assert.deepEqual(
        new Webhook(secret).verify(body, signStandard(body, secret, { id })),
        JSON.parse(body),
      );
    }),
  );
});

test("the Standard signature covers the id", () => {
  const secret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
  const headers = signStandard("{}", secret, { id: "one" });

  assert.throws(
    () => new Webhook(secret).verify("{}", { ...headers, "webhook-id": "two" }),
    WebhookVerificationError,
  );
});

test("the Standard headers of a rotation verify with either secret", () => {
  const [old, fresh] = [1, 2].map((fill) => `whsec_${Buffer.alloc(32, fill).toString("base64")}`) as [
    string,
    string,
  ];
  const headers = signStandard("{}", [old, fresh], { id: "one" });

  assert.deepEqual(new Webhook(old).verify("{}", headers), {});
  assert.deepEqual(new Webhook(fresh).verify("{}", headers), {});
});

test("the time of a signature is the clock's, in whole seconds", () => {
  const now = new Date("2026-01-01T00:00:00.999Z");

  assert.match(sign("{}", "whsec_a", { now }), /^t=1767225600,v1=[0-9a-f]{64}$/);
  assert.equal(signStandard("{}", "whsec_a", { id: "one", now })["webhook-timestamp"], "1767225600");
});
