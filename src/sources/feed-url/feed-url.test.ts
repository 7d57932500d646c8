import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, test } from "node:test";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { zipOf } from "../../../test/fakes/zip.ts";
import { draftsOf, failureOf, warningsOf } from "../events.contract.ts";
import { SAMPLE_FILES } from "../../../test/feed-files.ts";
import type { SourceEvent } from "../source.ts";
import { feedFixture, file } from "./feed-fixture.contract.ts";

const SAMPLE_CATALOG = new URL("../../../sample/shop.csv", import.meta.url);

type Item = { id: string; title: string; link: string; price: string };
const items: Item[] = [
  { id: "A-1", title: "Tasse für Tee", link: "https://shop.example/p/1?a=1&b=2", price: "5.90 EUR" },
  { id: "A-2", title: "Café “au lait”, 2 €", link: "https://shop.example/p/2", price: "7.00 EUR" },
  { id: "A-3", title: "L’été", link: "https://shop.example/p/3", price: "1299.00 EUR" },
];
const fields = ["id", "title", "link", "price"] as const;

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const delimited = (delimiter: string, end: string): string =>
  [fields.join(delimiter), ...items.map((item) => fields.map((name) => quoted(item[name])).join(delimiter))]
    .map((row) => row + end)
    .join("");
const rssItem = (item: Item): string =>
  `<item><g:id>${item.id}</g:id><title><![CDATA[${item.title}]]></title><link>${escaped(item.link)}</link><g:price>${item.price}</g:price></item>`;
const atomEntry = (item: Item): string =>
  `<entry><id>tag:${item.id}</id><g:id>${item.id}</g:id><title>${escaped(item.title)}</title><link rel="self" href="x"/><link rel="alternate" href="${escaped(item.link)}"/><g:price>${item.price}</g:price></entry>`;

const formats = {
  "comma-separated": delimited(",", "\r\n"),
  "tab-separated": delimited("\t", "\n"),
  "semicolon-separated": delimited(";", "\n"),
  "pipe-separated": delimited("|", "\r"),
  "JSON array": JSON.stringify(items),
  "JSON object": JSON.stringify({ version: 1, feed: { title: "x", products: items } }, null, 2),
  "JSON Lines": items.map((item) => `${JSON.stringify(item)}\n`).join(""),
  "RSS 2.0": `<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel><title>Shop</title>${items.map(rssItem).join("\n")}</channel></rss>`,
  "Atom 1.0": `<feed xmlns="http://www.w3.org/2005/Atom" xmlns:g="http://base.google.com/ns/1.0"><title>Shop</title>${items.map(atomEntry).join("\n")}</feed>`,
};

/** The characters of these items that Windows-1252 has elsewhere than Latin-1. */
const WINDOWS_1252: Record<string, number> = { "€": 0x80, "’": 0x92, "“": 0x93, "”": 0x94 };
const encodings = {
  "UTF-8": (text: string) => Buffer.from(text),
  "UTF-8 with a mark": (text: string) => Buffer.from(`\uFEFF${text}`),
  "UTF-16LE": (text: string) => Buffer.from(`\uFEFF${text}`, "utf16le"),
  "UTF-16BE": (text: string) => Buffer.from(`\uFEFF${text}`, "utf16le").swap16(),
  "Windows-1252": (text: string) =>
    Buffer.from(Array.from(text, (character) => WINDOWS_1252[character] ?? character.charCodeAt(0))),
};

const packings = {
  plain: (bytes: Buffer) => bytes,
  gzip: (bytes: Buffer) => gzipSync(bytes),
  "double gzip": (bytes: Buffer) => gzipSync(gzipSync(bytes)),
  zip: (bytes: Buffer) => zipOf({ "export/feed.dat": bytes }),
  zstd: (bytes: Buffer) => zstdCompressSync(bytes),
};

describe("a feed gives the same items in every format, compression and encoding", () => {
  for (const [format, text] of Object.entries(formats)) {
    test(format, async () => {
      await using world = await feedFixture();
      for (const [packing, pack] of Object.entries(packings)) {
        for (const [encoding, encode] of Object.entries(encodings)) {
          const events = await world.readPage(pack(encode(text)));

          const drafts = draftsOf(events).map(({ id, title, link, price }) => ({ id, title, link, price }));
          assert.deepEqual(drafts, items, `${format}, ${packing}, ${encoding}`);
          assert.equal(events.at(-1)?.kind, "end");
        }
      }
    });
  }

  test("a file whose encoding had to be guessed has one warning", async () => {
    await using world = await feedFixture();

    const events = await world.readPage(encodings["Windows-1252"](formats["comma-separated"]));

    const warnings = events.flatMap((event) => (event.kind === "warning" ? [event.warning] : []));
    assert.deepEqual(
      warnings.map(({ code }) => code),
      ["encoding_guessed"],
    );
    assert.match(warnings[0]?.message ?? "", /read as windows-1252: "Café"/);
  });

  test("file name and headers do not matter: CSV that is sent as a web page is CSV", async () => {
    await using world = await feedFixture();

    const events = await world.readPage({
      ...file(formats["comma-separated"]),
      headers: { "content-type": "text/html; charset=iso-8859-1" },
    });

    assert.equal(draftsOf(events).length, 3);
  });

  test("a format that is set is used without detection", async () => {
    await using world = await feedFixture();

    const error = await failureOf(world.readPage(formats["comma-separated"], { format: "json" }));

    assert.equal(error.code, "source_malformed");
  });
});

