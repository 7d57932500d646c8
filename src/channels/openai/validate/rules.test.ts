/** Every rule for OpenAI rows, with a row that breaks it and a similar valid one. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  assertFound,
  assertNotFound,
  type FileContent,
  foundIn,
  NOW,
  reportOn,
} from "../../validate.fixture.ts";
import { Findings, type FindingSeverity } from "../../kit/validate/findings.ts";
import {
  csv,
  document,
  jsonLines,
  MUG,
  type OpenaiFixtureRow,
  TRAY,
  VARIANTS,
  withValues,
} from "./rows.fixture.ts";
import { OpenaiFeed } from "./feed.ts";
import { CheckedRow as FeedRow } from "../../kit/validate/row.ts";
import { OPENAI_RULES, type OpenaiRule } from "./rules.ts";

type RowCase = {
  readonly rule: OpenaiRule;
  readonly severity?: FindingSeverity;
  readonly bad: readonly OpenaiFixtureRow[];
  readonly good: readonly OpenaiFixtureRow[];
  /** Where the two files differ in what they can say. */
  readonly only?: "acp.csv" | "acp.json";
};

const mug = (changes: OpenaiFixtureRow): readonly OpenaiFixtureRow[] => [withValues(MUG, changes)];
const variants = (first: OpenaiFixtureRow, second: OpenaiFixtureRow): readonly OpenaiFixtureRow[] => [
  withValues(VARIANTS[0], first),
  withValues(VARIANTS[1], second),
];
const letters = (count: number) => "x".repeat(count);

