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

  test("names the lists that are not read, before and after the one that is", async () => {
    await using world = await feedFixture();
    const events = await world.readPage(
      JSON.stringify({ start: { new: [product("1")], popular: [product("2")] }, items: [product("3")] }),
    );

    assert.deepEqual(
      draftsOf(events).map(({ id }) => id),
      ["3"],
    );
    assert.ok(
      warningsOf(events).includes(
        'Only the list "items" is read. The file has 2 other lists with the fields of products, which are not in the feeds: "start.new", "start.popular". Put all products into one list.',
      ),
      warningsOf(events).join("\n"),
    );
  });

  test("also when none of them has a usual name", async () => {
    const found = await warnings({ lamps: [product("1")], mugs: [product("2")] });

    assert.ok(
      found.some((text) => text.startsWith('Only the list "lamps" is read.')),
      found.join("\n"),
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
