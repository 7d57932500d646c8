/** Google's items as XML: the same findings as for text, and the findings about XML itself. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { foundIn, reportOn } from "../../validate.fixture.ts";
import { MUG, type GoogleFixtureRow, TRAY, tsv, VARIANTS } from "./rows.fixture.ts";

const HEAD = `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0">
<channel>
<title>Fjellgarn</title>
<link>https://shop.example</link>
<description>Everything in the shop</description>
`;
const TAIL = "</channel>\n</rss>\n";

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** The cells of the fixtures have no quotes, and no commas but those of lists. */
function attributeOf(name: string, cell: string): string {
  const [, plain = name, parts] = /^([^(]*)(?:\((.*)\))?$/.exec(name) ?? [];
  if (cell === "") return "";
  const element = (inner: string) => `<g:${plain}>${inner}</g:${plain}>\n`;
  if (parts === undefined) return element(escaped(cell));
  const names = parts.split(":");
  return cell
    .split(",")
    .map((group) =>
      element(
        group
          .split(":")
          .map((value, place) =>
            value === "" ? "" : `<g:${names[place]}>${escaped(value)}</g:${names[place]}>`,
          )
          .join(""),
      ),
    )
    .join("");
}

const item = (row: GoogleFixtureRow) =>
  `<item>\n${Object.entries(row)
    .map(([name, cell]) => attributeOf(name, cell))
    .join("")}</item>\n`;
const rss = (...items: readonly string[]) => HEAD + items.join("") + TAIL;

async function found(text: string): Promise<string[]> {
  return foundIn(await reportOn("gmc.xml", text));
}

test("there are no findings in the sample items", async () => {
  for (const rows of [[MUG], [MUG, TRAY], VARIANTS])
    assert.deepEqual(await found(rss(...rows.map(item))), []);
});

test("an item is checked as in a text file", async () => {
  const changes: readonly GoogleFixtureRow[] = [
    { price: "79.9 USD" },
    { availability: "perhaps" },
    { google_product_category: "999999" },
    { gtin: "4006381333930" },
    { link: "" },
    { "shipping(country:region:service:price)": "us::Standard:5.00 EUR,US::Post:1000000 USD" },
    { google_product_category: "212" },
    { title: "Fjellgarn <b>mug</b>", description: "short" },
    { "product_detail(section_name:attribute_name:attribute_value)": "General:Type:" },
  ];
  for (const change of changes) {
    const rows = [{ ...MUG, ...change }, TRAY];
    const expected = foundIn(await reportOn("gmc.tsv", tsv(rows)));
    assert.notDeepEqual(expected, []);
    assert.deepEqual(await found(rss(...rows.map(item))), expected, JSON.stringify(change));
  }
});

test("a problem names the line on which its item begins", async () => {
  const { problems, rows } = await reportOn("gmc.xml", rss(item(MUG), item({ ...TRAY, price: "39.9 USD" })));
  const start = rss(item(MUG)).slice(0, -TAIL.length).split("\n").length;

  assert.equal(rows, 2);
  assert.deepEqual(
    problems.map(({ line, itemId, rule }) => ({ line, itemId, rule })),
    [{ line: start, itemId: "TRAY", rule: "gmc.price.precision" }],
  );
});

test("splitting the file into chunks changes nothing", async () => {
  const text = rss(
    item({ ...MUG, title: "Fjellgarn krus & kanne, blå" }),
    item({ ...TRAY, price: "9.9 USD" }),
  );
  const whole = await reportOn("gmc.xml", text);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 200 }), async (size) => {
      assert.deepEqual(await reportOn("gmc.xml", text, size), whole);
    }),
    { numRuns: 20 },
  );
});

describe("of RSS and Atom", () => {
  test("their own title, link and description are read as the attributes", async () => {
    const { title, description, link, ...rest } = MUG;
    const own = `<title>${title}</title><link>${link}</link><description><![CDATA[${description}]]></description>`;
    const more = "<guid>1</guid><pubDate>Sat, 14 Nov 2026 10:00:00 GMT</pubDate>";
    assert.deepEqual(await found(rss(item(rest).replace("<item>", `<item>${own}${more}`))), []);
  });

  test("an attribute has priority over them", async () => {
    const text = rss(item(MUG).replace("<item>", "<item><title>FJELLGARN STONEWARE MUG, TEAL</title>"));
    assert.deepEqual(await found(text), []);
  });

  test("an entry of Atom is an item, and its link an attribute of an element", async () => {
    const { title, description, link, ...rest } = MUG;
    const entry = item(rest)
      .replace(
        "<item>",
        `<entry><id>urn:1</id><updated>2026-11-14T10:00:00Z</updated><title>${title}</title>
        <link rel="alternate" href="${link}"/><summary>${description}</summary>`,
      )
      .replace("</item>", "</entry>");
    const atom = `<feed xmlns="http://www.w3.org/2005/Atom" xmlns:g="http://base.google.com/ns/1.0">${entry}</feed>`;
    assert.deepEqual(await found(atom), []);
  });
});

