/** Rows that a sync knows are not read again, so a change in how they are read needs a new version. */
import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import { LIST_FIELDS, TEXT_FIELDS } from "../../catalog/draft.ts";
import { GOOGLE_COLUMNS } from "../../catalog/google-attributes.ts";
import { NORMALIZER_VERSION } from "../../catalog/normalize.ts";
import {
  aliasNames,
  GROUP_ALIASES,
  GROUP_FIELDS,
  LIST_ALIASES,
  TEXT_ALIASES,
} from "../product-record/aliases.ts";
import { NO_COLUMN_SETTINGS, parseColumnMapping, planFile } from "../product-record/column-settings.ts";
import { linkTemplate } from "../product-record/link-template.ts";
import { delimitedFeed } from "./delimited-feed.ts";
import { eventStage } from "./events.ts";
import { FEED_LIMITS } from "./limits.ts";

const COLUMNS = {
  mapping: parseColumnMapping("Stuff = option; Care = detail; Their weight = weight (kg); Heading = title")
    .mapping,
  linkTemplate: linkTemplate("https://shop.example/{slug}/{Care}"),
};

/** Every name alone, because together the first one of a field would hide the others. */
function draftsOfNames(): unknown {
  const aliases = [
    ...TEXT_FIELDS.map((field) => TEXT_ALIASES[field] ?? ""),
    ...LIST_FIELDS.map((field) => LIST_ALIASES[field]),
    ...GROUP_FIELDS.map((field) => GROUP_ALIASES[field]),
  ].flatMap(aliasNames);
  const values = [
    "Mug",
    "n/a",
    '="0042"',
    "5,00 EUR",
    "https://shop.example/a.jpg, https://shop.example/b.jpg",
    "Home > Mugs",
    "US::Ground:5.00 USD",
  ];
  return [...new Set([...aliases, ...GOOGLE_COLUMNS])].flatMap((name) =>
    values.map((value) => planFile([name], NO_COLUMN_SETTINGS).map([value])),
  );
}

/** What several columns, the settings of the source and the whole file have to do with a row. */
function draftsOfFile(): unknown {
  const reader = delimitedFeed("|", FEED_LIMITS, { columns: COLUMNS });
  const stage = eventStage({ reader, storeUrl: "https://store.example/" });
  const names =
    "id|Heading|slug|Care|Stuff|price|current_price|Their weight|Length (cm)|shipping(country:price)|image|option1_name|option1_value|product_type|product_type|gtin";
  const rows = [
    "1|Mug|mug 1|Hand wash|Blue|5.00|4.00|2|10|US:5.00 USD|/a.jpg, ../b.jpg|Size|L|X|Y|4006381333931,4006381333948",
    "2|Mug||||5.00||||||?c=1||||n/a|",
  ];
  const events = [
    ...stage.push(reader.push(`${names}\n${rows.join("\n")}\n`)),
    ...stage.push(reader.end()),
    ...stage.end(),
  ];
  return events.flatMap((event) => (event.kind === "draft" ? [{ ...event.draft }, event.decimalMark] : []));
}

test("a change in how rows are read has its own version", () => {
  const read = hash("sha256", JSON.stringify([draftsOfNames(), draftsOfFile()])).slice(0, 16);

  // A change needs a new NORMALIZER_VERSION, or rows that a sync skips are not read in the new way.
  assert.deepEqual([NORMALIZER_VERSION, read], [11, "aa703f9b57ffc02b"]);
});
