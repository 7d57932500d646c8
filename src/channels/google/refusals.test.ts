import assert from "node:assert/strict";
import { test } from "node:test";
import type { Item } from "../../catalog/item.ts";
import { CHANNELS } from "../registry.ts";

const AS_OF = new Date("2026-11-01T00:00:00Z");
const MUG: Item = {
  id: "mug",
  title: "Stoneware mug",
  description: "A glazed mug.",
  link: "https://shop.example/p/mug",
  images: ["https://shop.example/mug.jpg"],
  price: { amount: "9.50", currency: "USD" },
  availability: "in_stock",
};

function rowOf(more: Partial<Item>) {
  const catalog = { slug: "shop", name: "Shop" };
  const context = { catalog, settings: { currency: "USD" }, asOf: AS_OF, snapshotAt: AS_OF };
  const writer = CHANNELS["gmc.tsv"].open(context);
  const names = writer.head().trimEnd().split("\t");
  const { text, refusals } = writer.group({ groupId: null, isWhole: true, items: [{ ...MUG, ...more }] });
  const cells = text.trimEnd().split("\t");
  const cell = (name: string): string => cells[names.indexOf(name)] ?? "";
  return { cell, codes: refusals.map(({ code, isWritten }) => `${code} ${isWritten}`) };
}

test("an image whose address is too long once its commas are encoded is missing, and the item is refused", () => {
  const image = `https://shop.example/${",".repeat(700)}.jpg`;

  const { cell, codes } = rowOf({ images: [image] });

  assert.deepEqual([cell("id"), cell("image_link"), codes], ["mug", "", ["missing_image true"]]);
});

test("a filler word is not written as a description, and the item is refused", () => {
  const { cell, codes } = rowOf({ description: "TBD" });

  assert.deepEqual([cell("id"), cell("description"), codes], ["mug", "", ["missing_description true"]]);
});
