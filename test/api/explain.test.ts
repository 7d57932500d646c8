/** Explanations: where each value of an item comes from, and what each file has of it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import type { FeedFile } from "../../src/channels/registry.ts";
import type { ExplainedField, ItemExplanation } from "../../src/contract/explain.ts";
import type { Rule } from "../../src/contract/rules.ts";
import { encodeItem } from "../../src/catalog/item.ts";
import { changePublishGuard } from "../../src/pipeline/publication/guard/settings.ts";
import { saveEffects } from "../../src/pipeline/enrich/rules.ts";
import { explainLines } from "../../src/cli/explain-lines.ts";
import { untilRun } from "../actions.ts";
import { closeAfterTests } from "../close-after.ts";
import { cases } from "../long.ts";
import { describedBy } from "./described.ts";
import { checkSection } from "../doc-sections.ts";
import { minimalItem } from "../item.ts";
import { assertProblem } from "./problem.ts";
import { runningApi, type Shop } from "./running-api.ts";

type ProductFields = Readonly<Record<string, unknown>>;

const api = closeAfterTests(await runningApi());
const assertDescribed = await describedBy(api);

const product = (id: string, more: object = {}): object => ({
  id,
  title: `Mug ${id}`,
  description: "A glazed mug for coffee and tea, made by hand in a small pottery.",
  link: `https://shop.example/p/${id}`,
  image: `https://shop.example/i/${id}.jpg`,
  brand: "Kiln",
  price: "9.50 USD",
  availability: "in_stock",
  ...more,
});

async function push(shop: Shop, products: readonly object[]): Promise<void> {
  const answer = await shop.call("/api/v1/catalog", { method: "PUT", body: products });
  assert.equal(answer.status, 200, answer.text);
}

async function openShop(products: readonly object[], rules: readonly Rule[] = []): Promise<Shop> {
  const shop = await api.openShop();
  await push(shop, products);
  if (rules.length > 0) await saveRules(shop, rules);
  return shop;
}

async function saveRules(shop: Shop, rules: readonly Rule[]): Promise<void> {
  const answer = await shop.call("/api/v1/rules", { method: "PUT", body: { rules } });
  assert.equal(answer.status, 200, answer.text);
}

async function explain(shop: Shop, id: string, query = ""): Promise<ItemExplanation> {
  const answer = await shop.call(`/api/v1/items/${encodeURIComponent(id)}/explain${query}`);
  assert.equal(answer.status, 200, answer.text);
  assertDescribed("GET /api/v1/items/{id}/explain", answer);
  return (answer.json as { data: ItemExplanation }).data;
}

function fieldOf({ fields }: ItemExplanation, name: string): ExplainedField {
  const found = fields.find(({ field }) => field === name);
  assert.ok(found, `${name} is not explained`);
  return found;
}

function columnOf(field: ExplainedField, file: string, name: string) {
  const found = inFile(field, file).columns.find(({ column }) => column === name);
  assert.ok(found, `${field.field} is not in the column ${name} of ${file}`);
  return found;
}

function inFile(field: ExplainedField, file: string) {
  const found = field.channels.flatMap(({ files }) => files).find((one) => one.file === file);
  assert.ok(found, file);
  return found;
}

test("a shipping price that a rule sets for a country is explained with the rule, as a whole and by country", async () => {
  const shop = await openShop(
    [product("a", { shipping: [{ country: "US", price: "7.00" }] })],
    [{ name: "Free", action: { type: "set", field: "shipping.US", value: 0 } }],
  );

  const whole = fieldOf(await explain(shop, "a"), "shipping");
  const own = fieldOf(await explain(shop, "a", "?field=shipping.US"), "shipping.US");

  assert.deepEqual([whole.source.value, whole.value], ["US 7.00 USD", "US 0.00 USD"]);
  assert.deepEqual([own.source.value, own.value], ["7.00 USD", "0.00 USD"]);
  for (const { rules } of [whole, own])
    assert.deepEqual(
      rules.map(({ rule, before, after }) => [rule, before, after]),
      [["Free", "US 7.00 USD", "US 0.00 USD"]],
    );
  assert.ok(inFile(whole, "gmc.tsv").columns.length === 1 && inFile(own, "gmc.tsv").columns.length === 1);
});

test("a value that nothing changes is the source's, with the push that brought it, and is in the files as it is", async () => {
  const shop = await openShop([product("a")]);

  const answer = await explain(shop, "a");
  const brand = fieldOf(answer, "brand");

  assert.equal(answer.source, null);
  assert.match(answer.run?.run_id ?? "", /^[0-9a-f-]{36}$/);
  assert.deepEqual(
    [answer.rule_set_version, answer.is_applied, answer.published?.is_current],
    [0, true, true],
  );
  assert.deepEqual(brand.source, { value: "Kiln", notes: [] });
  assert.deepEqual([brand.mapping, brand.rules, brand.approved, brand.value], [null, [], null, "Kiln"]);
  for (const file of ["acp.csv", "acp.json", "gmc.tsv"])
    assert.deepEqual(inFile(brand, file).columns, [
      { column: "brand", text: "Kiln", form: "as_is", cut_to: null, limit: 70, fields: ["brand"] },
    ]);
  assert.deepEqual(columnOf(brand, "jsonld.json", "brand.name").text, "Kiln");
});

test("a warning of the sync stands at its field, with the source and the run", async () => {
  const shop = await api.openShop();
  const body = "id,title,link,price,gtin\na,Mug,https://shop.example/a,9.50 USD,123\n";
  shop.answers({ kind: "file", body });
  const { run_id: runId } = ((await shop.sync()).json as { data: { run_id: string } }).data;

  const answer = await explain(shop, "a");

  assert.equal(answer.source?.id, shop.sourceId);
  assert.equal(answer.run?.run_id, runId);
  const { value, notes } = fieldOf(answer, "gtin").source;
  assert.equal(value, null);
  assert.deepEqual(
    notes.map(({ code, run_id: run }) => [code, run]),
    [["invalid_gtin", runId]],
  );
  assert.match(notes[0]?.message ?? "", /123/);
});

test("a category that a decision about its path has set names the path, and who decided", async () => {
  const shop = await openShop([product("a", { categories: ["Home > Mugs"] })]);
  await mapCategory(shop, "Home > Mugs", "2169");

  const category = fieldOf(await explain(shop, "a"), "google_category");

  assert.equal(category.source.value, null);
  const { path, before, after, decided_by: by } = category.mapping ?? {};
  assert.deepEqual([path, before, after, by], ["Home > Mugs", null, "2169", null]);
  assert.equal(columnOf(category, "gmc.tsv", "google_product_category").text, "2169");
});

test("a decision that no category fits the path is shown with who made it", async () => {
  const shop = await openShop([product("a", { categories: ["Home > Mugs"] })]);
  await mapCategory(shop, "Home > Mugs", null);

  const category = fieldOf(await explain(shop, "a"), "google_category");

  const { path, after } = category.mapping ?? {};
  assert.deepEqual([path, after, category.value], ["Home > Mugs", null, null]);
});

test("each rule that changed a value is named with its version, before and after; one for a channel changes only that", async () => {
  const shop = await openShop(
    [product("a")],
    [
      { name: "Brand first", action: { type: "template", field: "title", text: "{brand} {title}" } },
      { name: "Short", channel: "google", action: { type: "set", field: "title", value: "Google mug" } },
      { name: "Id", action: { type: "template", field: "id", text: "shop_{id}" } },
      { name: "Sold", action: { type: "set", field: "sale_price", value: "99 USD" } },
    ],
  );

  const answer = await explain(shop, "a");
  const title = fieldOf(answer, "title");
  const version = answer.rule_set_version;

  assert.deepEqual(title.rules, [
    { rule: "Brand first", channel: null, before: "Mug a", after: "Kiln Mug a", refused: null, version },
    { rule: "Short", channel: "google", before: "Kiln Mug a", after: "Google mug", refused: null, version },
  ]);
  const ofOpenAi = fieldOf(await explain(shop, "a", "?field=title&channel=openai"), "title");
  assert.deepEqual(
    ofOpenAi.rules.map(({ rule }) => rule),
    ["Brand first"],
  );
  assert.equal(title.value, "Kiln Mug a");
  assert.deepEqual(
    title.channels.map(({ channel, value }) => [channel, value]),
    [
      ["google", "Google mug"],
      ["openai", "Kiln Mug a"],
      ["schema_org", "Kiln Mug a"],
    ],
  );
  assert.equal(columnOf(title, "gmc.tsv", "title").text, "Google mug");
  assert.equal(columnOf(fieldOf(answer, "id"), "acp.csv", "item_id").text, "shop_a");
  const refused = fieldOf(answer, "sale_price").rules[0];
  assert.equal(refused?.rule, "Sold");
  assert.match(refused?.refused ?? "", /99/);
});

/** Approves the brand that the titles of the other items give. */
async function approveBrand(shop: Shop, itemId: string): Promise<string> {
  const looked = await shop.call("/api/v1/proposals/refresh", { method: "POST" });
  await untilRun(api.db, (looked.json as { data: { run_id: string } }).data.run_id, "succeeded");
  const found = await shop.call(`/api/v1/proposals/items?item_id=${itemId}&field=brand`);
  const [{ id } = { id: "" }] = (found.json as { data: { proposals: { id: string }[] } }).data.proposals;
  const body = { ids: [id], reason: "It is on the label." };
  const answer = await shop.call("/api/v1/proposals/approve", { method: "POST", body });
  assert.equal(answer.status, 200, answer.text);
  const { run_id: runId } = (answer.json as { data: { run_id: string | null } }).data;
  if (runId !== null) await untilRun(api.db, runId, "succeeded");
  return id;
}