describe("of attributes", () => {
  test("a comma within a URL is no separator, one before another URL is", async () => {
    const image = (address: string) => rss(item({ ...MUG, image_link: address, color: "Teal, matte" }));
    assert.deepEqual(await found(image("https://cdn.example/f-webp,w-600/mug.jpg")), []);
    assert.deepEqual(await found(image("https://cdn.example/1.jpg,https://cdn.example/2.jpg")), [
      "warning gmc.value.many image_link",
    ]);
  });

  test("one with several values is repeated, one with a single value is not", async () => {
    const images = [1, 2, 3].map(
      (n) => `<g:additional_image_link>https://cdn.example/${n}.jpg</g:additional_image_link>`,
    );
    const { additional_image_link: _, ...rest } = MUG;
    assert.deepEqual(await found(rss(item(rest).replace("</item>", `${images.join("")}</item>`))), []);
    assert.deepEqual(await found(rss(item(MUG).replace("</item>", "<g:price>19.00 USD</g:price></item>"))), [
      "warning gmc.file.header.duplicate price",
    ]);
  });

  test("sub-attributes are elements; colons between them are understood and reported", async () => {
    const { "shipping(country:region:service:price)": _, ...rest } = MUG;
    const withShipping = (inner: string) =>
      rss(item(rest).replace("</item>", `<g:shipping>${inner}</g:shipping></item>`));
    assert.deepEqual(await found(withShipping("US:CA:Overnight:16.00 USD:1:1:2:3")), [
      "warning gmc.xml.group shipping",
    ]);
    assert.deepEqual(await found(withShipping("<g:country>US</g:country><g:price>5.00 USD</g:price>")), []);
    assert.deepEqual(
      await found(withShipping("<g:country>US</g:country><g:state>CA</g:state><g:price>5.00 USD</g:price>")),
      ["warning gmc.file.header.part shipping"],
    );
  });

  test("an unknown one is reported once, and those of other namespaces are ignored", async () => {
    const more = (row: GoogleFixtureRow) =>
      item(row).replace("</item>", '<g:colour>Teal</g:colour><m:thumb xmlns:m="urn:m">x</m:thumb></item>');
    assert.deepEqual(await found(rss(more(MUG), more(TRAY))), ["info gmc.file.header.unknown g:colour"]);
  });

  test("one outside of Google's namespace is reported once", async () => {
    const plain = [MUG, TRAY].map((row) => item(row).replaceAll("g:brand", "brand"));
    assert.deepEqual(await found(rss(...plain)), ["warning gmc.xml.plain brand"]);
  });

  test("a prefix that is undeclared, or declared for another namespace, is reported once", async () => {
    const text = rss(item(MUG), item(TRAY));
    const namespace = ' xmlns:g="http://base.google.com/ns/1.0"';
    assert.deepEqual(await found(text.replace(namespace, "")), ["error gmc.xml.namespace"]);
    assert.deepEqual(await found(text.replace(namespace, ' xmlns:g="http://google.example/"')), [
      "error gmc.xml.namespace",
    ]);
  });

  test("elements in a text are reported", async () => {
    const text = rss(item(MUG).replace("stoneware mug, teal</g:title>", "<b>mug, teal</b></g:title>"));
    assert.ok((await found(text)).includes("error gmc.xml.nested title"));
  });
});

describe("of what is not well-formed", () => {
  const broken = async (text: string) =>
    (await reportOn("gmc.xml", text)).problems.filter(({ rule }) => rule === "gmc.xml.malformed");

  test("every fault is reported with its line, and the rest is read", async () => {
    const text = rss(
      item(MUG),
      item(TRAY).replace("serving tray", "tray & bowl"),
      item({ ...MUG, id: "M3" }),
    );
    const report = await reportOn("gmc.xml", text);
    assert.equal(report.rows, 3);
    const line = text.slice(0, text.indexOf("tray & bowl")).split("\n").length;
    assert.deepEqual(
      (await broken(text)).map((problem) => problem.line),
      [line],
    );
  });

  test("a missing end tag, a truncated file and an undeclared name are faults", async () => {
    const text = rss(item(MUG));
    for (const bad of [
      text.replace("</g:price>", ""),
      text.slice(0, text.indexOf("</item>")),
      text.replace("mug, teal<", "mug&nbsp;teal<"),
      "<rss>",
    ])
      assert.notDeepEqual(await broken(bad), [], bad.slice(-60));
  });

  test("entities are never expanded", async () => {
    const bomb = `<!DOCTYPE rss [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>`;
    const text = rss(item(MUG)).replace("<rss", `${bomb}<rss`).replace("mug, teal<", "mug &b;<");
    assert.notDeepEqual(await broken(text), []);
  });

  test("a file that is not XML is not read further after a hundred faults", async () => {
    const { counts } = await reportOn("gmc.xml", `<rss>${"& < ".repeat(100_000)}`);
    assert.ok(counts.error < 110, String(counts.error));
  });

  test("an item or a text that is too long is reported and not kept in memory", async () => {
    const long = rss(item({ ...MUG, description: "x".repeat(1_200_000) }), item(TRAY));
    assert.deepEqual(await found(long), ["error gmc.file.long"]);
    const endless = `${HEAD}<item><g:title>${"x".repeat(34_000_000)}`;
    assert.notDeepEqual(await broken(endless), []);
  });

  test("a file without items is empty", async () => {
    assert.ok((await found(rss())).includes("error gmc.file.empty"));
  });
});

test("a byte order mark is no fault in XML", async () => {
  assert.deepEqual(await found(`\uFEFF${rss(item(MUG))}`), []);
});

test("a file is read in the encoding that it declares", async () => {
  const text = rss(item({ ...MUG, title: "Fjellgarn stoneware mug, blå" }));
  const bytes = Buffer.from(text.replace("UTF-8", "ISO-8859-1"), "latin1");
  assert.deepEqual(foundIn(await reportOn("gmc.xml", bytes)), []);
});