const ROW_CASES: readonly RowCase[] = [
  { rule: "REQ", bad: [MUG, withValues(TRAY, { brand: " " })], good: [MUG, TRAY] },
  { rule: "PH", bad: mug({ brand: "N/A" }), good: mug({ brand: "N/A Audio" }) },
  { rule: "PH", severity: "warning", bad: mug({ mpn: "tbd" }), good: mug({ mpn: "TBD-1" }) },
  { rule: "PH", severity: "warning", bad: mug({ item_id: "none" }), good: mug({ item_id: "none-1" }) },
  { rule: "ID-UNIQ", bad: [MUG, withValues(TRAY, { item_id: "MUG-TEAL" })], good: [MUG, TRAY] },
  { rule: "ID-LEN", bad: mug({ item_id: letters(101) }), good: mug({ item_id: letters(100) }) },
  {
    rule: "OFFER",
    bad: [withValues(MUG, { offer_id: "o" }), withValues(TRAY, { offer_id: "o" })],
    good: [withValues(MUG, { offer_id: "o" }), withValues(TRAY, { offer_id: "p" })],
  },
  { rule: "OFFER", bad: mug({ offer_id: "mug-18.00" }), good: mug({ offer_id: "mug-18" }) },
  { rule: "GTIN", bad: mug({ gtin: "4006381333930" }), good: mug({ gtin: "96385074" }) },
  { rule: "GTIN", bad: mug({ gtin: "4.00638E+12" }), good: mug({ gtin: "10614141000415" }) },
  { rule: "GTIN", bad: mug({ gtin: "4006381-333931" }), good: mug({}) },
  { rule: "GTIN-DUP", bad: [MUG, withValues(TRAY, { gtin: MUG["gtin"] })], good: [MUG, TRAY] },
  {
    rule: "GTIN-DUP",
    bad: [MUG, withValues(TRAY, { gtin: MUG["gtin"] })],
    good: [MUG, withValues(TRAY, { gtin: MUG["gtin"], seller_name: "Another Shop" })],
  },
  { rule: "IDENT", bad: mug({ gtin: undefined }), good: mug({ gtin: undefined, mpn: "FG-350" }) },
  { rule: "TITLE-LEN", bad: mug({ title: letters(151) }), good: mug({ title: "😀".repeat(150) }) },
  { rule: "TITLE-CAPS", bad: mug({ title: "STONEWARE MUG" }), good: mug({ title: "IKEA MUG" }) },
  {
    rule: "TEXT-ENCODING",
    bad: mug({ title: "SchÃ¶ne Tasse" }),
    good: mug({ title: "Schöne Tasse, pâté, São Paulo" }),
  },
  { rule: "DESC-LEN", bad: mug({ description: letters(5001) }), good: mug({ description: letters(5000) }) },
  {
    rule: "DESC-HTML",
    bad: mug({ description: "A <b>mug</b>." }),
    good: mug({ description: "USB <Type C> a < b & c" }),
  },
  {
    rule: "DESC-HTML",
    bad: mug({ description: "Salt &amp; pepper" }),
    good: mug({ description: "Salt & pepper; more" }),
  },
  { rule: "BRAND-LEN", bad: mug({ seller_name: letters(71) }), good: mug({ seller_name: letters(70) }) },
  { rule: "TEXT-LEN", bad: mug({ color: letters(41) }), good: mug({ color: letters(40) }) },
  { rule: "ENUM", bad: mug({ condition: "New" }), good: mug({ condition: "new" }) },
  {
    rule: "ENUM",
    bad: mug({ weight: "1", item_weight_unit: "kilo" }),
    good: mug({ weight: "1", item_weight_unit: "kg" }),
  },
  { rule: "URL", bad: mug({ url: "/mug" }), good: mug({ url: "http://shop.example/mug" }) },
  {
    rule: "URL",
    bad: mug({ url: "https://localhost/mug" }),
    good: mug({ url: "https://localhost.example/mug" }),
  },
  {
    rule: "URL",
    bad: mug({ image_url: "https://10.0.0.1/a.jpg" }),
    good: mug({ image_url: "https://cdn8.example/a.jpg" }),
  },
  {
    rule: "URL",
    bad: mug({ url: "https://u:p@shop.example/" }),
    good: mug({ url: "https://shop.example/@u" }),
  },
  { rule: "URL", severity: "warning", bad: mug({ seller_url: "shop.example" }), good: mug({}) },
  { rule: "URL-HTTPS", bad: mug({ url: "http://shop.example/mug" }), good: mug({}) },
  {
    rule: "IMG-TYPE",
    bad: mug({ image_url: "https://cdn.example/mug.svg?v=1" }),
    good: mug({ image_url: "https://cdn.example/mug.svg/1.png" }),
  },
  {
    rule: "IMGS",
    bad: mug({ additional_image_urls: ["https://cdn.example/1.jpg", "https://cdn.example/mug-teal.jpg"] }),
    good: mug({ additional_image_urls: ["https://cdn.example/1.jpg", "https://cdn.example/2%2C3.jpg"] }),
  },
  {
    rule: "IMGS",
    bad: mug({ additional_image_urls: ["https://cdn.example/1.jpg;https://cdn.example/2.jpg"] }),
    good: mug({ additional_image_urls: ["https://cdn.example/1.jpg;a"] }),
  },
  { rule: "MONEY", bad: mug({ price: "63,00 EUR" }), good: mug({ price: "63.00 EUR" }) },
  { rule: "MONEY", bad: mug({ price: "$18.00" }), good: mug({ price: "18 USD" }) },
  { rule: "MONEY", bad: mug({ price: "18.00 XXQ" }), good: mug({ price: "18.000 KWD" }) },
  { rule: "MONEY", bad: mug({ price: "18.5 JPY" }), good: mug({ price: "18 JPY" }) },
  { rule: "MONEY", severity: "warning", bad: mug({ price: "79.9 USD" }), good: mug({ price: "79.90 USD" }) },
  { rule: "MONEY", severity: "warning", bad: mug({ price: "79.90 KWD" }), good: mug({ price: "79 KWD" }) },
  {
    rule: "MONEY",
    severity: "warning",
    bad: mug({ sale_price: "14.50" }),
    good: mug({ sale_price: "14.50 USD" }),
  },
  { rule: "PRICE-POS", bad: mug({ price: "0.00 USD" }), good: mug({ price: "0.01 USD" }) },
  { rule: "CUR-ONE", bad: [MUG, withValues(TRAY, { price: "39.00 EUR" })], good: [MUG, TRAY] },
  { rule: "SALE", bad: mug({ sale_price: "18.00 USD" }), good: mug({ sale_price: "17.99 USD" }) },
  { rule: "SALE", bad: mug({ sale_price: "9.00 EUR" }), good: mug({ sale_price: "9.00 USD" }) },
  { rule: "SALE", bad: mug({ sale_price: "0.00 USD" }), good: mug({ sale_price: "0.01 USD" }) },
  { rule: "SHIP", bad: mug({ shipping_price: "5.00 EUR" }), good: mug({ shipping_price: "0.00 USD" }) },
  {
    rule: "SHIP",
    bad: mug({ shipping_price: "5.00 USD", shipping: "US::Standard:5.00 USD" }),
    good: mug({ shipping: "US::Standard:5.00 USD" }),
  },
  {
    rule: "SHIP",
    severity: "info",
    bad: mug({ shipping: "US:CA:Fast:5.00 USD:1:2:1:3" }),
    good: mug({ shipping: "US:CA:Fast:5.00 USD" }),
  },
  {
    rule: "SHIP",
    bad: mug({ shipping: "US::Standard:5.00 USD:1:2:1:3:9" }),
    good: mug({ shipping: "US:CA:Fast:5.00 USD:1:2:1:3" }),
  },
  { rule: "AVAIL", bad: mug({ availability: "preorder" }), good: mug({ availability: "pre_order" }) },
  { rule: "AVAIL", bad: mug({ availability: "In_Stock" }), good: mug({ availability: "unknown" }) },
  { rule: "BOOL", bad: mug({ is_eligible_search: "TRUE" }), good: mug({ is_eligible_search: true }) },
  { rule: "BOOL", severity: "warning", bad: mug({ is_digital: "yes" }), good: mug({ is_digital: false }) },
  { rule: "BOOL", bad: mug({ is_eligible_search: "true" }), good: mug({}), only: "acp.json" },
  {
    rule: "CHK",
    bad: mug({ is_eligible_checkout: true, seller_tos: "https://shop.example/tos" }),
    good: mug({
      is_eligible_checkout: true,
      seller_tos: "https://shop.example/tos",
      seller_privacy_policy: "https://shop.example/privacy",
    }),
  },
  {
    rule: "CHK",
    bad: mug({
      is_eligible_search: false,
      is_eligible_checkout: true,
      seller_tos: "https://shop.example/tos",
      seller_privacy_policy: "https://shop.example/privacy",
    }),
    good: mug({ is_eligible_search: false }),
  },
  { rule: "GRP-1", bad: variants({}, { listing_has_variations: undefined }), good: variants({}, {}) },
  { rule: "GRP-2", bad: variants({ item_id: "MUG" }, {}), good: variants({}, {}) },
  {
    rule: "GRP-2",
    bad: [...VARIANTS, withValues(TRAY, { item_id: "MUG", gtin: undefined })],
    good: [...VARIANTS, withValues(TRAY, { item_id: "MUG-3", gtin: undefined })],
  },
  {
    rule: "GRP-2",
    bad: [withValues(TRAY, { item_id: "MUG", gtin: undefined }), ...VARIANTS],
    good: [withValues(TRAY, { item_id: "MUG-3", gtin: undefined }), ...VARIANTS],
  },
  { rule: "GRP-3", bad: variants({}, { variant_dict: { Size: "L" } }), good: variants({}, {}) },
  { rule: "GRP-4", bad: variants({}, { variant_dict: { Color: "Teal" } }), good: variants({}, {}) },
  { rule: "GRP-5", bad: [VARIANTS[0], TRAY], good: [...VARIANTS] },
  {
    rule: "GRP-5",
    bad: [VARIANTS[0], withValues(TRAY, { item_id: "X" })],
    good: [VARIANTS[0], withValues(TRAY, { item_id: "X" }), VARIANTS[1]],
  },
  {
    rule: "GRP-ADJ",
    bad: [VARIANTS[0], withValues(TRAY, { item_id: "X" }), VARIANTS[1]],
    good: [...VARIANTS, withValues(TRAY, { item_id: "X" })],
  },
  { rule: "VD", bad: variants({ variant_dict: { Color: "" } }, {}), good: variants({}, {}) },
  { rule: "VD", bad: variants({ variant_dict: { Color: 1 } }, {}), good: variants({}, {}) },
  {
    rule: "VD",
    bad: variants({ variant_dict: "Color: Teal" }, {}),
    good: variants({ variant_dict: {} }, {}),
  },
  { rule: "VD-ATTR", bad: variants({ color: "Green" }, {}), good: variants({ size: "350 ml" }, {}) },
  {
    rule: "DIM",
    bad: mug({ dimensions: { length: "12", unit: "cm" } }),
    good: mug({ dimensions: { length: "12", width: "9.5", unit: "cm" } }),
  },
  {
    rule: "DIM",
    bad: mug({ dimensions: "12x8x5 in" }),
    good: mug({ dimensions: { length: "12", width: "8", height: "5", unit: "in" } }),
  },
  {
    rule: "DIM",
    bad: mug({ dimensions: { length: "12", width: "0", unit: "inch", depth: "1" } }),
    good: mug({ dimensions: { length: "12", width: "0.1", unit: "in" } }),
  },
  {
    rule: "DIM-SEP",
    bad: mug({ length: "12", width: "8" }),
    good: mug({ length: "12", width: "8", dimensions_unit: "cm" }),
  },
  {
    rule: "DIM-SEP",
    bad: mug({ length: "12", dimensions_unit: "cm" }),
    good: mug({ dimensions_unit: "cm" }),
  },
  { rule: "WEIGHT", bad: mug({ weight: "1.5" }), good: mug({ weight: "1.5", item_weight_unit: "kg" }) },
  {
    rule: "WEIGHT",
    bad: mug({ weight: "0", item_weight_unit: "kg" }),
    good: mug({ item_weight_unit: "kg" }),
  },
  {
    rule: "RET",
    bad: mug({ return_deadline_in_days: 30 }),
    good: mug({ accepts_returns: true, return_deadline_in_days: 30 }),
  },
  {
    rule: "RET",
    bad: mug({ accepts_returns: true, return_deadline_in_days: 0 }),
    good: mug({ accepts_returns: false }),
  },
  { rule: "REV", bad: mug({ star_rating: "4.50" }), good: mug({ star_rating: "4.50", review_count: 2 }) },
  { rule: "REV", bad: mug({ star_rating: "5.10", review_count: 2 }), good: mug({ review_count: 0 }) },
  { rule: "REV", bad: mug({ store_review_count: -1 }), good: mug({ store_review_count: 1 }) },
  {
    rule: "GEO",
    bad: mug({ target_countries: ["us"] }),
    good: mug({ target_countries: ["US", "CA", "MX"] }),
  },
  { rule: "GEO", severity: "info", bad: mug({ store_country: "DE" }), good: mug({ store_country: "MX" }) },
  { rule: "ALIAS", bad: mug({ id: "OTHER" }), good: mug({ id: "MUG-TEAL" }) },
  { rule: "OLD", bad: mug({ inventory_quantity: "3" }), good: mug({ review_count: 3 }) },
  { rule: "OLD", bad: mug({ item_id: undefined, id: "MUG" }), good: mug({}) },
  { rule: "MIX", bad: mug({ link: "https://shop.example/mug" }), good: mug({}) },
  { rule: "ADS-NAME", bad: mug({ is_ads_enabled: true }), good: mug({ is_ads_eligible: true }) },
  { rule: "COLUMN", bad: mug({ colour: "Teal" }), good: mug({ color: "Teal" }) },
  { rule: "TYPE", bad: mug({ brand: ["Fjellgarn"] }), good: mug({}), only: "acp.json" },
  {
    rule: "TYPE",
    severity: "warning",
    bad: mug({ item_id: 12 }),
    good: mug({ item_id: "12" }),
    only: "acp.json",
  },
  {
    rule: "TYPE",
    severity: "warning",
    bad: mug({ review_count: "3" }),
    good: mug({ review_count: 3 }),
    only: "acp.json",
  },
  {
    rule: "TYPE",
    severity: "warning",
    bad: mug({ target_countries: "US" }),
    good: mug({ target_countries: ["US"] }),
    only: "acp.json",
  },
  {
    rule: "TYPE",
    severity: "warning",
    bad: mug({ ads_metadata: { custom_label_0: 1 } }),
    good: mug({ ads_metadata: { custom_label_0: "1" } }),
  },
];

