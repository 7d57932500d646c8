/** Commands that need neither a server nor a database, as a person or a build would call them. */
import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { tempDir } from "../../test/fresh.ts";
import type { SyncStats } from "../contract/syncs.ts";
import { runCli } from "./cli.ts";

async function run(...args: readonly string[]) {
  let [out, talk] = ["", ""];
  const status = await runCli(args, {
    env: {},
    out: (text) => void (out += text),
    talk: (text) => void (talk += text),
    isTerminal: false,
  });
  return { status, out, talk };
}

type Audited = {
  score: number;
  grade: string;
  items: number;
  catalog_score: number;
  rejected: number;
  summary: string;
  rules: { id: string; lost: number; gain: number }[];
  read: { seen: number; rejected: number };
};

const SELLER = ["--seller-name", "Fjord & Fern"];

test("an audit of the sample shop prints its score, its grade and what to fix first", async () => {
  const { status, out } = await run("audit", "sample:shop.csv", ...SELLER);

  assert.equal(status, 0);
  assert.match(out, /\d+ \/ 100 {3}[A-F] {3}49 items/);
  assert.match(out, /Fix first\n\n +\+\d+ {2}Fix the 7 refused items and rows {2}then \d+ \(B\)/);
  assert.doesNotMatch(out, / \+0 {2}/);
  assert.match(out, /\+5 {2}Rows of the source were rejected {2}3 of 52 rows/);
  assert.match(out, /3 of 52 rows could not be stored/);
  assert.match(out, /Row 50: The price "from 240 to 280 USD"/);
  assert.ok(!out.includes("\u001b["), "no colours where nobody can see them");
});

test("without a seller name, OpenAI refuses every item in the render, and the audit names this first", async () => {
  await using dir = await tempDir();
  const { out } = await run("audit", "sample:shop.csv");
  const rendered = await run("render", "sample:shop.csv", "--out", dir.path, "--json");

  assert.match(rendered.out, /missing_seller_name/);
  assert.match(out, /\(F\)\. OpenAI refuses every item: Seller name is not set\./);
  assert.match(out, /acp\.csv, acp\.json +0 of 52 items ready, score 0/);
  assert.match(out, /Fix first\n\n +\+\d+ {2}Seller name is not set/);
});

test("as JSON it is the whole report, with advice sorted by its gain", async () => {
  const { out } = await run("audit", "sample:shop.csv", "--json");

  const report = JSON.parse(out) as Audited;
  assert.equal(report.items, 49);
  assert.deepEqual([report.read.seen, report.read.rejected], [52, 3]);
  assert.equal(report.rejected, 3);
  const gains = report.rules.map((rule) => rule.gain);
  assert.deepEqual(
    gains,
    gains.toSorted((a, b) => b - a),
  );
});

test("an audit ends with 6 if the score is below --fail-under, and with 0 otherwise", async () => {
  assert.equal((await run("audit", "sample:shop.csv", "--fail-under", "100")).status, 6);
  assert.equal((await run("audit", "sample:shop.csv", "--fail-under", "10")).status, 0);
  assert.equal((await run("audit", "sample:shop.csv", "--fail-under", "most")).status, 2);
});

const HEAD = "id,title,description,link,image_link,availability,price,brand,gtin,condition";
const GOOD = Array.from({ length: 10 }, (_, i) => {
  const text = `Number ${i} is a lamp with a shade of linen and a foot of solid oak, oiled by hand.`;
  return `l${i},"Reading lamp of oak and linen, number ${i}","${text} ${text} ${text}",https://shop.example/l${i},https://shop.example/l${i}.jpg,in_stock,${20 + i}.00 EUR,Fjord,,new`;
});

test("a feed with mostly rejected rows fails --fail-under, although its valid rows alone would pass", async () => {
  await using dir = await tempDir();
  const [good, bad] = [join(dir.path, "good.csv"), join(dir.path, "bad.csv")];
  const priceless = Array.from(
    { length: 90 },
    (_, i) => `x${i},Lamp ${i},A lamp.,https://shop.example/x${i},,,,,,`,
  );
  await writeFile(good, [HEAD, ...GOOD, ""].join("\n"));
  await writeFile(bad, [HEAD, ...GOOD, ...priceless, ""].join("\n"));

  assert.equal((await run("audit", good, "--fail-under", "60", ...SELLER)).status, 0);
  const { status, out } = await run("audit", bad, "--fail-under", "60", "--json", ...SELLER);

  assert.equal(status, 6);
  const { catalog_score, items, rejected, summary, rules } = JSON.parse(out) as Audited;
  assert.deepEqual([items, rejected, rules[0]?.id], [10, 90, "eligibility.rejected"]);
  assert.ok(catalog_score <= 10, String(catalog_score));
  assert.match(summary, /^\d+ \(F\)\. 90 of 100 rows could not be stored\.$/);
});

