/** Every rule for JSON-LD, with a document that breaks it and a similar valid one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFound, assertNotFound, type FileContent, foundIn, reportOn } from "../../validate.fixture.ts";
import { Findings, type FindingSeverity } from "../../kit/validate/findings.ts";
import { NodeNames } from "./graph.ts";
import type { Node } from "./node.ts";
import { SCHEMA_ORG_RULES, type SchemaOrgRule } from "./rules.ts";

const SCHEMA = "https://schema.org";

const DAYS = { "@type": "QuantitativeValue", minValue: 0, maxValue: 3, unitCode: "DAY" };

const SHIPPING: Node = {
  "@type": "OfferShippingDetails",
  shippingDestination: { "@type": "DefinedRegion", addressCountry: "US" },
  shippingRate: { "@type": "MonetaryAmount", value: "5.00", currency: "USD" },
  deliveryTime: { "@type": "ShippingDeliveryTime", handlingTime: DAYS, transitTime: DAYS },
};

const POLICY: Node = {
  "@type": "MerchantReturnPolicy",
  "@id": "https://shop.example/#returns",
  applicableCountry: "US",
  returnPolicyCategory: `${SCHEMA}/MerchantReturnFiniteReturnWindow`,
  merchantReturnDays: 30,
  returnFees: `${SCHEMA}/FreeReturn`,
};

const OFFER: Node = {
  "@type": "Offer",
  url: "https://shop.example/mug",
  price: "18.00",
  priceCurrency: "USD",
  availability: `${SCHEMA}/InStock`,
  itemCondition: `${SCHEMA}/NewCondition`,
  shippingDetails: [SHIPPING],
  hasMerchantReturnPolicy: { "@id": "https://shop.example/#returns" },
};

const MUG: Node = {
  "@type": "Product",
  "@id": "https://shop.example/mug#product",
  name: "Stoneware mug, teal",
  description: "Glazed stoneware mug.",
  url: "https://shop.example/mug",
  image: ["https://cdn.example/1.jpg", "https://cdn.example/2.jpg"],
  sku: "MUG",
  gtin13: "4006381333931",
  brand: { "@type": "Brand", name: "Fjellgarn" },
  color: "Teal",
  offers: OFFER,
};

const TRAY: Node = {
  ...MUG,
  "@id": "https://shop.example/tray#product",
  sku: "TRAY",
  gtin13: "3234567890126",
  color: "Oak",
};

const GROUP: Node = {
  "@type": "ProductGroup",
  "@id": "https://shop.example/mug#group",
  name: "Mug",
  productGroupID: "G",
  variesBy: [`${SCHEMA}/color`],
  hasVariant: [
    { ...MUG, inProductGroupWithID: "G" },
    { ...TRAY, inProductGroupWithID: "G" },
  ],
};

/** A node with some properties changed; undefined takes one away. */
function changed(node: Node, changes: Node): Node {
  return Object.fromEntries(
    Object.entries({ ...node, ...changes }).filter(([, value]) => value !== undefined),
  );
}

/** A product that is reviewed and not sold. */
const reviewed: Node = {
  ...MUG,
  review: { "@type": "Review", author: { "@type": "Person", name: "Ida Nord" } },
};

const SHOP: Node = { "@type": "OnlineStore", "@id": "https://shop.example/#shop", name: "Fjellgarn" };

const sized = (node: Node, size: string): Node => ({ ...node, size });

/** How the shop ships, with its times in a unit. */
const serviceIn = (unitCode: string): Node => ({
  "@type": "ShippingService",
  handlingTime: {
    "@type": "ServicePeriod",
    duration: { "@type": "QuantitativeValue", maxValue: 48, unitCode },
  },
});