type FileCase = {
  readonly rule: OpenaiRule;
  readonly severity?: FindingSeverity;
  readonly file: "acp.csv" | "acp.json";
  readonly bad: FileContent;
  readonly good: FileContent;
};

const MARK = "\uFEFF";
const GOOD_CSV = csv([MUG, TRAY]);
const latin1 = (text: string) => Buffer.from(text, "latin1");
const accented = csv(mug({ description: "Émaillé." }));
const long = (count: number) => csv(mug({ description: "word ".repeat(count / 5) }));

const FILE_CASES: readonly FileCase[] = [
  { rule: "FILE-UTF8", file: "acp.csv", bad: latin1(accented), good: accented },
  {
    rule: "FILE-UTF8",
    file: "acp.json",
    bad: Buffer.from(`${MARK}${GOOD_CSV}`, "utf16le"),
    good: document([MUG]),
  },
  { rule: "FILE-UTF8", severity: "warning", file: "acp.csv", bad: MARK + GOOD_CSV, good: GOOD_CSV },
  { rule: "FILE-HDR", file: "acp.csv", bad: GOOD_CSV.replace("brand,", "Brand,"), good: GOOD_CSV },
  {
    rule: "FILE-HDR",
    file: "acp.csv",
    bad: GOOD_CSV.replace("gtin", "price"),
    good: GOOD_CSV.replace("gtin", "mpn"),
  },
  { rule: "FILE-HDR", file: "acp.csv", bad: GOOD_CSV.replace("gtin", ""), good: GOOD_CSV },
  { rule: "FILE-HDR", file: "acp.csv", bad: GOOD_CSV.slice(GOOD_CSV.indexOf("\n") + 1), good: GOOD_CSV },
  { rule: "FILE-CELLS", file: "acp.csv", bad: `${GOOD_CSV}a,b,c\n`, good: `${GOOD_CSV}\n\n` },
  {
    rule: "FILE-QUOTE",
    file: "acp.csv",
    severity: "warning",
    bad: GOOD_CSV.replace("Oak", '12" oak'),
    good: GOOD_CSV.replace("Oak serving tray", '"12"" oak"'),
  },
  {
    rule: "FILE-QUOTE",
    file: "acp.csv",
    bad: GOOD_CSV.replace("Oak", '"Oak"'),
    good: GOOD_CSV.replace("Oak serving tray", '"Oak"'),
  },
  {
    rule: "FILE-QUOTE",
    file: "acp.csv",
    bad: GOOD_CSV.replace("Oak", '"Oak'),
    good: GOOD_CSV.replace("Oak serving tray", '"Oak\nserving\ntray"'),
  },
  {
    rule: "FILE-JSON",
    file: "acp.json",
    bad: document([MUG, TRAY]).replace("}]}", ",}]}"),
    good: document([MUG, TRAY]),
  },
  {
    rule: "FILE-JSON",
    file: "acp.json",
    bad: document([MUG]).slice(0, -5),
    good: `\n ${document([MUG])} \n`,
  },
  {
    rule: "FILE-JSON",
    file: "acp.json",
    bad: `${jsonLines([MUG, TRAY])}{"item_id":`,
    good: `${jsonLines([MUG, TRAY])}\n`,
  },
  { rule: "FILE-SHAPE", file: "acp.json", bad: '{"items":[]}', good: JSON.stringify([MUG]) },
  { rule: "FILE-SHAPE", file: "acp.json", bad: '{"products":[1]}', good: document([MUG]) },
  {
    rule: "FILE-SHAPE",
    file: "acp.json",
    bad: '{"products":[{"id":"p","variants":[{"id":"v"}]}]}',
    good: jsonLines([MUG]),
  },
  { rule: "FILE-CTRL", file: "acp.csv", bad: csv(mug({ title: "Mug\0" })), good: GOOD_CSV },
  {
    rule: "FILE-CTRL",
    severity: "warning",
    file: "acp.csv",
    bad: csv(mug({ title: "Mug\b" })),
    good: csv(mug({ title: "Mug\ttall" })),
  },
  { rule: "FILE-LONG", file: "acp.csv", bad: long(1_100_000), good: long(900_000) },
  { rule: "FILE-EMPTY", file: "acp.csv", bad: GOOD_CSV.slice(0, GOOD_CSV.indexOf("\n")), good: GOOD_CSV },
  { rule: "FILE-EMPTY", file: "acp.json", bad: '{"products":[]}', good: document([MUG]) },
];

