/**
 * What one writes in an afternoon: reads the whole file with csv-parse and writes four files. No checks, no database,
 * no compression.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";

const [, , source = "", dir = ""] = process.argv;
const rows = parse<Record<string, string>>(readFileSync(source), { columns: true });
const columns = Object.keys(rows[0] ?? {});
const cell = (text = ""): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

const table = (separator: string, of: (text?: string) => string): string =>
  [columns, ...rows.map((row) => columns.map((column) => of(row[column])))]
    .map((cells) => cells.join(separator))
    .join("\n");
const groups = Map.groupBy(rows, ({ item_group_id }) => item_group_id);
const products = [...groups].map(([id, variants]) => ({ id, title: variants[0]?.["title"], variants }));
const offers = rows.map(({ id, title, description, link, image_link, brand, gtin, price, availability }) => ({
  "@context": "https://schema.org",
  "@type": "Product",
  sku: id,
  name: title,
  description,
  url: link,
  image: image_link,
  brand: { "@type": "Brand", name: brand },
  gtin,
  offers: {
    "@type": "Offer",
    price: price?.split(" ")[0],
    priceCurrency: price?.split(" ")[1],
    availability,
  },
}));

writeFileSync(
  join(dir, "gmc.tsv"),
  table("\t", (text = "") => text.replaceAll(/[\t\n]/g, " ")),
);
writeFileSync(join(dir, "acp.csv"), table(",", cell));
writeFileSync(join(dir, "acp.json"), JSON.stringify({ products }));
writeFileSync(join(dir, "jsonld.json"), JSON.stringify(offers));
process.send?.(process.resourceUsage().maxRSS / 1024);