async function mapCategory(shop: Shop, path: string, category: string | null): Promise<void> {
  const mappings = { decisions: [{ path, category }] };
  const { runId } = await saveEffects(api.db, shop.id, { mappings, keyId: null });
  await untilRun(api.db, runId, "succeeded");
}

test("an approved value names its proposal, who approved it and when, and wins over the rules", async () => {
  const shop = await openShop([
    product("a", { title: "Acme mug a", brand: "Acme" }),
    product("b", { title: "Acme mug b", brand: "Acme" }),
    product("c", { title: "Acme mug c", brand: null }),
  ]);
  const id = await approveBrand(shop, "c");
  await saveRules(shop, [
    { name: "House brand", action: { type: "default", field: "brand", value: "House" } },
  ]);

  const brand = fieldOf(await explain(shop, "c"), "brand");

  const {
    proposal_id: proposal,
    state,
    extractor,
    before,
    after,
    reason,
    decided_by: by,
  } = brand.approved ?? {};
  assert.deepEqual(
    [proposal, state, extractor, before, after, reason],
    [id, "approved", "brand", "House", "Acme", "It is on the label."],
  );
  assert.ok(by?.key_id !== undefined && by.name !== null);
  assert.ok(brand.approved?.decided_at);
  assert.deepEqual([brand.source.value, brand.value], [null, "Acme"]);
  assert.equal(columnOf(brand, "acp.json", "brand").text, "Acme");
});