const severityOf = (rule: OpenaiRule, given: FindingSeverity | undefined) =>
  given ?? OPENAI_RULES[rule].severity;

test("a row with only the nine required fields is valid", async () => {
  const required = `item_id title description url brand seller_name image_url availability price`.split(" ");
  const row: OpenaiFixtureRow = Object.fromEntries(required.map((name) => [name, MUG[name]]));
  for (const text of [jsonLines([row]), document([row]), JSON.stringify(row, null, 2)]) {
    const report = await reportOn("acp.json", text);
    assert.equal(report.rows, 1);
    assert.deepEqual(foundIn(report), ["info IDENT gtin"]);
  }
  assert.deepEqual(foundIn(await reportOn("acp.csv", csv([row]))), ["info IDENT gtin"]);
});

test("there are no findings in the sample rows, whatever file they are in", async () => {
  for (const rows of [[MUG], [MUG, TRAY], [...VARIANTS]]) {
    assert.deepEqual(foundIn(await reportOn("acp.csv", csv(rows))), []);
    assert.deepEqual(foundIn(await reportOn("acp.csv", csv(rows, "\t"))), []);
    for (const text of [
      document(rows),
      JSON.stringify(rows),
      jsonLines(rows),
      JSON.stringify({ products: rows }, null, 2),
    ])
      assert.deepEqual(foundIn(await reportOn("acp.json", text)), []);
  }
});