const mug = (changes: Node): readonly Node[] => [POLICY, changed(MUG, changes)];
const offer = (changes: Node): readonly Node[] => mug({ offers: changed(OFFER, changes) });
const shipping = (changes: Node): readonly Node[] => offer({ shippingDetails: changed(SHIPPING, changes) });
const policy = (changes: Node): readonly Node[] => [changed(POLICY, changes), MUG];
const group = (changes: Node): readonly Node[] => [POLICY, changed(GROUP, changes)];
const rating = (changes: Node): readonly Node[] =>
  mug({ aggregateRating: { "@type": "AggregateRating", ratingValue: "4.5", reviewCount: 3, ...changes } });
const specification = (changes: Node, price: string | null = "9.00"): readonly Node[] =>
  offer({
    price: price ?? undefined,
    priceSpecification: { "@type": "UnitPriceSpecification", priceCurrency: "USD", ...changes },
  });

function graph(nodes: readonly Node[]): string {
  const lines = nodes.map((node) => JSON.stringify(node)).join(",\n");
  return `{"@context":"${SCHEMA}","@graph":[\n${lines}\n]}\n`;
}

const GOOD = graph([POLICY, MUG, TRAY]);
const STRUCK = `${SCHEMA}/StrikethroughPrice`;

type Case = {
  readonly rule: SchemaOrgRule;
  readonly severity?: FindingSeverity;
  readonly bad: readonly Node[] | FileContent;
  readonly good: readonly Node[] | FileContent;
};

