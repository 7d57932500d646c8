/** Random catalogs for property tests: good and bad items, with and without groups. */
import { type Arbitrary, constantFrom, dictionary, option, record, subarray, tuple } from "fast-check";
import type { ChannelValues, FeedPart, Item } from "../catalog/item.ts";
import {
  type PerfectCatalog,
  describe,
  groupsOf,
  type Patch,
  NOW,
  patched,
  PERFECT,
} from "./perfect.fixture.ts";
import { openAudit } from "./audit.ts";

const PATCHES: readonly Patch[] = [
  { brand: undefined },
  { brand: "Generic" },
  { description: undefined },
  { description: "Short." },
  { description: describe("What everybody says") },
  { description: "n/a" },
  { description: "Lorem ipsum dolor sit amet" },
  { images: undefined },
  { images: [`https://cdn.shop.example/${"a".repeat(2_000)}.jpg`] },
  { images: [`https://cdn.shop.example/${",".repeat(900)}.jpg`] },
  { images: ["https://cdn.shop.example/logo-placeholder-large.png"] },
  { images: ["https://cdn.shop.example/only.jpg"] },
  { images: ["https://cdn.shop.example/placeholder.png", "https://cdn.shop.example/2.png"] },
  { title: "Stool" },
  { title: "n/a" },
  { title: "TBD", options: [{ name: "Size", value: "XL" }] },
  { title: "Item 1" },
  { title: "FJELLGARN SALE ITEM, BEST PRICE EVER!!" },
  { price: { amount: "0.00", currency: "EUR" } },
  { price: { amount: "0.01", currency: "EUR" } },
  {
    price: { amount: "0.00", currency: "EUR" },
    google: { subscription_cost: [{ period: "month", period_length: "12", amount: "35.00 EUR" }] },
  },
  { salePrice: { amount: "0.00", currency: "EUR" }, saleFrom: undefined, saleTo: undefined },
  { salePrice: { amount: "0.00", currency: "EUR" }, saleTo: "2026-01-01T00:00:00.000Z" },
  { price: { amount: "990.00", currency: "USD" } },
  { gtin: undefined, mpn: undefined },
  { gtin: "4006381000017" },
  { gtin: "2000000000121" },
  { gtin: undefined, barcode: "4006381000018" },
  { availability: "unknown" },
  { availability: "preorder", availabilityDate: undefined },
  { availability: "preorder", availabilityDate: "2026-01-01T00:00:00.000Z" },
  { quantity: undefined },
  { googleCategory: undefined },
  { googleCategory: "Möbel > Hocker" },
  { googleCategory: "212", color: undefined },
  { categories: undefined, condition: undefined, weight: undefined },
  { link: undefined },
  { link: "https://shop.example/" },
  { link: "https://shop.example/sale" },
  { link: `https://shop.example/${"a".repeat(2_000)}` },
  { link: "http://10.0.0.1/x" },
  { images: ["http://localhost/1.jpg", "https://cdn.shop.example/2.jpg"] },
  { link: "https://elsewhere.example/x" },
  { salePrice: { amount: "1.00", currency: "EUR" }, saleTo: "2026-01-01T00:00:00.000Z" },
  { expiresAt: "2026-01-01T00:00:00.000Z" },
  { expiresAt: NOW.toISOString().replace(/\.000Z$/, ".500Z") },
  { options: [{ name: "Color", value: "Red" }], color: "Red" },
  { options: undefined, color: undefined, size: undefined, material: undefined },
  { shipping: undefined, returns: { accepted: false, days: 3 } },
];

const anyItem = record({
  base: constantFrom(...PERFECT.items),
  patches: subarray([...PATCHES], { maxLength: 5 }),
  group: constantFrom(null, "a", "b"),
}).map(({ base, patches, group }): Item => {
  const changed = patches.reduce<Item>((item, patch) => patched(item, patch), base);
  return patched(changed, { groupId: group ?? undefined });
});

/** Sorts items into catalog order: items of one group follow each other. */
function inOrder(items: readonly Item[]): Item[] {
  return items.toSorted((a, b) => compare(a.groupId ?? a.id, b.groupId ?? b.id) || compare(a.id, b.id));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Makes up to a dozen items with different ids from a small range, so that two catalogs share some items. */
export const anyItems: Arbitrary<readonly Item[]> = dictionary(
  constantFrom(..."abcdefghijklmnop".split("")),
  anyItem,
  { maxKeys: 12 },
).map((byId) => inOrder(Object.entries(byId).map(([id, item]) => ({ ...item, id: `item-${id}` }))));

const CHANGES: readonly Patch[] = [
  { images: undefined },
  { images: ["https://cdn.shop.example/only.jpg"] },
  { description: undefined },
  { description: describe("What one channel reads") },
  { brand: undefined },
  { link: "http://10.0.0.1/x" },
  { price: { amount: "0.00", currency: "EUR" } },
  { price: { amount: "12.00", currency: "EUR" } },
  { availability: "preorder", availabilityDate: undefined },
];

const anyChannels = <Value>(value: Arbitrary<Value>) =>
  record({ google: value, openai: value, schema_org: value }, { requiredKeys: [] });

/** Makes the values that rules set on an item for single channels. */
const anyFeed: Arbitrary<FeedPart> = record(
  {
    id: constantFrom("short", "x".repeat(60)),
    excluded: anyChannels(constantFrom("Leave out")),
    values: anyChannels(
      constantFrom(...CHANGES).map(
        (patch): ChannelValues =>
          Object.fromEntries(Object.entries(patch).map(([field, value]) => [field, value ?? null])),
      ),
    ),
  },
  { requiredKeys: [] },
);

/** Keeps ids that rules set unique, because the store refuses repeated ids. */
function withFeed(item: Item, { id, ...rest }: FeedPart): Item {
  return { ...item, feed: id === undefined ? rest : { id: `${id}-${item.id}`, ...rest } };
}

/** A catalog with rules for single channels. */
export const anyRuledCatalog: Arbitrary<PerfectCatalog> = anyItems.chain((items) =>
  tuple(...items.map(() => option(anyFeed, { nil: undefined }))).map((feeds) => ({
    ...PERFECT,
    items: items.map((item, at) => (feeds[at] === undefined ? item : withFeed(item, feeds[at]))),
  })),
);

export const anyCatalog: Arbitrary<PerfectCatalog> = anyItems.map((items) => ({ ...PERFECT, items }));

export function auditAll({ context, items }: PerfectCatalog) {
  const audit = openAudit(context);
  const verdicts = groupsOf(items).flatMap((group) => audit.group(group));
  return { verdicts, report: audit.finish() };
}
