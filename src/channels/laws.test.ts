/**
 * Laws for every catalog: nothing is lost, and every text is read back by parsers that know
 * nothing of our writers, and the four files agree on every item.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { SaxesParser } from "saxes";
import { AVAILABILITIES, type Item, type ItemGroup } from "../catalog/item.ts";
import { anyText, money, shopUrl, trickyText } from "./arbitraries.fixture.ts";
import type { FeedContext } from "./channel.ts";
import { GOOGLE_FIELD_TABLE, type GoogleFieldName } from "./google/fields.ts";
import type { Field } from "./kit/field-table.ts";
import { CHANNELS, CHANNEL_FILES, type ChannelFile } from "./registry.ts";
import { cases } from "../../test/long.ts";

const CONTEXT: FeedContext = {
  catalog: { slug: "fjellgarn", name: "Fjellgarn Shop" },
  settings: { country: "US", storeUrl: "https://shop.example/", acceptsReturns: true, returnDays: 30 },
  asOf: new Date("2026-11-14T10:00:00.000Z"),
  snapshotAt: new Date("2026-11-14T09:30:00.000Z"),
};

// ── catalogs ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** Filler words, which no feed may contain. */
const FILLER_WORDS = ["na", "N/A", "-", "None", "null", "unknown", "tbd", "undefined"];
const text = fc.oneof(
  { arbitrary: anyText, weight: 4 },
  { arbitrary: trickyText, weight: 4 },
  { arbitrary: fc.constantFrom(...FILLER_WORDS), weight: 1 },
);
const id = fc.stringMatching(/^[A-Za-z0-9._/:,"#%& -]{1,60}$/);
const offer = fc.constantFrom("USD", "JPY").chain((currency) =>
  fc.record(
    {
      price: money(currency, 10_000, 99_999),
      salePrice: money(currency, 1, 9_999),
      saleFrom: fc.constantFrom("2026-11-01T00:00:00.000Z", "2026-11-20T00:00:00.000Z"),
      saleTo: fc.constantFrom("2026-11-10T00:00:00.000Z", "2026-11-30T00:00:00.000Z"),
    },
    { requiredKeys: ["price"] },
  ),
);

const traits = fc.record(
  {
    brand: text,
    description: text,
    images: fc.array(shopUrl, { minLength: 1, maxLength: 4 }),
    mpn: text,
    color: text,
    size: text,
    groupTitle: text,
    highlights: fc.array(text, { minLength: 1, maxLength: 4 }),
    details: fc.array(fc.record({ name: text, value: text }), { minLength: 1, maxLength: 3 }),
    options: fc.array(fc.record({ name: text, value: text }), { minLength: 1, maxLength: 3 }),
    categories: fc.array(fc.array(text, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 2 }),
  },
  { requiredKeys: [] },
);

/** What no file may show. */
const secrets = fc.record(
  { cost: money("USD", 1, 99_999), tags: fc.array(text, { minLength: 1, maxLength: 2 }) },
  { requiredKeys: [] },
);

const item: fc.Arbitrary<Item> = fc
  .tuple(
    fc.record({ id, title: text, link: shopUrl, availability: fc.constantFrom(...AVAILABILITIES) }),
    offer,
    traits,
    secrets,
  )
  .map(([needed, prices, more, hidden]) => ({ ...needed, ...prices, ...more, ...hidden }));

/** An item that all four files include. */
const carried: fc.Arbitrary<Item> = fc
  .tuple(
    item,
    text,
    fc.stringMatching(/^[A-Z][a-z]{3,9}$/).filter((brand) => meaningful(brand) !== undefined),
    fc.constantFrom("in_stock", "preorder", "out_of_stock"),
  )
  .map(([base, description, brand, availability]) => ({
    ...base,
    id: base.id.slice(0, 50),
    title: `${base.title} mug`,
    description: `${description} of clay`,
    brand,
    images: ["https://cdn.example/1.jpg"],
    availability: availability as Item["availability"],
  }));

/** Groups of items whose ids are unique in the catalog, as they are in ours. */
function catalogOf(items: fc.Arbitrary<Item>): fc.Arbitrary<ItemGroup[]> {
  const sizes = fc.array(
    fc.record({ size: fc.integer({ min: 1, max: 3 }), kind: fc.constantFrom("none", "whole", "part") }),
  );
  return fc
    .tuple(fc.uniqueArray(items, { selector: (one) => one.id, maxLength: 8 }), sizes)
    .map(([all, plan]) => {
      const groups: ItemGroup[] = [];
      for (let at = 0; at < all.length; ) {
        const { size, kind } = plan[groups.length] ?? { size: 1, kind: "none" };
        const members = all.slice(at, at + size);
        groups.push({
          groupId: kind === "none" ? null : (members[0]?.id ?? "group"),
          isWhole: kind !== "part",
          items: members,
        });
        at += size;
      }
      return groups;
    });
}

// ── independent readers ───────────────────────────────────────────────────────────────────────────────────────────

/** The value of a text in a feed: none for a filler word. */
function meaningful(value: string | undefined): string | undefined {
  return value !== undefined && FILLER_WORDS.some((word) => word.toLowerCase() === value.toLowerCase())
    ? undefined
    : value;
}

function render(file: ChannelFile, groups: readonly ItemGroup[]): string {
  const writer = CHANNELS[file].open(CONTEXT);
  return writer.head() + groups.map((group) => writer.group(group).text).join("") + writer.tail();
}

function readCsv(body: string): Record<string, string>[] {
  return parse(body, { columns: true, record_delimiter: "\n", relax_column_count: false });
}

/** One line an item, no tab in a cell; throws on what Google's rules do not allow. */
function readTsv(body: string): Record<string, string>[] {
  assert.ok(body.endsWith("\n"));
  const [header = "", ...lines] = body.slice(0, -1).split("\n");
  const names = header.split("\t").map((name) => name.replace(/\(.*\)$/, ""));
  return lines.map((line) => {
    const cells = line.split("\t");
    assert.equal(cells.length, names.length);
    return Object.fromEntries(names.map((name, column) => [name, cells[column] ?? ""]));
  });
}

/** Parts a cell at the separators outside of quotes, and takes the quotes off each value. */
function readValues(cell: string, separator: string): string[] {
  const values: string[] = [];
  let at = 0;
  while (at <= cell.length) {
    const found = cell[at] === '"' ? readQuoted(cell, at) : readPlain(cell, at, separator);
    values.push(found.value);
    assert.ok(found.end === cell.length || cell.startsWith(separator, found.end), `stray quote in ${cell}`);
    at = found.end + 1;
  }
  return values;
}

function readQuoted(cell: string, start: number): { value: string; end: number } {
  let value = "";
  for (let at = start + 1; at < cell.length; at++) {
    if (cell[at] !== '"') value += cell[at];
    else if (cell[at + 1] === '"') value += cell[at++];
    else return { value, end: at + 1 };
  }
  throw new Error(`open quote in ${cell}`);
}

function readPlain(cell: string, start: number, separator: string): { value: string; end: number } {
  const next = cell.indexOf(separator, start);
  const end = next === -1 ? cell.length : next;
  const value = cell.slice(start, end);
  assert.ok(!value.includes('"'), `stray quote in ${cell}`);
  return { value, end };
}

function readText(cell: string): string {
  return cell === "" ? "" : (readValues(cell, "\t")[0] ?? "");
}

/** Groups are separated by commas outside of quotes; a quoted sub-value may contain both separators. */
function readGroups(cell: string): string[][] {
  const groups: string[][] = [[]];
  for (let at = 0; at <= cell.length; ) {
    const end =
      cell[at] === '"' ? readQuoted(cell, at).end : at + (/[:,]|$/.exec(cell.slice(at))?.index ?? 0);
    groups.at(-1)?.push(...readValues(cell.slice(at, end), "\t"));
    if (cell[end] === ",") groups.push([]);
    at = end + 1;
  }
  return groups;
}

/** What becomes of line breaks and tabs in a file of one line an item. */
function folded(value: string): string {
  return value.replace(/[\t-\r\u0085\u2028\u2029]+/g, " ");
}

type XmlItem = ReadonlyMap<string, readonly (string | ReadonlyMap<string, string>)[]>;

/** The items of an RSS file by a strict parser: attributes of Google's namespace, with their values in order. */
function readRss(body: string): XmlItem[] {
  const parser = new SaxesParser({ xmlns: true });
  const items: Map<string, (string | Map<string, string>)[]>[] = [];
  const path: string[] = [];
  let text = "";
  let parts = new Map<string, string>();
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("text", (found) => {
    text += found;
  });
  parser.on("opentag", ({ local, uri }) => {
    path.push(local);
    if (local === "item") items.push(new Map());
    else if (path.includes("item")) assert.equal(uri, "http://base.google.com/ns/1.0");
    text = "";
    if (path.length === 4) parts = new Map();
  });
  parser.on("closetag", ({ local }) => {
    path.pop();
    const item = items.at(-1);
    if (path.at(-1) === "item") item?.set(local, [...(item.get(local) ?? []), parts.size > 0 ? parts : text]);
    else if (path.includes("item")) parts.set(local, text);
    text = "";
  });
  parser.write(body).close();
  return items;
}

/** Without the characters that XML forbids. */
function inXml(value: string): string {
  return value.replace(/[^\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "");
}

/** The expected XML elements of a cell of the text file. */
function asElements(name: string, cell: string): unknown[] {
  const { kind, parts = [] }: Field = GOOGLE_FIELD_TABLE.fields[name as GoogleFieldName];
  if (cell === "") return [];
  if (kind === "list") return readValues(cell, ",").map(inXml);
  if (kind !== "groups") return [inXml(readText(cell))];
  return readGroups(cell).map(
    (values) =>
      new Map(values.flatMap((value, place) => (value === "" ? [] : [[parts[place] ?? "", inXml(value)]]))),
  );
}

type Node = { readonly [property: string]: unknown };

function readJsonld(body: string): { products: Map<string, Node>; ids: string[]; references: string[] } {
  const graph = (JSON.parse(body) as { "@graph": Node[] })["@graph"];
  const products = new Map<string, Node>();
  const ids: string[] = [];
  const references: string[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const node = value as Node;
    const name = node["@id"];
    if (typeof name === "string") (Object.keys(node).length === 1 ? references : ids).push(name);
    if (node["@type"] === "Product") products.set(String(node["productID"]), node);
    for (const child of Object.values(node)) visit(child);
  };
  visit(graph);
  return { products, ids, references };
}

function products(body: string): Record<string, unknown>[] {
  return (JSON.parse(body) as { products: Record<string, unknown>[] }).products;
}

const runs = { numRuns: cases(60) };

// ── the laws ──────────────────────────────────────────────────────────────────────────────────────────────────────

describe("every feed", () => {
  test("has every item of every group, and names each item once that will be refused", () => {
    fc.assert(
      fc.property(catalogOf(item), (groups) => {
        for (const file of CHANNEL_FILES) {
          const writer = CHANNELS[file].open(CONTEXT);
          for (const group of groups) {
            const { written, refusals } = writer.group(group);
            const named = new Set(refusals.map(({ itemId }) => itemId));

            assert.equal(written, group.items.length);
            assert.ok(refusals.every(({ isWritten }) => isWritten));
            assert.equal(group.items.filter(({ id: one }) => named.has(one)).length, refusals.length);
          }
        }
      }),
      runs,
    );
  });

  test("leaves out exactly the items that would be refused, if the catalog says so", () => {
    const leaving: FeedContext = {
      ...CONTEXT,
      settings: { ...CONTEXT.settings, incompleteItems: { openai: "leave_out", google: "leave_out" } },
    };
    fc.assert(
      fc.property(catalogOf(item), (groups) => {
        for (const file of CHANNEL_FILES) {
          const [all, complete] = [CHANNELS[file].open(CONTEXT), CHANNELS[file].open(leaving)];
          for (const group of groups) {
            // JSON-LD describes pages that exist, so no setting leaves items out of it.
            const isWritten = CHANNELS[file].destination === "schema_org";
            const expected = all.group(group).refusals.map((one) => ({ ...one, isWritten }));
            const { written, refusals } = complete.group(group);

            assert.deepEqual(refusals, expected);
            assert.equal(written, group.items.length - (isWritten ? 0 : refusals.length));
          }
        }
      }),
      runs,
    );
  });

  test("has as many items as it reports as written", () => {
    fc.assert(
      fc.property(catalogOf(item), (groups) => {
        const written = (file: ChannelFile) => {
          const writer = CHANNELS[file].open(CONTEXT);
          return groups.reduce((sum, group) => sum + writer.group(group).written, 0);
        };

        assert.equal(readCsv(render("acp.csv", groups)).length, written("acp.csv"));
        assert.equal(products(render("acp.json", groups)).length, written("acp.json"));
        assert.equal(readTsv(render("gmc.tsv", groups)).length, written("gmc.tsv"));
        assert.equal(readJsonld(render("jsonld.json", groups)).products.size, written("jsonld.json"));
        assert.equal(readRss(render("gmc.xml", groups)).length, written("gmc.xml"));
      }),
      runs,
    );
  });

  test("is the same whether it is rendered alone, again, or together with the others", () => {
    fc.assert(
      fc.property(catalogOf(item), (groups) => {
        const writers = CHANNEL_FILES.map((file) => CHANNELS[file].open(CONTEXT));
        const together = writers.map((writer) => writer.head());
        for (const group of groups) {
          for (const [place, writer] of writers.entries()) together[place] += writer.group(group).text;
        }

        for (const [place, file] of CHANNEL_FILES.entries()) {
          const copies = groups.map((group) => ({ ...group }));

          assert.equal(`${together[place]}${writers[place]?.tail()}`, render(file, copies));
        }
      }),
      runs,
    );
  });

  test("of an empty catalog is a valid empty file", () => {
    assert.deepEqual(readCsv(render("acp.csv", [])), []);
    assert.deepEqual(products(render("acp.json", [])), []);
    assert.deepEqual(readTsv(render("gmc.tsv", [])), []);
    assert.deepEqual(readRss(render("gmc.xml", [])), []);
    assert.deepEqual(JSON.parse(render("jsonld.json", [])), {
      "@context": "https://schema.org",
      "@graph": [],
    });
  });

  test("has the same id, price and availability of an item that all carry", () => {
    const schemaOrg: Record<string, string> = {
      InStock: "in_stock",
      OutOfStock: "out_of_stock",
      PreOrder: "preorder",
    };
    fc.assert(
      fc.property(catalogOf(carried), (groups) => {
        const csv = readCsv(render("acp.csv", groups));
        const json = products(render("acp.json", groups));
        const tsv = readTsv(render("gmc.tsv", groups));
        const jsonld = readJsonld(render("jsonld.json", groups)).products;
        const items = groups.flatMap((group) => group.items);
        assert.equal(csv.length, items.length);
        assert.equal(tsv.length, items.length);

        for (const [place, { id: itemId }] of items.entries()) {
          const google = tsv[place] ?? {};
          const [from = "", to = ""] = (google["sale_price_effective_date"] ?? "").split("/");
          const isOn = from === "" || (from <= "2026-11-14T10:00Z" && "2026-11-14T10:00Z" < to);
          const node = jsonld.get(itemId) ?? {};
          const markup = node["offers"] as Record<string, string>;
          const paid = csv[place]?.["sale_price"] || csv[place]?.["price"];

          assert.equal(csv[place]?.["item_id"], itemId);
          assert.equal(json[place]?.["item_id"], itemId);
          assert.equal(readText(google["id"] ?? ""), itemId);
          assert.equal(json[place]?.["sale_price"] ?? json[place]?.["price"], paid);
          assert.equal((isOn && google["sale_price"]) || google["price"], paid);
          assert.equal(`${markup["price"]} ${markup["priceCurrency"]}`, paid);
          const availability = csv[place]?.["availability"];
          assert.equal(json[place]?.["availability"], availability);
          assert.equal(google["availability"], availability?.replace("pre_order", "preorder"));
          assert.equal(schemaOrg[markup["availability"]?.split("/").at(-1) ?? ""], google["availability"]);
        }
      }),
      runs,
    );
  });
});

describe("acp.csv and acp.json", () => {
  test("keep every text unchanged", () => {
    fc.assert(
      fc.property(catalogOf(carried), (groups) => {
        const csv = readCsv(render("acp.csv", groups));
        const json = products(render("acp.json", groups));

        for (const [place, item] of groups.flatMap((group) => group.items).entries()) {
          const { description, link, options } = item;
          assert.equal(csv[place]?.["description"], description);
          assert.equal(json[place]?.["description"], description);
          assert.equal(csv[place]?.["url"], link);
          const dict = json[place]?.["variant_dict"] as Record<string, string> | undefined;
          if (dict === undefined || options === undefined) continue;
          for (const { name } of options) assert.ok(Object.hasOwn(dict, name));
          for (const [name, value] of Object.entries(dict)) {
            const option: { readonly value: string } | undefined = options.find(
              (other) => other.name === name,
            );
            // What is no option is a trait of the item.
            assert.equal(value, option === undefined ? item[name as keyof typeof item] : option.value);
          }
        }
      }),
      runs,
    );
  });

  test("have the same rows", () => {
    fc.assert(
      fc.property(catalogOf(item), (groups) => {
        const rows = products(render("acp.json", groups)).map((row) =>
          Object.fromEntries(Object.entries(row).map(([name, value]) => [name, cellOf(value)])),
        );
        const cells = readCsv(render("acp.csv", groups)).map((row) =>
          Object.fromEntries(
            Object.entries(row).flatMap(([name, value]) =>
              // Read and written again like the rows, because JavaScript puts names that are numbers first.
              value === ""
                ? []
                : [[name, name === "variant_dict" ? JSON.stringify(JSON.parse(value)) : value]],
            ),
          ),
        );

        assert.deepEqual(rows, cells);
      }),
      runs,
    );
  });
});

describe("gmc.tsv", () => {
  test("keeps every text, with line breaks and tabs as spaces", () => {
    fc.assert(
      fc.property(catalogOf(carried), (groups) => {
        const rows = readTsv(render("gmc.tsv", groups));

        for (const [place, one] of groups.flatMap((group) => group.items).entries()) {
          const row = rows[place] ?? {};
          assert.equal(readText(row["description"] ?? ""), folded(one.description ?? ""));
          assert.equal(readText(row["brand"] ?? ""), one.brand);
        }
      }),
      runs,
    );
  });

  test("keeps every value of lists and groups", () => {
    fc.assert(
      fc.property(catalogOf(carried), (groups) => {
        const rows = readTsv(render("gmc.tsv", groups));

        for (const [place, { highlights, details }] of groups.flatMap((group) => group.items).entries()) {
          const row = rows[place] ?? {};
          if (highlights !== undefined && highlights.length > 1) {
            assert.deepEqual(readValues(row["product_highlight"] ?? "", ","), highlights.map(folded));
          }
          if (details !== undefined) {
            const expected = details.map(({ name, value }) => ["", folded(name), folded(value)]);
            assert.deepEqual(readGroups(row["product_detail"] ?? ""), expected);
          }
        }
      }),
      runs,
    );
  });

  test("keeps to the limits of its field table whatever the length of a text", () => {
    const long = fc.string({ unit: "grapheme", minLength: 100, maxLength: 400 });
    fc.assert(
      fc.property(carried, long, long, (base, title, value) => {
        const group = {
          groupId: null,
          isWhole: true,
          items: [{ ...base, title, options: [{ name: "o", value }], brand: title }],
        };

        const row = readTsv(render("gmc.tsv", [group]))[0] ?? {};

        assert.ok(Array.from(readText(row["title"] ?? "")).length <= 150);
        assert.ok(Array.from(readText(row["brand"] ?? "")).length <= 70);
      }),
      runs,
    );
  });
});

describe("jsonld.json", () => {
  test("keeps every text that is not a filler word, and no text can end a script element", () => {
    fc.assert(
      fc.property(catalogOf(item), (groups) => {
        const body = render("jsonld.json", groups);

        assert.doesNotMatch(body, /[<>&\u2028\u2029]/);
        const nodes = readJsonld(body).products;
        for (const one of groups.flatMap((group) => group.items)) {
          assert.equal(nodes.get(one.id)?.["description"], meaningful(one.description));
          assert.equal(nodes.get(one.id)?.["url"], one.link);
          assert.deepEqual(nodes.get(one.id)?.["image"], one.images);
        }
      }),
      runs,
    );
  });

  test("names every node once, and has no dangling reference", () => {
    fc.assert(
      fc.property(catalogOf(item), (groups) => {
        const { ids, references } = readJsonld(render("jsonld.json", groups));

        assert.equal(new Set(ids).size, ids.length);
        for (const reference of references) assert.ok(ids.includes(reference), reference);
      }),
      runs,
    );
  });

  test("has one node per line", () => {
    fc.assert(
      fc.property(catalogOf(item), (groups) => {
        const lines = render("jsonld.json", groups).split("\n").slice(1, -2);

        for (const line of lines.filter((one) => one !== "")) {
          assert.equal(typeof JSON.parse(line.replace(/,$/, "")), "object");
        }
      }),
      runs,
    );
  });
});

/** A value of a JSON row as its CSV cell. */
function cellOf(value: unknown): string {
  if (Array.isArray(value)) return value.join(",");
  return typeof value === "string" ? value : JSON.stringify(value);
}

describe("gmc.xml", () => {
  test("has the values of gmc.tsv, element by element", () => {
    fc.assert(
      fc.property(catalogOf(item), (groups) => {
        const rows = readTsv(render("gmc.tsv", groups));
        const items = readRss(render("gmc.xml", groups));

        assert.equal(items.length, rows.length);
        for (const [place, row] of rows.entries())
          for (const [name, cell] of Object.entries(row))
            assert.deepEqual(items[place]?.get(name) ?? [], asElements(name, cell), name);
      }),
      runs,
    );
  });

  test("has one item per line", () => {
    fc.assert(
      fc.property(catalogOf(item), (groups) => {
        const lines = render("gmc.xml", groups).split("\n");
        const items = lines.filter((line) => line.startsWith("<item>") && line.endsWith("</item>"));

        assert.equal(items.length, readTsv(render("gmc.tsv", groups)).length);
      }),
      runs,
    );
  });
});

test("what the shop pays for its items, and its tags, change no byte of any file", () => {
  fc.assert(
    fc.property(catalogOf(item), (groups) => {
      const without = groups.map((group) => ({
        ...group,
        items: group.items.map(({ cost: _cost, tags: _tags, ...rest }): Item => rest),
      }));
      for (const file of CHANNEL_FILES) assert.equal(render(file, groups), render(file, without), file);
    }),
    { numRuns: cases(100) },
  );
});