const CASES: readonly Case[] = [
  {
    rule: "jsonld.encoding",
    bad: Buffer.from(graph(mug({ name: "Krus, blå" })), "latin1"),
    good: mug({ name: "Krus, blå" }),
  },
  { rule: "jsonld.encoding", severity: "warning", bad: `\uFEFF${GOOD}`, good: GOOD },
  { rule: "jsonld.json", bad: GOOD.slice(0, -4), good: `  ${GOOD}` },
  { rule: "jsonld.json", bad: GOOD.replace('"sku":"TRAY"', '"sku":TRAY'), good: GOOD },
  { rule: "jsonld.json", bad: `${GOOD}{}`, good: `${GOOD}\n` },
  {
    rule: "jsonld.shape",
    bad: '{"products":[]}',
    good: JSON.stringify({ "@context": SCHEMA, ...MUG, offers: OFFER }),
  },
  { rule: "jsonld.shape", bad: `{"@context":"${SCHEMA}","@graph":["Product"]}`, good: GOOD },
  { rule: "jsonld.empty", bad: [POLICY], good: [POLICY, MUG] },
  { rule: "jsonld.empty", severity: "info", bad: [POLICY, SHOP], good: [POLICY, SHOP, MUG] },
  {
    rule: "jsonld.context",
    bad: GOOD.replace(`"${SCHEMA}"`, '"https://example.com"'),
    good: GOOD.replace(`"${SCHEMA}"`, '["http://schema.org/",{"a":"b"}]'),
  },
  {
    rule: "jsonld.context",
    bad: JSON.stringify([POLICY, MUG]),
    good: JSON.stringify([{ "@context": { "@vocab": "https://schema.org/" }, ...POLICY }, MUG]),
  },
  { rule: "jsonld.type.missing", bad: mug({ "@type": undefined }), good: [POLICY, MUG] },
  {
    rule: "jsonld.type.missing",
    severity: "info",
    bad: mug({ brand: { name: "Fjellgarn" } }),
    good: mug({ brand: { "@id": "https://shop.example/#returns" } }),
  },
  { rule: "jsonld.id.duplicate", bad: [POLICY, MUG, MUG], good: [POLICY, MUG, TRAY] },
  {
    rule: "jsonld.id.duplicate",
    bad: [changed(POLICY, { merchantReturnDays: 14 }), POLICY, MUG],
    good: [Object.fromEntries(Object.entries(POLICY).toReversed()), POLICY, MUG],
  },
  {
    rule: "jsonld.id.dangling",
    bad: [MUG, { ...POLICY, "@id": "https://shop.example/#others" }],
    good: [MUG, POLICY],
  },
  {
    rule: "jsonld.id.dangling",
    bad: offer({ seller: { "@id": "#shop" } }),
    good: offer({ seller: { "@id": "https://shop.example/about#shop" } }),
  },
  { rule: "jsonld.id.dangling", severity: "info", bad: [MUG], good: [MUG, POLICY] },
  {
    rule: "jsonld.id.dangling",
    bad: offer({ seller: { "@id": "https://shop.example/#shop" } }),
    good: offer({ availability: { "@id": `${SCHEMA}/InStock` } }),
  },
  { rule: "jsonld.id.relative", bad: mug({ "@id": "#mug" }), good: mug({ "@id": "urn:catalog:mug" }) },
  {
    rule: "jsonld.script",
    bad: mug({ description: "</script><b>" }),
    good: graph(mug({ description: "<b>" })).replaceAll("<", "\\u003c"),
  },
  { rule: "jsonld.value.empty", bad: mug({ color: "" }), good: mug({ color: undefined }) },
  { rule: "jsonld.value.empty", bad: mug({ material: null }), good: [POLICY, MUG] },
  { rule: "jsonld.property.unknown", bad: mug({ colour: "Teal" }), good: mug({ keywords: "mug" }) },
  { rule: "jsonld.property.superseded", bad: mug({ awards: "Best mug" }), good: mug({ award: "Best mug" }) },
  {
    rule: "jsonld.name.missing",
    bad: mug({ name: " " }),
    good: mug({ name: { "@value": "Krus", "@language": "no" } }),
  },
  {
    rule: "jsonld.image.missing",
    bad: mug({ image: undefined }),
    good: mug({ image: { "@type": "ImageObject", contentUrl: "https://cdn.example/1.jpg" } }),
  },
  {
    rule: "jsonld.image.private",
    bad: mug({ image: "https://nas.local/1.jpg" }),
    good: mug({ image: "https://cdn.example/1.jpg" }),
  },
  {
    rule: "jsonld.image.private",
    severity: "warning",
    bad: mug({ image: ["https://cdn.example/1.jpg", "https://nas.local/2.jpg"] }),
    good: mug({ image: "https://cdn.example/1.jpg" }),
  },
  {
    rule: "jsonld.image.invalid",
    bad: mug({ image: "img/1.jpg" }),
    good: mug({ image: "https://cdn.example/1.jpg" }),
  },
  {
    rule: "jsonld.text.encoding",
    bad: mug({ description: "SchÃ¶ne Tasse, fÃ¼r zwei." }),
    good: mug({ description: "Schöne Tasse, für zwei." }),
  },
  { rule: "jsonld.image.one", bad: mug({ image: "https://cdn.example/1.jpg" }), good: [POLICY, MUG] },
  {
    rule: "jsonld.offers.missing",
    bad: mug({ offers: undefined }),
    good: mug({ isRelatedTo: { "@type": "Product", name: "Tray" } }),
  },
  {
    rule: "jsonld.offers.missing",
    bad: mug({ offers: undefined }),
    good: [POLICY, changed(reviewed, { offers: undefined })],
  },
  {
    rule: "jsonld.image.missing",
    bad: mug({ image: undefined }),
    good: [POLICY, changed(reviewed, { offers: undefined, image: undefined })],
  },
  {
    rule: "jsonld.price.missing",
    bad: mug({ offers: { "@type": "AggregateOffer", priceCurrency: "USD" } }),
    good: mug({ offers: { "@type": "AggregateOffer", lowPrice: 9, priceCurrency: "USD" } }),
  },
  {
    rule: "jsonld.isbn.type",
    bad: mug({ isbn: "9781455582341" }),
    good: mug({ "@type": ["Product", "Book"], isbn: "9781455582341" }),
  },
  {
    rule: "jsonld.offers.aggregate",
    bad: mug({ offers: { "@type": "AggregateOffer", lowPrice: "1" } }),
    good: mug({ offers: [OFFER] }),
  },
  { rule: "jsonld.description.missing", bad: mug({ description: undefined }), good: [POLICY, MUG] },
  { rule: "jsonld.brand.missing", bad: mug({ brand: undefined }), good: [POLICY, MUG] },
  {
    rule: "jsonld.brand.missing",
    bad: group({ hasVariant: [changed(MUG, { brand: undefined })] }),
    good: group({ brand: { "@type": "Brand", name: "F" }, hasVariant: [changed(MUG, { brand: undefined })] }),
  },
  // As a separate node, before or after its group.
  ...[true, false].map((isBefore): Case => {
    const variant = changed(MUG, { brand: undefined, isVariantOf: { "@id": "#mug" } });
    const parent = { "@type": "ProductGroup", "@id": "#mug", name: "Mug" };
    const branded = { ...parent, brand: { "@type": "Brand", name: "Fjellgarn" } };
    return {
      rule: "jsonld.brand.missing",
      bad: [POLICY, ...(isBefore ? [variant, parent] : [parent, variant])],
      good: [POLICY, ...(isBefore ? [variant, branded] : [branded, variant])],
    };
  }),
  {
    rule: "jsonld.brand.missing",
    bad: mug({ brand: undefined }),
    good: mug({
      brand: undefined,
      inProductGroupWithID: "G",
      isVariantOf: { "@type": "ProductGroup", name: "Mug", brand: { "@type": "Brand", name: "F" } },
    }),
  },
  // The group is described on another page.
  {
    rule: "jsonld.brand.missing",
    bad: mug({ brand: undefined }),
    good: mug({ brand: undefined, inProductGroupWithID: "G" }),
  },
  {
    rule: "jsonld.identifier.missing",
    bad: mug({ gtin13: undefined }),
    good: mug({ gtin13: undefined, mpn: "FG-1" }),
  },
  { rule: "jsonld.sku.missing", bad: mug({ sku: undefined }), good: mug({ sku: 350 }) },
  { rule: "jsonld.sku.whitespace", bad: mug({ sku: "MUG 350" }), good: mug({ sku: "MUG-350" }) },
  { rule: "jsonld.gtin.length", bad: mug({ gtin12: "4006381333931" }), good: mug({ gtin: "4006381333931" }) },
  { rule: "jsonld.gtin.checksum", bad: mug({ gtin13: "4006381333930" }), good: [POLICY, MUG] },
  {
    rule: "jsonld.url.missing",
    bad: mug({ url: undefined, offers: changed(OFFER, { url: undefined }) }),
    good: mug({ url: undefined }),
  },
  { rule: "jsonld.url.private", bad: mug({ url: "https://localhost:3000/mug" }), good: [POLICY, MUG] },
  { rule: "jsonld.url.private", bad: offer({ url: "https://192.168.1.7/mug" }), good: [POLICY, MUG] },
  { rule: "jsonld.url.relative", bad: mug({ url: "/mug" }), good: [POLICY, MUG] },
  { rule: "jsonld.url.http", bad: offer({ url: "http://shop.example/mug" }), good: [POLICY, MUG] },
  {
    rule: "jsonld.certification.many",
    bad: mug({
      hasCertification: Array.from({ length: 11 }, () => ({ "@type": "Certification", name: "A" })),
    }),
    good: mug({
      hasCertification: Array.from({ length: 10 }, () => ({ "@type": "Certification", name: "A" })),
    }),
  },
  {
    rule: "jsonld.rating.count",
    bad: rating({ reviewCount: 0 }),
    good: rating({ reviewCount: undefined, ratingCount: "12" }),
  },
  {
    rule: "jsonld.rating.range",
    bad: rating({ ratingValue: 8 }),
    good: rating({ ratingValue: 8, bestRating: 10 }),
  },
  { rule: "jsonld.rating.range", bad: rating({ ratingValue: "good" }), good: rating({}) },
  {
    rule: "jsonld.review.author",
    bad: mug({ review: { "@type": "Review", author: "Anonymous" } }),
    good: mug({ review: { "@type": "Review", author: { "@type": "Person", name: "Ida Nord" } } }),
  },
  {
    rule: "jsonld.price.missing",
    bad: offer({ price: undefined }),
    good: specification({ price: "9.00" }, null),
  },
  { rule: "jsonld.price.format", bad: offer({ price: "18,00" }), good: offer({ price: 18 }) },
  { rule: "jsonld.price.zero", bad: offer({ price: "0.00" }), good: offer({ price: "0.01" }) },
  { rule: "jsonld.currency.missing", bad: offer({ priceCurrency: undefined }), good: [POLICY, MUG] },
  {
    rule: "jsonld.currency.unknown",
    bad: offer({ priceCurrency: "usd" }),
    good: offer({ priceCurrency: "JPY", shippingDetails: undefined }),
  },
  {
    rule: "jsonld.price.date",
    bad: offer({ priceValidUntil: "15.11.2026" }),
    good: offer({ priceValidUntil: "2026-11-15T23:59:59.000Z" }),
  },
  {
    rule: "jsonld.price.until",
    bad: offer({ priceValidUntil: "2026-11-13" }),
    good: offer({ priceValidUntil: "2026-11-15" }),
  },
  {
    rule: "jsonld.price.strike",
    bad: specification({ priceType: STRUCK, price: "9.00" }),
    good: specification({ priceType: STRUCK, price: "18.00" }),
  },
  {
    rule: "jsonld.price.strike",
    bad: specification({ priceType: STRUCK, price: "18.00" }, null),
    good: [POLICY, MUG],
  },
  ...[null, "9.00"].flatMap((price): readonly Case[] =>
    ["SalePrice", "RegularPrice"].map((type) => ({
      rule: "jsonld.price.type",
      severity: price === null ? "error" : "warning",
      bad: specification({ price: "9.00", priceType: `${SCHEMA}/${type}` }, price),
      good: specification({ price: "18.00", priceType: STRUCK }, "9.00"),
    })),
  ),
  {
    rule: "jsonld.price.type",
    bad: offer({ priceType: `${SCHEMA}/SalePrice` }),
    good: specification({ price: "9.00" }, null),
  },
  {
    rule: "jsonld.price.both",
    bad: specification({
      price: "18.00",
      priceType: STRUCK,
      validForMemberTier: { "@type": "MemberProgramTier", name: "Gold" },
    }),
    good: specification({
      price: "8.00",
      validForMemberTier: { "@type": "MemberProgramTier", name: "Gold" },
    }),
  },
  {
    rule: "jsonld.price.unit",
    bad: specification({ price: "9.00", referenceQuantity: { "@type": "QuantitativeValue", value: "1" } }),
    good: specification(
      { price: "9.00", referenceQuantity: { "@type": "QuantitativeValue", value: "1" } },
      null,
    ),
  },
  { rule: "jsonld.availability.missing", bad: offer({ availability: undefined }), good: [POLICY, MUG] },
  {
    rule: "jsonld.availability.unknown",
    bad: offer({ availability: "in_stock" }),
    good: offer({ availability: "http://schema.org/SoldOut" }),
  },
  {
    rule: "jsonld.availability.many",
    bad: offer({ availability: ["InStock", "OnlineOnly"] }),
    good: offer({ availability: ["InStock"] }),
  },
  { rule: "jsonld.condition.missing", bad: offer({ itemCondition: undefined }), good: [POLICY, MUG] },
  {
    rule: "jsonld.condition.unknown",
    bad: offer({ itemCondition: "new" }),
    good: offer({ itemCondition: "schema:UsedCondition" }),
  },
  { rule: "jsonld.shipping.missing", bad: offer({ shippingDetails: undefined }), good: [POLICY, MUG] },
  {
    rule: "jsonld.shipping.incomplete",
    severity: "info",
    bad: shipping({ deliveryTime: undefined }),
    good: shipping({}),
  },
  ...[
    { ...DAYS, unitCode: "HUR" },
    { ...DAYS, unitCode: undefined },
    { ...DAYS, maxValue: "2.5" },
    { ...DAYS, maxValue: undefined },
  ].map(
    (transitTime): Case => ({
      rule: "jsonld.shipping.days",
      bad: shipping({ deliveryTime: { "@type": "ShippingDeliveryTime", handlingTime: DAYS, transitTime } }),
      good: shipping({
        deliveryTime: {
          "@type": "ShippingDeliveryTime",
          handlingTime: DAYS,
          transitTime: { ...DAYS, unitCode: "d" },
        },
      }),
    }),
  ),
  {
    rule: "jsonld.shipping.days",
    bad: [POLICY, MUG, serviceIn("HUR")],
    good: [POLICY, MUG, serviceIn("DAY")],
  },
  {
    rule: "jsonld.shipping.days",
    severity: "info",
    bad: shipping({
      deliveryTime: {
        "@type": "ShippingDeliveryTime",
        handlingTime: { ...DAYS, minValue: undefined },
        transitTime: DAYS,
      },
    }),
    good: shipping({}),
  },
  {
    rule: "jsonld.shipping.incomplete",
    bad: shipping({ shippingRate: { "@type": "MonetaryAmount", currency: "USD" } }),
    good: shipping({ shippingRate: { "@type": "MonetaryAmount", maxValue: 5, currency: "USD" } }),
  },
  {
    rule: "jsonld.shipping.incomplete",
    bad: offer({ shippingDetails: { "@type": "OfferShippingDetails" } }),
    good: offer({
      shippingDetails: {
        "@type": "OfferShippingDetails",
        hasShippingService: { "@id": "https://shop.example/#returns" },
      },
    }),
  },
  {
    rule: "jsonld.shipping.currency",
    bad: shipping({ shippingRate: { "@type": "MonetaryAmount", value: 5, currency: "EUR" } }),
    good: shipping({}),
  },
  {
    rule: "jsonld.shipping.area",
    bad: shipping({
      shippingDestination: {
        "@type": "DefinedRegion",
        addressCountry: "US",
        addressRegion: "CA",
        postalCode: "94043",
      },
    }),
    good: shipping({
      shippingDestination: { "@type": "DefinedRegion", addressCountry: "US", addressRegion: "CA" },
    }),
  },
  { rule: "jsonld.returns.missing", bad: offer({ hasMerchantReturnPolicy: undefined }), good: [POLICY, MUG] },
  { rule: "jsonld.returns.country", bad: policy({ applicableCountry: undefined }), good: policy({}) },
  {
    rule: "jsonld.returns.countries",
    bad: policy({ applicableCountry: Array.from({ length: 51 }, () => "US") }),
    good: policy({ applicableCountry: Array.from({ length: 50 }, () => "US") }),
  },
  {
    rule: "jsonld.returns.category",
    bad: policy({ returnPolicyCategory: undefined, merchantReturnLink: "https://shop.example/returns" }),
    good: [
      POLICY,
      MUG,
      {
        "@type": "OnlineStore",
        hasMerchantReturnPolicy: {
          "@type": "MerchantReturnPolicy",
          merchantReturnLink: "https://shop.example/returns",
        },
      },
    ],
  },
  {
    rule: "jsonld.returns.days",
    bad: policy({ merchantReturnDays: 0 }),
    good: policy({ returnPolicyCategory: "MerchantReturnNotPermitted", merchantReturnDays: undefined }),
  },
  {
    rule: "jsonld.returns.fees",
    bad: policy({ returnShippingFeesAmount: { "@type": "MonetaryAmount", value: 5, currency: "USD" } }),
    good: policy({
      returnFees: "ReturnShippingFees",
      returnShippingFeesAmount: { "@type": "MonetaryAmount", value: 5, currency: "USD" },
    }),
  },
  {
    rule: "jsonld.returns.fees",
    bad: policy({ returnFees: "ReturnShippingFees" }),
    good: policy({ returnFees: "ReturnFeesCustomerResponsibility" }),
  },
  { rule: "jsonld.group.name", bad: group({ name: undefined }), good: group({}) },
  {
    rule: "jsonld.group.id",
    bad: group({ productGroupID: "H" }),
    good: group({ productGroupID: undefined }),
  },
  {
    rule: "jsonld.group.id",
    bad: mug({
      inProductGroupWithID: "G",
      isVariantOf: { "@type": "ProductGroup", name: "Mug", productGroupID: "H" },
    }),
    good: mug({
      inProductGroupWithID: "G",
      isVariantOf: { "@type": "ProductGroup", name: "Mug", productGroupID: "G" },
    }),
  },
  {
    rule: "jsonld.group.variants",
    bad: group({
      hasVariant: [changed(MUG, { gtin13: undefined }), changed(TRAY, { sku: "MUG", gtin13: undefined })],
    }),
    good: group({ hasVariant: [MUG, changed(TRAY, { sku: "MUG" })] }),
  },
  {
    rule: "jsonld.group.duplicate",
    bad: group({ hasVariant: [MUG, changed(TRAY, { color: "teal" })] }),
    good: group({}),
  },
  {
    rule: "jsonld.group.duplicate",
    bad: group({
      "@id": undefined,
      productGroupID: undefined,
      hasVariant: [sized(MUG, "M"), sized(TRAY, "M")].map((one) => changed(one, { color: "Teal" })),
    }),
    good: group({
      "@id": undefined,
      productGroupID: undefined,
      hasVariant: [sized(MUG, "M"), sized(TRAY, "L")].map((one) => changed(one, { color: "Teal" })),
    }),
  },
  {
    rule: "jsonld.group.duplicate",
    bad: [
      POLICY,
      ...["MUG", "MUG-2"].map((sku) => ({ ...MUG, "@id": sku, sku, isVariantOf: { "@id": "#g" } })),
    ],
    good: [POLICY, ...["#g", "#h"].map((id) => ({ ...MUG, "@id": id, isVariantOf: { "@id": `${id}roup` } }))],
  },
  {
    rule: "jsonld.group.duplicate",
    bad: group({ hasVariant: [MUG, changed(TRAY, { color: "Teal" })] }),
    good: group({
      hasVariant: [MUG, TRAY].map((one, place) =>
        changed(one, {
          color: "Teal",
          additionalProperty: { "@type": "PropertyValue", name: "Memory", value: `${place}` },
        }),
      ),
    }),
  },
  {
    rule: "jsonld.group.anonymous",
    bad: group({ hasVariant: [changed(MUG, { sku: undefined, gtin13: undefined })] }),
    good: group({ hasVariant: [changed(MUG, { sku: undefined })] }),
  },
  { rule: "jsonld.group.variesby", bad: group({ variesBy: ["https://schema.org/memory"] }), good: group({}) },
  {
    rule: "jsonld.group.absent",
    bad: group({ variesBy: "https://schema.org/suggestedGender" }),
    good: group({}),
  },
  {
    rule: "jsonld.group.absent",
    bad: group({ variesBy: "suggestedAge" }),
    good: group({
      variesBy: "suggestedAge",
      hasVariant: [{ ...MUG, audience: { "@type": "PeopleAudience", suggestedMinAge: 5 } }],
    }),
  },
];

