import assert from "node:assert/strict";
import { test } from "node:test";
import type { Item } from "../catalog/item.ts";
import type { FieldTable } from "./kit/field-table.ts";
import { CHANNELS, CHANNEL_FILES } from "./registry.ts";

const item: Item = {
  id: "MUG",
  title: "Mug",
  description: "A mug.",
  link: "https://shop.example/mug",
  images: ["https://shop.example/mug.jpg"],
  price: { amount: "18.00", currency: "USD" },
  availability: "in_stock",
};

/** The files that have a field for the brand. */
const BRANDED = CHANNEL_FILES.filter((file) => {
  const table: FieldTable = CHANNELS[file].fieldTable;
  return ("fields" in table ? [table.fields] : Object.values(table.types)).some(
    (fields) => "brand" in fields,
  );
});

for (const file of BRANDED) {
  test(`${file} has the catalog's brand for an item without a brand, and does not change the others`, () => {
    const written = (brand: string | undefined) =>
      CHANNELS[file]
        .open({
          catalog: { slug: "shop", name: "Shop" },
          settings: { defaultBrand: "Housebrand" },
          asOf: new Date(0),
          snapshotAt: new Date(0),
        })
        .group({ groupId: null, isWhole: true, items: [brand === undefined ? item : { ...item, brand }] });

    assert.match(written(undefined).text, /Housebrand/);
    assert.equal(written(undefined).written, 1);
    assert.doesNotMatch(written("Acme").text, /Housebrand/);
    assert.match(written("Acme").text, /Acme/);
  });
}
