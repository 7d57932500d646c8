import assert from "node:assert/strict";
import { test } from "node:test";
import { assertAll } from "../../test/assert-cases.ts";
import { VALIDATORS } from "./registry.ts";
import { csv, document, jsonLines, MUG } from "./openai/validate/rows.fixture.ts";
import { formatByContent, formatByName } from "./detect.ts";
import { delimited, MUG as GMC_MUG, tsv } from "./google/validate/rows.fixture.ts";
import { goldenFeeds } from "./golden.fixture.ts";

test("our own file names determine the format, compressed or not, in any folder", () => {
  for (const file of VALIDATORS.keys())
    for (const path of [file, `/data/f/${file}`, `./${file}.gz`, `shop-${file}`, `shop.${file}.zst`])
      assert.equal(formatByName(path), file, path);
  assert.equal(formatByName("acp.jsonl.gz"), "acp.json");
  assert.equal(formatByName("shop.jsonld"), "jsonld.json");
});

test("other names determine no format", () => {
  assertAll(formatByName, undefined, ["feed.csv", "feed.txt", "products.json", "gmc", "macp.csv", "-"]);
});

test("the content of every golden file determines its format", () => {
  for (const { file, text, name } of goldenFeeds())
    if (VALIDATORS.has(file)) assert.equal(formatByContent(text), file, name);
});

test("the header determines the channel, with any delimiter", () => {
  assert.equal(formatByContent(csv([MUG], "\t")), "acp.csv");
  assert.equal(formatByContent(csv([{ title: "Mug", price: "1.00 USD" }])), "acp.csv");
  assert.equal(formatByContent(tsv([{ title: "Mug", price: "1.00 USD" }])), "gmc.tsv");
  for (const delimiter of [",", ";", "|", "~"])
    assert.equal(formatByContent(delimited([GMC_MUG], delimiter)), "gmc.tsv", delimiter);
  assert.equal(formatByContent('"id","title","link"\n'), "gmc.tsv");
  assert.equal(formatByContent("ID\tTitle\tImage Link\n"), "gmc.tsv");
});

test("JSON is recognized by its keys", () => {
  assert.equal(formatByContent(document([MUG])), "acp.json");
  assert.equal(formatByContent(jsonLines([MUG])), "acp.json");
  assert.equal(formatByContent('\uFEFF\n [{"@type":"Product"}]'), "jsonld.json");
});

test("Google's XML is recognized by its root or its namespace", () => {
  assertAll(formatByContent, "gmc.xml", [
    '<?xml version="1.0"?>\n<rss version="2.0">',
    '\uFEFF<feed xmlns="http://www.w3.org/2005/Atom">',
    '<channel xmlns:g="http://base.google.com/ns/1.0">',
  ]);
  assert.equal(formatByName("shop-gmc.xml.gz"), "gmc.xml");
});

test("any other beginning is no known format", () => {
  assertAll(formatByContent, undefined, [
    "",
    "<html>",
    "<!doctype html><p>feed",
    "<yml_catalog>",
    "Dear reader,\nhello",
    "a,b,c\n1,2,3",
    "\0\0\0",
  ]);
});