describe("a file that is no feed is refused, and the message says what it is", () => {
  const cases: Record<string, { body: string | Uint8Array; says: RegExp }> = {
    "an empty answer": { body: "", says: /zero bytes/ },
    "white space": { body: " \n\n", says: /white space/ },
    "a web page": {
      body: "<!DOCTYPE html>\n<html><head><title> Sign  in </title></head>",
      says: /web page \(“Sign in”\)/,
    },
    "a web page in XML": { body: '<?xml version="1.0"?><html xmlns="x"><body/></html>', says: /web page/ },
    "columns that mean nothing": { body: "foo,bar\n1,2\n", says: /id or title.*"foo", "bar"/ },
    "a file without a header": {
      body: "A-1;Mug;5.90\nA-2;Cup;6.90\n",
      says: /no row of column names.*"A-1"/,
    },
    "columns without a title": { body: "id,price\n1,2\n", says: /no column for title or link\. / },
    "columns without anything that items need but an id": {
      body: "id,note\n1,2\n",
      says: /no column for title or price or link\. /,
    },
    "objects that are no items": { body: '{"users":[{"login":"x"}]}', says: /id or title.*"login"/ },
    "a document without a list": { body: '{"ok":true,"next":null}', says: /no list of products/ },
    "lines of other objects": { body: '{"level":"info"}\n{"level":"warn"}\n', says: /JSON Lines.*"level"/ },
    "the RSS of a blog": {
      body: "<rss><channel><item><guid>1</guid><id>1</id><title>Post</title><link>https://x</link></item></channel></rss>",
      says: /price/,
    },
    "other XML": { body: "<note><to>you</to></note>", says: /root <note>/ },
    "binary data": { body: Buffer.from([1, 0, 0, 7, 255, 0, 0, 0, 9, 200]), says: /binary/ },
    "a PDF": { body: "%PDF-1.7", says: /PDF/ },
    "a workbook": { body: zipOf({ "[Content_Types].xml": "<x/>" }), says: /workbook/ },
    bzip2: { body: "BZh91AY&SY", says: /bzip2/ },
  };
  for (const [what, { body, says }] of Object.entries(cases)) {
    test(what, async () => {
      await using world = await feedFixture();

      const error = await failureOf(world.readPage(body));

      assert.equal(error.code, "source_not_a_feed");
      assert.match(error.message, says);
    });
  }

  test("many rows without a title are reported as a wrong column mapping", async () => {
    await using world = await feedFixture();
    const rows = (count: number): string => `id,title\n1,Mug\n${"2,\n".repeat(count)}`;

    assert.equal(draftsOf(await world.readPage(rows(8))).length, 9);
    const error = await failureOf(world.readPage(rows(9)));

    assert.equal(error.code, "source_not_a_feed");
    assert.match(error.message, /9 of 10 rows have no id or no title/);
  });
});

describe("a feed without items is valid", () => {
  const empty = {
    "a header alone": "id,title,price\n",
    "an empty array": "[]",
    "an empty list": '{"products": []}',
    "an empty channel": "<rss><channel><title>x</title></channel></rss>",
    "an empty Atom feed": '<feed xmlns="http://www.w3.org/2005/Atom"/>',
  };
  for (const [what, body] of Object.entries(empty)) {
    test(what, async () => {
      await using world = await feedFixture();

      assert.deepEqual(
        (await world.readPage(body)).map(({ kind }) => kind),
        ["end"],
      );
    });
  }
});

describe("the list of items is found", () => {
  test("under an unusual name if there is no usual one", async () => {
    await using world = await feedFixture();

    const events = await world.readPage(
      JSON.stringify({ tags: ["a"], sortiment: items, stores: [{ id: 1 }] }),
    );

    assert.deepEqual(
      draftsOf(events).map(({ id }) => id),
      ["A-1", "A-2", "A-3"],
    );
  });

  test("under a usual name, even if another list comes first", async () => {
    await using world = await feedFixture();

    const events = await world.readPage(
      JSON.stringify({ categories: [{ id: 1, name: "x" }], products: items }),
    );

    assert.equal(draftsOf(events)[0]?.id, "A-1");
  });
});

