import assert from "node:assert/strict";
import { test } from "node:test";
import { FEED_FILES } from "../format.ts";
import { csv, document, jsonLines, MUG } from "./acp/acp.fixture.ts";
import { formatByContent, formatByName } from "./detect.ts";
import { MUG as GMC_MUG, tsv } from "./gmc/gmc.fixture.ts";
import { goldenFeeds } from "./golden.fixture.ts";

test("our own file names tell the format, packed or not, wherever the file is", () => {
  for (const file of FEED_FILES)
    for (const path of [file, `/data/f/${file}`, `./${file}.gz`, `shop-${file}`, `shop.${file}.zst`])
      assert.equal(formatByName(path), file, path);
  assert.equal(formatByName("acp.jsonl.gz"), "acp.json");
  assert.equal(formatByName("shop.jsonld"), "jsonld.json");
});

test("other names tell nothing", () => {
  for (const name of ["feed.csv", "feed.txt", "products.json", "gmc", "macp.csv", "-"])
    assert.equal(formatByName(name), undefined, name);
});

test("the content of every golden file tells its format", () => {
  for (const { file, text, name } of goldenFeeds()) assert.equal(formatByContent(text), file, name);
});

test("the header tells whose rows they are, whatever parts them", () => {
  assert.equal(formatByContent(csv([MUG], "\t")), "acp.csv");
  assert.equal(formatByContent(csv([{ title: "Mug", price: "1.00 USD" }])), "acp.csv");
  assert.equal(formatByContent(tsv([{ title: "Mug", price: "1.00 USD" }])), "gmc.tsv");
  assert.equal(formatByContent(tsv([GMC_MUG]).replaceAll("\t", ",")), "gmc.tsv");
  assert.equal(formatByContent("ID\tTitle\tImage Link\n"), "gmc.tsv");
});

test("JSON is told by its words", () => {
  assert.equal(formatByContent(document([MUG])), "acp.json");
  assert.equal(formatByContent(jsonLines([MUG])), "acp.json");
  assert.equal(formatByContent('\uFEFF\n [{"@type":"Product"}]'), "jsonld.json");
});

test("what begins like none of them is none of them", () => {
  for (const text of ["", "<rss>", "Dear reader,\nhello", "a,b,c\n1,2,3", "\0\0\0"])
    assert.equal(formatByContent(text), undefined, text);
});
