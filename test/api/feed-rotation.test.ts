/** POST /feeds/rotate: new URLs for the feeds, while the previous ones work during the overlap. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { publishedEverywhere } from "../../src/store/feed-files.ts";
import { sql } from "../../src/store/sql.ts";
import { assertProblem } from "./problem.ts";
import { mugs } from "./rows.ts";
import { runningApi } from "./running-api.ts";
import type { Answer, Shop } from "./running-api.ts";
import { closeAfterTests } from "../close-after.ts";

const api = closeAfterTests(await runningApi());

type Rotated = { data: { feeds: { file: string; url: string }[]; previous_until: string } };

const rotate = async (shop: Shop, body: object, headers = {}): Promise<Answer> =>
  shop.call("/api/v1/feeds/rotate", { method: "POST", headers, body });

const urlsOf = async (shop: Shop): Promise<string[]> => (await shop.feeds()).feeds.map(({ url }) => url);

const statuses = async (urls: readonly string[]): Promise<Set<number>> =>
  new Set(await Promise.all(urls.map(async (url) => (await api.ask(new URL(url).pathname)).status)));

async function openRendered(): Promise<Shop> {
  const shop = await api.openShop(mugs(2));
  assert.equal((await shop.sync()).status, 200);
  return shop;
}

test("old and new URLs serve until the end of the overlap, then the old ones answer like any wrong address", async () => {
  const shop = await openRendered();
  const before = await urlsOf(shop);

  const answer = await rotate(shop, { overlap_s: 3600 });

  assert.equal(answer.status, 200, answer.text);
  const { feeds, previous_until } = (answer.json as Rotated).data;
  const now = feeds.map(({ url }) => url);
  assert.deepEqual(now, await urlsOf(shop));
  assert.ok(now.every((url) => !before.includes(url)));
  assert.equal((await shop.feeds()).previous_until, previous_until);
  const overlapS = (Date.parse(previous_until) - Date.now()) / 1000;
  assert.ok(overlapS > 3500 && overlapS <= 3600, String(overlapS));
  assert.deepEqual([await statuses(before), await statuses(now)], [new Set([200]), new Set([200])]);

  // Time passes.
  await api.db.execute(sql`update catalogs set previous_feed_token_until = now() where id = ${shop.id}`);
  assert.equal((await shop.feeds()).previous_until, undefined);
  await publishedEverywhere();
  assert.deepEqual([await statuses(before), await statuses(now)], [new Set([404]), new Set([200])]);
});

test("the overlap is a week by default; with overlap 0 the old URLs stop at once", async () => {
  const shop = await openRendered();
  const before = await urlsOf(shop);

  const week = await rotate(shop, {});
  const overlapS = (Date.parse((week.json as Rotated).data.previous_until) - Date.now()) / 1000;
  assert.ok(overlapS > 604_700 && overlapS <= 604_800, String(overlapS));
  const between = await urlsOf(shop);
  assert.equal((await rotate(shop, { overlap_s: 0 })).status, 200);

  assert.deepEqual(await statuses([...before, ...between]), new Set([404]));
  assert.deepEqual(await statuses(await urlsOf(shop)), new Set([200]));
});

test("a running overlap is kept: a second rotation with an overlap is refused and changes nothing", async () => {
  const shop = await openRendered();
  const first = await urlsOf(shop);
  await rotate(shop, { overlap_s: 3600 });
  const second = await urlsOf(shop);

  const refused = await rotate(shop, { overlap_s: 60 });

  const { detail } = assertProblem(refused, 409, "conflict");
  assert.match(detail ?? "", /overlap of 0/);
  assert.deepEqual(await statuses([...first, ...second]), new Set([200]));
});

test("rotation needs the scope write and an overlap of at most 90 days", async () => {
  const shop = await openRendered();
  const before = await urlsOf(shop);

  const reader = await rotate(shop, {}, { authorization: `Bearer ${shop.readKey}` });
  assertProblem(reader, 403, "insufficient_scope");
  for (const overlap_s of [-1, 7_776_001, 1.5, "60"])
    assertProblem(await rotate(shop, { overlap_s }), 400, "invalid_request");
  assert.deepEqual(await urlsOf(shop), before);
});