function contentOf(given: Case["bad"]): FileContent {
  return typeof given === "string" || given instanceof Uint8Array ? given : graph(given);
}

test("there are no findings in the sample documents", async () => {
  for (const nodes of [[POLICY, MUG], [POLICY, MUG, TRAY], group({})])
    assert.deepEqual(foundIn(await reportOn("jsonld.json", graph(nodes))), []);
});

test("what Google's documentation shows is not reported as a fault", async () => {
  const harmless: readonly (readonly Node[])[] = [
    // Variants on pages of their own.
    [POLICY, changed(GROUP, { hasVariant: [MUG, { url: "https://shop.example/mug-2" }] })],
    // Names that mean something on their own page only.
    [
      { ...POLICY, "@id": "#returns" },
      changed(MUG, {
        "@id": "#mug",
        offers: changed(OFFER, { hasMerchantReturnPolicy: { "@id": "#returns" } }),
      }),
    ],
    // A price in a list of specifications, and none on the offer.
    offer({
      price: undefined,
      priceCurrency: undefined,
      priceSpecification: [
        { "@type": "UnitPriceSpecification", price: 9, priceCurrency: "USD" },
        { "@type": "UnitPriceSpecification", price: 18, priceCurrency: "USD", priceType: STRUCK },
      ],
    }),
    // What is recommended, left out.
    [changed(MUG, { description: undefined, brand: undefined, sku: undefined, gtin13: undefined })].map(
      (node) => ({
        ...node,
        offers: { "@type": "Offer", price: "18.00", priceCurrency: "USD" },
      }),
    ),
    // A review and no offer, an offer of several shops, a policy of the shop.
    [changed(reviewed, { offers: undefined, image: undefined })],
    mug({ offers: { "@type": "AggregateOffer", lowPrice: 9, highPrice: 18, priceCurrency: "USD" } }),
    [{ ...SHOP, hasMerchantReturnPolicy: POLICY, contactPoint: { telephone: "+47 22 00 00 00" } }],
    // A policy on a page of its own.
    offer({ hasMerchantReturnPolicy: { "@id": "https://shop.example/returns#policy" } }),
    // A rate without times.
    shipping({ deliveryTime: undefined }),
  ];
  for (const nodes of harmless) {
    const report = await reportOn("jsonld.json", graph(nodes));
    assert.deepEqual(foundIn(report, "warning"), [], JSON.stringify(nodes.at(-1)));
  }
});

