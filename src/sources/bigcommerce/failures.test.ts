import assert from "node:assert/strict";
import { test } from "node:test";
import { simpleProduct } from "../../../test/fakes/bigcommerce-products.ts";
import type { ErrorCode } from "../../errors.ts";
import { NO_RETRIES } from "../source.contract.ts";
import { PERMISSIONS, pauseBeforeNext, refusal, STATUS_RULES, STORE_PATH } from "./client.ts";
import { draftsOf, failureOf, warningsOf } from "../events.contract.ts";
import { bigcommerceWorld } from "./world.contract.ts";

const CALL = { path: STORE_PATH, needs: PERMISSIONS.products };
const answer = (status: number, headers: Record<string, string> = {}) => ({
  status,
  headers,
  body: null,
  leadingText: "",
});

test("every refusal has a code, a retry rule and advice", async () => {
  const cases: [number, ErrorCode, string, RegExp][] = [
    [400, "source_unavailable", "later", /fault of this program/],
    [401, "source_unauthorized", "never", /mistyped, or its API account was deleted/],
    [403, "source_unauthorized", "never", /"Products: read-only" \(store_v2_products_read_only\)/],
    [404, "source_not_found", "never", /no store with this store hash/],
    [405, "source_unavailable", "later", /fault of this program/],
    [406, "source_unavailable", "later", /fault of this program/],
    [409, "source_unavailable", "later", /locked/],
    [413, "source_unavailable", "later", /fault of this program/],
    [415, "source_unavailable", "later", /fault of this program/],
    [418, "source_unavailable", "later", /fault of this program/],
    [422, "source_unavailable", "later", /fault of this program/],
    [423, "source_unavailable", "later", /locked/],
    [429, "source_unavailable", "now", /overloaded/],
    [500, "source_unavailable", "now", /problem of its own/],
    [502, "source_unavailable", "now", /problem of its own/],
    [503, "source_unavailable", "now", /maintenance, being upgraded, or suspended/],
    [504, "source_unavailable", "now", /problem of its own/],
  ];

  for (const [status, code, retry, says] of cases) {
    const failure = refusal(answer(status), CALL);
    assert.deepEqual([failure.error.code, failure.retry], [code, retry], String(status));
    assert.match(failure.error.message, says);
    assert.match(failure.error.message, new RegExp(`\\(status ${status}\\)\\.$`));
  }
  const named = cases.map(([status]) => status);
  assert.deepEqual(
    Object.keys(STATUS_RULES).filter((status) => !named.includes(Number(status))),
    [],
  );
});

test("the wait after a used-up quota is read from either header", () => {
  const reset = refusal(answer(429, { "x-rate-limit-time-reset-ms": "14200" }), CALL);
  const after = refusal(answer(429, { "x-retry-after": "9" }), CALL);

  assert.deepEqual([reset.retry, reset.error.retryAfterS], ["throttled", 15]);
  assert.deepEqual([after.retry, after.error.retryAfterS], ["throttled", 9]);
});

test("a tenth of the quota is left to other apps, and without a quota there is no wait", () => {
  const headers = (left: string, quota = "150", resetMs = "12000") => ({
    "x-rate-limit-requests-left": left,
    "x-rate-limit-requests-quota": quota,
    "x-rate-limit-time-reset-ms": resetMs,
  });

  assert.equal(pauseBeforeNext(headers("140")), 0);
  assert.equal(pauseBeforeNext(headers("15")), 0);
  assert.equal(pauseBeforeNext(headers("14")), 12_000);
  assert.equal(pauseBeforeNext(headers("0")), 12_000);
  assert.equal(pauseBeforeNext(headers("0", "4")), 12_000);
  assert.equal(pauseBeforeNext({}), 0);
  assert.equal(pauseBeforeNext(headers("unlimited")), 0);
});

test("a read waits for a new quota, and never longer than the limit", async () => {
  await using world = await bigcommerceWorld([simpleProduct(1)], { maxPauseMs: 20_000 });
  world.shop.setQuota({ left: 2, quota: 150, resetMs: 29_000 });

  const events = await world.read();

  assert.equal(events.at(-1)?.kind, "end");
  // Before every request but the first, about which nothing is known yet.
  assert.deepEqual(world.pauses, Array(world.shop.requestCount() - 1).fill(20_000));
});

