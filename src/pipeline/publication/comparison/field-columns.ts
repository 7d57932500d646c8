/**
 * Which columns of the files can show a field, whatever the item: found by rendering sample items. What items of today
 * look like has no part in it, so that a comparison of two renders has the same result at any time.
 */
import type { Item } from "../../../catalog/item.ts";
import type { FeedContext } from "../../../channels/channel.ts";
import { fieldNamed } from "../../../enrich/rules/field-names.ts";
import type { RuleField } from "../../../enrich/rules/fields.ts";
import { memoize } from "../../../lib/memoize.ts";
import { fileColumns } from "../../columns/columns.ts";
import type { Placed } from "../../render/item-in-feeds.ts";

const TIME = new Date("2026-01-01T00:00:00Z");
const CONTEXT: FeedContext = {
  catalog: { slug: "sample", name: "Sample" },
  settings: { sellerName: "Sample", storeUrl: "https://sample.example" },
  asOf: TIME,
  snapshotAt: TIME,
};

const UNBRANDED: Item = {
  id: "sample",
  title: "Sample",
  description: "A sample.",
  link: "https://sample.example/p",
  images: ["https://sample.example/i.jpg"],
  price: { amount: "10.00", currency: "USD" },
  availability: "in_stock",
};
const SAMPLE: Item = { ...UNBRANDED, brand: "Sample" };
const SALE = {
  salePrice: { amount: "8.00", currency: "USD" },
  saleFrom: "2025-01-01T00:00:00.000Z",
  saleTo: "2099-01-01T00:00:00.000Z",
};

const alone = (item: Item): Placed => ({ group: { groupId: null, items: [item], isWhole: true }, at: 0 });

/** Whether a field is shown may depend on others. */
const SAMPLES: readonly Placed[] = [
  alone(SAMPLE),
  alone(UNBRANDED),
  alone({ ...SAMPLE, ...SALE, gtin: "4006381333931", googleCategory: "2169" }),
  {
    group: {
      groupId: "group",
      items: [
        { ...SAMPLE, groupId: "group", color: "Red" },
        { ...SAMPLE, id: "sample-2", groupId: "group", color: "Blue" },
      ],
      isWhole: true,
    },
    at: 0,
  },
];

const columnKey = (file: string, column: string): string => `${file} ${column}`;

const columnsOf = memoize(500, (name: string): ReadonlySet<string> => {
  const field = fieldNamed(name);
  return new Set(field ? SAMPLES.flatMap((placed) => columnsIn(placed, field)) : []);
});

const columnsIn = (placed: Placed, field: RuleField): readonly string[] =>
  fileColumns(placed, CONTEXT, [field]).flatMap(({ file, origins, empty }) => {
    const shown = [...origins].filter(([, { fields }]) => fields.has(field.name)).map(([column]) => column);
    return [...shown, ...(empty.get(field.name) ?? [])].map((column) => columnKey(file, column));
  });

/** Whether a column can show a field. Any field can decide whether a file has the item at all (null). */
export function canShow(field: string, file: string, column: string | null): boolean {
  return column === null || columnsOf(field).has(columnKey(file, column));
}
