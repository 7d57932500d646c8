/**
 * Secrets in the addresses of sources and webhooks are encrypted, masked wherever an address is shown, and kept by
 * edits.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { closeAfterTests } from "../close-after.ts";
import { feedHost } from "../fakes/feed-host.ts";
import { answer as reply, openReceiver } from "../fakes/receiver.ts";
import { until } from "../actions.ts";
import { dataOf } from "./answer-data.ts";
import { assertProblem } from "./problem.ts";
import { csv, mugs } from "./rows.ts";
import { runningApi } from "./running-api.ts";
import type { Shop } from "./running-api.ts";

const api = closeAfterTests(await runningApi({ hasRenders: false }));
const host = closeAfterTests(await feedHost());

const TOKEN = "s3cret-of-the-feed";

type Listed = {
  readonly id: string;
  readonly settings: { readonly url: string };
  readonly secrets_set: string[];
};

const listed = async (shop: Shop): Promise<Listed | undefined> =>
  dataOf<{ sources: Listed[] }>(await shop.call("/api/v1/sources")).sources[0];

const change = async (shop: Shop, url: string) =>
  shop.call("/api/v1/sources", { method: "PATCH", body: { id: shop.sourceId, settings: { url } } });

const sync = async (shop: Shop): Promise<number> => (await shop.sync()).status;

/** Everything that the database has of a table, as text. */
const stored = async (table: string): Promise<string> =>
  JSON.stringify(await api.db.query({ text: `select t::text from ${table} t`, values: [] }));

async function openShop(start: string) {
  const path = `${start}&page=1`;
  const url = host.serve(path, { kind: "file", body: csv(mugs(2)) });
  const shop = await api.openShop([], "https://shop.example/none.csv");
  assert.equal((await change(shop, url)).status, 200);
  return { shop, path, url, masked: url.replace(TOKEN, "***") };
}

test("a token in the address of a source is used, and neither shown nor stored as text", async () => {
  const { shop, masked } = await openShop(`/a.csv?token=${TOKEN}`);

  assert.equal(await sync(shop), 200);

  const { settings, secrets_set: secrets } = (await listed(shop)) ?? {};
  assert.deepEqual([settings?.url, secrets], [masked, []]);
  for (const table of ["sources", "runs", "changes"]) {
    assert.equal((await stored(table)).includes(TOKEN), false, table);
  }
});

test("a secret of any name, in the path or in the fragment is masked in the answer of POST, in the list and in the name", async () => {
  const start = "/s.csv;jsessionid=one-two?format=csv&feedKey=three";
  const url = `${host.serve(start, { kind: "file", body: csv(mugs(2)) })}#four`;
  const masked = url.replace("one-two", "***").replace("three", "***").replace("four", "***");
  const shop = await api.openShop();
  type Shown = Listed & { readonly name: string };
  const body = { kind: "feed_url", settings: { url } };
  const add = async () => dataOf<Shown>(await shop.call("/api/v1/sources", { method: "POST", body }));
  // The first source of a host is called like the host, the next one has the path in its name.
  await add();

  const made = await add();

  const { sources } = dataOf<{ sources: Shown[] }>(await shop.call("/api/v1/sources"));
  assert.deepEqual(
    [made, sources.find(({ id }) => id === made.id)].map((shown) => [shown?.settings.url, shown?.name]),
    Array.from({ length: 2 }, () => [masked, masked.replace(/^http:..|[?].*$/gs, "")]),
  );
  for (const table of ["sources", "changes"])
    assert.doesNotMatch(await stored(table), /one-two|three|four/, table);
  const synced = await shop.call("/api/v1/syncs", { method: "POST", body: { source_id: made.id } });
  assert.equal(synced.status, 200, synced.text);
});

test("a failure of a source with a token in its address does not name the token", async () => {
  const { shop, path } = await openShop(`/b.csv?api_key=${TOKEN}`);
  for (const page of [
    { kind: "file", status: 404, body: "" },
    { kind: "redirect", to: `ftp://shop.example/?api_key=${TOKEN}` },
  ] as const) {
    host.serve(path, page);
    const answer = await shop.sync();
    assert.equal(answer.status, 422);
    assert.equal(answer.text.includes(TOKEN), false, answer.text);
  }
});

