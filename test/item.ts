import type { Item } from "../src/catalog/item.ts";

/** An item with the required fields only, and those of the test. */
export function minimalItem(more: Partial<Item> = {}): Item {
  return {
    id: "MUG-1",
    title: "Mug",
    link: "https://shop.example/p/mug",
    price: { amount: "19.90", currency: "EUR" },
    availability: "in_stock",
    ...more,
  };
}