describe("in rows", () => {
  for (const [place, { rule, severity, bad, good, only }] of ROW_CASES.entries()) {
    const expected = severityOf(rule, severity);
    test(`${place + 1}. ${expected} ${rule} is reported for the bad row and not for the good one`, async () => {
      if (only !== "acp.json") {
        assertFound(await reportOn("acp.csv", csv(bad)), expected, rule);
        assertNotFound(await reportOn("acp.csv", csv(good)), expected, rule);
      }
      if (only !== "acp.csv") {
        assertFound(await reportOn("acp.json", document(bad)), expected, rule);
        assertNotFound(await reportOn("acp.json", document(good)), expected, rule);
        assertFound(await reportOn("acp.json", jsonLines(bad)), expected, rule);
      }
    });
  }
});

describe("in files", () => {
  for (const [place, { rule, severity, file, bad, good }] of FILE_CASES.entries()) {
    const expected = severityOf(rule, severity);
    test(`${place + 1}. ${expected} ${rule} is reported for the bad file and not for the good one`, async () => {
      assertFound(await reportOn(file, bad), expected, rule);
      assertNotFound(await reportOn(file, good), expected, rule);
    });
  }
});

describe("in very large files", () => {
  test("FILE-SIZE is reported from 500,001 rows or 500 MB on", () => {
    for (const [rows, bytes, isReported] of [
      [500_000, 500_000_000, false],
      [500_001, 1, true],
      [1, 500_000_001, true],
    ] as const) {
      const findings = new Findings(OPENAI_RULES, 10);
      const feed = new OpenaiFeed(findings, NOW);
      for (let row = 0; row < rows; row += 1) feed.skip();
      feed.end(bytes);

      assert.deepEqual(
        findings.summary().rules.map(({ rule }) => rule),
        isReported ? ["FILE-SIZE"] : [],
      );
    }
  });

  test("FILE-IDS is reported for more ids than are kept in memory, and duplicates of those kept are still found", () => {
    const findings = new Findings(OPENAI_RULES, 1_000);
    const feed = new OpenaiFeed(findings, NOW, 2);
    for (const [line, id] of ["a", "b", "c", "c", "a"].entries()) {
      const row = new FeedRow(line + 2);
      row.texts.set("item_id", id);
      feed.add(row);
    }
    feed.end(1);

    const { problems } = findings.summary();
    assert.deepEqual(
      problems.filter(({ rule }) => rule === "ID-UNIQ").map(({ line, value }) => [line, value]),
      [[6, "a"]],
    );
    assert.equal(problems.filter(({ rule }) => rule === "FILE-IDS").length, 1);
  });
});

