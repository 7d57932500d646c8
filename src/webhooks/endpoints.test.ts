import assert from "node:assert/strict";
import { test } from "node:test";
import { freshDb } from "../../test/fresh.ts";
import { seedCatalog } from "../../test/seed.ts";
import { EVENT, seedEvent, ENCRYPTION } from "../../test/fakes/receiver-seed.ts";
import { parseAllowList } from "../lib/outbound/allow-list.ts";
import { newId } from "../lib/id.ts";
import { findEndpoint } from "./endpoints.sql.ts";
import { secretDecryptor } from "./signing.ts";
import { deleteWebhook, listWebhooks, registerWebhook, rotateSecret } from "./endpoints.ts";
import type { WebhookInput } from "./endpoints.ts";
import { closeAfterTests } from "../../test/close-after.ts";

const db = closeAfterTests(await freshDb());

/** Every name resolves to the given address. */
const guard = (address = "8.8.8.8", opened: readonly string[] = []) => ({
  allow: parseAllowList(opened),
  lookup: async () => [address],
});
const input = async (more: Partial<WebhookInput> = {}): Promise<WebhookInput> => ({
  catalogId: await seedCatalog(db),
  url: "https://hooks.example/in",
  events: [EVENT],
  ...more,
});

test("a registered webhook is listed without its secret, which is stored encrypted", async () => {
  const wanted = await input({ events: ["audit.completed", "sync.completed", "audit.completed"] });

  const { secret, ...made } = await registerWebhook(db, ENCRYPTION, wanted, guard());

  assert.match(secret, /^whsec_/);
  assert.deepEqual(made.events, ["sync.completed", "audit.completed"]);
  const [listed, ...more] = await listWebhooks(db, wanted.catalogId);
  assert.equal(more.length, 0);
  assert.deepEqual(listed, {
    ...made,
    enabled: true,
    status: "active",
    disabled_at: null,
    disabled_by: null,
    failing_since: null,
    last_success_at: null,
    last_failure_at: null,
    last_failure: null,
    deliveries: { pending: 0, dead: 0 },
    previous_secret_until: null,
  });
  const [row] = await db.query<{ all: string }>({
    text: "select to_jsonb(webhook_endpoints)::text as all from webhook_endpoints where id = $1",
    values: [made.id],
  });
  assert.ok(row && !row.all.includes(secret));
  const kept = await findEndpoint(db, { catalogId: wanted.catalogId, id: made.id });
  assert.ok(kept);
  assert.deepEqual(secretDecryptor(ENCRYPTION)(kept, new Date()), [secret]);
});

