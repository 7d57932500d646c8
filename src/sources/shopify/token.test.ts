import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeProducts } from "../../../test/fakes/shopify-data.ts";
import { readAll } from "../source.contract.ts";
import { draftsOf, failureOf } from "../events.contract.ts";
import { shopifyWorld } from "./shopify-world.contract.ts";

/** A shop that is read with the client id and secret of an app. */
async function appWorld() {
  const world = await shopifyWorld(fakeProducts(200));
  const { id, secret } = world.shop.state.client;
  const app = { shop: "my-shop", base_url: world.shop.origin, client_id: id, client_secret: secret };
  const read = (changes: Readonly<Record<string, string>> = {}) => readAll(world, { ...app, ...changes });
  return { ...world, read };
}

test("a client id and secret are exchanged for one token, which is used for the whole read", async () => {
  await using world = await appWorld();

  const events = await world.read();

  assert.equal(draftsOf(events).length, 200);
  assert.equal(world.shop.requestCount("token"), 1);
  const [grant, ...calls] = world.shop.requests;
  assert.match(
    grant?.body ?? "",
    /^grant_type=client_credentials&client_id=client-1&client_secret=shpss_secret$/,
  );
  assert.ok(calls.every(({ headers }) => headers["x-shopify-access-token"] === "shpat_granted1"));
});

test("a token that Shopify no longer accepts is replaced once, and the read continues", async () => {
  await using world = await appWorld();
  let refused = 0;
  world.shop.state.fault = (what, number) => {
    if (what !== "Products" || number !== 2) return null;
    refused += 1;
    return { kind: "answer", status: 401, body: '{"errors":"expired"}' };
  };

  const events = await world.read();

  assert.equal(draftsOf(events).length, 200);
  assert.equal(refused, 1);
  assert.equal(world.shop.requestCount("token"), 2);
});

test("a new token that is refused as well ends the read", async () => {
  await using world = await appWorld();
  world.shop.state.isRevoked = true;

  const failure = await failureOf(world.read());

  assert.equal(failure.code, "source_unauthorized");
  // The settings have no access token that could be copied again.
  assert.match(failure.message, /for the client id and secret.*Install the app again/);
  assert.doesNotMatch(failure.message, /access token/);
  assert.equal(world.shop.requestCount("token"), 2);
});

test("a token that is about to expire is replaced before it does", async () => {
  await using world = await appWorld();
  world.shop.state.expiresInS = 60;

  await world.read();

  assert.ok(world.shop.requestCount("token") > 1);
});

const REFUSALS: Readonly<Record<string, readonly [status: number, body: string, words: RegExp]>> = {
  "a mistyped secret": [400, '{"error":"invalid_client"}', /client id and secret.*Copy both again/],
  "an unknown client id": [400, '{"error":"application_cannot_be_found"}', /no app with this client id/],
  "an app of another organization": [400, '{"error":"shop_not_permitted"}', /same organization/],
  "an app that is not installed": [400, '{"error":"app_not_installed"}', /not installed on this shop/],
  "a refusal without a reason": [403, "<h1>Forbidden</h1>", /gave no token/],
  "an answer without a token": [200, "{}", /gave no token/],
};

for (const [what, [status, body, words]] of Object.entries(REFUSALS)) {
  test(`${what} is reported when the token is requested`, async () => {
    await using world = await appWorld();
    world.shop.state.fault = (asked) => (asked === "token" ? { kind: "answer", status, body } : null);

    const failure = await failureOf(world.read());

    assert.equal(failure.code, "source_unauthorized");
    assert.match(failure.message, words);
    assert.ok(!failure.message.includes("shpss_secret"));
    assert.equal(world.shop.requests.length, 1);
  });
}

test("a shop that does not exist is not reported as a wrong secret", async () => {
  await using world = await appWorld();
  world.shop.state.fault = () => ({ kind: "answer", status: 404, body: "Not Found" });

  assert.equal((await failureOf(world.read())).code, "source_not_found");
});

test("a wrong secret is refused by the shop itself", async () => {
  await using world = await appWorld();

  const failure = await failureOf(world.read({ client_secret: "guessed" }));

  assert.match(failure.message, /Copy both again/);
});