test("every rule has a case", () => {
  const tried = new Set<string>([...ROW_CASES, ...FILE_CASES].map(({ rule }) => rule));
  const missing = Object.keys(OPENAI_RULES).filter((rule) => !tried.has(rule));

  assert.deepEqual(missing, ["FILE-SIZE", "FILE-IDS"], "these two have a test of their own");
});

describe("a problem", () => {
  test("names line, item, field, rule, severity and the value, and what to do", async () => {
    const { problems } = await reportOn(
      "acp.csv",
      csv([MUG, withValues(TRAY, { availability: "in stock" })]),
    );

    assert.deepEqual(problems, [
      {
        line: 3,
        itemId: "TRAY",
        field: "availability",
        rule: "AVAIL",
        severity: "error",
        message:
          "The availability is none of in_stock, out_of_stock, pre_order, backorder, unknown. Write `in_stock`.",
        value: "in stock",
      },
    ]);
  });

  test("names the line on which a row begins, after cells that span lines", async () => {
    const text = csv([
      withValues(MUG, { description: "one\ntwo\nthree" }),
      withValues(TRAY, { price: "free" }),
    ]);

    const { problems } = await reportOn("acp.csv", text);

    assert.deepEqual(
      problems.map(({ line, rule }) => [line, rule]),
      [[5, "MONEY"]],
    );
  });

  test("names the line of an element in a document, however it is laid out", async () => {
    const bad = withValues(TRAY, { price: "free" });
    const pretty = JSON.stringify({ products: [MUG, bad] }, null, 1);
    const line = pretty.slice(0, pretty.lastIndexOf('{\n   "item_id"')).split("\n").length;

    const { problems } = await reportOn("acp.json", pretty);

    assert.deepEqual(
      problems.map(({ line: found, rule }) => [found, rule]),
      [[line, "MONEY"]],
    );
  });
});

test("an id under an older name is an id", async () => {
  const { problems } = await reportOn(
    "acp.json",
    document(mug({ item_id: undefined, sku: "S-1", price: "x" })),
  );

  assert.deepEqual(
    problems.map(({ rule, itemId }) => [rule, itemId]),
    [
      ["MONEY", "S-1"],
      ["OLD", "S-1"],
    ],
  );
});

test("the values of a row that cannot be split into columns are not checked", async () => {
  const report = await reportOn("acp.csv", `${GOOD_CSV}x,y\n`);

  assert.deepEqual(foundIn(report), ["error FILE-CELLS"]);
  assert.equal(report.rows, 3);
});

test("an unclosed quote affects only its own row", async () => {
  const plain = { title: "Mug", description: "Glazed.", gtin: undefined, mpn: "x" };
  const rows = Array.from({ length: 5_000 }, (_, n) => withValues(MUG, { ...plain, item_id: `M${n}` }));
  const text = csv(rows).replace("M7,Mug", 'M7,"Mug');

  const report = await reportOn("acp.csv", text);

  assert.deepEqual(
    report.problems.map(({ rule, line }) => [rule, line]),
    [["FILE-QUOTE", 9]],
  );
  assert.equal(report.rows, 5_000);
});
