import assert from "node:assert/strict";
import { test } from "node:test";
import type { Item } from "../../catalog/item.ts";
import { FACTS_BYTES, FactsWriter, FILLED_FIELDS, HostNames, readFacts } from "./item-facts.ts";

const LAMP: Item = {
  id: "L1",
  title: "Lamp",
  link: "https://shop.example/lamp",
  price: { amount: "19.90", currency: "EUR" },
  availability: "in_stock",
};

function factsOf(item: Item, hosts = new HostNames()) {
  const buffer = Buffer.alloc(FACTS_BYTES + 1);
  assert.equal(new FactsWriter(new Date("2026-06-01"), hosts).writeGroup([item], buffer, 1), FACTS_BYTES + 1);
  return readFacts(buffer, 1);
}

const bitOf = (field: (typeof FILLED_FIELDS)[number]): number => 1 << FILLED_FIELDS.indexOf(field);

test("the facts of an item are read as they were written", () => {
  const { linkHost, ...facts } = factsOf(LAMP);
  assert.ok(linkHost > 0);
  const expected = { price: 1990, currency: "EUR", availability: "in_stock" };
  const { title, link, titleStart, ...others } = facts;
  assert.ok(title > 0 && link > 0 && titleStart > 0);
  assert.deepEqual(others, {
    ...expected,
    isOnSale: false,
    filled: bitOf("link"),
    imageHost: 0,
    description: 0,
    image: 0,
    titleLength: 4,
    isTitleId: false,
    isGarbled: false,
    isFarApart: false,
  });
});

test("a title that is the id, garbled letters, and a sale price of a hundredth are marked", () => {
  assert.equal(factsOf({ ...LAMP, title: "L1" }).isTitleId, true);
  assert.equal(factsOf({ ...LAMP, title: "l1" }).isTitleId, true);
  assert.equal(factsOf({ ...LAMP, title: "l10" }).isTitleId, false);
  assert.equal(factsOf({ ...LAMP, title: "Gr?ne Lampe" }).isGarbled, true);
  assert.equal(factsOf({ ...LAMP, link: "https://shop.example/gr?n" }).isGarbled, false);
  assert.equal(factsOf({ ...LAMP, title: "GrÃ¼n" }).isGarbled, true);
  assert.equal(factsOf({ ...LAMP, description: "Die SchÃ¶ne" }).isGarbled, true);
  assert.equal(factsOf({ ...LAMP, salePrice: { amount: "0.20", currency: "EUR" } }).isFarApart, false);
  assert.equal(factsOf({ ...LAMP, salePrice: { amount: "0.19", currency: "EUR" } }).isFarApart, true);
});

test("an item is marked if its price is a hundred times that of another item of the group, or a hundredth", () => {
  const marks = (...amounts: string[]) => {
    const items = amounts.map((amount) => ({ ...LAMP, price: { amount, currency: "EUR" } }));
    const buffer = Buffer.alloc(items.length * FACTS_BYTES);
    new FactsWriter(new Date("2026-06-01"), new HostNames()).writeGroup(items, buffer, 0);
    return items.map((_, at) => readFacts(buffer, at * FACTS_BYTES).isFarApart);
  };
  assert.deepEqual(marks("19.99", "1999.00"), [true, true]);
  assert.deepEqual(marks("19.99", "1999.00", "150.00", "0.00"), [true, true, false, false]);
  assert.deepEqual(marks("19.99", "1998.00", "0.00"), [false, false, false]);
});

test("the price is the one of the time of the render, and exact in every currency", () => {
  const sale: Item = { ...LAMP, salePrice: { amount: "9.90", currency: "EUR" } };
  const { price, isOnSale } = factsOf(sale);
  assert.deepEqual({ price, isOnSale }, { price: 990, isOnSale: true });
  assert.equal(factsOf({ ...sale, saleTo: "2026-05-31T00:00:00.000Z" }).price, 1990);
  assert.equal(factsOf({ ...sale, saleFrom: "2026-06-02T00:00:00.000Z" }).isOnSale, false);
  assert.equal(factsOf({ ...LAMP, price: { amount: "0.00", currency: "EUR" } }).price, 0);
  assert.equal(factsOf({ ...LAMP, price: { amount: "1990", currency: "JPY" } }).price, 1990);
  assert.equal(
    factsOf({ ...LAMP, price: { amount: "999999999999.999", currency: "KWD" } }).price,
    999999999999999,
  );
});

test("each of the fields has its own bit", () => {
  const values: Record<(typeof FILLED_FIELDS)[number], Partial<Item>> = {
    description: { description: "A lamp." },
    link: { link: "https://shop.example/lamp" },
    image: { images: ["https://cdn.example/1.jpg"] },
    brand: { brand: "Acme" },
    gtin: { gtin: "4006381333931" },
    mpn: { mpn: "1" },
    group_id: { groupId: "g" },
    additional_images: { images: ["https://cdn.example/1.jpg", "https://cdn.example/2.jpg"] },
    condition: { condition: "new" },
    google_category: { googleCategory: "1" },
    categories: { categories: [["Lamps"]] },
    color: { color: "red" },
    size: { size: "M" },
    material: { material: "steel" },
    gender: { gender: "unisex" },
    age_group: { ageGroup: "adult" },
    shipping: { shipping: [{ price: LAMP.price }] },
    shipping_weight: { shippingWeight: { value: "1", unit: "kg" } },
    unit_pricing: { unitPricing: { measure: { value: "1", unit: "kg" } } },
    energy_class: { energyClass: "A" },
    quantity: { quantity: 0 },
  };
  for (const [at, field] of FILLED_FIELDS.entries()) {
    const image = field === "additional_images" ? bitOf("image") : 0;
    const { link: _link, ...bare } = LAMP;
    assert.equal(factsOf({ ...bare, ...values[field] }).filled, (1 << at) | image, field);
  }
});

test("hosts are told apart, whatever follows them, and their names are kept", () => {
  const hosts = new HostNames();
  const addresses = [
    "https://a.example/1",
    "https://b.example/1",
    "https://a.example?x=1",
    "https://a.example",
  ];
  const [a, b, ...same] = addresses.map((url) => hosts.hashOf(url));
  assert.notEqual(a, b);
  assert.deepEqual(same, [a, a]);
  assert.equal(hosts.hashOf("https://a.example/2"), a);
  assert.notEqual(hosts.hashOf("https://a.example.org/2"), a);
  assert.deepEqual(hosts.toJSON(), {
    [String(a)]: "a.example",
    [String(b)]: "b.example",
    [String(hosts.hashOf("https://a.example.org/"))]: "a.example.org",
  });
  assert.equal(new HostNames(hosts.toJSON()).hashOf("https://a.example/3"), a);
});
