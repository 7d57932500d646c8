import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { Value } from "typebox/value";
import { trickyText } from "../channels/arbitraries.fixture.ts";
import { goldenFeeds } from "../channels/golden.fixture.ts";
import { AcpFeedMetadata, AcpUpsert } from "./acp-feed.fixture.ts";
import { acpMetadata, acpPrice } from "./acp-feed.ts";
import { jsonLines, rowBatches, tabSeparated } from "./rows.ts";
import { asGone, csvRow, rowsOf } from "./vanished.ts";
import type { Naming } from "./formats.ts";
import { type Delivered, deliveredFiles, isNameOf, type ShardLimits } from "./shards.ts";

/** In pieces of a given size, so that rows are cut anywhere. */
async function* pieces(text: string | Buffer, size = 7): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function textOf(bytes: AsyncIterable<Uint8Array>, isGzip = false): Promise<string> {
  const all = Buffer.concat(await Array.fromAsync(bytes));
  return (isGzip ? gunzipSync(all) : all).toString("utf8");
}

type Files = Readonly<Record<string, string>>;

/** What would be uploaded for a rendered file, by name. */
async function filesOf(
  text: string,
  { limits, vanished, ...naming }: Naming & Pick<Delivered, "vanished"> & { limits?: ShardLimits },
  items = 1_000_000,
): Promise<Files> {
  const files: Record<string, string> = {};
  const open = () => ({
    items,
    bytes: Buffer.byteLength(text),
    gzipBytes: gzipSync(text).length,
    read: (encoding: string) => pieces(encoding === "gzip" ? gzipSync(text) : text, 1_000),
  });
  const metadata = () => acpMetadata({ id: "feed_1", country: "US", updatedAt: new Date(0) });
  for await (const { name, bytes } of deliveredFiles({
    ...naming,
    open,
    metadata,
    ...(limits && { limits }),
    ...(vanished && { vanished }),
  })) {
    files[name] = await textOf(bytes, name.endsWith(".gz"));
  }
  return files;
}

const cell = fc.oneof(trickyText, fc.constantFrom("", "a", "1.00 USD"));
const quoted = (value: string) => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
const csv = fc
  .array(fc.tuple(cell, cell, cell), { maxLength: 12 })
  .map((rows) => [["a", "b", "c"], ...rows].map((row) => `${row.map(quoted).join(",")}\n`).join(""));
const options = { relax_column_count: false, skip_empty_lines: false };

describe("rows", () => {
  test("batches of rows put together are the file, whatever the quotes and pieces", async () => {
    await fc.assert(
      fc.asyncProperty(
        csv,
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 9 }),
        async (text, size, batchRows) => {
          const batches = await Array.fromAsync(
            rowBatches(pieces(text, size), { isQuoted: true, batchRows }),
          );
          const rows = parse(text, options).length;

          assert.equal(Buffer.concat(batches.map(({ bytes }) => bytes)).toString(), text);
          assert.equal(
            batches.reduce((sum, batch) => sum + batch.rows, 0),
            rows,
          );
          assert.equal(batches[0]?.rows, 1);
          for (const { bytes, rows: count } of batches) assert.equal(parse(bytes, options).length, count);
        },
      ),
      { numRuns: 50 },
    );
  });

  test("the cells of a tab-separated file are those of the CSV file", () => {
    fc.assert(
      fc.property(csv, (text) => {
        const tsv = tabSeparated(Buffer.from(text)).toString();
        assert.deepEqual(parse(tsv, { ...options, delimiter: "\t" }), parse(text, options));
      }),
      { numRuns: 100 },
    );
  });

  test("JSON Lines made from acp.json are those that the renderer writes", async () => {
    const feeds = goldenFeeds();
    const texts = (file: string) => feeds.filter((feed) => feed.file === file).map(({ text }) => text);
    const lines = texts("acp.jsonl");
    for (const [index, document] of texts("acp.json").entries()) {
      const batches = await Array.fromAsync(jsonLines(pieces(document, 50)));
      assert.equal(Buffer.concat(batches.map(({ bytes }) => bytes)).toString(), lines[index]);
    }
    assert.ok(lines.length > 50);
  });
});

