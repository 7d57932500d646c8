import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { draftsOf, warningsOf } from "../events.contract.ts";
import { feedFixture } from "./feed-fixture.contract.ts";

describe("a JSON document with several lists of products", () => {
  const product = (id: string) => ({ id, title: `Lamp ${id}`, price: "12.50 EUR", link: `/lamp/${id}` });

  const warnings = async (document: unknown) => {
    await using world = await feedFixture();
    return warningsOf(await world.readPage(JSON.stringify(document)));
  };

  test("all of them are read, before and after the one with the usual name", async () => {
    await using world = await feedFixture();
    const events = await world.readPage(
      JSON.stringify({ start: { new: [product("1")], popular: [product("2")] }, items: [product("3")] }),
    );

    assert.deepEqual(
      draftsOf(events).map(({ id }) => id),
      ["3", "1", "2"],
    );
    const positions = events.flatMap((event) => (event.kind === "draft" ? [event.position] : []));
    assert.deepEqual(positions, [1, 2, 3]);
    assert.deepEqual(warningsOf(events), []);
  });

  test("also when none of them has a usual name", async () => {
    await using world = await feedFixture();
    const events = await world.readPage(JSON.stringify({ lamps: [product("1")], mugs: [product("2")] }));

    assert.deepEqual(
      draftsOf(events).map(({ id }) => id),
      ["1", "2"],
    );
  });

  test("a product that two lists have comes twice, and the merge keeps the first", async () => {
    await using world = await feedFixture();
    const events = await world.readPage(
      JSON.stringify({ products: [product("1"), product("2")], popular: [product("2")] }),
    );

    assert.deepEqual(
      draftsOf(events).map(({ id }) => id),
      ["1", "2", "2"],
    );
  });

  test("ids that count within a list only refuse the file with the lists and both products", async () => {
    await using world = await feedFixture();
    const lamp = { ...product("1"), title: "Lamp" };
    const mug = { ...product("1"), title: "Mug" };

    await assert.rejects(
      world.readPage(JSON.stringify({ shop: { lamps: [lamp], mugs: [mug] } })),
      /whose ids repeat: "1" is "Lamp" in "shop\.lamps" and "Mug" in "shop\.mugs"\. Give each product an id of its own/,
    );
  });

  test("a list with a price and only some fields of the products is named and not read", async () => {
    await using world = await feedFixture();
    const shipping = [{ id: "dhl", price: "5.90 EUR" }];
    const events = await world.readPage(JSON.stringify({ shipping, products: [product("1")] }));

    assert.deepEqual(
      draftsOf(events).map(({ id }) => id),
      ["1"],
    );
    assert.ok(
      warningsOf(events).some((text) => text.startsWith('Only the list "products" is read.')),
      warningsOf(events).join("\n"),
    );
  });

  test("lists without prices are no products", async () => {
    const categories = [{ id: "7", title: "Lamps", link: "/lamps" }];
    const found = await warnings({ categories, products: [product("1")], pages: categories });

    assert.deepEqual(
      found.filter((text) => text.startsWith("Only the list")),
      [],
    );
  });
});