test('a feed without a valid row prints the reason instead of "nothing to fix"', async () => {
  await using dir = await tempDir();
  const file = join(dir.path, "none.csv");
  await writeFile(file, [HEAD, "a,Lamp,A lamp.,https://shop.example/a,,,,,,", ""].join("\n"));

  const { out } = await run("audit", file);

  assert.match(out, /0 \(F\)\. The only row could not be stored\./);
  assert.match(out, /Row 1: The item has no price\./);
});

test("a render without a server writes the four files into the folder", async () => {
  await using dir = await tempDir();
  const folder = join(dir.path, "feeds");

  const { status, out } = await run("render", "sample:shop.csv", "--out", folder, "--json");

  assert.equal(status, 0);
  assert.deepEqual((await readdir(folder)).sort(), ["acp.csv", "acp.json", "gmc.tsv", "jsonld.json"]);
  assert.equal((JSON.parse(out) as { items: number }).items, 49);
});

test("a render of one channel writes only its file, and validate finds errors in exactly the refused items", async () => {
  await using dir = await tempDir();
  const folder = join(dir.path, "feeds");

  const rendered = await run(
    "render",
    "sample:shop.csv",
    "--out",
    folder,
    "--channel",
    "google-xml",
    "--json",
  );
  const checked = await run("validate", join(folder, "gmc.xml"), "--json");

  assert.equal(rendered.status, 0);
  assert.deepEqual(await readdir(folder), ["gmc.xml"]);
  type Files = Record<string, { written: number; refusals: { item_id: string }[] }>;
  type Rule = { severity: string; examples: { item_id: string }[] };
  const { written, refusals = [] } = (JSON.parse(rendered.out) as { files: Files }).files["gmc.xml"] ?? {};
  const report = JSON.parse(checked.out) as { format: string; rows: number; rules: Rule[] };
  assert.deepEqual([report.format, report.rows], ["gmc.xml", written]);
  const errors = report.rules.filter(({ severity }) => severity === "error");
  assert.deepEqual(
    errors.flatMap(({ examples }) => examples.map(({ item_id: id }) => id)).toSorted(),
    refusals.map(({ item_id: id }) => id).toSorted(),
  );
  assert.ok(refusals.length > 0);
});

test("a render without a server has no default seller, and reports what OpenAI's files are missing", async () => {
  await using dir = await tempDir();
  const folder = join(dir.path, "feeds");

  const { status, out } = await run("render", "sample:shop.csv", "--out", folder);

  assert.equal(status, 0);
  assert.match(
    out,
    /acp\.csv: 49 items, 49 will be refused \(48 missing_seller_name, 1 missing_description\)/,
  );
  assert.match(out, /missing_seller_name: .*seller_name/);
  assert.doesNotMatch(await readFile(join(folder, "jsonld.json"), "utf8"), /"name":(?:"catalog"|"")/);
});

test("the language decides between titles in several languages, also without a server", async () => {
  await using dir = await tempDir();
  const file = join(dir.path, "shop.csv");
  await writeFile(file, "id,name_ru,name_ua,link,price\n1,Кружка,Кухоль,https://shop.example/1,5 EUR\n");

  const { status } = await run("render", file, "--language", "uk", "--out", join(dir.path, "out"));

  assert.equal(status, 0);
  assert.match(await readFile(join(dir.path, "out", "gmc.tsv"), "utf8"), /^1\tКухоль\t/m);
});

test("a render without a server reports like a sync: counts, reasons, warnings and refusals of each file", async () => {
  await using dir = await tempDir();

  const args = ["render", "sample:shop.csv", "--out", dir.path, "--seller-name", "Fjord & Fern"];
  const { out } = await run(...args);
  const { out: json } = await run(...args, "--json");

  assert.match(out, /^52 seen: 49 usable, 3 rejected; 4 warnings\.\n/);
  assert.match(out, /rejected: item 49: The item has no price\. \(missing_price\)/);
  assert.match(
    out,
    /warnings: 1 invalid_gtin, 1 missing_link, 1 sale_price_not_lower, 1 unknown_availability/,
  );
  assert.match(
    out,
    /acp\.csv: 49 items, 3 will be refused \(1 missing_description, 1 missing_image, 1 missing_link\)/,
  );
  assert.match(out, /jsonld\.json: 49 items, 1 will be refused \(1 missing_image\)\n/);
  const { read } = JSON.parse(json) as { read: SyncStats };
  assert.deepEqual(read.rejection_codes, {
    missing_price: 1,
    invalid_price: 1,
    duplicate_item_id: 1,
  });
  assert.equal(Object.keys(read.warning_codes).length, 4);
  assert.match(await readFile(join(dir.path, "acp.csv"), "utf8"), /Fjord & Fern/);
});