for (const [place, { rule, severity, bad, good }] of CASES.entries()) {
  const expected = severity ?? SCHEMA_ORG_RULES[rule].severity;
  test(`${place + 1}. ${expected} ${rule} is reported for the bad document and not for the good one`, async () => {
    assertFound(await reportOn("jsonld.json", contentOf(bad)), expected, rule);
    assertNotFound(await reportOn("jsonld.json", contentOf(good)), expected, rule);
  });
}

test("every rule has a case", () => {
  const tried = new Set<string>(CASES.map(({ rule }) => rule));

  assert.deepEqual(
    Object.keys(SCHEMA_ORG_RULES).filter((rule) => !tried.has(rule)),
    ["jsonld.ids"],
    "this one has a test of its own",
  );
});

test("more @ids than are kept in memory are reported, and then no reference is reported as dangling", () => {
  const findings = new Findings(SCHEMA_ORG_RULES, 10);
  const names = new NodeNames(findings, 2);
  for (const id of ["urn:a", "urn:b", "urn:c"]) names.add({ "@id": id, name: id }, true);
  names.add({ "@id": "urn:c" }, false);
  names.end();

  assert.deepEqual(
    findings.summary().problems.map(({ rule }) => rule),
    ["jsonld.ids"],
  );
});

test("a problem names the line of the node and the variant it is about", async () => {
  const bad = changed(TRAY, { offers: changed(OFFER, { price: "free" }) });

  const { problems, rows } = await reportOn("jsonld.json", graph(group({ hasVariant: [MUG, bad] })));

  assert.equal(rows, 2);
  assert.deepEqual(problems, [
    {
      line: 3,
      itemId: "TRAY",
      field: "price",
      rule: "jsonld.price.format",
      severity: "error",
      message: "The price is not a plain decimal number.",
      value: "free",
    },
  ]);
});

test("one node alone, an array of nodes and a graph are all read", async () => {
  const node = {
    "@context": SCHEMA,
    ...changed(MUG, { offers: changed(OFFER, { hasMerchantReturnPolicy: POLICY }) }),
  };

  for (const text of [JSON.stringify(node), JSON.stringify(node, null, 2), JSON.stringify([node])]) {
    const report = await reportOn("jsonld.json", text);

    assert.deepEqual(foundIn(report), []);
    assert.equal(report.rows, 1);
  }
});
