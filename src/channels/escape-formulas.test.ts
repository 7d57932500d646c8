/**
 * Cells that a spreadsheet would run as a formula: unchanged by default, escaped if the catalog's settings require it.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "csv-parse/sync";
import type { Item } from "../catalog/item.ts";
import type { CatalogSettings } from "../catalog/settings.ts";
import { CHANNELS } from "./registry.ts";

const TITLES = ["=1+1", "+49 mug", "-20% mug", "@home mug", '="a,b"', "Mug = good"];

function titles(file: "acp.csv" | "gmc.tsv", settings: CatalogSettings): readonly string[] {
  const items = TITLES.map(
    (title, index): Item => ({
      id: `m${index}`,
      title,
      link: "https://shop.example/m",
      price: { amount: "9.50", currency: "USD" },
      availability: "in_stock",
      brand: "Kiln",
      description: "A mug.",
      images: ["https://shop.example/m.jpg"],
    }),
  );
  const writer = CHANNELS[file].open({
    catalog: { slug: "shop", name: "Shop" },
    settings: { country: "US", storeUrl: "https://shop.example/", sellerName: "Shop", ...settings },
    asOf: new Date(0),
    snapshotAt: new Date(0),
  });
  const pieces = items.map((item) => writer.group({ id: null, items: [item] } as never).text);
  const text = writer.head() + pieces.join("") + writer.tail();
  const rows = parse(text, { columns: true, delimiter: file === "gmc.tsv" ? "\t" : "," });
  return (rows as Record<string, string>[]).map((row) => row["title"] ?? "");
}

for (const file of ["acp.csv", "gmc.tsv"] as const) {
  test(`${file} has texts that look like formulas unchanged`, () => {
    assert.deepEqual(titles(file, {}), TITLES);
  });

  test(`${file} has an apostrophe before them if the catalog's settings require it`, () => {
    assert.deepEqual(
      titles(file, { escapeFormulas: true }),
      TITLES.map((title) => (/^[=+@-]/.test(title) ? `'${title}` : title)),
    );
  });
}
