/** Reads the four hosted files with parsers that are not those of the service, and compares their items with rows. */
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { parse } from "csv-parse/sync";
import type { FeedEntry } from "./api.ts";
import type { Row } from "./catalogs.ts";
import { send } from "./http-client.ts";

type FeedItem = {
  readonly id: string;
  readonly title: string;
  readonly amount: number;
  readonly currency: string;
};

type Json = Readonly<Record<string, unknown>>;

export const FILES = {
  "acp.csv": { type: "text/csv; charset=utf-8", read: (text: string) => table(text, ",") },
  "acp.json": { type: "application/json", read: readJson },
  "gmc.tsv": { type: "text/tab-separated-values; charset=utf-8", read: (text: string) => table(text, "\t") },
  "jsonld.json": { type: "application/json", read: readJsonLd },
} as const;

type FileName = keyof typeof FILES;

/** The texts of the four files, by name, as anyone gets them who has the URLs. */
export async function fetchFiles(feeds: readonly FeedEntry[]): Promise<ReadonlyMap<FileName, string>> {
  const texts = await Promise.all(
    feeds.map(async ({ file, url }) => {
      const { status, text, headers } = await send(url);
      assert.equal(status, 200, `${file} is served`);
      assert.equal(headers["content-type"], FILES[file as FileName].type, `the content type of ${file}`);
      return [file as FileName, text] as const;
    }),
  );
  return new Map(texts);
}

export function assertFilesHave(files: ReadonlyMap<FileName, string>, rows: readonly Row[]): void {
  for (const [file, text] of files) assertFileHas(file, text, rows);
}

/** The file has exactly these rows, with their titles and prices. */
export function assertFileHas(file: FileName, text: string, rows: readonly Row[]): void {
  const items = FILES[file].read(text);
  const byId = new Map(items.map((item) => [item.id, item]));
  assert.equal(byId.size, items.length, `${file} has an item twice`);
  const missing = rows.filter(({ id }) => !byId.has(id)).map(({ id }) => id);
  assert.equal(
    missing.length,
    0,
    `${file} lacks ${missing.length} of ${rows.length} items, such as ${missing[0]}`,
  );
  assert.equal(items.length, rows.length, `${file} has ${items.length} items instead of ${rows.length}`);
  for (const row of rows) {
    const { title, amount, currency } = byId.get(row.id) ?? { title: "", amount: 0, currency: "" };
    assert.ok(isTitleOf(title, row.title), `${file} has the title "${title}" for "${row.title}"`);
    // A price without a currency is in the currency of the catalog, which the contract does not show.
    const price = /[A-Z]$/.test(row.price) ? row.price : `${row.price} ${currency}`;
    assert.ok(
      isDeepStrictEqual({ amount, currency }, money(price)),
      `${file} has the price ${amount} ${currency} for ${row.price}`,
    );
  }
}

/** No file may cut a title that is not longer than this. */
const CUT_FROM = 140;

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

/** A file may add the options of a variant, and may cut a long title. */
function isTitleOf(found: string, expected: string): boolean {
  const [title, whole] = [oneLine(found), oneLine(expected)];
  if (title.startsWith(whole)) return true;
  return (
    title.length >= CUT_FROM * 0.7 && whole.length > CUT_FROM && whole.startsWith(title.replace(/…$/, ""))
  );
}

function money(text: string): Pick<FeedItem, "amount" | "currency"> {
  const [, amount = "", currency = ""] = /^(\d+(?:\.\d+)?) ([A-Z]{3})$/.exec(text) ?? [];
  assert.notEqual(currency, "", `a price with its currency: ${text}`);
  return { amount: Number(amount), currency };
}

function table(text: string, delimiter: string): readonly FeedItem[] {
  const records = parse<Record<string, string>>(text, { columns: true, delimiter, bom: true });
  return records.map(flatItem);
}

const flatItem = (record: Json): FeedItem => ({
  id: String(record["item_id"] ?? record["id"]),
  title: String(record["title"]),
  ...money(String(record["price"])),
});

function readJson(text: string): readonly FeedItem[] {
  const document = JSON.parse(text) as Json | readonly Json[];
  const records = Array.isArray(document) ? document : (document as Json)["products"];
  assert.ok(Array.isArray(records), "acp.json has a list of products");
  return (records as Json[]).map(flatItem);
}

function readJsonLd(text: string): readonly FeedItem[] {
  const document = JSON.parse(text) as Json;
  assert.match(JSON.stringify(document["@context"]), /schema\.org/);
  const nodes = document["@graph"];
  assert.ok(Array.isArray(nodes), "jsonld.json has a graph");
  return (nodes as Json[])
    .flatMap((node) => [node, ...((node["hasVariant"] ?? []) as Json[])])
    .filter((node) => [node["@type"]].flat().includes("Product"))
    .map((node) => {
      const offer = [node["offers"]].flat()[0] as Json;
      return {
        id: String(node["productID"] ?? node["sku"]),
        title: String(node["name"]),
        ...money(`${String(offer["price"])} ${String(offer["priceCurrency"])}`),
      };
    });
}
