/**
 * Google in, Google out: values in Google's form are written to `gmc.tsv` unchanged, whether they were read
 * as tab-separated text, as XML or as JSON, and our own reader reads it back the same.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { Warning } from "../../catalog/finding.ts";
import type { GoogleGroup, GoogleValue, GoogleValues } from "../../catalog/google-attributes.ts";
import type { Item } from "../../catalog/item.ts";
import { normalize } from "../../catalog/normalize.ts";
import type { CatalogSettings } from "../../catalog/settings.ts";
import { NO_COLUMN_SETTINGS } from "../../sources/product-record/column-settings.ts";
import { delimitedFeed } from "../../sources/feed-url/delimited-feed.ts";
import type { SourceFeedReader } from "../../sources/feed-url/feed-reader.ts";
import { jsonFeed } from "../../sources/feed-url/json-feed.ts";
import { FEED_LIMITS } from "../../sources/feed-url/limits.ts";
import { xmlFeed } from "../../sources/feed-url/xml-feed.ts";
import type { RecordResult } from "../../sources/source.ts";
import { type ChannelFile, CHANNELS } from "../registry.ts";
import { anyGoogleValues } from "./google-values.fixture.ts";
import { foundIn, NOW, reportOn } from "../validate.fixture.ts";
import { cases } from "../../../test/long.ts";

const SETTINGS: CatalogSettings = { currency: "EUR", storeUrl: "https://shop.example" };

type Read = {
  readonly items: readonly Item[];
  readonly warnings: readonly Warning[];
  readonly notes: readonly string[];
};

function read(reader: SourceFeedReader, text: string): Read {
  const readings: RecordResult[] = [...reader.push(text), ...reader.end()];
  const items: Item[] = [];
  const warnings: Warning[] = [];
  const notes: string[] = [];
  for (const [index, reading] of readings.entries()) {
    if (reading.kind === "warning") notes.push(reading.message);
    if (reading.kind !== "draft") continue;
    const result = normalize(reading.draft, { position: index + 1, settings: SETTINGS });
    assert.equal(result.kind, "item", result.kind === "rejected" ? result.rejection.message : "");
    if (result.kind !== "item") continue;
    items.push(result.item);
    warnings.push(...result.warnings);
  }
  return { items, warnings, notes };
}

const readTsv = (text: string): Read => read(delimitedFeed("\t", FEED_LIMITS), text);
const readXml = (text: string): Read => read(xmlFeed(FEED_LIMITS), text);
const readJson = (text: string): Read =>
  read(jsonFeed({ limits: FEED_LIMITS, storeUrl: undefined, columns: NO_COLUMN_SETTINGS }, null), text);

const CONTEXT = { catalog: { slug: "shop", name: "Shop" }, settings: SETTINGS, asOf: NOW, snapshotAt: NOW };

function render(items: readonly Item[], file: ChannelFile = "gmc.tsv"): string {
  const writer = CHANNELS[file].open(CONTEXT);
  const rows = items.map((item) => writer.group({ groupId: null, isWhole: true, items: [item] }).text);
  return writer.head() + rows.join("") + writer.tail();
}

function refusalCodes(items: readonly Item[]): readonly string[] {
  const { refusals } = CHANNELS["gmc.tsv"].open(CONTEXT).group({ groupId: null, isWhole: true, items });
  return refusals.map(({ code }) => code);
}

/** The cells of the only row, by the names of their columns, blank ones left out. */
function cellsOf(tsv: string): Record<string, string> {
  const [header = "", row = ""] = tsv.split("\n");
  const cells = row.split("\t");
  const names = header.split("\t").map((name) => name.replace(/\(.*/, ""));
  return Object.fromEntries(
    names.map((name, index) => [name, cells[index] ?? ""]).filter(([, cell]) => cell !== ""),
  );
}

const BASE = {
  id: "mug-1",
  title: "Blue mug",
  description: "A mug of blue clay, fired twice.",
  link: "https://shop.example/mug-1",
  image_link: "https://shop.example/mug-1.jpg",
  availability: "in_stock",
  price: "19.90 EUR",
  gtin: "4006381333931",
  size_type: "regular",
} as const;

function tsvOf(cells: Readonly<Record<string, string>>): string {
  const all = { ...BASE, ...cells };
  return `${Object.keys(all).join("\t")}\n${Object.values(all).join("\t")}\n`;
}

function xmlOf(elements: string): string {
  const base = Object.entries(BASE).map(([name, value]) => `<g:${name}>${value}</g:${name}>`);
  return `<?xml version="1.0"?><rss xmlns:g="http://base.google.com/ns/1.0" version="2.0"><channel><item>${base.join("")}${elements}</item></channel></rss>`;
}

function itemWith(google: GoogleValues): Item {
  const { items } = readTsv(tsvOf({}));
  const [item] = items;
  assert.ok(item);
  const content = (name: "structured_title" | "structured_description"): string | undefined =>
    (google[name] as readonly GoogleGroup[] | undefined)?.[0]?.["content"];
  const bare = {
    ...item,
    title: content("structured_title") ?? item.title,
    description: content("structured_description") ?? item.description ?? "",
  };
  return Object.keys(google).length === 0 ? bare : { ...bare, google };
}

const escape = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

function elementsOf(name: string, value: GoogleValue): string {
  const values = typeof value === "string" ? [value] : value;
  return values
    .map((one) => {
      const inner =
        typeof one === "string"
          ? escape(one)
          : Object.entries(one)
              .map(([part, text]) => `<g:${part}>${escape(text)}</g:${part}>`)
              .join("");
      return `<g:${name}>${inner}</g:${name}>`;
    })
    .join("");
}

/** The attributes whose first value is a field of the item, with all of their values. */
function severalOf({ gtin, size_type: sizeType }: GoogleValues): Readonly<Record<string, unknown>> {
  return {
    ...(gtin === undefined ? {} : { gtin: [BASE.gtin, gtin].flat() }),
    ...(sizeType === undefined ? {} : { size_type: [BASE.size_type, sizeType].flat() }),
  };
}

describe("every attribute of the table", () => {
  const readers = { "gmc.tsv": readTsv, "gmc.xml": readXml } as const;

  for (const file of ["gmc.tsv", "gmc.xml"] as const) {
    test(`is written to ${file} and read back as the same item`, () => {
      fc.assert(
        fc.property(anyGoogleValues, (google) => {
          const item = itemWith(google);
          const back = readers[file](render([item], file));

          assert.deepEqual(back.warnings, []);
          assert.deepEqual(back.notes, []);
          assert.deepEqual(back.items[0]?.google, item.google);
          assert.equal(JSON.stringify(back.items[0]), JSON.stringify(item));
        }),
        { numRuns: cases(40) },
      );
    });
  }

  test("is read from XML and from JSON as from tab-separated text", () => {
    fc.assert(
      fc.property(anyGoogleValues, (google) => {
        const elements = Object.entries(google)
          .map(([name, value]) => elementsOf(name, value))
          .join("");
        const xml = readXml(xmlOf(elements));
        const json = readJson(JSON.stringify({ products: [{ ...BASE, ...google, ...severalOf(google) }] }));
        const nested = readJson(JSON.stringify({ products: [{ ...BASE, google }] }));

        for (const { items } of [xml, json, nested]) {
          assert.deepEqual(items[0]?.google ?? {}, google);
        }
      }),
      { numRuns: cases(25) },
    );
  });

  test("is accepted by our own validator", async () => {
    await fc.assert(
      fc.asyncProperty(anyGoogleValues, async (google) => {
        for (const file of ["gmc.tsv", "gmc.xml"] as const) {
          const report = await reportOn(file, render([itemWith(google)], file));

          assert.deepEqual(foundIn(report, "error"), []);
          assert.deepEqual(
            foundIn(report).filter((found) => /gmc\.(?:file\.header|xml)/.test(found)),
            [],
          );
        }
      }),
      { numRuns: cases(40) },
    );
  });
});

describe("Google's own examples", () => {
  const EXAMPLES: readonly (readonly [header: string, cell: string, written: string])[] = [
    [
      "excluded_destination",
      "Display ads,Shopping Ads,Surfaces across Google",
      "Display_ads,Shopping_ads,Free_listings",
    ],
    ["included_destination", "FREE_LISTINGS", "Free_listings"],
    ["pause", "ads", "ads"],
    ["shopping_ads_excluded_country", "DE, gb,UK", "DE,GB"],
    ["promotion_id", "ABC123,SUMMER_26", "ABC123,SUMMER_26"],
    ["installment", "6:30 EUR:199 EUR", "6:30.00 EUR:199.00 EUR:::"],
    ["installment", "6:30,50 EUR", "6:30.50 EUR::::"],
    ["installment(months:amount)", "6:30", "6:30.00 EUR::::"],
    ["subscription_cost", "month:12:35.00USD", "month:12:35.00 USD"],
    [
      "loyalty_program",
      'my_program:silver:10 EUR::10:"2026-11-01T00:00+0100/2026-11-30T23:59+0100":free_member_shipping',
      'my_program:silver:10.00 EUR::10:"2026-10-31T23:00Z/2026-11-30T22:59Z":free_member_shipping',
    ],
    [
      "structured_title",
      'trained_algorithmic_media:"Stride: blue mug"',
      'trained_algorithmic_media:"Stride: blue mug"',
    ],
    [
      "structured_title",
      "trained_algorithmic_media:Stride: blue, big mug",
      'trained_algorithmic_media:"Stride: blue, big mug"',
    ],
    ["structured_title", ":Blue mug - M", ":Blue mug - M"],
    [
      "question_and_answer",
      '"Does it have a jack?":"No, it has none.", "Bluetooth?":"Yes: 6.0"',
      'Does it have a jack?:"No, it has none.",Bluetooth?:"Yes: 6.0"',
    ],
    [
      "related_product",
      "required_part:id:AZ7A, required_part:id:AZ7B,accessory:gtin:811571013579",
      "required_part:id:AZ7A,required_part:id:AZ7B,accessory:gtin:811571013579",
    ],
    ["popularity_rank", "76.5", "76.5"],
    [
      "document_link",
      "https://shop.example/a.pdf,https://shop.example/b.pdf",
      "https://shop.example/a.pdf,https://shop.example/b.pdf",
    ],
    ["free_shipping_threshold", "US:16.00 USD,DE:50 EUR", "US:16.00 USD,DE:50.00 EUR"],
    ["minimum_order_value", "US:16.00 USD", "US:::16.00 USD"],
    ["handling_cutoff_time", "US:16:00:Europe/Berlin", 'US:"16:00":Europe/Berlin:'],
    ["handling_cutoff_time(cutoff_time)", "1600", ":1600::"],
    ["shipping_transit_business_days", "Mon-Fri;Sun", ":Mon-Fri;Sun"],
    ["shipping_handling_business_days", "US:Mon-Sat", "US:Mon-Sat"],
    ["carrier_shipping", "US:80302:USPS_MEDIA_MAIL:1:3:2:5", "US::::80302::USPS_MEDIA_MAIL:::1:3:2:5:::"],
    ["return", "US:90:NEW:BY_MAIL:0 USD", "US:90:NEW:BY_MAIL:0.00 USD::::::"],
    ["maximum_retail_price", "2500 INR", "2500.00 INR"],
    ["ads_redirect", "https://shop.example/mug?src=ads", "https://shop.example/mug?src=ads"],
    ["adwords_redirect", "https://shop.example/mug?src=ads", "https://shop.example/mug?src=ads"],
    ["gtin", "4006381333931,036000291452", "4006381333931,036000291452"],
    ["size_type", "big,tall", "big,tall"],
    ["certification", "EC:EPREL:123456:A", "EC:EPREL:123456:A"],
    [
      "shipping(country:price:loyalty_program_label:loyalty_tier_label)",
      "DE:0 EUR:plus:gold,DE:4.90 EUR::",
      "DE::::4.90 EUR::::::::::,DE::::0.00 EUR:::::::plus:gold::",
    ],
    ["shipping(country:max_transit_time)", "DE:3", "DE::::::::3::::::"],
  ];

  for (const [header, cell, written] of EXAMPLES) {
    test(`${header} ${cell}`, () => {
      const { items, warnings } = readTsv(
        tsvOf({ ...(header in BASE ? { [header]: "" } : {}), [header]: cell }),
      );
      const name = header.replace(/\(.*/, "").replace("adwords", "ads");

      assert.deepEqual(
        warnings.filter(({ field }) => field?.startsWith(name)),
        [],
      );
      assert.equal(cellsOf(render(items))[name], written);
    });
  }

  test("nested XML elements and repeated ones are groups and lists", () => {
    const { items, warnings } = readXml(
      xmlOf(`<g:excluded_destination>Shopping_ads</g:excluded_destination>
        <g:excluded_destination>Display_ads</g:excluded_destination>
        <g:installment><g:months>6</g:months><g:amount>30 EUR</g:amount></g:installment>
        <g:loyalty_program><g:program_label>plus</g:program_label><g:price>10.00 EUR</g:price></g:loyalty_program>
        <g:loyalty_program><g:program_label>plus</g:program_label><g:tier_label>gold</g:tier_label></g:loyalty_program>
        <g:gtin>036000291452</g:gtin>
        <g:pause>ads</g:pause>`),
    );

    assert.deepEqual(warnings, []);
    assert.partialDeepStrictEqual(cellsOf(render(items)), {
      excluded_destination: "Shopping_ads,Display_ads",
      installment: "6:30.00 EUR::::",
      loyalty_program: "plus::10.00 EUR::::,plus:gold:::::",
      gtin: "4006381333931,036000291452",
      pause: "ads",
    });
  });

  test("the names and amounts of Google's APIs are understood in JSON", () => {
    const { items, warnings } = readJson(
      JSON.stringify({
        products: [
          {
            ...BASE,
            excludedDestinations: ["SHOPPING_ADS", "FREE_LISTINGS"],
            promotionIds: ["A1", "B2"],
            costOfGoodsSold: { value: "7.50", currency: "EUR" },
            autoPricingMinPrice: { amountMicros: "17900000", currencyCode: "EUR" },
            installment: { months: 6, amount: { value: "30", currency: "EUR" } },
            relatedProducts: [{ relationshipType: "ACCESSORY", idType: "ID", id: "mug-2" }],
            structuredTitle: { digitalSourceType: "TRAINED_ALGORITHMIC_MEDIA", content: "Blue mug" },
          },
        ],
      }),
    );

    assert.deepEqual(warnings, []);
    assert.partialDeepStrictEqual(cellsOf(render(items)), {
      excluded_destination: "Shopping_ads,Free_listings",
      promotion_id: "A1,B2",
      cost_of_goods_sold: "7.50 EUR",
      auto_pricing_min_price: "17.90 EUR",
      installment: "6:30.00 EUR::::",
      related_product: "accessory:id:mug-2",
      structured_title: "trained_algorithmic_media:Blue mug",
    });
  });
});

describe("what decides whether Google shows an item", () => {
  test("an undocumented value of pause or excluded destinations is kept, so that the item is not published again", () => {
    const { items, warnings } = readTsv(
      tsvOf({ pause: "everything", excluded_destination: "Shopping_ads,Moon_ads" }),
    );

    assert.partialDeepStrictEqual(cellsOf(render(items)), {
      pause: "everything",
      excluded_destination: "Shopping_ads,Moon_ads",
    });
    assert.deepEqual(
      warnings.map(({ code, field }) => [code, field]),
      [
        ["undocumented_word", "pause"],
        ["undocumented_word", "excluded_destination"],
      ],
    );
  });

  test("the other files have a paused or excluded item like any other", () => {
    const paused = readTsv(
      tsvOf({ brand: "Fjell", pause: "all", excluded_destination: "Shopping_ads,Free_listings" }),
    );
    const live = readTsv(tsvOf({ brand: "Fjell" }));

    for (const file of ["acp.csv", "acp.json", "jsonld.json"] as const) {
      assert.equal(render(paused.items, file), render(live.items, file));
    }
  });

  test("an item of zero price will be refused, unless it is a subscription", () => {
    const free = readTsv(tsvOf({ price: "0 EUR" }));
    const subscription = readTsv(tsvOf({ price: "0 EUR", subscription_cost: "month:12:35 EUR" }));

    assert.equal(cellsOf(render(free.items))["price"], "0.00 EUR");
    assert.deepEqual(refusalCodes(free.items), ["price_not_positive"]);
    assert.equal(cellsOf(render(subscription.items))["subscription_cost"], "month:12:35.00 EUR");
    assert.deepEqual(refusalCodes(subscription.items), []);
  });
});

describe("a structured title or description", () => {
  test("is used as the plain one in other files, and is the only one in gmc.tsv", () => {
    const { title: _, description: __, ...rest } = BASE;
    const { items, warnings } = readXml(
      `<rss xmlns:g="http://base.google.com/ns/1.0"><channel><item>${Object.entries(rest)
        .map(([name, value]) => `<g:${name}>${value}</g:${name}>`)
        .join("")}<g:structured_title><g:digital_source_type>trained_algorithmic_media</g:digital_source_type>
        <g:content>Stride: a mug</g:content></g:structured_title>
        <g:structured_description><g:content>Clay, fired twice.</g:content></g:structured_description></item></channel></rss>`,
    );

    const cells = cellsOf(render(items));
    assert.deepEqual(warnings, []);
    assert.equal(items[0]?.title, "Stride: a mug");
    assert.equal(items[0]?.description, "Clay, fired twice.");
    assert.equal(cells["title"], undefined);
    assert.equal(cells["description"], undefined);
    assert.equal(cells["structured_title"], 'trained_algorithmic_media:"Stride: a mug"');
    assert.equal(cells["structured_description"], ':"Clay, fired twice."');
  });

  test("is named in a warning if the plain one differs", () => {
    const { items, warnings } = readTsv(tsvOf({ structured_title: "default:Another mug" }));

    assert.equal(items[0]?.title, BASE.title);
    assert.deepEqual(
      warnings.map(({ code, field }) => [code, field]),
      [["structured_text_used", "title"]],
    );
  });

  test("replaces a missing title", () => {
    const text =
      "id\tlink\tprice\tstructured_title(digital_source_type:content)\n1\thttps://a.example/1\t1 EUR\tdefault:Mug\n";

    assert.equal(readTsv(text).items[0]?.title, "Mug");
  });
});

describe("a value that cannot be carried", () => {
  const CASES: readonly (readonly [name: string, cell: string, code: string])[] = [
    ["installment", "six:30 EUR", "incomplete_value"],
    ["installment", "6:30 EUR:1 EUR:finance:1:2 EUR:extra", "invalid_attribute"],
    ["installment", "6:30 EUR,12:20 EUR", "invalid_attribute"],
    ["carrier_shipping", "US:CA:1", "invalid_attribute"],
    ["subscription_cost", "month:12", "incomplete_value"],
    ["cost_of_goods_sold", "cheap", "invalid_amount"],
    ["popularity_rank", "140", "invalid_number"],
    ["max_handling_time", "soon", "invalid_number"],
    ["ships_from_country", "Germany", "invalid_country"],
    ["shopping_ads_excluded_country", "XX", "invalid_country"],
    ["virtual_model_link", "model.glb", "invalid_url"],
    ["disclosure_date", "next week", "invalid_date"],
    ["handling_cutoff_time", "DE:noon", "incomplete_value"],
    ["promotion_id", "x".repeat(51), "invalid_attribute"],
    ["loyalty_program(program_label:colour)", "plus:red", "invalid_attribute"],
    [
      "return(country:item_condition:method:restocking_fee:restocking_percentage_fee)",
      "DE:NEW:BY_MAIL:1 EUR:5",
      "invalid_attribute",
    ],
    ["shipping(country:price)", "DE:5 USD", "currency_differs"],
    ["shipping(country:service)", "DE:Express", "incomplete_value"],
    [
      "document_link",
      [1, 2, 3, 4, 5, 6].map((n) => `https://a.example/${n}.pdf`).join(","),
      "too_many_values",
    ],
  ];

  for (const [name, cell, code] of CASES) {
    test(`${name} ${cell.slice(0, 40)} is a warning with the code ${code}`, () => {
      const { warnings } = readTsv(tsvOf({ [name]: cell }));
      const own = warnings.filter(({ field }) => field?.startsWith(name.replace(/\(.*/, "")));

      assert.ok(
        own.map((warning) => warning.code).includes(code as Warning["code"]),
        JSON.stringify(warnings),
      );
    });
  }

  test("a column that Google does not document is listed", () => {
    const { notes } = readXml(
      xmlOf("<g:moon_phase>full</g:moon_phase><g:tax_category>food</g:tax_category><g:pause>ads</g:pause>"),
    );

    assert.deepEqual(notes, ['These columns are not known and not used: "moon_phase", "tax_category".']);
  });
});

test("a variant has its product's attributes for Google and its own", () => {
  const { items } = readJson(
    JSON.stringify({
      products: [
        {
          ...BASE,
          pause: "ads",
          promotion_id: ["A"],
          variants: [
            { id: "a", promotion_id: ["B"], price: "1 EUR" },
            { id: "b", price: "2 EUR" },
          ],
        },
      ],
    }),
  );

  assert.deepEqual(
    items.map(({ google }) => google),
    [
      { pause: "ads", promotion_id: ["B"] },
      { pause: "ads", promotion_id: ["A"] },
    ],
  );
});
