/** Plain catalogs of any size, in the formats in which a shop would serve them at a feed URL. */
import type { FeedContent } from "./hub.ts";

/** All values are texts, as in a file. An empty text is a missing value. */
export type Row = {
  readonly id: string;
  readonly title: string;
  readonly price: string;
  readonly link: string;
  readonly description: string;
  readonly brand: string;
  readonly image_link: string;
  readonly availability: string;
  readonly condition: string;
  readonly gtin: string;
  readonly product_type: string;
};

const THINGS = ["Stoneware mug", "Linen towel", "Oak board", "Brass lamp", "Wool blanket", "Glass carafe"];
const COLORS = ["blue", "green", "sand", "black", "white"];

const pick = (list: readonly string[], index: number): string => list[index % list.length] ?? "";

export function plainRows(count: number): readonly Row[] {
  return Array.from({ length: count }, (_, index) => {
    const number = index + 1;
    const thing = pick(THINGS, index);
    return {
      id: `sku-${number}`,
      title: `${thing} ${number}, ${pick(COLORS, index)}`,
      price: `${10 + index}.${String((number * 7) % 100).padStart(2, "0")} USD`,
      link: `https://shop.example/p/${number}`,
      description: `A ${thing.toLowerCase()} that is made by hand in a small workshop, number ${number} of the series.`,
      brand: "Kiln & Co.",
      image_link: `https://shop.example/images/${number}.jpg`,
      availability: index % 4 === 3 ? "out_of_stock" : "in_stock",
      condition: "new",
      gtin: gtin13(number),
      product_type: "Home > Kitchen",
    };
  });
}

/** A GTIN-13 with a valid check digit. */
function gtin13(number: number): string {
  const digits = `400638${String(number).padStart(6, "0")}`;
  const sum = Array.from(digits).reduce(
    (total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 1 : 3),
    0,
  );
  return `${digits}${(10 - (sum % 10)) % 10}`;
}

const MINIMAL = ["id", "title", "price", "link"] as const;
const ALL = [
  ...MINIMAL,
  ...(["description", "brand", "image_link", "availability", "condition", "gtin", "product_type"] as const),
];

const cell = (value: string): string => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);

const csv = (rows: readonly Row[], columns: readonly (keyof Row)[]): FeedContent => ({
  type: "text/csv; charset=utf-8",
  text: [columns, ...rows.map((row) => columns.map((name) => row[name]))]
    .map((cells) => `${cells.map(cell).join(",")}\n`)
    .join(""),
});

const present = (row: Row): object =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== ""));

export const FORMATS = {
  "minimal CSV": (rows: readonly Row[]) => csv(rows, MINIMAL),
  "full CSV": (rows: readonly Row[]) => csv(rows, ALL),
  JSON: (rows: readonly Row[]): FeedContent => ({
    type: "application/json",
    text: JSON.stringify(rows.map(present)),
  }),
} as const;

export type Format = keyof typeof FORMATS;

/** Which rows a sync must store: an item needs an id of its own, a title and a price. */
export function acceptedRows(rows: readonly Row[]): readonly Row[] {
  const ids = new Set<string>();
  return rows.filter(({ id, title, price }) => {
    if (id.trim() === "" || title.trim() === "" || price.trim() === "" || ids.has(id)) return false;
    ids.add(id);
    return true;
  });
}
