/** OpenAI rows for tests, and the same rows in each file format. */

export type OpenaiFixtureRow = Readonly<Record<string, unknown>>;

/** Nothing is wrong with this row, not even a little. */
export const MUG: OpenaiFixtureRow = {
  item_id: "MUG-TEAL",
  title: "Stoneware mug, teal",
  description: "Glazed stoneware mug, dishwasher safe.",
  url: "https://shop.example/mug?color=teal",
  brand: "Fjellgarn",
  seller_name: "Fjellgarn Shop",
  image_url: "https://cdn.example/mug-teal.jpg",
  availability: "in_stock",
  price: "18.00 USD",
  is_eligible_search: true,
  is_eligible_checkout: false,
  gtin: "4006381333931",
  seller_url: "https://shop.example/",
  return_policy: "https://shop.example/returns",
  target_countries: ["US"],
  store_country: "US",
};

export const TRAY: OpenaiFixtureRow = {
  ...MUG,
  item_id: "TRAY",
  title: "Oak serving tray",
  url: "https://shop.example/tray",
  image_url: "https://cdn.example/tray.jpg",
  price: "39.00 USD",
  gtin: "036000291452",
};

/** Two variants of one group. */
export const VARIANTS: readonly [OpenaiFixtureRow, OpenaiFixtureRow] = [
  { ...MUG, group_id: "MUG", listing_has_variations: true, variant_dict: { Color: "Teal" }, color: "Teal" },
  { ...TRAY, group_id: "MUG", listing_has_variations: true, variant_dict: { Color: "Oak" }, color: "Oak" },
];

/** A row with some values changed; undefined takes one away. */
export function withValues(row: OpenaiFixtureRow, changes: OpenaiFixtureRow): OpenaiFixtureRow {
  return Object.fromEntries(
    Object.entries({ ...row, ...changes }).filter(([, value]) => value !== undefined),
  );
}

export function document(rows: readonly OpenaiFixtureRow[]): string {
  return JSON.stringify({ profile: "openai-flat-2026-09", products: rows });
}

export function jsonLines(rows: readonly OpenaiFixtureRow[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join("");
}

function cell(value: unknown): string {
  if (value === undefined) return "";
  if (Array.isArray(value)) return quoted(value.join(","));
  return quoted(typeof value === "string" ? value : JSON.stringify(value));
}

function quoted(text: string): string {
  return /[",\r\n\t]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function csv(rows: readonly OpenaiFixtureRow[], delimiter = ","): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = [names, ...rows.map((row) => names.map((name) => cell(row[name])))];
  return lines.map((line) => `${line.join(delimiter)}\n`).join("");
}
