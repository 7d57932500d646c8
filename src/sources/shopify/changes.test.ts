/** Reads of what changed in a Shopify shop: the search index, deletions, and what the app may not see. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeProduct, fakeVariants } from "../../../test/fakes/shopify-data.ts";
import type { ReadPart, SourceEvent } from "../source.ts";
import { shopifyWorld } from "./shopify-world.contract.ts";

const since = new Date("2026-11-02T00:00:00Z");
const changes: ReadPart = { kind: "changes", since, products: [] };
const later = { updatedAt: "2026-11-03T00:00:00Z" };

const productsIn = (events: readonly SourceEvent[]): readonly string[] =>
  events.flatMap((event) => (event.kind === "product" ? event.product : []));
const draftCount = (events: readonly SourceEvent[]): number =>
  events.filter(({ kind }) => kind === "draft").length;

test("a changed product is read as it is now, with more variants than a page has", async () => {
  const big = fakeProduct(7, { ...later, variants: fakeVariants(7, 60) });
  await using world = await shopifyWorld([fakeProduct(1), big]);

  const events = await world.read({}, { part: changes });

  assert.equal(events[0]?.kind, "partial");
  assert.deepEqual(productsIn(events), ["7"]);
  assert.equal(draftCount(events), 60);
});

test("a product that was reported is read although the search index does not have it yet", async () => {
  await using world = await shopifyWorld([fakeProduct(1), fakeProduct(2, later)]);
  world.shop.state.indexedUntil = "2026-11-02";

  const events = await world.read({}, { part: { kind: "products", products: ["2", "3"] } });

  assert.deepEqual([productsIn(events), draftCount(events)], [["2", "3"], 1]);
  assert.ok(!("newestChange" in (events.at(-1) ?? {})), "says nothing about other products");
});

test("a deleted product has no rows; an app that may not list deletions reads the changes all the same", async () => {
  await using world = await shopifyWorld([fakeProduct(1), fakeProduct(2, later)]);
  world.shop.state.deletions = [{ number: 5, at: "2026-11-03T00:00:00Z" }];
  assert.deepEqual(productsIn(await world.read({}, { part: changes })), ["2", "5"]);

  world.shop.state.fault = (what) =>
    what === "Deletions" ? { kind: "errors", code: "ACCESS_DENIED" } : null;

  assert.deepEqual(productsIn(await world.read({}, { part: changes })), ["2"]);
});

test("with a country, only single products can be read apart: prices of a market are not dated", async () => {
  await using world = await shopifyWorld();

  assert.deepEqual(world.connector.parts?.({ country: "DE" }), ["products"]);
  assert.deepEqual(world.connector.parts?.({}), ["products", "changes"]);
});