test("an edit that sends the masked address back keeps the stored token", async () => {
  const { shop, url, masked } = await openShop(`/c.csv?token=${TOKEN}`);

  assert.equal((await change(shop, masked)).status, 200);
  assert.equal(await sync(shop), 200);
  assert.equal((await change(shop, masked.replace("page=1", "page=2"))).status, 200);
  assert.equal((await listed(shop))?.settings.url, masked.replace("page=1", "page=2"));
  assert.equal((await change(shop, url.replace("token=s3", "token=old-s3"))).status, 200);
  assert.equal((await listed(shop))?.settings.url, masked);
});

test("a mask is refused for a new source, another host or another parameter", async () => {
  const { shop, masked } = await openShop(`/d.csv?token=${TOKEN}`);
  const refused = [masked.replace("token=", "key="), masked.replace("127.0.0.1", "localhost")];
  for (const url of refused) {
    const { errors } = assertProblem(await change(shop, url), 422, "source_settings_invalid");
    assert.deepEqual(
      errors?.map(({ pointer }) => pointer),
      ["/settings/url"],
    );
  }
  const body = { kind: "feed_url", settings: { url: masked } };
  assertProblem(await shop.call("/api/v1/sources", { method: "POST", body }), 422, "source_settings_invalid");
});

test("the address of a source from before is shown masked, and its token is kept and encrypted by an edit", async () => {
  const { shop, url, masked } = await openShop(`/e.csv?token=${TOKEN}`);
  await api.db.execute({
    text: "update sources set settings = jsonb_set(settings, '{url}', to_jsonb($2::text)), secrets_sealed = null where id = $1",
    values: [shop.sourceId, url],
  });
  assert.equal((await listed(shop))?.settings.url, masked);

  assert.equal((await change(shop, masked)).status, 200);

  assert.equal((await stored("sources")).includes(TOKEN), false);
  assert.equal(await sync(shop), 200);
});

const webhookCall = async (shop: Shop, method: "POST" | "PATCH", body: object) =>
  shop.call("/api/v1/webhooks", { method, body });

test("a token in the address of a webhook is sent, and neither shown nor stored as text, also if the receiver echoes it", async () => {
  await using receiver = await openReceiver();
  const path = `/hook?token=${TOKEN}&v=1`;
  const url = receiver.on(path, reply(500, { body: `cannot POST ${path}` }));
  const masked = url.replace(TOKEN, "***");
  const shop = await api.openShop(mugs(1));
  const made = await webhookCall(shop, "POST", { url, events: ["sync.completed"] });
  const { id } = dataOf<{ id: string }>(made);
  const shown = async () => (await shop.call("/api/v1/webhooks")).text;
  assert.ok((await shown()).includes(masked));

  assert.equal((await webhookCall(shop, "PATCH", { id, url: masked })).status, 200);
  assert.equal(await sync(shop), 200);
  const test = await shop.call("/api/v1/webhooks/test", { method: "POST", body: { id } });

  for (const request of await receiver.received(2)) assert.equal(request.path, path);
  const log = async () => (await shop.call("/api/v1/webhooks/deliveries")).text;
  await until(
    async () => (await log()).split("cannot POST /hook?token=[secret]&v=1").length === 3,
    "two attempts",
  );
  for (const text of [await shown(), await log(), test.text]) assert.equal(text.includes(TOKEN), false, text);
  for (const table of ["webhook_endpoints", "webhook_attempts", "changes"])
    assert.equal((await stored(table)).includes(TOKEN), false, table);
});

test("a mask in the address of a webhook is refused where no stored secret stands for it", async () => {
  await using receiver = await openReceiver();
  const shop = await api.openShop();
  const url = receiver.url(`/hook?token=${TOKEN}`);
  const events = ["sync.completed"];
  const { id } = dataOf<{ id: string }>(await webhookCall(shop, "POST", { url, events }));
  const masked = receiver.url("/hook?token=***");

  assertProblem(await webhookCall(shop, "POST", { url: masked, events }), 400, "invalid_request");
  const moved = masked.replace("127.0.0.1", "localhost");
  assertProblem(await webhookCall(shop, "PATCH", { id, url: moved }), 400, "invalid_request");
});