test("a change of rules that is not applied yet is explained as what it will do", async () => {
  await using idle = await runningApi({ hasWorker: false });
  const shop = await idle.openShop();
  const item = encodeItem(minimalItem({ id: "a", title: "Mug" }));
  await idle.db.query({
    text: `insert into items (catalog_id, id, body, fingerprint, source_id, sort_key)
           values ($1, 'a', $2, decode($3, 'hex'), null, 'a')`,
    values: [shop.id, item.body, item.fingerprint],
  });
  const ruleSet = { rules: [{ name: "T", action: { type: "set", field: "title", value: "Cup" } } as const] };
  await saveEffects(idle.db, shop.id, { ruleSet, note: null, keyId: null });

  const answer = await shop.call("/api/v1/items/a/explain?field=title");
  const { is_applied: isApplied, published, fields } = (answer.json as { data: ItemExplanation }).data;

  assert.deepEqual([isApplied, published, fields[0]?.value], [false, null, "Cup"]);
});

test("a title that is too long is cut to the limit of the column; one with options is made of both", async () => {
  const long = "Glazed mug with a wide handle ".repeat(8).trim();
  const shop = await openShop([
    product("a", { title: long }),
    product("b", { title: "Mug", group_id: "g", options: { Color: "Blue" } }),
    product("c", { title: long, group_id: "g", options: { Color: "Green" } }),
  ]);

  const cut = columnOf(fieldOf(await explain(shop, "a"), "title"), "gmc.tsv", "title");
  const made = columnOf(fieldOf(await explain(shop, "b"), "title"), "acp.csv", "title");
  const both = columnOf(fieldOf(await explain(shop, "c"), "title"), "acp.csv", "title");

  assert.deepEqual([cut.form, cut.limit, cut.cut_to], ["cut", 150, cut.text.length]);
  assert.ok(long.startsWith(cut.text) && cut.text.length <= 150);
  assert.deepEqual([made.form, made.text, made.fields], ["combined", "Mug, Blue", ["title", "options"]]);
  assert.deepEqual([both.form, both.cut_to], ["combined", both.text.length]);
  assert.match(both.text, /, Green$/);
});

