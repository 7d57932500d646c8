/**
 * Which columns each file has for each field, whatever an item has: found with two items that have most of what there
 * is.
 */
import type { Item } from "../../catalog/item.ts";
import type { FeedContext } from "../../channels/channel.ts";
import type { FeedFile } from "../../channels/registry.ts";
import { RULE_FIELDS } from "../../enrich/rules/fields.ts";
import type { Placed } from "../render/item-in-feeds.ts";
import { fileColumns } from "../columns/columns.ts";

const PLAIN: Item = {
  id: "plain",
  brand: "Kiln",
  title: "Mug",
  description: "A mug of clay.",
  link: "https://shop.example/mug",
  images: ["https://shop.example/mug.jpg"],
  price: { amount: "20.00", currency: "EUR" },
  availability: "in_stock",
};

const CM = { value: "9", unit: "cm" } as const;

/** On sale, on pre-order, and one of two variants. */
const FULL: Item = {
  ...PLAIN,
  id: "full",
  groupId: "mugs",
  groupTitle: "Mugs",
  details: [{ name: "Glaze", value: "Matt" }],
  canonicalLink: "https://shop.example/mugs",
  images: ["https://shop.example/mug.jpg", "https://shop.example/mug-2.jpg"],
  salePrice: { amount: "15.00", currency: "EUR" },
  saleFrom: "2001-01-01T00:00:00.000Z",
  saleTo: "2101-01-01T00:00:00.000Z",
  availability: "preorder",
  availabilityDate: "2101-01-01T00:00:00.000Z",
  options: [{ name: "Handle", value: "Wide" }],
  color: "Blue",
  size: "L",
  sizeSystem: "EU",
  certifications: [{ authority: "EC", name: "EPREL", code: "123456" }],
  weight: { value: "2", unit: "kg" },
  length: CM,
  width: CM,
  height: CM,
  shippingLength: CM,
  shippingWidth: CM,
  shippingHeight: CM,
  shipping: [{ country: "DE", price: { amount: "4.90", currency: "EUR" } }],
  returns: { accepted: true, days: 30, policyUrl: "https://shop.example/returns" },
  rating: { value: "4.5", count: 12 },
};

const SAMPLES: readonly Placed[] = [
  { group: { groupId: null, items: [PLAIN], isWhole: true }, at: 0 },
  { group: { groupId: "mugs", items: [FULL, { ...FULL, id: "other", color: "Red" }], isWhole: true }, at: 0 },
];

const NOW = new Date("2026-01-01T00:00:00.000Z");
const CONTEXT: FeedContext = {
  catalog: { slug: "shop", name: "Shop" },
  settings: { country: "DE", eligibleForAds: true },
  asOf: NOW,
  snapshotAt: NOW,
};

type Places = ReadonlyMap<FeedFile, ReadonlyMap<string, ReadonlySet<string>>>;

let known: Places | undefined;

/** The columns that can show the field. */
export function placesOf(file: FeedFile, field: string): readonly string[] {
  known ??= findPlaces();
  return [...(known.get(file)?.get(field) ?? [])];
}

function findPlaces(): Places {
  const places = new Map<FeedFile, Map<string, Set<string>>>();
  for (const sample of SAMPLES) {
    for (const { file, origins, empty } of fileColumns(sample, CONTEXT, RULE_FIELDS)) {
      const inFile = places.get(file) ?? new Map<string, Set<string>>();
      places.set(file, inFile);
      const add = (field: string, column: string): void => {
        inFile.set(field, (inFile.get(field) ?? new Set()).add(column));
      };
      for (const [column, { fields, isConditional }] of origins)
        if (!isConditional) for (const field of fields) add(field, column);
      for (const [field, columns] of empty) for (const column of columns) add(field, column);
    }
  }
  return places;
}