describe("shards", () => {
  const table = (rows: number) =>
    ["id,title\n", ...Array.from({ length: rows }, (_, i) => `${i},"Mug, ${i}"\n`)].join("");
  const naming = { format: "acp.csv.gz", name: "products", isSharded: true } as const;

  test("have stable names, a header each, and every row once", async () => {
    const files = await filesOf(table(2_500), { ...naming, limits: { items: 1_000, bytes: 1e9 } });

    assert.deepEqual(Object.keys(files), [
      "products-0001.csv.gz",
      "products-0002.csv.gz",
      "products-0003.csv.gz",
    ]);
    const rows = Object.values(files).map((text) => parse(text, options));
    assert.deepEqual(
      rows.map(({ length }) => length),
      [1_001, 1_001, 501],
    );
    assert.ok(rows.every(([first]) => String(first) === "id,title"));
    assert.deepEqual(
      rows.flatMap((shard) => shard.slice(1).map(([id]) => Number(id))),
      Array.from({ length: 2_500 }, (_, i) => i),
    );
  });

  test("also end at a number of bytes", async () => {
    const plain = { ...naming, format: "acp.csv", limits: { items: 1e9, bytes: 30_000 } } as const;
    const files = await filesOf(table(10_000), plain);

    const sizes = Object.values(files).map(({ length }) => length);
    assert.ok(sizes.length > 2 && sizes.every((size) => size < 60_000), sizes.join());
    assert.equal(
      Object.values(files).join("").replaceAll("id,title\n", ""),
      table(10_000).replace("id,title\n", ""),
    );
  });

  test("a catalog within the limits is one shard, which the render has compressed already", async () => {
    assert.deepEqual(await filesOf(table(3), naming, 3), { "products-0001.csv.gz": table(3) });
  });

  test("without shards there is one file without a number", async () => {
    const limits = { items: 1_000, bytes: 1e9 };
    assert.deepEqual(Object.keys(await filesOf(table(2_500), { ...naming, isSharded: false, limits })), [
      "products.csv.gz",
    ]);
    const tsv = await filesOf(table(2), { format: "acp.tsv", name: "acp", isSharded: false });
    assert.deepEqual(tsv, { "acp.tsv": 'id\ttitle\n0\t"Mug, 0"\n1\t"Mug, 1"\n' });
  });

  test("an empty catalog is a file with a header, or an empty one", async () => {
    const document = '{"profile":"x","generated_at":"x","products":[\n]}\n';
    assert.deepEqual(await filesOf("id,title\n", { ...naming, format: "acp.tsv" }), {
      "products-0001.tsv": "id\ttitle\n",
    });
    assert.deepEqual(await filesOf(document, { ...naming, format: "acp.jsonl" }), {
      "products-0001.jsonl": "",
    });
  });

  test("a reader that stops early closes the rendered file", async () => {
    let isClosed = false;
    const read = async function* () {
      try {
        while (true) yield Buffer.from("1,2\n".repeat(1_000));
      } finally {
        isClosed = true;
      }
    };
    const open = () => ({ items: 1e9, bytes: 1e9, gzipBytes: 1e9, read });
    for (const format of ["acp.csv", "acp.csv.gz"] as const) {
      isClosed = false;
      for await (const { bytes } of deliveredFiles({ ...naming, format, open, metadata: () => "" })) {
        for await (const _ of bytes) break;
        break;
      }
      assert.equal(isClosed, true, format);
    }
  });

  test("rows that are gone come last, in the format of the others", async () => {
    const gone = {
      item_id: "g",
      title: 'A "big", mug',
      availability: "out_of_stock",
      n: 7,
      is: false,
      l: ["a", "b"],
      d: { x: "1" },
    };
    const rows = async function* () {
      yield [JSON.stringify(gone)];
    };
    const text = "item_id,title,availability,n,is,l,d,none\n1,Mug,in_stock,1,true,,,\n";
    const vanished = () => ({ count: 1, rows: rows() });
    const expected = [
      ["1", "Mug", "in_stock", "1", "true", "", "", ""],
      ["g", 'A "big", mug', "out_of_stock", "7", "false", "a,b", '{"x":"1"}', ""],
    ];

    const files = await filesOf(text, { ...naming, vanished: vanished() }, 1);
    const tsv = await filesOf(text, { ...naming, format: "acp.tsv", vanished: vanished() }, 1);
    const lines = await filesOf('{"products":[\n{"item_id":"1"}\n]}\n', {
      ...naming,
      format: "acp.jsonl",
      vanished: vanished(),
    });

    assert.deepEqual(parse(files["products-0001.csv.gz"] ?? "", options).slice(1), expected);
    assert.deepEqual(
      parse(tsv["products-0001.tsv"] ?? "", { ...options, delimiter: "\t" }).slice(1),
      expected,
    );
    assert.equal(lines["products-0001.jsonl"], `{"item_id":"1"}\n${JSON.stringify(gone)}\n`);
  });

  test("the names of these settings are recognized, and no others", () => {
    for (const name of ["products-0001.csv.gz", "products-9999.csv.gz", "products-12345.csv.gz"])
      assert.equal(isNameOf(naming, name), true, name);
    for (const name of [
      "products.csv.gz",
      "products-1.csv.gz",
      "products-0001.csv",
      "x-products-0001.csv.gz",
      "products-00001.csv.gz",
    ])
      assert.equal(isNameOf(naming, name), false, name);
    assert.equal(isNameOf({ ...naming, isSharded: false }, "products.csv.gz"), true);
  });
});

