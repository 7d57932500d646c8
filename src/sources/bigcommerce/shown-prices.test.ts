import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { optionProduct, simpleProduct, VARIANT_OFFSET } from "../../../test/fakes/bigcommerce-products.ts";
import { taxZone } from "../../../test/fakes/bigcommerce-shop.ts";
import { draftsOf, failureOf, warningsOf } from "../events.contract.ts";
import { bigcommerceWorld } from "./world.contract.ts";

/** A store in Germany whose shoppers see prices with or without 19 % tax, however they are entered. */
async function taxedStore(entered: "incl" | "excl", shown: "incl" | "excl") {
  const products = [
    simpleProduct(1, { price: 19.99, calculated_price: 19.99 }),
    simpleProduct(2, { price: 12.5, sale_price: 10, calculated_price: 10 }),
    optionProduct(3, 60, { price: 100, calculated_price: 100 }),
  ];
  const world = await bigcommerceWorld(products);
  const { content } = world.shop;
  content.store = { ...content.store, is_price_entered_with_tax: entered === "incl" };
  content.taxZones.splice(
    0,
    1,
    taxZone({ id: 1, name: "Default Tax Zone" }, shown !== "incl"),
    taxZone({ id: 2, name: "Germany", country: "DE" }, shown === "incl"),
  );
  return world;
}

const posts = (requests: readonly string[]) => requests.filter((path) => path.includes("pricing/products"));

describe("prices are read as shoppers of the store's country see them", () => {
  test("entered without tax and shown with it: by the Pricing API, fifty variants per request", async () => {
    await using world = await taxedStore("excl", "incl");

    const drafts = draftsOf(await world.read());

    const [first, second] = drafts;
    assert.deepEqual([first?.price, first?.salePrice, first?.priceIncludesTax], ["23.79", undefined, "yes"]);
    assert.deepEqual([second?.price, second?.salePrice], ["14.88", "11.9"]);
    assert.equal(drafts.length, 62);
    assert.equal(posts(world.shop.requests).length, 2);
  });

  test("entered with tax and shown without it", async () => {
    await using world = await taxedStore("incl", "excl");

    const [first] = draftsOf(await world.read());

    assert.deepEqual([first?.price, first?.priceIncludesTax], ["16.8", "no"]);
  });

  for (const way of ["incl", "excl"] as const) {
    test(`entered and shown ${way} tax: no further request`, async () => {
      await using world = await taxedStore(way, way);

      const [first] = draftsOf(await world.read());

      assert.equal(first?.price, "19.99");
      assert.deepEqual(posts(world.shop.requests), []);
    });
  }

  test("by the default zone, if the store's country has no zone", async () => {
    await using world = await taxedStore("excl", "excl");
    world.shop.content.taxZones.splice(1, 1, taxZone({ id: 2, country: "FR" }, false));

    const [first] = draftsOf(await world.read());

    assert.equal(first?.price, "23.79");
  });

  test("variants beyond those that come with their product included", async () => {
    await using world = await taxedStore("excl", "incl");
    world.shop.content.includedVariants = 20;

    const drafts = draftsOf(await world.read());

    assert.equal(drafts.length, 62);
    assert.ok(drafts.every(({ priceIncludesTax }) => priceIncludesTax === "yes"));
  });

  test("as entered if the store does not state how it shows them, and the probe notes it", async () => {
    await using world = await taxedStore("excl", "incl");
    world.shop.failAlways("tax/zones", { status: 404 });

    const [first] = draftsOf(await world.read());
    const { notes } = await world.probe();

    assert.equal(first?.price, "19.99");
    assert.match(notes.join(), /does not state whether the shop shows prices with or without tax/);
  });

  test("if they are unknown, the read fails: no price is published that the shop does not show", async () => {
    await using world = await taxedStore("excl", "incl");
    world.shop.content.hasPricing = false;

    const failure = await failureOf(world.read());

    assert.equal(failure.code, "source_unavailable");
    assert.match(failure.message, /shows prices with tax, but its catalog has them without/);
  });

  test("if one item's price is unknown, the item is rejected with the reason", async () => {
    await using world = await taxedStore("excl", "incl");
    world.shop.content.products.splice(1, 2);
    world.shop.failAlways("pricing/products", {
      status: 200,
      headers: { "content-type": "application/json" },
      body: '{"data":[]}',
    });

    const events = await world.read();

    const rejected = events.flatMap((event) => (event.kind === "rejected" ? [event.rejection] : []));
    assert.deepEqual(
      rejected.map(({ itemId, code }) => [itemId, code]),
      [[String(1 + VARIANT_OFFSET), "missing_price"]],
    );
  });

  test("the probe states it", async () => {
    await using world = await taxedStore("excl", "incl");

    const { facts } = await world.probe();

    const prices = facts.find(({ label }) => label === "Prices");
    assert.equal(prices?.value, "entered without tax, shown with it: read as shown");
  });
});

describe("prices with four decimals", () => {
  test("are rounded as the store shows them", async () => {
    await using world = await bigcommerceWorld([
      simpleProduct(1, { price: 19.995, calculated_price: 19.995 }),
      simpleProduct(2, { price: 8.2645, calculated_price: 8.2645 }),
    ]);

    const events = await world.read();

    assert.deepEqual(
      draftsOf(events).map(({ price }) => price),
      ["20.00", "8.26"],
    );
    assert.deepEqual(warningsOf(events), []);
  });

  test("are rounded to the currency if the store shows four, and this is noted", async () => {
    await using world = await bigcommerceWorld([
      simpleProduct(1, { price: 8.2645, calculated_price: 8.2645 }),
    ]);
    world.shop.content.store = { ...world.shop.content.store, decimal_places: 4 };

    const events = await world.read();

    assert.deepEqual(
      draftsOf(events).map(({ price }) => price),
      ["8.26"],
    );
    assert.match(warningsOf(events).join(), /1 item has a price with more decimals than the currency has/);
  });
});
