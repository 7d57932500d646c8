/** `jsonld.json` read by other software: a JSON-LD processor, and a checker of Google's rules. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import Validator from "@adobe/structured-data-validator";
import jsonld from "jsonld";
import type { Item, ItemGroup } from "../../catalog/item.ts";
import type { FeedContext } from "../channel.ts";
import { schemaOrgJson as renderer } from "./channel.ts";
import { inPieces } from "../validate.fixture.ts";
import { validateFeed } from "../validate.ts";

const CONTEXT: FeedContext = {
  catalog: { slug: "fjellgarn", name: "Fjellgarn" },
  settings: {
    country: "US",
    storeUrl: "https://shop.example/",
    acceptsReturns: true,
    returnDays: 30,
    sellerName: "Fjellgarn",
  },
  asOf: new Date("2026-11-14T10:00:00.000Z"),
  snapshotAt: new Date("2026-11-14T09:30:00.000Z"),
};

const mug: Item = {
  id: "MUG-TEAL",
  title: "Stoneware mug, teal",
  description: 'Glazed & "dishwasher safe" </script>',
  link: "https://shop.example/p/mug?colour=teal",
  images: ["https://shop.example/i/mug-teal.jpg", "https://shop.example/i/mug-2.jpg"],
  price: { amount: "18.00", currency: "USD" },
  salePrice: { amount: "14.50", currency: "USD" },
  saleFrom: "2026-11-01T00:00:00.000Z",
  saleTo: "2026-12-01T00:00:00.000Z",
  availability: "in_stock",
  condition: "new",
  brand: "Fjellgarn",
  gtin: "4006381333931",
  mpn: "FG-350",
  sku: "MUG-TEAL",
  color: "Teal",
  material: "Stoneware",
  gender: "unisex",
  ageGroup: "adult",
  categories: [["Kitchen", "Mugs"]],
  googleCategory: "2169",
  weight: { value: "0.4", unit: "kg" },
  rating: { value: "4.5", count: 12 },
  shipping: [
    {
      country: "US",
      service: "Standard",
      price: { amount: "5.00", currency: "USD" },
      minHandling: 0,
      maxHandling: 1,
      minTransit: 2,
      maxTransit: 5,
    },
  ],
};

/** Not on sale: the checker cannot read the two specifications that a unit price and a sale together need. */
const { salePrice: _sale, saleFrom: _from, saleTo: _to, ...atFullPrice } = mug;
const unitPriced: Item = {
  ...atFullPrice,
  id: "SOAP",
  sku: "SOAP",
  gtin: "96385074",
  title: "Soap",
  unitPricing: { measure: { value: "110", unit: "g" }, base: { value: "100", unit: "g" } },
};

const plain: Item = {
  id: "TRAY",
  title: "Oak tray",
  link: "https://shop.example/p/tray",
  images: ["https://shop.example/i/tray.jpg"],
  price: { amount: "3900", currency: "JPY" },
  availability: "preorder",
  availabilityDate: "2027-03-01T00:00:00.000Z",
};

const GROUPS: readonly ItemGroup[] = [
  {
    groupId: "MUG",
    isWhole: true,
    items: [mug, { ...mug, id: "MUG-RUST", sku: "MUG-RUST", gtin: "036000291452", color: "Rust" }],
  },
  { groupId: null, isWhole: true, items: [unitPriced] },
  { groupId: null, isWhole: true, items: [plain] },
  { groupId: "GIANT", isWhole: false, items: [{ ...mug, id: "PART", sku: "PART", groupId: "GIANT" }] },
];

function render(groups: readonly ItemGroup[]): string {
  const writer = renderer.open(CONTEXT);
  return writer.head() + groups.map((group) => writer.group(group).text).join("") + writer.tail();
}

type Node = { readonly "@type": string; readonly hasVariant?: readonly Node[] } & Readonly<
  Record<string, unknown>
>;

const graphOf = (text: string): readonly Node[] =>
  (JSON.parse(text) as { "@graph": readonly Node[] })["@graph"];

