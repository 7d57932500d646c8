/** Rows of Google's file for tests. Cells are written literally, with their quotes. */

export type GoogleFixtureRow = Readonly<Record<string, string>>;

/** Nothing is wrong with this item, not even a little. */
export const MUG: GoogleFixtureRow = {
  id: "MUG-TEAL",
  title: "Fjellgarn stoneware mug, teal",
  description: "Glazed stoneware mug, fired twice, dishwasher safe, for coffee and tea.",
  link: "https://shop.example/mug?color=teal",
  image_link: "https://cdn.example/mug-teal.jpg",
  additional_image_link: "https://cdn.example/mug-teal-2.jpg",
  availability: "in_stock",
  price: "18.00 USD",
  brand: "Fjellgarn",
  gtin: "4006381333931",
  google_product_category: "Home & Garden > Kitchen & Dining > Tableware",
  "shipping(country:region:service:price)": "US::Standard:5.00 USD",
};

export const TRAY: GoogleFixtureRow = {
  ...MUG,
  id: "TRAY",
  title: "Fjellgarn serving tray, oak",
  link: "https://shop.example/tray",
  image_link: "https://cdn.example/tray.jpg",
  price: "39.00 USD",
  gtin: "036000291452",
};

const OPTION = "variant_option(name:value)";

/** Two variants of one group. */
export const VARIANTS: readonly [GoogleFixtureRow, GoogleFixtureRow] = [
  { ...MUG, item_group_id: "MUG", item_group_title: "Mug", color: "Teal", [OPTION]: "Color:Teal" },
  { ...TRAY, item_group_id: "MUG", item_group_title: "Mug", color: "Oak", [OPTION]: "Color:Oak" },
];

export function tsv(rows: readonly GoogleFixtureRow[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = [names, ...rows.map((row) => names.map((name) => row[name] ?? ""))];
  return lines.map((line) => `${line.join("\t")}\n`).join("");
}

/** The same rows by the rules of CSV: a cell with a delimiter or a quote in it is quoted. */
export function delimited(rows: readonly GoogleFixtureRow[], delimiter: string): string {
  const quoted = (cell: string) =>
    cell.includes(delimiter) || cell.includes('"') ? `"${cell.replaceAll('"', '""')}"` : cell;
  return tsv(rows)
    .split("\n")
    .map((line) => line.split("\t").map(quoted).join(delimiter))
    .join("\n");
}
