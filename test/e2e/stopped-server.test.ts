/** A server process that stands still does not serve what was revoked meanwhile. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../actions.ts";
import { articles, openShop } from "../fakes/shop.ts";
import { freshDatabase, tempDir } from "../fresh.ts";
import { data, freePort, startService } from "./program.ts";

test("a stopped server that continues refuses the URLs that were revoked meanwhile", async () => {
  await using parts = new AsyncDisposableStack();
  const database = parts.use(await freshDatabase({ isMigrated: false }));
  const { path } = parts.use(await tempDir());
  const shop = parts.use(await openShop());
  shop.stock(articles(2));
  const settings = {
    DATABASE_URL: database.url,
    SECRET_KEY: "a key for tests, long enough to be one",
    DATA_DIR: path,
    ALLOW_PRIVATE_TARGETS: "127.0.0.1",
    RATE_LIMIT_PER_MINUTE: "0",
  };
  const env = { ...settings, PORT: String(await freePort()) };
  const first = parts.use(await startService(env));
  const second = parts.use(await startService({ ...settings, PORT: String(await freePort()) }));
  await data(
    env,
    ..."catalog create --slug shop --name Shop --currency USD --store-url https://shop.example/".split(" "),
  );
  const { key } = await data<{ key: string }>(
    env,
    ..."key create --catalog shop --scopes read,write".split(" "),
  );
  const add = ["source", "add", "--catalog", "shop", "--kind", "feed_url", "--set", `url=${shop.url}`];
  await data(env, ...add);
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const listed = async () => {
    const answer = await fetch(`${first.url}/api/v1/feeds`, { headers });
    const { data } = (await answer.json()) as { data: { feeds: { url: string }[] } };
    return new URL(data.feeds[0]?.url ?? "").pathname;
  };
  const statusOf = async (feed: string) => {
    const answer = await fetch(second.url + feed);
    await answer.arrayBuffer();
    return answer.status;
  };
  const before = await listed();
  await until(async () => (await statusOf(before)) === 200, "the feed on the second server");

  // Its last lookup is new when it stops, and it has requests to answer when it continues.
  assert.equal(await statusOf(before), 200);
  second.signalAll("SIGSTOP");
  const body = JSON.stringify({ overlap_s: 0 });
  const rotated = await fetch(`${first.url}/api/v1/feeds/rotate`, { method: "POST", headers, body });
  assert.equal(rotated.status, 200);
  const asked = Array.from({ length: 20 }, async () => statusOf(before));
  second.signalAll("SIGCONT");

  assert.deepEqual(new Set(await Promise.all(asked)), new Set([404]));
  assert.equal(await statusOf(await listed()), 200);
});
