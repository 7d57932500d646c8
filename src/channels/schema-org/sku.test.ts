import assert from "node:assert/strict";
import { test } from "node:test";
import type { Item } from "../../catalog/item.ts";
import { CHANNELS } from "../registry.ts";

const variant = (id: string, more: Partial<Item>): Item => ({
  id,
  title: "Polo",
  link: "https://shop.example/polo",
  price: { amount: "18.00", currency: "EUR" },
  availability: "in_stock",
  groupId: "polo",
  ...more,
});

test("variants with the same SKU and no GTIN have their ids as SKUs", () => {
  const { text } = CHANNELS["jsonld.json"]
    .open({ catalog: { slug: "s", name: "S" }, settings: {}, asOf: new Date(0), snapshotAt: new Date(0) })
    .group({
      groupId: "polo",
      isWhole: true,
      items: [
        variant("polo-red_1", { color: "Red", sku: "P" }),
        variant("polo-blue_2", { color: "Blue", sku: "P" }),
        variant("polo-teal_3", { color: "Teal", sku: "P", gtin: "4006381333931" }),
        variant("polo-grey_4", { color: "Grey", sku: "P-4" }),
      ],
    });

  assert.deepEqual(
    [...text.matchAll(/"sku":"([^"]*)"/g)].map(([, sku]) => sku),
    ["polo-red_1", "polo-blue_2", "P", "P-4"],
  );
});