describe("the nested feed", () => {
  test("has the products of every golden case, as the protocol's schemas want them", async () => {
    let products = 0;
    for (const { file, name, text } of goldenFeeds()) {
      if (file !== "acp.json") continue;
      const files = await filesOf(text, { format: "acp-feed", name: "products", isSharded: false });
      assert.deepEqual(Object.keys(files), ["products.jsonl", "metadata.json"]);
      assert.ok(Value.Check(AcpFeedMetadata, JSON.parse(files["metadata.json"] ?? "")));
      const lines = (files["products.jsonl"] ?? "").split("\n").filter(Boolean);
      const body = { products: lines.map((line) => JSON.parse(line) as unknown) };
      if (lines.length === 0) continue;
      products += lines.length;
      assert.deepEqual([...Value.Errors(AcpUpsert, body)], [], name);
    }
    assert.ok(products > 50);
  });

  test("joins the variants of a product, and has the price that is charged now", async () => {
    const variant = (id: string, more: object) =>
      JSON.stringify({
        item_id: id,
        title: id,
        price: "18.00 USD",
        availability: "pre_order",
        group_id: "MUG",
        ...more,
      });
    const text = `{"products":[\n${variant("a", { sale_price: "14.50 USD", variant_dict: { color: "Teal" } })},\n${variant("b", { availability: "unknown" })},\n{"item_id":"c","title":"Tray","price":"500 JPY","availability":"out_of_stock"}\n]}\n`;

    const files = await filesOf(text, { format: "acp-feed", name: "products", isSharded: false });

    const lines = (files["products.jsonl"] ?? "")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown);
    assert.deepEqual(lines, [
      {
        id: "MUG",
        variants: [
          {
            id: "a",
            title: "a",
            price: { amount: 1_450, currency: "USD" },
            list_price: { amount: 1_800, currency: "USD" },
            availability: { available: true, status: "preorder" },
            variant_options: [{ name: "color", value: "Teal" }],
          },
          { id: "b", title: "b", price: { amount: 1_800, currency: "USD" } },
        ],
      },
      {
        id: "c",
        title: "Tray",
        variants: [
          {
            id: "c",
            title: "Tray",
            price: { amount: 500, currency: "JPY" },
            availability: { available: false, status: "out_of_stock" },
          },
        ],
      },
    ]);
    assert.deepEqual(acpPrice("1.250 KWD"), { amount: 1_250, currency: "KWD" });
  });
});

describe("vanished rows", () => {
  test("every golden row has its id, and as CSV it is the row that the renderer writes", async () => {
    const feeds = goldenFeeds();
    const texts = (file: string) => feeds.filter((feed) => feed.file === file).map(({ text }) => text);
    const tables = texts("acp.csv");
    for (const [index, document] of texts("acp.json").entries()) {
      const table = tables[index] ?? "";
      if (table.includes("'=") || table.includes("'+") || table.includes("'@")) continue;
      const [header = [], ...rows] = parse(table, options);
      const found = await Array.fromAsync(rowsOf(pieces(document, 100)));
      assert.deepEqual(
        found.map(({ id }) => id),
        rows.map(([id]) => id),
      );
      const cells = parse(found.map(({ line }) => csvRow(header, line)).join(""), options);
      assert.deepEqual(cells, rows);
    }
  });

  test("a row that is gone is out of stock and not eligible", () => {
    const row = {
      item_id: "1",
      availability: "in_stock",
      is_eligible_search: true,
      is_ads_eligible: true,
      price: "1.00 USD",
    };
    assert.deepEqual(JSON.parse(asGone(JSON.stringify(row))), {
      ...row,
      availability: "out_of_stock",
      is_eligible_search: false,
      is_eligible_checkout: false,
      is_ads_eligible: false,
    });
  });
});