test("a value in another form, one that a file leaves out, and one without a place in a file are distinguished", async () => {
  const shop = await openShop([product("a", { color: "#ff0000", shipping_label: "bulky", weight: "2 kg" })]);

  const answer = await explain(shop, "a");

  const stock = columnOf(fieldOf(answer, "availability"), "jsonld.json", "offers.availability");
  assert.deepEqual([stock.form, stock.text], ["mapped", "https://schema.org/InStock"]);
  const color = inFile(fieldOf(answer, "color"), "gmc.tsv");
  assert.deepEqual([color.outcome, color.empty_columns], ["not_written", ["color"]]);
  const label = fieldOf(answer, "shipping_label");
  assert.equal(inFile(label, "acp.csv").outcome, "not_in_file");
  assert.equal(columnOf(label, "gmc.tsv", "shipping_label").form, "as_is");
  const weight = inFile(fieldOf(answer, "weight"), "acp.csv").columns;
  assert.deepEqual(
    weight.map(({ column, text }) => [column, text]),
    [
      ["weight", "2"],
      ["item_weight_unit", "kg"],
    ],
  );
});

test("an item that a rule leaves out has the rule as the reason, one that will be refused the missing value", async () => {
  const shop = await openShop(
    [product("a", { brand: null })],
    [{ name: "Not for Google", channel: "google", action: { type: "exclude" } }],
  );

  const answer = await explain(shop, "a");
  const fileOf = (name: string) => answer.files.find(({ file }) => file === name);

  const { code, rule } = fileOf("gmc.tsv")?.refusal ?? {};
  assert.deepEqual([code, rule], ["excluded_by_rule", "Not for Google"]);
  const missing = fileOf("acp.csv")?.refusal;
  assert.deepEqual([missing?.code, missing?.field, missing?.rule], ["missing_brand", "brand", null]);
  assert.match(missing?.remedy ?? "", /default brand/);
  assert.deepEqual(
    answer.files.map(({ file, included }) => `${file} ${included}`),
    ["acp.csv true", "acp.json true", "gmc.tsv false", "jsonld.json true"],
  );
  const outcome = (file: string) => inFile(fieldOf(answer, "title"), file).outcome;
  assert.deepEqual([outcome("gmc.tsv"), outcome("acp.csv")], ["excluded", "written"]);
  assert.equal(
    inFile(fieldOf(answer, "title"), "gmc.tsv").message,
    'The rule "Not for Google" leaves the item out.',
  );
});

test("one field can be asked for, by Google's name too and without a value, and one channel", async () => {
  const shop = await openShop([product("a")]);

  const answer = await explain(shop, "a", "?field=google_product_category&channel=google");

  assert.deepEqual(
    answer.fields.map(({ field, value }) => [field, value]),
    [["google_category", null]],
  );
  assert.deepEqual(
    answer.files.map(({ file }) => file),
    ["gmc.tsv"],
  );
  const [category] = answer.fields;
  assert.ok(category);
  const { outcome, empty_columns: empty } = inFile(category, "gmc.tsv");
  assert.deepEqual([outcome, empty], ["no_value", ["google_product_category"]]);
});

test("a brand that the catalog's settings give is marked as such", async () => {
  const shop = await openShop([product("a", { brand: null })]);
  await api.db.query({
    text: `update catalogs set settings = settings || '{"defaultBrand": "Pottery"}' where id = $1`,
    values: [shop.id],
  });

  const [brand] = (await explain(shop, "a", "?field=brand")).fields;

  assert.ok(brand);
  const { text, form } = columnOf(brand, "gmc.tsv", "brand");
  assert.deepEqual([brand.value, text, form], [null, "Pottery", "default"]);
});

test("an id with a slash can be in the path and in the query; unknown items and fields are refused", async () => {
  const shop = await openShop([product("mugs/a b")]);

  const inPath = await explain(shop, "mugs/a b");
  const inQuery = await shop.call(`/api/v1/item/explain?id=${encodeURIComponent("mugs/a b")}&field=title`);
  const unknown = await shop.call("/api/v1/items/nothing/explain");
  const noField = await shop.call(`/api/v1/items/${encodeURIComponent("mugs/a b")}/explain?field=titel`);

  assert.equal(inPath.item_id, "mugs/a b");
  assert.equal(inQuery.status, 200, inQuery.text);
  assertDescribed("GET /api/v1/item/explain", inQuery);
  assertProblem(unknown, 404, "not_found");
  assert.match(assertProblem(noField, 400, "invalid_request").detail, /There is no field "titel"\./);
});