test("a feed with only rejected rows is not rendered, and the reason is printed", async () => {
  await using dir = await tempDir();
  const feed = join(dir.path, "feed.csv");
  await writeFile(feed, "id,title,link\na,Mug,https://shop.example/a\nb,Cup,https://shop.example/b\n");

  const { status, talk } = await run("render", feed, "--out", join(dir.path, "feeds"));

  assert.equal(status, 5);
  assert.match(talk, /All 2 rows were rejected: 2 × missing_price \(The item has no price\.\)/);
  assert.deepEqual(await readdir(dir.path), ["feed.csv"]);
});

test("a file is read with the settings that its refusal advises", async () => {
  await using dir = await tempDir();
  const feed = join(dir.path, "odd.csv");
  const text = "Numero;Was;VK brutto;Seo slug\n1;Sofę;5,90;sofe\n2;Stół;7,50;stol\n3;Krzesło;9,00;krzeslo\n";
  await writeFile(
    feed,
    Buffer.from(
      text.replaceAll(/[ęół]/g, (c) => ({ ę: "\u00ea", ó: "\u00f3", ł: "\u00b3" })[c] ?? c),
      "latin1",
    ),
  );
  const refused = await run("audit", feed, "--currency", "PLN");
  const audited = await run(
    "audit",
    feed,
    "--currency",
    "PLN",
    "--json",
    "--encoding",
    "windows-1250",
    "--columns",
    "Numero = id; Was = title; VK brutto = price",
    "--link-template",
    "https://shop.example/{Seo slug}",
  );

  assert.equal(refused.status, 5);
  assert.match(
    refused.talk,
    /Check the values first: Numero as id, likely: 1, 2, 3; VK brutto as price, likely: 5,90, 7,50, 9,00\./,
  );
  assert.equal(audited.status, 0);
  assert.equal((JSON.parse(audited.out) as Audited).read.rejected, 0);
});

test("--decimal-mark decides about prices that can be read two ways, in a render and in an audit", async () => {
  await using dir = await tempDir();
  const feed = join(dir.path, "feed.csv");
  await writeFile(feed, "id,title,price,link\na,Mug,12.345 USD,https://shop.example/a\n");
  const render = ["render", feed, "--out", join(dir.path, "feeds")];

  const refused = await run(...render);
  const pointed = await run(...render, "--decimal-mark", ".");
  const text = await readFile(join(dir.path, "feeds", "jsonld.json"), "utf8");
  const audited = await run("audit", feed, "--decimal-mark", ",", "--json");

  assert.equal(refused.status, 5);
  assert.match(refused.talk, /Set decimal_mark to "\." for 12\.345 or to "," for 12345\./);
  assert.match(pointed.out, /warnings: .*1 price_rounded/);
  assert.match(text, /12\.35/);
  const { read } = JSON.parse(audited.out) as { read: SyncStats };
  assert.deepEqual(
    [read.rejected, read.warning_examples.filter(({ code }) => code === "price_rounded")],
    [0, []],
  );
});

for (const [title, args, status] of [
  ["a feed that is not there", ["audit", "no-such-file.csv"], 5],
  ["a private address", ["audit", "http://10.0.0.1/feed.csv"], 4],
  ["a render of nothing", ["render"], 2],
  ["a feed without a folder", ["render", "sample:shop.csv"], 2],
  ["a channel without a folder", ["render", "--catalog", "x", "--channel", "google-xml"], 2],
  ["an unknown channel", ["render", "sample:shop.csv", "--out", "feeds", "--channel", "fax"], 2],
  ["a wrong decimal mark", ["audit", "sample:shop.csv", "--decimal-mark", ";"], 2],
  ["an unknown encoding", ["audit", "sample:shop.csv", "--encoding", "polish"], 2],
  ["a column without a field", ["audit", "sample:shop.csv", "--columns", "Kennung"], 2],
  ["a wrong setting", ["audit", "sample:shop.csv", "--currency", "EURO"], 2],
] as const) {
  test(`${title} ends with ${status} and a sentence`, async () => {
    const result = await run(...args);

    assert.equal(result.status, status);
    assert.notEqual(result.talk, "");
    assert.equal(result.out, "");
  });
}
