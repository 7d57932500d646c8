/** Reads of what changed in a WooCommerce shop, where its versions and plugins differ. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { product, variableProduct, variation } from "../../../test/fakes/woocommerce-rows.ts";
import { type WooWorld, wooWorld } from "../../../test/fakes/woocommerce-world.ts";
import type { SourceEvent } from "../source.ts";

const since = new Date("2026-11-02T00:00:00Z");
const later = { date_modified_gmt: "2026-11-03T00:00:00" };

const readChanges = ({ read }: WooWorld): Promise<SourceEvent[]> =>
  read(undefined, "whole", { kind: "changes", since, products: [] });

const productsIn = (events: readonly SourceEvent[]): readonly string[] =>
  events.flatMap((event) => (event.kind === "product" ? event.product : []));
const draftsIn = (events: readonly SourceEvent[]): readonly unknown[] =>
  events.flatMap((event) => (event.kind === "draft" ? [[event.product, event.draft.id]] : []));

test("a shop whose version ignores the date filter is read in full", async () => {
  await using world = await wooWorld();
  world.shop.knowsModifiedAfter = false;
  world.shop.products = [product(1), product(2, later)];

  const events = await readChanges(world);

  assert.notEqual(events[0]?.kind, "partial");
  assert.deepEqual(draftsIn(events), [
    ["1", "1"],
    ["2", "2"],
  ]);
});

for (const hasVariationList of [true, false]) {
  test(`a variation that was saved without its product is found by ${hasVariationList ? "the list of variations" : "Analytics"}`, async () => {
    await using world = await wooWorld();
    world.shop.hasVariationList = hasVariationList;
    world.shop.products = [product(1), variableProduct(3, [31, 32])];
    world.shop.variations = [variation(31, 3, later), variation(32, 3)];

    const events = await readChanges(world);

    assert.deepEqual(productsIn(events), ["3"]);
    assert.deepEqual(draftsIn(events), [
      ["3", "31"],
      ["3", "32"],
    ]);
  });
}

test("a draft, a product in the trash and a deleted product have no rows", async () => {
  await using world = await wooWorld();
  world.shop.products = [
    product(1, { ...later, status: "draft" }),
    product(2, { ...later, status: "trash" }),
  ];

  const events = await world.read(undefined, "whole", { kind: "changes", since, products: ["9"] });

  assert.deepEqual(productsIn(events), ["1", "2", "9"]);
  assert.deepEqual(draftsIn(events), []);
  assert.equal(events.at(-1)?.kind, "end");
});

test("a shop in which more products changed than is worthwhile is read in full", async () => {
  await using world = await wooWorld({ maxChanged: 2 });
  world.shop.products = [product(1, later), product(2, later), product(3, later)];

  assert.notEqual((await readChanges(world))[0]?.kind, "partial");
});

test("the newest change is that of the newest product or variation, and not after the beginning of the read", async () => {
  await using world = await wooWorld();
  const [recent, future] = [-3_600_000, 3_600_000].map((ms) =>
    new Date(Date.now() + ms).toISOString().slice(0, 19),
  );
  world.shop.products = [product(1), variableProduct(3, [31])];
  world.shop.variations = [variation(31, 3, { date_modified_gmt: recent })];
  const newest = async (): Promise<Date | null | undefined> => {
    const end = (await world.read()).at(-1);
    return end?.kind === "end" ? end.newestChange : null;
  };

  assert.equal((await newest())?.toISOString().slice(0, 19), recent);
  world.shop.products = [product(1, { date_modified_gmt: future })];
  assert.ok(((await newest()) ?? new Date(0)) <= new Date());
});