/** Ids and times as they may be, so that the page stays the same. */
const steady = (line: string): string =>
  line
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "01a1dd17-9f27-78f6-9abd-d1a8ebaea6ff")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "2026-11-15T06:00:00.000Z");

test("docs/explain.md has the explanation of a real item", async () => {
  const mug = (id: string, color: string, more: object): object =>
    product(id, { group_id: "mug", options: { Color: color }, categories: ["Home > Mugs"], ...more });
  const shop = await openShop(
    [
      mug("mug-blue", "Blue", { title: "Kiln mug", brand: null, gtin: "123" }),
      mug("mug-red", "Red", { title: "Kiln mug" }),
      product("bowl", { title: "Kiln bowl" }),
    ],
    [{ name: "Handmade", action: { type: "template", field: "title", text: "{title}, handmade" } }],
  );
  await mapCategory(shop, "Home > Mugs", "2169");
  await approveBrand(shop, "mug-blue");
  assert.equal((await shop.call("/api/v1/feeds", { method: "POST" })).status, 200);

  const answer = await explain(shop, "mug-blue");
  const names = ["title", "brand", "gtin", "google_category"];
  const fields = answer.fields.filter(({ field }) => names.includes(field));
  const lines = explainLines({ ...answer, fields }, { hasColor: false, width: 60 }).map(steady);

  await checkSection("docs/explain.md", "example", ["```", ...lines, "```"].join("\n"));
});

// ── the law ───────────────────────────────────────────────────────────────────────────────────────────────────────

const word = fc.oneof(
  {
    arbitrary: fc.constantFrom("Blue", "Matt", "n/a", "XL", 'Big "B"', "a, b", "Größe", "#123", "-"),
    weight: 3,
  },
  { arbitrary: fc.stringMatching(/^[A-Za-z][A-Za-z0-9 ,.:"&<>-]{0,30}$/), weight: 2 },
);
const longText = fc.array(word, { minLength: 1, maxLength: 60 }).map((words) => words.join(" "));
const link = fc.stringMatching(/^[a-z0-9,-]{1,12}$/).map((path) => `https://shop.example/${path}`);

/** Any product as a push has it. */
const anyProduct = fc.record(
  {
    title: fc.oneof(word, longText).map((text) => `Mug ${text}`),
    link,
    price: fc.constantFrom("9.50 USD", "120.00 USD", "0 USD"),
    sale_price: fc.constantFrom("4.00 USD", "99.00 USD"),
    sale_to: fc.constantFrom("2001-01-01", "2101-01-01"),
    availability: fc.constantFrom("in_stock", "out_of_stock", "preorder", "soon"),
    availability_date: fc.constant("2101-01-01"),
    description: longText,
    brand: word,
    image: link,
    additional_images: fc.array(link, { minLength: 1, maxLength: 3 }),
    gtin: fc.constantFrom("4006381333931", "036000291452", "123"),
    mpn: word,
    condition: fc.constantFrom("new", "used"),
    color: word,
    size: word,
    size_system: fc.constantFrom("EU", "US"),
    material: word,
    gender: fc.constantFrom("male", "unisex"),
    adult: fc.boolean(),
    categories: fc.array(fc.constantFrom("Home > Mugs", "Gifts", "A, b > C"), { minLength: 1, maxLength: 2 }),
    google_category: fc.constantFrom("2169", "Home & Garden"),
    highlights: fc.array(word, { minLength: 1, maxLength: 4 }),
    details: fc.array(fc.record({ name: word, value: word }), { minLength: 1, maxLength: 2 }),
    options: fc.dictionary(fc.constantFrom("Color", "Size", "Glaze"), word, { minKeys: 1, maxKeys: 3 }),
    weight: fc.constantFrom("2 kg", "300 g"),
    length: fc.constantFrom("20 cm", "8 in"),
    width: fc.constant("10 cm"),
    custom_label0: word,
    unit_pricing_measure: fc.constant("500 ml"),
    unit_pricing_base_measure: fc.constant("1 l"),
    accepts_returns: fc.boolean(),
    return_days: fc.constant(14),
    rating_value: fc.constantFrom("4.5", "4.25"),
    rating_count: fc.constant(7),
    expires_at: fc.constant("2101-01-01"),
    group_id: fc.constantFrom("g", "h"),
    group_title: word,
  },
  { requiredKeys: ["title", "link", "price", "availability"] },
);

type Columns = ReadonlyMap<string, string>;

/** Every filled column of an item, as other readers get it from the published files. */
type Published = Readonly<Record<string, (id: string) => Columns>>;

async function published(shop: Shop): Promise<Published> {
  const textOf = async (file: FeedFile) => (await shop.fetch(file)).text;
  const csv: Record<string, string>[] = parse(await textOf("acp.csv"), {
    columns: true,
    record_delimiter: "\n",
  });
  const [header = "", ...lines] = (await textOf("gmc.tsv")).trimEnd().split("\n");
  const tsv = lines.map((line) =>
    Object.fromEntries(header.split("\t").map((name, at) => [name, cellAt(line, at)])),
  );
  const { products } = JSON.parse(await textOf("acp.json")) as { products: Record<string, unknown>[] };
  const { "@graph": graph } = JSON.parse(await textOf("jsonld.json")) as {
    "@graph": Record<string, unknown>[];
  };
  const nodes = graph.flatMap(({ hasVariant, ...node }) =>
    Array.isArray(hasVariant)
      ? hasVariant.map((variant: object) => ({ ...variant, ProductGroup: node }))
      : [node],
  );
  return {
    "acp.csv": (id) => filled(csv.find((row) => row["item_id"] === id)),
    "gmc.tsv": (id) => filled(tsv.find((row) => row["id"] === id)),
    "acp.json": (id) => leaves(products.find((row) => row["item_id"] === id)),
    "jsonld.json": (id) => leaves(nodes.find((node) => node["productID"] === id)),
  };
}

/** A cell that is quoted as a whole has its quotes taken off; quotes of the entries of a list stay. */
function cellAt(line: string, at: number): string {
  const cell = line.split("\t")[at] ?? "";
  const [, inner] = /^"((?:[^"]|"")*)"$/.exec(cell) ?? [];
  return inner === undefined ? cell : inner.replaceAll('""', '"');
}