test("a request that is throttled is sent again until it succeeds", async () => {
  await using world = await bigcommerceWorld([simpleProduct(1)]);
  const full = { status: 429, headers: { "x-rate-limit-time-reset-ms": "0" } };
  world.shop.fail("catalog/products", full, full, full, full, full, full);

  const events = await world.read();

  assert.equal(draftsOf(events).length, 1);
});

test("each permission that a read needs is named when it is missing", async () => {
  for (const name of ["products", "information"] as const) {
    await using world = await bigcommerceWorld([simpleProduct(1)]);
    world.shop.content.forbidden.add(name);

    const failure = await failureOf(world.read());

    assert.equal(failure.code, "source_unauthorized");
    assert.ok(failure.message.includes(PERMISSIONS[name].scope), failure.message);
    assert.ok(failure.message.includes(`"${PERMISSIONS[name].label}: read-only"`), failure.message);
  }
});

test("a mistyped token and an unknown store hash are not reported as missing permissions", async () => {
  await using world = await bigcommerceWorld([simpleProduct(1)]);

  const mistyped = await failureOf(world.read({ access_token: "another" }));
  world.shop.failAlways("v2/store", { status: 404 });
  const unknown = await failureOf(world.read({ store_hash: "unknown" }));

  assert.equal(mistyped.code, "source_unauthorized");
  assert.match(mistyped.message, /does not know the access token/);
  assert.equal(unknown.code, "source_not_found");
});

test("a web page instead of data, JSON of another shape and a truncated body are retried", async () => {
  await using world = await bigcommerceWorld([simpleProduct(1)]);
  const page = { status: 200, body: "<html>Just a moment…</html>" };
  const shape = { status: 200, headers: { "content-type": "application/json" }, body: '{"data":"none"}' };
  world.shop.fail("id:greater=0", page, shape, "cut");

  assert.equal(draftsOf(await world.read()).length, 1);

  world.shop.failAlways("id:greater=0", shape);
  assert.equal((await failureOf(world.read())).code, "source_malformed");
});

test("no failure repeats the token, the query or what the shop sent", async () => {
  for (const status of [400, 401, 403, 404, 422, 429, 500, 503]) {
    await using world = await bigcommerceWorld([simpleProduct(1)], { retries: NO_RETRIES });
    const { access_token: token = "" } = world.shop.settings;
    world.shop.failAlways("id:greater=0", { status, body: `{"title":"${token}"}`, headers: {} });
    world.shop.setQuota(null);

    const { message } = await failureOf(world.read());

    for (const secret of [token, "id:greater", "127.0.0.1"]) assert.ok(!message.includes(secret), message);
  }
});

test("a store without category trees is read with the categories of its plain list", async () => {
  await using world = await bigcommerceWorld([simpleProduct(1)]);
  world.shop.content.categoryLists = "plain";

  const [draft] = draftsOf(await world.read());

  assert.deepEqual(draft?.categories, ["Kitchen > Mugs"]);
});

test("a store without any list of categories is read without them, and that is noted once", async () => {
  await using world = await bigcommerceWorld([simpleProduct(1), simpleProduct(2)]);
  world.shop.content.categoryLists = null;

  const events = await world.read();

  assert.deepEqual(
    draftsOf(events).map(({ categories }) => categories),
    [undefined, undefined],
  );
  assert.match(warningsOf(events).join(), /no category list for this store \(v3\/catalog\/trees/);
});

test("a missing route of a store is not reported as a wrong store hash", async () => {
  await using world = await bigcommerceWorld([simpleProduct(1)]);
  world.shop.failAlways("v3/catalog/products", { status: 404 });

  const failure = await failureOf(world.read());

  assert.equal(failure.code, "source_not_found");
  assert.match(
    failure.message,
    /The store hash is right, but BigCommerce has nothing at v3\/catalog\/products/,
  );
});

test("a first 422 is retried, and a second one ends the read", async () => {
  await using world = await bigcommerceWorld([simpleProduct(1)]);
  world.shop.fail("id:greater=0", { status: 422 });

  assert.equal(draftsOf(await world.read()).length, 1);

  const before = world.shop.requestCount();
  world.shop.failAlways("v2/store", { status: 422 });
  const failure = await failureOf(world.read());
  assert.match(failure.message, /fault of this program.*\(status 422\)/);
  assert.equal(world.shop.requestCount() - before, 2);
});