describe("rows that do not fit their header", () => {
  const rejectionsOf = (events: readonly SourceEvent[]): string[] =>
    events.flatMap((event) => (event.kind === "rejected" ? [event.rejection.message] : []));

  test("a row with too many cells is unreadable; missing cells at the end are empty and reported once", async () => {
    await using world = await feedFixture();

    const events = await world.readPage(
      "id,title,link,price\nA-1,Mug,/1,5,6\nA-2,Cup\nA-3,Pot,/3,7,,\nA-4,Jug,/4\n",
    );

    assert.deepEqual(draftsOf(events), [
      { id: "A-2", title: "Cup" },
      { id: "A-3", title: "Pot", link: "/3", price: "7" },
      { id: "A-4", title: "Jug", link: "/4" },
    ]);
    const [first] = events;
    assert.ok(first?.kind === "rejected");
    assert.deepEqual([first.rejection.position, first.rejection.itemId], [1, "A-1"]);
    assert.deepEqual(warningsOf(events), [
      "2 rows have fewer cells than the header, the first on line 3. Missing cells at the end were read as empty.",
    ]);
  });

  test("a row that lacks a cell in the middle is rejected, and no value is published in another column", async () => {
    await using world = await feedFixture();
    const columns = ["id", "title", "link", "price", "stock", "brand", "color"];
    const complete = ["A-1", "Mug", "https://shop.example/1", "5.00", "3", "Kiln", "Red"];
    const damaged = columns.map((_, missing) => complete.filter((_, index) => index !== missing));
    const rows = [columns, complete, ...damaged.slice(0, -1)].map((cells) => cells.join(",")).join("\n");

    const events = await world.readPage(`${rows}\n`);

    assert.equal(draftsOf(events).length, 1);
    assert.equal(
      rejectionsOf(events)[0],
      "The row on line 3 has 6 cells for 7 columns, and its values may be in the wrong columns. Export the file again, or write empty cells too.",
    );
    assert.deepEqual(warningsOf(events), [
      "6 rows have fewer cells than the header, the first on line 3. 6 rows are rejected, because a missing cell in the middle would put the values after it in the wrong columns.",
    ]);
  });

  test("a short row is read if its last value is one that other rows have in the same column only", async () => {
    await using world = await feedFixture();

    const events = await world.readPage(
      "id,title,link,price,brand,color\nA-1,Mug,/1,5.00,Kiln,Red\nA-2,Cup,/2,6.00,Kiln\nA-3,Jug,/3,7.00,Red\nA-4,Pot,/4,8.00,Oven\n",
    );

    assert.deepEqual(
      draftsOf(events).map(({ id, brand }) => [id, brand]),
      [
        ["A-1", "Kiln"],
        ["A-2", "Kiln"],
      ],
    );
    assert.equal(rejectionsOf(events).length, 2);
  });

  test("without a complete row, the names of the columns decide which short rows are read", async () => {
    await using world = await feedFixture();

    const events = await world.readPage(
      "id,title,link,price,image_link\nA-1,Mug,/1,5.00\nA-2,https://shop.example/2,5.00,https://cdn.example/2.jpg\n",
    );

    assert.deepEqual(
      draftsOf(events).map(({ id, price }) => [id, price]),
      [["A-1", "5.00"]],
    );
  });

  test("where all rows lack the last cell, values that belong to no other column prove it", async () => {
    const list = async (header: string, cells: (at: number) => readonly unknown[]) => {
      await using world = await feedFixture();
      const rows = Array.from({ length: 12 }, (_, at) => cells(at).join(";"));
      const events = await world.readPage(`${[header, ...rows].join("\n")}\n`);
      return [draftsOf(events).length, rejectionsOf(events).length];
    };
    const header = "Product ID;Name;Reference;Price (tax incl.);Quantity;Status;Position";
    const start = (at: number) => [at + 1, `Mug ${at}`, `M-${at}`, `${at + 2}.50`];

    assert.deepEqual(await list(header, (at) => [...start(at), at * 3, 1]), [12, 0]);
    assert.deepEqual(await list(header, (at) => [...start(at), 1, at]), [0, 12], "a position is last");
    assert.deepEqual(await list(header, (at) => [...start(at), 1, 1]), [0, 12], "quantities may be flags");
    assert.deepEqual(
      await list("id;title;price;stock;image_link;note", (at) => [
        `A-${at}`,
        `Mug ${at}`,
        "5.00",
        at,
        `https://cdn.example/${at}.jpg`,
      ]),
      [12, 0],
    );
  });

  test("a file without a row of column names is refused, with what was read as the names", async () => {
    await using world = await feedFixture();

    const { code, message } = await failureOf(
      world.readPage("A-1;Mug;https://shop.example/1;5.90\nA-2;Cup;https://shop.example/2;6.90\n"),
    );

    assert.equal(code, "source_not_a_feed");
    assert.equal(
      message,
      'The file seems to have no row of column names. It was read as text separated by semicolons, and this row as the names: "A-1", "Mug", "https://shop.example/1", "5.90". Add a first row with the names of the columns, such as id, title, link, price, or switch it on in the export.',
    );
  });

  test("unused columns and columns with the same name are listed", async () => {
    await using world = await feedFixture();

    const events = await world.readPage("id,title,Title,warehouse,link,price\n1,,Mug,B7,/1,5\n");

    assert.deepEqual(draftsOf(events), [{ id: "1", title: "Mug", link: "/1", price: "5" }]);
    const warnings = events.flatMap((event) => (event.kind === "warning" ? [event.warning] : []));
    assert.deepEqual(
      warnings.map(({ code }) => code),
      ["unmapped_column", "duplicate_column"],
    );
    assert.match(warnings[0]?.message ?? "", /"warehouse"/);
  });
});

