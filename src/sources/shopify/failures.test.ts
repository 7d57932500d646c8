import assert from "node:assert/strict";
import { test } from "node:test";
import { shelves } from "../../../test/fakes/shopify-data.ts";
import type { Fault } from "../../../test/fakes/shopify-shop.ts";
import type { ErrorCode } from "../../errors.ts";
import { judgeAdmin } from "./failures.ts";
import { failureOf } from "../events.contract.ts";
import { BY_PAGES, shopifyWorld, type ShopifyWorld } from "./shopify-world.contract.ts";

/** How often the shop is asked before the read gives up: once, or as often as the policy says. */
type Tries = "once" | "again";
type Row = readonly [fault: Fault, code: ErrorCode, says: RegExp, tries: Tries];

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
    /does not know the access token.*taken back/,
    "once",
  ],
  "a frozen shop": [page(402), "source_unavailable", /frozen because of an unpaid/, "once"],
  "an app without access": [page(403), "source_unauthorized", /read_products/, "once"],
  "a name that no shop has": [page(404), "source_not_found", /setting shop/, "once"],
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
  "an answer that breaks off": [{ kind: "cut" }, "source_incomplete", /broke off/, "again"],
  "a question that is throttled": [errors("THROTTLED"), "source_unavailable", /fewer requests/, "again"],
  "a scope that is missing": [
    errors("ACCESS_DENIED", { requiredAccess: "`read_inventory` access scope." }),
    "source_unauthorized",
    /lacks the scope read_inventory/,
    "once",
  ],
  "a scope that only the message names": [
    errors("ACCESS_DENIED", { message: "Required access: `read_markets` access scope." }),
    "source_unauthorized",
    /lacks the scope read_markets/,
    "once",
  ],
  "a closed shop": [errors("SHOP_INACTIVE"), "source_unavailable", /closed or paused/, "once"],
  "a fault within Shopify": [
    errors("INTERNAL_SERVER_ERROR"),
    "source_unavailable",
    /problem of its own/,
    "again",
  ],
  "a question that took too long": [errors("TIMEOUT"), "source_unavailable", /too long/, "again"],
  "a question that is not understood": [
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

/** A shop that throttles is not waited for as long. */
const IMPATIENT = { ...BY_PAGES, retries: { ...BY_PAGES.retries, maxThrottledMs: 5 } };

for (const [what, [fault, code, says, tries]] of Object.entries(ROWS)) {
  test(`${what} fails as ${code}, in words that say what to do`, async () => {
    await using world = await shopifyWorld(shelves(3), IMPATIENT);
    world.shop.state.fault = () => fault;

    const failure = await failureOf(world.read());

    assert.equal(failure.code, code);
    assert.match(failure.message, says);
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

test("a question that is too costly at its smallest says what to leave out", async () => {
  await using world = await shopifyWorld(shelves(3));
  world.shop.state.fault = (what) => (what === "Products" ? errors("MAX_COST_EXCEEDED") : null);

  const failure = await failureOf(world.read());

  assert.equal(failure.code, "source_unavailable");
  assert.match(failure.message, /fewer metafields/);
});

test("a throttled question waits for the points that are missing", () => {
  const cost = {
    requestedQueryCost: 500,
    throttleStatus: { maximumAvailable: 2_000, currentlyAvailable: 100, restoreRate: 100 },
  };
  const body = { errors: [{ extensions: { code: "THROTTLED" } }], extensions: { cost } };

  const verdict = judgeAdmin({ status: 200, headers: {}, body, noise: "" }, []);

  assert.ok(verdict !== null && verdict !== "usable");
  assert.equal(verdict.retry, "throttled");
  assert.equal(verdict.error.retryAfterS, 4);
});

test("a Retry-After in fractions of a second is obeyed as such", () => {
  const verdict = judgeAdmin({ status: 429, headers: { "retry-after": "1.5" }, body: null, noise: "" }, []);

  assert.ok(verdict !== null && verdict !== "usable");
  assert.equal(verdict.error.retryAfterS, 1.5);
});

test("a shop that throttles twice and then answers is read", async () => {
  await using world = await shopifyWorld(shelves(3));
  world.shop.state.fault = (what, number) => (what === "Products" && number < 3 ? errors("THROTTLED") : null);

  const events = await world.read();

  assert.equal(events.at(-1)?.kind, "end");
});

test("an address that is private is refused by the guard, not by Shopify", async () => {
  await using world = await shopifyWorld();

  const failure = await failureOf(world.read({ base_url: "http://10.0.0.1" }));

  assert.equal(failure.code, "target_forbidden");
});