test("an invalid webhook is refused with the field that is wrong", async () => {
  const cases: [Partial<WebhookInput>, string, RegExp][] = [
    [{ url: "hooks.example" }, "/url", /not a valid URL/],
    [{ url: "ftp://hooks.example/" }, "/url", /https:\/\//],
    [{ url: "http://hooks.example/" }, "/url", /ALLOW_PRIVATE_TARGETS/],
    [{ url: "https://me:pw@hooks.example/" }, "/url", /user name or password/],
    [{ url: `https://hooks.example/${"x".repeat(2_048)}` }, "/url", /2048 characters/],
  ];
  for (const [wrong, pointer, sentence] of cases) {
    const refused = registerWebhook(db, ENCRYPTION, await input(wrong), guard());

    await assert.rejects(
      refused,
      (error: { code: string; message: string; fields: { pointer: string }[] }) => {
        assert.equal(error.code, "invalid_request");
        assert.match(error.message, sentence);
        assert.deepEqual(
          error.fields.map((field) => field.pointer),
          [pointer],
        );
        return true;
      },
    );
  }
});

test("a private address is refused at registration in every notation", async () => {
  const cases: [string, string][] = [
    ["https://127.0.0.1/", "8.8.8.8"],
    ["https://2130706433/", "8.8.8.8"],
    ["https://[::ffff:10.0.0.1]/", "8.8.8.8"],
    ["https://inward.example/", "169.254.169.254"],
    ["https://hooks.example:22/", "8.8.8.8"],
  ];
  for (const [url, address] of cases) {
    const refused = registerWebhook(db, ENCRYPTION, await input({ url }), guard(address));
    await assert.rejects(refused, { code: "target_forbidden", message: /ALLOW_PRIVATE_TARGETS/ });
  }
});

test("plain http and private addresses are accepted only for targets that the operator allows", async () => {
  const inward = guard("10.0.0.7", ["10.0.0.0/8", "intern.example"]);

  for (const url of ["http://10.0.0.7/in", "http://intern.example/in", "https://other.example/in"]) {
    assert.equal((await registerWebhook(db, ENCRYPTION, await input({ url }), inward)).url, url);
  }
  // A name that is allowed only by its address must use https: its owner could point it elsewhere.
  await assert.rejects(
    registerWebhook(db, ENCRYPTION, await input({ url: "http://other.example/" }), inward),
    {
      code: "invalid_request",
    },
  );
});

test("a catalog has at most fifty webhooks", async () => {
  const wanted = await input();
  for (let i = 0; i < 50; i += 1) await registerWebhook(db, ENCRYPTION, wanted, guard());

  await assert.rejects(registerWebhook(db, ENCRYPTION, wanted, guard()), {
    code: "invalid_request",
    message: /50 webhooks already/,
  });
  await registerWebhook(db, ENCRYPTION, await input(), guard());
});

/** The webhook of each queued delivery of the catalog. */
async function queuedFor(catalogId: string): Promise<string[]> {
  const rows = await db.query<{ endpointId: string }>({
    text: "select endpoint_id from webhook_queue where catalog_id = $1 order by endpoint_id",
    values: [catalogId],
  });
  return rows.map((row) => row.endpointId);
}

test("deleting a webhook removes its queued deliveries and no others; an unknown webhook is not found", async () => {
  const wanted = await input();
  const { id } = await registerWebhook(db, ENCRYPTION, wanted, guard());
  const { id: other } = await registerWebhook(db, ENCRYPTION, wanted, guard());
  const { catalogId } = wanted;
  await seedEvent(db, catalogId, { at: new Date() });
  assert.deepEqual(await queuedFor(catalogId), [id, other].toSorted());

  await assert.rejects(deleteWebhook(db, { catalogId: await seedCatalog(db), id }), { code: "not_found" });
  await deleteWebhook(db, { catalogId, id });

  assert.deepEqual(
    (await listWebhooks(db, catalogId)).map((webhook) => webhook.id),
    [other],
  );
  assert.deepEqual(await queuedFor(catalogId), [other]);
  await assert.rejects(deleteWebhook(db, { catalogId, id }), { code: "not_found" });
});

test("both secrets sign during the overlap of a rotation, which is one day by default", async () => {
  const wanted = await input();
  const { catalogId } = wanted;
  const { id, secret: old } = await registerWebhook(db, ENCRYPTION, wanted, guard());
  const now = new Date("2026-03-01T12:00:00.000Z");
  const signing = async (seconds: number) => {
    const kept = await findEndpoint(db, { catalogId, id });
    assert.ok(kept);
    return secretDecryptor(ENCRYPTION)(kept, new Date(now.getTime() + seconds * 1_000));
  };

  const { secret, previous_secret_until: until } = await rotateSecret(db, ENCRYPTION, { catalogId, id, now });
  assert.equal(until, "2026-03-02T12:00:00.000Z");
  assert.deepEqual(await signing(86_399), [secret, old]);
  assert.deepEqual(await signing(86_400), [secret]);
  assert.equal((await listWebhooks(db, catalogId))[0]?.previous_secret_until, until);

  const leaked = await rotateSecret(db, ENCRYPTION, { catalogId, id, now, overlapS: 0 });
  assert.equal(leaked.previous_secret_until, null);
  assert.deepEqual(await signing(0), [leaked.secret]);
});

test("an unknown webhook is not found", async () => {
  const { catalogId } = await input();
  const id = newId();

  await assert.rejects(rotateSecret(db, ENCRYPTION, { catalogId, id, overlapS: 604_800 }), {
    code: "not_found",
  });
});