/** A small schema.org context: every term is a property of the vocabulary, and these are URLs. */
const LOCAL_CONTEXT = {
  "@vocab": "http://schema.org/",
  ...Object.fromEntries(["url", "image", "merchantReturnLink"].map((term) => [term, { "@type": "@id" }])),
};

const documentLoader = async (url: string) => {
  assert.equal(url, "https://schema.org", "the file names no context but schema.org's");
  return { contextUrl: undefined, documentUrl: url, document: { "@context": LOCAL_CONTEXT } };
};

describe("a JSON-LD processor", () => {
  test("accepts every property of every node, and drops none as unknown", async () => {
    const document = JSON.parse(render(GROUPS)) as object;

    // Safe mode refuses whatever an ordinary run would silently leave out.
    const quads = await jsonld.toRDF(document, {
      documentLoader,
      safe: true,
      format: "application/n-quads",
    } as object);

    const products = (quads as unknown as string).match(/<http:\/\/schema\.org\/Product> \./g);
    assert.equal(products?.length, 5);
  });

  test("finds every node that another one refers to", async () => {
    const flat = (await jsonld.flatten(JSON.parse(render(GROUPS)) as object, undefined, {
      documentLoader,
    } as object)) as unknown as readonly Record<string, unknown>[];

    const dangling = flat.filter(
      (node) => Object.keys(node).length === 1 && !String(node["@id"]).startsWith("https://schema.org/"),
    );
    const pages = new Set(["https://shop.example/p/mug?colour=teal", "https://shop.example/p/tray"]);
    assert.deepEqual(
      dangling.filter((node) => !pages.has(String(node["@id"]))),
      [],
    );
  });

  test("reads an empty catalog as an empty graph", async () => {
    assert.deepEqual(await jsonld.expand(JSON.parse(render([])) as object, { documentLoader } as object), []);
  });
});

describe("a checker of Google's rules for merchant listings", () => {
  const products = graphOf(render(GROUPS)).flatMap((node) =>
    node["@type"] === "Product" ? [node] : (node.hasVariant ?? []),
  );

  for (const product of products) {
    test(`reports no error for ${String(product["sku"])}`, async () => {
      const issues = await new Validator(null).validate({
        jsonld: { Product: [product] },
        microdata: {},
        rdfa: {},
      });

      assert.deepEqual(
        issues.filter(({ severity }) => severity === "ERROR"),
        [],
      );
    });
  }

  test("reports an offer without a price", async () => {
    const [product] = products;
    assert.ok(product);
    const { price: _, priceSpecification: __, ...offer } = product["offers"] as Record<string, unknown>;

    const issues = await new Validator(null).validate({
      jsonld: { Product: [{ ...product, offers: offer }] },
      microdata: {},
      rdfa: {},
    });

    assert.ok(issues.some(({ severity }) => severity === "ERROR"));
  });

  /**
   * Google's documentation has the price to be paid in a list of specifications in several examples: a sale is two of
   * them, a unit price next to a sale price can be written in no other way. This checker looks for
   * `priceSpecification.price`, which a list does not have. When it supports lists, this test fails.
   */
  test("does not find a price in a list of specifications, although Google and our validator do", async () => {
    const [product] = products;
    assert.ok(product);
    const { price, priceCurrency, ...offer } = product["offers"] as Record<string, unknown>;
    const active = { "@type": "UnitPriceSpecification", price, priceCurrency };
    const struck = { ...active, price: "18.00", priceType: "https://schema.org/StrikethroughPrice" };
    const listed = { ...product, offers: { ...offer, priceSpecification: [active, struck] } };

    const issues = await new Validator(null).validate({
      jsonld: { Product: [listed] },
      microdata: {},
      rdfa: {},
    });
    const messages = issues.filter(({ severity }) => severity === "ERROR").map((issue) => issue.issueMessage);
    assert.equal(messages.length, 1);
    assert.match(messages[0] ?? "", /price/);

    const text = JSON.stringify({ "@context": "https://schema.org", ...listed });
    const report = await validateFeed(inPieces(text), { format: "jsonld.json", now: CONTEXT.asOf });
    assert.deepEqual(
      report.problems.filter(({ severity }) => severity === "error"),
      [],
    );
  });
});
