import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeProducts } from "../../../test/fakes/shopify-data.ts";
import type { Fault } from "../../../test/fakes/shopify-shop.ts";
import type { ErrorCode } from "../../errors.ts";
import { judgeAdmin } from "./failures.ts";
import { failureOf } from "../events.contract.ts";
import { BY_PAGES, shopifyWorld, type ShopifyWorld } from "./shopify-world.contract.ts";

/** How often a request is sent before the read fails: once, or as often as the retry policy allows. */
type Tries = "once" | "again";
type Row = readonly [fault: Fault, code: ErrorCode, words: RegExp, tries: Tries];

const page = (status: number, body = "<h1>no</h1>", headers = {}): Fault => ({
  kind: "answer",
  status,
  body,
  headers,
});
const errors = (code: string, more = {}): Fault => ({ kind: "errors", code, ...more });

const ROWS: Readonly<Record<string, Row>> = {
  "a token that is unknown": [
    page(401, '{"errors":"[API] Invalid API key or access token"}', { "content-type": "application/json" }),
    "source_unauthorized",
    /does not know the access token.*revoked/,
    "once",
  ],
  "a frozen shop": [page(402), "source_unavailable", /frozen because of an unpaid/, "once"],
  "an app without access": [page(403), "source_unauthorized", /read_products/, "once"],
  "a shop name that does not exist": [page(404), "source_not_found", /setting shop/, "once"],
  "a locked shop": [page(423), "source_unavailable", /locked the shop/, "once"],
  "too many requests": [
    page(429, "", { "retry-after": "0.001" }),
    "source_unavailable",
    /fewer requests/,
    "again",
  ],
  "a request that looks suspicious": [page(430), "source_unavailable", /suspicious/, "once"],
  "a gateway that is down": [page(502), "source_unavailable", /status 502/, "again"],
  "a web page instead of data": [page(200), "source_unavailable", /text\/html.*JSON/, "again"],
  "an answer that is cut off": [{ kind: "cut" }, "source_incomplete", /broke off/, "again"],
  "a query that is throttled": [errors("THROTTLED"), "source_unavailable", /fewer requests/, "again"],
  "a missing scope": [
    errors("ACCESS_DENIED", { requiredAccess: "`read_inventory` access scope." }),
    "source_unauthorized",
    /lacks the scope read_inventory/,
    "once",
  ],
  "a missing scope that only the message names": [
    errors("ACCESS_DENIED", { message: "Required access: `read_markets` access scope." }),
    "source_unauthorized",
    /lacks the scope read_markets/,
    "once",
  ],
  "a closed shop": [errors("SHOP_INACTIVE"), "source_unavailable", /closed or paused/, "once"],
  "an internal error of Shopify": [
    errors("INTERNAL_SERVER_ERROR"),
    "source_unavailable",
    /problem of its own/,
    "again",
  ],
  "a query that took too long": [errors("TIMEOUT"), "source_unavailable", /too long/, "again"],
  "a query that is not understood": [
    errors("undefinedField"),
    "source_malformed",
    /written for API version 2026-10; it answered with version 2026-10/,
    "once",
  ],
  "an answer without data": [
    page(200, '{"data":null}', { "content-type": "application/json" }),
    "source_malformed",
    /without data/,
    "again",
  ],
  "a shop without a currency": [
    page(200, '{"data":{"shop":{}}}', { "content-type": "application/json" }),
    "source_malformed",
    /which currency/,
    "once",
  ],
};

/** With a short wait for throttling. */
const SHORT_THROTTLING = { ...BY_PAGES, retries: { ...BY_PAGES.retries, maxThrottledMs: 5 } };

for (const [what, [fault, code, words, tries]] of Object.entries(ROWS)) {
  test(`${what} fails as ${code} with advice`, async () => {
    await using world = await shopifyWorld(fakeProducts(3), SHORT_THROTTLING);
    world.shop.state.fault = () => fault;

    const failure = await failureOf(world.read());

    assert.equal(failure.code, code);
    assert.match(failure.message, words);
    assert.match(failure.message, /\.$/);
    assert.equal(world.shop.requests.length > 1, tries === "again");
    assertNoSecrets(world, failure.message);
  });
}

function assertNoSecrets({ shop }: ShopifyWorld, message: string): void {
  const { token, client } = shop.state;
  for (const secret of [token, client.secret, "signature", "?", "shpat_"])
    assert.ok(!message.includes(secret), message);
}

test("if the smallest page is too costly, the failure says to list fewer metafields", async () => {
  await using world = await shopifyWorld(fakeProducts(3));
  world.shop.state.fault = (what) => (what === "Products" ? errors("MAX_COST_EXCEEDED") : null);

  const failure = await failureOf(world.read());

  assert.equal(failure.code, "source_unavailable");
  assert.match(failure.message, /fewer metafields/);
});

test("a throttled query waits for the missing points", () => {
  const cost = {
    requestedQueryCost: 500,
    throttleStatus: { maximumAvailable: 2_000, currentlyAvailable: 100, restoreRate: 100 },
  };
  const body = { errors: [{ extensions: { code: "THROTTLED" } }], extensions: { cost } };

  const judgment = judgeAdmin({ status: 200, headers: {}, body, leadingText: "" }, []);

  assert.ok(judgment !== null && judgment !== "usable");
  assert.equal(judgment.retry, "throttled");
  assert.equal(judgment.error.retryAfterS, 4);
});

test("a Retry-After with fractions of a second is obeyed", () => {
  const judgment = judgeAdmin(
    { status: 429, headers: { "retry-after": "1.5" }, body: null, leadingText: "" },
    [],
  );

  assert.ok(judgment !== null && judgment !== "usable");
  assert.equal(judgment.error.retryAfterS, 1.5);
});

test("a shop that throttles twice and then answers is read", async () => {
  await using world = await shopifyWorld(fakeProducts(3));
  world.shop.state.fault = (what, number) => (what === "Products" && number < 3 ? errors("THROTTLED") : null);

  const events = await world.read();

  assert.equal(events.at(-1)?.kind, "end");
});

test("a private address is refused by the outbound guard", async () => {
  await using world = await shopifyWorld();

  const failure = await failureOf(world.read({ base_url: "http://10.0.0.1" }));

  assert.equal(failure.code, "target_forbidden");
});
