/** Every key has its own number of calls a minute; feed URLs have no limit. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FeedsAnswer } from "../../src/contract/feeds.ts";
import { buildApp } from "../../src/http/app.ts";
import { createKey } from "../../src/setup/keys.ts";
import { assertProblem } from "./problem.ts";
import { mugs } from "./rows.ts";
import { ask, runningApi } from "./running-api.ts";
import type { RunningApi, Shop } from "./running-api.ts";

async function freshKey({ db }: RunningApi, { id }: Shop): Promise<Record<string, string>> {
  const scopes = ["read", "write"];
  const { key } = await createKey(db, { catalogId: id, name: "test", scopes, expiresAt: null });
  return { authorization: `Bearer ${key}` };
}

test("a key that has used up its calls is refused until its minute is over, whatever it calls", async () => {
  await using api = await runningApi({ rateLimitPerMinute: 3 });
  const shop = await api.openShop(mugs(1));
  const headers = await freshKey(api, shop);
  const calls = [
    { path: "/api/v1/feeds" },
    { path: "/api/v1/syncs" },
    { path: "/api/v1/syncs", method: "POST", body: { source_id: "no uuid" } },
  ] as const;

  for (const [used, { path, ...asked }] of calls.entries()) {
    const answer = await api.ask(path, { ...asked, headers });
    assert.notEqual(answer.status, 429);
    assert.equal(answer.headers["ratelimit-limit"], "3");
    assert.equal(answer.headers["ratelimit-remaining"], String(2 - used));
    assert.match(String(answer.headers["ratelimit-reset"]), /^([1-9]|[1-5]\d|60)$/);
  }

  for (const method of ["GET", "POST"] as const) {
    const refused = await api.ask("/api/v1/feeds", { method, headers });
    const { detail } = assertProblem(refused, 429, "rate_limited");
    assert.match(detail, /3 calls a minute/);
    assert.match(String(refused.headers["retry-after"]), /^([1-9]|[1-5]\d|60)$/);
    assert.equal(refused.headers["ratelimit-remaining"], "0");
  }
  assert.equal((await shop.feeds()).last_render, null, "what is refused is not done");
});

test("the limit is per key, also within a catalog", async () => {
  await using api = await runningApi({ rateLimitPerMinute: 2 });
  const shop = await api.openShop();
  const [spent, other] = [await freshKey(api, shop), await freshKey(api, shop)];
  for (let i = 0; i < 3; i += 1) await api.ask("/api/v1/feeds", { headers: spent });

  const answer = await api.ask("/api/v1/feeds", { headers: other });

  assert.equal(answer.status, 200);
  assert.equal(answer.headers["ratelimit-remaining"], "1");
  assertProblem(await api.ask("/api/v1/feeds", { headers: spent }), 429, "rate_limited");
});

test("feed URLs, health checks and metrics have no limit", async () => {
  await using api = await runningApi({ rateLimitPerMinute: 2 });
  const shop = await api.openShop(mugs(1));
  assert.equal((await shop.sync()).status, 200);

  for (let i = 0; i < 10; i += 1) {
    const feed = await shop.fetch("acp.csv");
    assert.equal(feed.status, 200);
    assert.equal(feed.headers["ratelimit-limit"], undefined);
    assert.equal((await api.ask("/healthz")).status, 200);
  }
});

test("a refused call is answered with a delay that does not affect others", async () => {
  await using api = await runningApi();
  const shop = await api.openShop(mugs(1));
  assert.equal((await shop.sync()).status, 200);
  const app = await buildApp({
    ...api.parts,
    rateLimitPerMinute: 1,
    refusalDelayMs: 60_000,
    graceMs: 0,
  });
  try {
    const url = await app.listen({ host: "127.0.0.1", port: 0 });
    const [spent, other] = [await freshKey(api, shop), await freshKey(api, shop)];
    assert.equal((await ask(`${url}/api/v1/feeds`, { headers: spent })).status, 200);
    let refused = 0;
    for (let i = 0; i < 10; i += 1)
      void ask(`${url}/api/v1/feeds`, { headers: spent })
        .catch(() => null)
        .finally(() => (refused += 1));

    const answer = await ask(`${url}/api/v1/feeds`, { headers: other });
    const { feeds } = (answer.json as FeedsAnswer).data;
    for (const feed of feeds) assert.equal((await ask(url + new URL(feed.url).pathname)).status, 200);

    assert.equal(refused, 0);
  } finally {
    await app.close();
  }
});

test("a limit of 0 means no limit", async () => {
  await using api = await runningApi({ rateLimitPerMinute: 0 });
  const shop = await api.openShop();
  const headers = await freshKey(api, shop);

  for (let i = 0; i < 30; i += 1) {
    const answer = await api.ask("/api/v1/syncs", { headers });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers["ratelimit-limit"], undefined);
  }
});
