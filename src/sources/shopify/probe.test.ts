import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeProduct } from "../../../test/fakes/shopify-data.ts";
import { failureOf } from "../events.contract.ts";
import { shopifyWorld } from "./shopify-world.contract.ts";

test("a probe checks the credentials with one query and returns the facts of the shop", async () => {
  await using world = await shopifyWorld([
    fakeProduct(1),
    fakeProduct(2),
    fakeProduct(3, { status: "DRAFT" }),
    fakeProduct(4, { status: "UNLISTED" }),
  ]);

  const { facts, notes } = await world.probe();

  assert.deepEqual(Object.fromEntries(facts.map(({ label, value }) => [label, value])), {
    Shop: "My Shop",
    Address: "my-shop.myshopify.com",
    Plan: "Basic",
    Country: "DE",
    Currency: "EUR",
    "Prices include tax": "yes",
    "Products to be read": "2",
    "API version": "2026-10",
    Scopes: "read_products, read_inventory",
  });
  assert.deepEqual(notes, [
    "1 product is a draft and will be left out.",
    "1 product is unlisted and will be left out. Set include_unlisted to yes to read it.",
  ]);
  assert.equal(world.shop.requests.length, 1);
});

test("a missing scope is named", async () => {
  await using world = await shopifyWorld([fakeProduct(1)]);
  world.shop.state.scopes = ["read_orders"];

  const failure = await failureOf(world.probe());

  assert.equal(failure.code, "source_unauthorized");
  assert.match(failure.message, /lacks the scope read_products/);
});

test("the scope write_products includes read_products", async () => {
  await using world = await shopifyWorld([fakeProduct(1)]);
  world.shop.state.scopes = ["read_products", "write_products"];

  assert.ok((await world.probe()).facts.length > 0);
});

test("a mistyped token is refused, and not repeated", async () => {
  await using world = await shopifyWorld();

  const failure = await failureOf(world.probe({ access_token: "shpat_mistyped" }));

  assert.equal(failure.code, "source_unauthorized");
  assert.ok(!failure.message.includes("shpat_mistyped"));
});

test("an empty shop and another API version are noted", async () => {
  await using world = await shopifyWorld();
  world.shop.state.version = "2027-01";

  const { notes } = await world.probe();

  assert.equal(notes.length, 2);
  assert.match(notes.join(" "), /2027-01 instead of 2026-10.*no active products/);
});

test("invalid settings fail before the first request", async () => {
  await using world = await shopifyWorld();

  const failure = await failureOf(world.probe({ shop: "www.my-shop.com" }));

  assert.equal(failure.code, "source_settings_invalid");
  assert.equal(world.shop.requests.length, 0);
});
