/** google-merchant-feed from npm: one XML file for Google of the same catalog. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parse } from "csv-parse/sync";

type Builder = {
  readonly withTitle: (text: string) => Builder;
  readonly withLink: (text: string) => Builder;
  readonly withDescription: (text: string) => Builder;
  readonly withProduct: (product: object) => Builder;
  readonly buildXml: () => string;
};

const [, , source = "", dir = ""] = process.argv;
const entry = join(dir, "node_modules/google-merchant-feed/dist/index.js");
const { FeedBuilder } = (await import(pathToFileURL(entry).href)) as { FeedBuilder: new () => Builder };
const builder = new FeedBuilder();
builder.withTitle("Benchmark");
builder.withLink("https://shop.example/");
builder.withDescription("A generated shop");
for (const row of parse<Record<string, string>>(readFileSync(source), { columns: true })) {
  const [value = "", currency] = (row["price"] ?? "").split(" ");
  builder.withProduct({
    id: row["id"],
    title: row["title"],
    description: row["description"],
    link: row["link"],
    imageLink: row["image_link"],
    availability: row["availability"],
    price: { value: Number(value), currency },
    brand: row["brand"],
    gtin: row["gtin"],
    mpn: row["mpn"],
    condition: row["condition"],
    googleProductCategory: row["google_product_category"],
    itemGroupId: row["item_group_id"],
    color: row["color"],
    size: row["size"],
    material: row["material"],
    gender: row["gender"],
    ageGroup: row["age_group"],
  });
}
writeFileSync(join(dir, "feed.xml"), builder.buildXml());
process.send?.(process.resourceUsage().maxRSS / 1024);