describe("the decimal mark", () => {
  const marks = async (
    body: string,
    settings: Record<string, string> = {},
  ): Promise<(string | undefined)[]> => {
    await using world = await feedFixture();
    return (await world.readPage(body, settings)).flatMap((event) =>
      event.kind === "draft" ? [event.decimalMark] : [],
    );
  };

  test("is what the prices of the file show", async () => {
    assert.deepEqual(await marks('id,title,price\n1,a,"1.299,00"\n2,b,"5,90"\n3,c,1.500\n'), [",", ",", ","]);
    assert.deepEqual(await marks("id;title;price\n1;a;5.90\n"), ["."]);
  });

  test("is undefined if nothing in the file shows it, or if prices contradict each other", async () => {
    assert.deepEqual(await marks("id,title,price\n1,a,5\n"), [undefined]);
    assert.deepEqual(await marks("id;title;price\n1;a;1.299\n"), [undefined]);
    assert.deepEqual(await marks("id;title;price\n1;a;1.299\n2;b;12,50\n3;c;12.50\n"), [
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("is what the merchant set, whatever the prices show", async () => {
    const file = "id;title;price\n1;a;1.299\n2;b;12,50\n";
    assert.deepEqual(await marks(file, { decimal_mark: "." }), [".", "."]);
    assert.deepEqual(await marks(file, { decimal_mark: "" }), [",", ","]);
  });

  test("is looked for without a change of what an export's rows become", async () => {
    await using world = await feedFixture();
    const names = /^(?:shop|google|heureka|shopify|woocommerce|magento|products|lines)\.(?:csv|xml|jsonl?)$/;
    for (const { name, bytes, settings } of SAMPLE_FILES.filter((sample) => names.test(sample.name))) {
      // The first price can be read two ways.
      const text = bytes.toString().replace(/9\.50|129,50|19\.90|5\.0000|(?<=,4,)20/, "1.299");
      assert.notEqual(text, bytes.toString(), name);
      const surveyed = await world.readPage(text, settings);
      const told = await world.readPage(text, { ...settings, decimal_mark: "." });
      const withoutMark = (events: readonly SourceEvent[]) =>
        events.map((event) =>
          event.kind === "draft" ? { position: event.position, draft: { ...event.draft } } : event,
        );
      assert.deepEqual(withoutMark(surveyed), withoutMark(told), name);
    }
  });

  test("is looked for in the whole file if a price cannot be read without it", async () => {
    const rows = (count: number, price: string): string =>
      Array.from({ length: count }, (_, i) => `"${price}-${i}",a,"${price}"\n`).join("");
    const first = `id,title,price\n${rows(300, "950")}`;

    assert.deepEqual(
      new Set(await marks(`${first}${rows(300, "1.299")}${rows(15, "12,50")}`)),
      new Set([","]),
    );
    assert.deepEqual(
      new Set(await marks(`${first}${rows(300, "1.299")}${rows(15, "12,50")}${rows(1, "3.25")}`)),
      new Set([undefined]),
    );
    // Two suppliers in one file: the beginning must not decide about the end.
    const mixed = await marks(`id,title,price\n${rows(300, "12.50")}${rows(300, "1.299")}${rows(1, "7,90")}`);
    assert.deepEqual(mixed.slice(300), Array<undefined>(301).fill(undefined));
  });
});

test("the sample catalog is read without rejections, and its files have errors for refused items only", async () => {
  await using world = await feedFixture();

  const events = await world.readPage(await readFile(SAMPLE_CATALOG));

  assert.ok(draftsOf(events).length > 20);
  assert.deepEqual(
    events.filter(({ kind }) => kind === "rejected"),
    [],
  );
});