const filled = (row: Record<string, string> = {}): Columns =>
  new Map(Object.entries(row).filter(([, text]) => text !== ""));

function leaves(node: object = {}, path = ""): Columns {
  return new Map(
    Object.entries(node).flatMap(([name, value]: [string, unknown]): [string, string][] =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? [...leaves(value, `${path}${name}.`)]
        : [[path + name, typeof value === "string" ? value : JSON.stringify(value)]],
    ),
  );
}

/** All columns that the explanation has for a file; fails if it has two texts for one of them. */
function explainedColumns({ files, fields }: ItemExplanation, name: string): Columns {
  const columns = new Map(
    files.find(({ file }) => file === name)?.other_columns.map(({ column, text }) => [column, text]),
  );
  for (const { column, text } of fields.flatMap((field) => inFile(field, name).columns)) {
    assert.equal(columns.get(column) ?? text, text);
    columns.set(column, text);
  }
  return columns;
}

const sorted = (columns: Columns): readonly (readonly [string, string])[] =>
  [...columns].toSorted(([a], [b]) => (a < b ? -1 : 1));

test("for any item, the explained columns are those of the published files, with the same texts", async () => {
  const shop = await api.openShop();
  await changePublishGuard(api.db, shop.id, { enabled: false });
  await saveRules(shop, [
    {
      name: "Short",
      channel: "google",
      action: { type: "template", field: "title", text: "{title|truncate:30}" },
    },
    {
      name: "Nothing used",
      channel: "openai",
      when: { all: [{ field: "condition", operator: "is", value: "used" }] },
      action: { type: "exclude" },
    },
    { name: "Id", action: { type: "template", field: "id", text: "x-{id}" } },
  ]);
  const catalogs = fc.array(anyProduct, { minLength: 4, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(catalogs, async (products) => {
      await push(
        shop,
        products.map((one: ProductFields, at) => ({ ...one, id: `p${at}` })),
      );
      const files = await published(shop);
      for (const at of products.keys()) {
        const answer = await shop.call(`/api/v1/items/p${at}/explain`);
        const explanation = (answer.json as { data: ItemExplanation }).data;
        for (const [file, columnsOf] of Object.entries(files))
          assert.deepEqual(sorted(explainedColumns(explanation, file)), sorted(columnsOf(`x-p${at}`)), file);
      }
    }),
    { numRuns: cases(6), endOnFailure: true },
  );
});
