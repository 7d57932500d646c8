/** Every rule for Google's file, with an item that breaks it and a similar valid one. */
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
import { GoogleFeed } from "./feed.ts";
import { delimited, MUG, type GoogleFixtureRow, TRAY, tsv, VARIANTS } from "./rows.fixture.ts";
import { CheckedRow as FeedRow } from "../../kit/validate/row.ts";
import { REQUIRED } from "./attributes.ts";
import { fieldRule } from "./field-rules.ts";
import { GOOGLE_RULES, type GoogleRule, WORD_ATTRIBUTES } from "./rules.ts";

type Case = {
  readonly rule: GoogleRule;
  readonly severity?: FindingSeverity;
  readonly bad: readonly GoogleFixtureRow[] | FileContent;
  readonly good: readonly GoogleFixtureRow[] | FileContent;
};

const mug = (changes: GoogleFixtureRow): readonly GoogleFixtureRow[] => [{ ...MUG, ...changes }];
const variants = (first: GoogleFixtureRow, second: GoogleFixtureRow): readonly GoogleFixtureRow[] => [
  { ...VARIANTS[0], ...first },
  { ...VARIANTS[1], ...second },
];
const letters = (count: number) => "x".repeat(count);
const times = (count: number, value: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => value(n)).join(",");
const images = (count: number) => times(count, (n) => `https://cdn.example/${n}.jpg`);
const GOOD = tsv([MUG, TRAY]);
const MARK = "\uFEFF";
const SHIPPING = "shipping(country:region:service:price)";
const TIMED =
  "shipping(country:service:price:min_handling_time:max_handling_time:min_transit_time:max_transit_time)";
const DETAIL = "product_detail(section_name:attribute_name:attribute_value)";
const OPTION = "variant_option(name:value)";
const QA = "question_and_answer(question:answer)";
const RELATED = "related_product(relationship_type:identifier_type:identifier)";
const CERTIFICATION = "certification(certification_authority:certification_name:certification_code)";
const TABLEWARE = "Home & Garden > Kitchen & Dining > Tableware";
const SHIRT = { google_product_category: "Apparel & Accessories > Clothing > Shirts & Tops" };
const DRESSED = { ...SHIRT, color: "Teal", gender: "female", age_group: "adult", size: "M" };

const FILE_CASES: readonly Case[] = [
  { rule: "gmc.file.empty", bad: GOOD.slice(0, GOOD.indexOf("\n")), good: GOOD },
  { rule: "gmc.file.cells", bad: `${GOOD}X\tY\n`, good: `${GOOD}\n` },
  {
    rule: "gmc.file.cells",
    bad: GOOD.replace("serving tray", "serving\ttray"),
    good: GOOD.replace("Fjellgarn serving tray, oak", '"Fjellgarn\ttray"'),
  },
  { rule: "gmc.file.encoding", bad: MARK + GOOD, good: GOOD },
  {
    rule: "gmc.file.encoding",
    bad: Buffer.from(tsv(mug({ title: "Fjellgarn krus, blå" })), "latin1"),
    good: tsv(mug({ title: "Fjellgarn krus, blå" })),
  },
  { rule: "gmc.file.encoding", bad: Buffer.from(MARK + GOOD, "utf16le"), good: GOOD },
  {
    rule: "gmc.file.long",
    bad: mug({ description: letters(1_100_000) }),
    good: mug({ description: letters(900_000) }),
  },
  { rule: "gmc.file.header.missing", bad: GOOD.replace("price", "cost"), good: GOOD },
  { rule: "gmc.file.header.missing", bad: "a,b,c\n1,2,3\n", good: GOOD },
  { rule: "gmc.file.delimiter", bad: delimited([MUG], ";"), good: GOOD },
  { rule: "gmc.file.delimiter", severity: "info", bad: delimited([MUG], ","), good: GOOD },
  { rule: "gmc.file.delimiter", severity: "info", bad: delimited([MUG], "|"), good: GOOD },
  { rule: "gmc.file.header.missing", bad: GOOD.slice(GOOD.indexOf("\n") + 1), good: GOOD },
  { rule: "gmc.file.header.unknown", bad: mug({ colour: "Teal" }), good: mug({ return_policy_label: "a" }) },
  {
    rule: "gmc.file.header.duplicate",
    bad: GOOD.replace("brand", "title"),
    good: GOOD.replace("brand", "additional_image_link"),
  },
  { rule: "gmc.file.header.spelling", bad: GOOD.replace("image_link", "Image Link"), good: GOOD },
  { rule: "gmc.file.header.spelling", bad: GOOD.replace("brand", "g:brand"), good: GOOD },
  {
    rule: "gmc.file.header.part",
    bad: GOOD.replace("region:service", "state:service"),
    good: GOOD.replace("region:service", "location_id:service"),
  },
  {
    rule: "gmc.file.header.order",
    bad: mug({ return: "US:30" }),
    good: GOOD.replace(SHIPPING, "shipping"),
  },
  {
    rule: "tsv.quote.stray",
    severity: "info",
    bad: mug({ title: 'Fjellgarn 12" mug' }),
    good: mug({ title: '"Fjellgarn 12"" mug"' }),
  },
  {
    rule: "tsv.quote.stray",
    bad: mug({ title: '"Fjellgarn" mug' }),
    good: mug({ title: ' "Fjellgarn mug" ' }),
  },
  { rule: "tsv.quote.stray", bad: `${GOOD}"TRAY-2`, good: GOOD },
  {
    rule: "tsv.quote.stray",
    severity: "info",
    bad: mug({ [DETAIL]: 'Display:Size:2.5"' }),
    good: mug({ [DETAIL]: 'Display:Size:"2.5"""' }),
  },
  {
    rule: "tsv.parts",
    bad: mug({ [SHIPPING]: "US::Next day: fast:5.00 USD" }),
    good: mug({ [SHIPPING]: 'US::"Next day: fast":5.00 USD' }),
  },
  { rule: "tsv.control", bad: mug({ brand: "Fjell\u0008garn" }), good: mug({}) },
  { rule: "tsv.control", bad: mug({ [OPTION]: "Color:Te\0al" }), good: mug({ [OPTION]: "Color:Teal" }) },
  {
    rule: "tsv.newline",
    bad: mug({ description: '"Glazed stoneware mug,\nfired twice."' }),
    good: mug({ description: '"Glazed stoneware mug, fired twice."' }),
  },
];

const ITEM_CASES: readonly Case[] = [
  { rule: "gmc.id.missing", bad: mug({ id: "" }), good: mug({}) },
  { rule: "gmc.id.length", bad: mug({ id: letters(51) }), good: mug({ id: "😀".repeat(50) }) },
  { rule: "gmc.id.duplicate", bad: [MUG, { ...TRAY, id: "MUG-TEAL" }], good: [MUG, TRAY] },
  {
    rule: "gmc.id.duplicate",
    bad: [
      { ...MUG, id: "A  B" },
      { ...TRAY, id: " A B" },
    ],
    good: [
      { ...MUG, id: "A B" },
      { ...TRAY, id: "AB" },
    ],
  },
  { rule: "gmc.id.whitespace", bad: mug({ id: "A  B" }), good: mug({ id: "A B" }) },
  { rule: "gmc.id.nonascii", bad: mug({ id: "KRUS-Å" }), good: mug({ id: "KRUS-A" }) },
  {
    rule: "gmc.title.missing",
    bad: mug({ title: " " }),
    good: mug({ title: "", "structured_title(digital_source_type:content)": "default:Mug" }),
  },
  {
    rule: "gmc.title.both",
    bad: mug({ "structured_title(digital_source_type:content)": "default:Mug" }),
    good: mug({}),
  },
  { rule: "gmc.title.long", bad: mug({ title: letters(151) }), good: mug({ title: letters(150) }) },
  {
    rule: "gmc.title.caps",
    bad: mug({ title: "FJELLGARN STONEWARE mug" }),
    good: mug({ title: "FJELLGARN stoneware mug" }),
  },
  {
    rule: "gmc.title.caps",
    bad: mug({ title: "FJELLGARN STONEWARE MUG QE85QN900CUXCE" }),
    good: mug({ title: "Fjellgarn mug QE85QN900CUXCE Neo QLED 8K" }),
  },
  {
    rule: "gmc.title.caps",
    bad: mug({ title: "FJELLGARN KRUS FOR KAFFE" }),
    good: mug({ title: "FJELLGARN - Krus" }),
  },
  {
    rule: "gmc.title.promo",
    bad: mug({ title: "Fjellgarn mug, free shipping" }),
    good: mug({ title: "Fjellgarn mug, sugar free" }),
  },
  {
    rule: "gmc.title.html",
    bad: mug({ title: "Fjellgarn <b>mug</b>" }),
    good: mug({ title: "Fjellgarn mug <3" }),
  },
  { rule: "gmc.title.variant", bad: variants({ title: "Fjellgarn mug" }, {}), good: variants({}, {}) },
  { rule: "gmc.title.brand", bad: mug({ title: "Stoneware mug" }), good: mug({ title: "Mug by FJELLGARN" }) },
  { rule: "gmc.desc.missing", bad: mug({ description: "" }), good: mug({}) },
  {
    rule: "gmc.desc.long",
    bad: mug({ description: letters(5001) }),
    good: mug({ description: letters(5000) }),
  },
  { rule: "gmc.desc.short", bad: mug({ description: letters(49) }), good: mug({ description: letters(50) }) },
  {
    rule: "gmc.desc.html",
    bad: mug({ description: `<table>${MUG["description"]}</table>` }),
    good: mug({ description: `a < b > c ${MUG["description"]}` }),
  },
  {
    rule: "gmc.desc.html",
    bad: mug({ description: `${MUG["description"]}&nbsp;` }),
    good: mug({ description: `<ul><li><em>${MUG["description"]}</em></li></ul><br/>` }),
  },
  {
    rule: "gmc.desc.link",
    bad: mug({ description: `See https://shop.example. ${MUG["description"]}` }),
    good: mug({ description: `See the shop. ${MUG["description"]}` }),
  },
  {
    rule: "gmc.desc.link",
    bad: mug({ description: `Ask me@shop.example. ${MUG["description"]}` }),
    good: mug({ description: `Ask @ the shop. ${MUG["description"]}` }),
  },
  {
    rule: "gmc.desc.promo",
    bad: mug({ description: `Now 20 % off. ${MUG["description"]}` }),
    good: mug({ description: `Has 20 % cotton. ${MUG["description"]}` }),
  },
  { rule: "gmc.desc.sameastitle", bad: mug({ description: MUG["title"] ?? "" }), good: mug({}) },
  {
    rule: "gmc.text.mojibake",
    bad: mug({ title: "Fjellgarn krus, blÃ¥" }),
    good: mug({ title: "Fjellgarn krus, blå" }),
  },
  {
    rule: "gmc.text.placeholder",
    bad: mug({ title: "{{ product.title }}" }),
    good: mug({ title: "Fjellgarn mug {2026}" }),
  },
  { rule: "gmc.text.long", bad: mug({ mpn: letters(71) }), good: mug({ mpn: letters(70) }) },
  {
    rule: "gmc.label.length",
    bad: mug({ custom_label_0: letters(101) }),
    good: mug({ custom_label_0: letters(100) }),
  },
  {
    rule: "gmc.producttype.long",
    bad: mug({ product_type: `a,${letters(751)}` }),
    good: mug({ product_type: `${letters(750)},${letters(750)}` }),
  },
  { rule: "gmc.link.missing", bad: mug({ link: "" }), good: mug({}) },
  {
    rule: "gmc.link.invalid",
    bad: mug({ link: "https://shop.example/krus/blå" }),
    good: mug({ link: "https://shop.example/krus/bl%C3%A5" }),
  },
  { rule: "gmc.link.invalid", bad: mug({ link: "https://93.184.216.34/mug" }), good: mug({}) },
  {
    rule: "gmc.link.invalid",
    bad: mug({ link: `https://shop.example/${letters(1980)}` }),
    good: mug({ link: `https://shop.example/${letters(1979)}` }),
  },
  {
    rule: "gmc.link.invalid",
    severity: "warning",
    bad: mug({ mobile_link: "m/mug" }),
    good: mug({ mobile_link: "https://m.shop.example/" }),
  },
  {
    rule: "gmc.link.shared",
    bad: variants({}, { link: MUG["link"] ?? "" }),
    good: [MUG, { ...TRAY, link: MUG["link"] ?? "" }],
  },
  { rule: "gmc.link.http", bad: mug({ link: "http://shop.example/" }), good: mug({}) },
  { rule: "gmc.image.missing", bad: mug({ image_link: "" }), good: mug({}) },
  { rule: "gmc.image.invalid", bad: mug({ image_link: "//cdn.example/1.jpg" }), good: mug({}) },
  {
    rule: "gmc.image.invalid",
    severity: "warning",
    bad: mug({ additional_image_link: `${images(1)},2.jpg` }),
    good: mug({ additional_image_link: images(2) }),
  },
  {
    rule: "gmc.image.ext",
    bad: mug({ image_link: "https://cdn.example/1.svg" }),
    good: mug({ image_link: "https://cdn.example/image?id=1.2" }),
  },
  {
    rule: "gmc.image.placeholder",
    bad: mug({ image_link: "https://cdn.example/no-image.png" }),
    good: mug({ image_link: "https://cdn.example/large_default/mug-default.png" }),
  },
  { rule: "gmc.image.few", bad: mug({ additional_image_link: "" }), good: mug({}) },
  {
    rule: "gmc.image.extra",
    bad: mug({ additional_image_link: images(11) }),
    good: mug({ additional_image_link: images(10) }),
  },
  {
    rule: "gmc.image.dup",
    bad: mug({ additional_image_link: MUG["image_link"] ?? "" }),
    good: mug({ additional_image_link: images(2) }),
  },
  {
    rule: "gmc.image.samecolor",
    bad: variants({}, { image_link: MUG["image_link"] ?? "" }),
    good: variants({}, { color: "Teal", image_link: MUG["image_link"] ?? "" }),
  },
];

const OFFER_CASES: readonly Case[] = [
  { rule: "gmc.price.missing", bad: mug({ price: "" }), good: mug({}) },
  { rule: "gmc.price.format", bad: mug({ price: "18.00USD" }), good: mug({ price: "18 USD" }) },
  {
    rule: "gmc.price.zero",
    bad: mug({ price: "0.00 USD" }),
    good: mug({ price: "0.00 USD", "subscription_cost(period:period_length:amount)": "month:12:9.00 USD" }),
  },
  { rule: "gmc.price.currency", bad: mug({ price: "18.00 XXQ" }), good: mug({}) },
  { rule: "gmc.price.mixed", bad: [MUG, { ...TRAY, price: "39.00 EUR" }], good: [MUG, TRAY] },
  { rule: "gmc.price.precision", bad: mug({ price: "18.005 USD" }), good: mug({ price: "18.005 KWD" }) },
  { rule: "gmc.price.precision", bad: mug({ price: "79.9 USD" }), good: mug({ price: "79.90 USD" }) },
  { rule: "gmc.price.precision", bad: mug({ price: "79.90 KWD" }), good: mug({ price: "79.900 KWD" }) },
  { rule: "gmc.price.precision", bad: mug({ price: "4999.0 JPY" }), good: mug({ price: "4999 JPY" }) },
  {
    rule: "gmc.price.precision",
    bad: mug({ sale_price: "9.5 USD" }),
    good: mug({ sale_price: "9 USD" }),
  },
  {
    rule: "gmc.price.precision",
    bad: mug({ [SHIPPING]: "US::Standard:5.9 USD" }),
    good: mug({ [SHIPPING]: "US::Standard:5.90 USD" }),
  },
  {
    rule: "gmc.sale.notlower",
    bad: mug({ sale_price: "18.00 USD" }),
    good: mug({ sale_price: "17.99 USD" }),
  },
  { rule: "gmc.sale.notlower", bad: mug({ sale_price: "0.00 USD" }), good: mug({ sale_price: "9 USD" }) },
  { rule: "gmc.sale.currency", bad: mug({ sale_price: "9.00 EUR" }), good: mug({ sale_price: "9.00 USD" }) },
  {
    rule: "gmc.sale.interval",
    bad: mug({ sale_price: "9.00 USD", sale_price_effective_date: "2026-11-30T00:00Z/2026-11-20T00:00Z" }),
    good: mug({
      sale_price: "9.00 USD",
      sale_price_effective_date: "2026-11-20T00:00+0100/2026-11-30T00:00+0100",
    }),
  },
  {
    rule: "gmc.sale.interval",
    bad: mug({ sale_price: "9.00 USD", sale_price_effective_date: "2026-11-30" }),
    good: mug({ sale_price: "9.00 USD", sale_price_effective_date: "2026-11-20/2026-11-30" }),
  },
  {
    rule: "gmc.sale.interval",
    bad: mug({ sale_price_effective_date: "2026-11-20T00:00Z/2026-11-30T00:00Z" }),
    good: mug({ sale_price: "9.00 USD", sale_price_effective_date: "2026-11-20T00:00Z/2026-11-30T00:00Z" }),
  },
  {
    rule: "gmc.sale.expired",
    bad: mug({ sale_price: "9.00 USD", sale_price_effective_date: "2026-11-01T00:00Z/2026-11-14T10:00Z" }),
    good: mug({ sale_price: "9.00 USD", sale_price_effective_date: "2026-11-01T00:00Z/2026-11-14T10:01Z" }),
  },
  {
    rule: "gmc.sale.nodates",
    bad: mug({ sale_price: "9.00 USD" }),
    good: mug({ sale_price: "9.00 USD", sale_price_effective_date: "2026-11-20T00:00Z/2026-11-30T00:00Z" }),
  },
  { rule: "gmc.avail.missing", bad: mug({ availability: "" }), good: mug({}) },
  {
    rule: "gmc.avail.enum",
    severity: "info",
    bad: mug({ availability: "in stock" }),
    good: mug({ availability: "out_of_stock" }),
  },
  { rule: "gmc.avail.enum", bad: mug({ availability: "unknown" }), good: mug({}) },
  {
    rule: "gmc.avail.date",
    bad: mug({ availability: "preorder" }),
    good: mug({ availability: "preorder", availability_date: "2026-12-01T00:00Z" }),
  },
  { rule: "gmc.avail.date", severity: "warning", bad: mug({ availability: "backorder" }), good: mug({}) },
  {
    rule: "gmc.avail.dateformat",
    bad: mug({ availability_date: "1 December" }),
    good: mug({ availability_date: "2026-12-01T00:00:00+01:00" }),
  },
  {
    rule: "gmc.avail.dateformat",
    bad: mug({ expiration_date: "2026-13-01" }),
    good: mug({ expiration_date: "2026-12-01" }),
  },
  {
    rule: "gmc.avail.datepast",
    bad: mug({ availability_date: "2026-11-14T09:59Z" }),
    good: mug({ availability_date: "2026-11-14T10:01Z" }),
  },
  {
    rule: "gmc.avail.datefar",
    bad: mug({ availability_date: "2027-11-20T00:00Z" }),
    good: mug({ availability_date: "2027-11-10T00:00Z" }),
  },
  {
    rule: "gmc.expire.past",
    bad: mug({ expiration_date: "2026-11-14T10:00Z" }),
    good: mug({ expiration_date: "2026-11-14T10:01Z" }),
  },
  {
    rule: "gmc.expire.far",
    bad: mug({ expiration_date: "2026-12-20T00:00Z" }),
    good: mug({ expiration_date: "2026-12-10T00:00Z" }),
  },
  {
    rule: "gmc.unit.format",
    bad: mug({ unit_pricing_measure: "750 bottles" }),
    good: mug({ unit_pricing_measure: "750ml" }),
  },
  {
    rule: "gmc.unit.base",
    bad: mug({ unit_pricing_measure: "750 ml", unit_pricing_base_measure: "3 l" }),
    good: mug({ unit_pricing_measure: "750 ml", unit_pricing_base_measure: "75cl" }),
  },
  {
    rule: "gmc.unit.pair",
    bad: mug({ unit_pricing_base_measure: "1 l" }),
    good: mug({ unit_pricing_measure: "750 ml", unit_pricing_base_measure: "1 l" }),
  },
  {
    rule: "gmc.unit.family",
    bad: mug({ unit_pricing_measure: "750 ml", unit_pricing_base_measure: "1 kg" }),
    good: mug({ unit_pricing_measure: "750 g", unit_pricing_base_measure: "1 kg" }),
  },
  { rule: "gmc.gtin.chars", bad: mug({ gtin: "4.00638E+12" }), good: mug({}) },
  { rule: "gmc.gtin.chars", severity: "info", bad: mug({ gtin: "978-1455582341" }), good: mug({}) },
  { rule: "gmc.gtin.chars", bad: mug({ gtin: "ISBN9781455582341" }), good: mug({ gtin: "4006381 333931" }) },
  {
    rule: "gmc.gtin.length",
    bad: mug({ gtin: "400638133393" + "1".repeat(3) }),
    good: mug({ gtin: "90311017" }),
  },
  {
    rule: "gmc.gtin.length",
    severity: "warning",
    bad: mug({ gtin: "1455582344" }),
    good: mug({ gtin: "9781455582341" }),
  },
  {
    rule: "gmc.gtin.checksum",
    bad: mug({ gtin: "4006381333930" }),
    good: mug({ gtin: "4006381333931,036282818705" }),
  },
  { rule: "gmc.gtin.restricted", bad: mug({ gtin: "2000000000008" }), good: mug({}) },
  { rule: "gmc.gtin.coupon", bad: mug({ gtin: "9900000000004" }), good: mug({}) },
  { rule: "gmc.gtin.shared", bad: [MUG, { ...TRAY, gtin: MUG["gtin"] ?? "" }], good: [MUG, TRAY] },
  {
    rule: "gmc.gtin.missing",
    bad: mug({ gtin: "", mpn: "FG-1" }),
    good: mug({ gtin: "", identifier_exists: "no" }),
  },
  {
    rule: "gmc.brand.missing",
    bad: mug({ brand: "" }),
    good: mug({ brand: "", gtin: "", identifier_exists: "no" }),
  },
  { rule: "gmc.brand.invalid", bad: mug({ brand: "No Brand" }), good: mug({ brand: "Generic Surplus" }) },
  { rule: "gmc.brand.invalid", bad: mug({ brand: "n/a" }), good: mug({}) },
  { rule: "gmc.brand.long", bad: mug({ brand: letters(71) }), good: mug({ brand: letters(70) }) },
  { rule: "gmc.mpn.missing", bad: mug({ gtin: "" }), good: mug({ gtin: "", mpn: "FG-1" }) },
  { rule: "gmc.mpn.issku", bad: mug({ mpn: "MUG-TEAL" }), good: mug({ mpn: "FG-1" }) },
  {
    rule: "gmc.idexists.contradiction",
    bad: mug({ identifier_exists: "no" }),
    good: mug({ identifier_exists: "yes" }),
  },
  {
    rule: "gmc.category.unknown",
    bad: mug({ google_product_category: "Mugs" }),
    good: mug({ google_product_category: "2169" }),
  },
  ...["999999", "Home & Garden > Unicorn Stables", "2169 - Home & Garden > Kitchen & Dining"].map(
    (category): Case => ({
      rule: "gmc.category.unknown",
      bad: mug({ google_product_category: category }),
      good: mug({ google_product_category: "Heim & Garten > Küche & Esszimmer" }),
    }),
  ),
  {
    rule: "gmc.category.unchecked",
    bad: mug({ google_product_category: "Hem & trädgård > Kök & matsal" }),
    good: mug({ google_product_category: "Home & Garden > Kitchen & Dining" }),
  },
  {
    rule: "gmc.category.unchecked",
    bad: mug({ google_product_category: "Heim & Garten > Wunderküche" }),
    good: mug({ google_product_category: "Heim & Garten > Küche & Esszimmer" }),
  },
  { rule: "gmc.category.missing", bad: mug({ google_product_category: "" }), good: mug({}) },
  {
    rule: "gmc.category.shallow",
    bad: mug({ google_product_category: "536" }),
    good: mug({ google_product_category: "food, beverages &amp; tobacco > Beverages" }),
  },
  {
    rule: "gmc.category.shallow",
    bad: mug({ google_product_category: "Home & Garden" }),
    good: mug({ google_product_category: TABLEWARE }),
  },
];

const VARIANT_CASES: readonly Case[] = [
  { rule: "gmc.apparel.color", bad: mug({ ...DRESSED, color: "" }), good: mug(DRESSED) },
  {
    rule: "gmc.apparel.size",
    bad: mug({ ...DRESSED, size: "" }),
    good: mug({ ...DRESSED, google_product_category: "Apparel & Accessories > Jewelry", size: "" }),
  },
  { rule: "gmc.apparel.gender", bad: mug({ ...DRESSED, gender: "" }), good: mug({ gender: "" }) },
  {
    rule: "gmc.apparel.age_group",
    bad: mug({ ...DRESSED, google_product_category: "1604", age_group: "" }),
    good: mug(DRESSED),
  },
  ...["212", "2271", "5322", "187", "5183", "Clothing & Accessories > Shoes"].map(
    (category): Case => ({
      rule: "gmc.apparel.size",
      bad: mug({ ...DRESSED, google_product_category: category, size: "" }),
      good: mug({ ...DRESSED, google_product_category: "188", size: "" }),
    }),
  ),
  ...["188", "169", "3032", "apparel & accessories > handbags, wallets & cases > handbags"].map(
    (category): Case => ({
      rule: "gmc.apparel.color",
      bad: mug({ ...DRESSED, google_product_category: category, color: "" }),
      good: mug({ ...DRESSED, google_product_category: category, size: "" }),
    }),
  ),
  { rule: "gmc.color.value", bad: mug({ color: "#fff" }), good: mug({ color: "青" }) },
  { rule: "gmc.color.value", bad: mug({ color: "Multicolor" }), good: mug({ color: "Red/Blue" }) },
  { rule: "gmc.color.toomany", bad: mug({ color: "a/b/c/d" }), good: mug({ color: "Teal/Oak/Red" }) },
  { rule: "gmc.color.toomany", bad: mug({ color: letters(41) }), good: mug({ color: letters(40) }) },
  { rule: "gmc.value.many", bad: mug({ size: "M, L" }), good: mug({ size: "M/L" }) },
  {
    rule: "gmc.value.many",
    bad: mug({ image_link: "https://cdn.example/1.jpg,https://cdn.example/2.jpg" }),
    good: mug({ image_link: "https://cdn.example/1%2C2.jpg" }),
  },
  { rule: "gmc.group.missing", bad: mug({ [OPTION]: "Color:Teal" }), good: variants({}, {}) },
  { rule: "gmc.group.single", bad: [VARIANTS[0], TRAY], good: variants({}, {}) },
  {
    rule: "gmc.group.parentrow",
    bad: [...variants({}, {}), { ...TRAY, id: "MUG" }],
    good: [...variants({}, {}), { ...TRAY, id: "MUG-3" }],
  },
  {
    rule: "gmc.group.parentrow",
    bad: [{ ...TRAY, id: "MUG" }, ...variants({}, {})],
    good: [{ ...TRAY, id: "MUG-3" }, ...variants({}, {})],
  },
  { rule: "gmc.group.parentrow", bad: variants({ id: "MUG" }, {}), good: variants({}, {}) },
  {
    rule: "gmc.group.duplicate",
    bad: variants({}, { color: "Teal", [OPTION]: "Color:Teal" }),
    good: variants({}, {}),
  },
  { rule: "gmc.group.attrs", bad: variants({}, { size: "L" }), good: variants({ size: "M" }, { size: "L" }) },
  {
    rule: "gmc.group.idlength",
    bad: mug({ item_group_id: letters(51) }),
    good: mug({ item_group_id: letters(50) }),
  },
  { rule: "gmc.group.title", bad: variants({}, { item_group_title: "Tray" }), good: variants({}, {}) },
  {
    rule: "gmc.group.scattered",
    bad: [VARIANTS[0], { ...TRAY, id: "X" }, VARIANTS[1]],
    good: [...variants({}, {}), { ...TRAY, id: "X" }],
  },
  {
    rule: "gmc.variantoption.count",
    bad: mug({ item_group_id: "G", [OPTION]: times(31, (n) => `o${n}:v`) }),
    good: mug({ item_group_id: "G", [OPTION]: times(30, (n) => `o${n}:v`) }),
  },
  {
    rule: "gmc.variantoption.length",
    bad: mug({ item_group_id: "G", [OPTION]: `Color:${letters(251)}` }),
    good: mug({ item_group_id: "G", [OPTION]: `Color:${letters(250)}` }),
  },
  {
    rule: "gmc.variantoption.total",
    bad: mug({ item_group_id: "G", [OPTION]: times(21, (n) => `o${n}:${letters(240)}`) }),
    good: mug({ item_group_id: "G", [OPTION]: times(20, (n) => `o${n}:${letters(240)}`) }),
  },
  {
    rule: "gmc.variantoption.missing",
    bad: mug({ item_group_id: "G", [OPTION]: "Color:" }),
    good: mug({ item_group_id: "G", [OPTION]: "Color:Teal" }),
  },
];

const REST_CASES: readonly Case[] = [
  { rule: "gmc.ship.missing", bad: mug({ [SHIPPING]: "" }), good: [MUG, { ...TRAY, [SHIPPING]: "" }] },
  { rule: "gmc.ship.country", bad: mug({ [SHIPPING]: "us::Standard:5.00 USD" }), good: mug({}) },
  {
    rule: "gmc.ship.country",
    bad: mug({ [SHIPPING]: "::Standard:5.00 USD" }),
    good: mug({ [SHIPPING]: "GB:::5.00 USD" }),
  },
  {
    rule: "gmc.ship.area",
    bad: mug({ "shipping(country:region:postal_code:price)": "US:CA:94043:5.00 USD" }),
    good: mug({ "shipping(country:region:postal_code:price)": "US:CA::5.00 USD,US::94043:6.00 USD" }),
  },
  {
    rule: "gmc.ship.price",
    severity: "info",
    bad: mug({ [SHIPPING]: "US::Standard:" }),
    good: mug({ [SHIPPING]: "US::Standard:0 USD" }),
  },
  { rule: "gmc.ship.price", bad: mug({ [SHIPPING]: "US::Standard:5" }), good: mug({}) },
  { rule: "gmc.ship.currency", bad: mug({ [SHIPPING]: "US::Standard:5.00 EUR" }), good: mug({}) },
  {
    rule: "gmc.ship.max",
    bad: mug({ [SHIPPING]: "US::Standard:1000.01 USD" }),
    good: mug({ [SHIPPING]: "US::Standard:1000.00 USD" }),
  },
  {
    rule: "gmc.ship.times",
    bad: mug({ [TIMED]: "US:Post:5.00 USD:1::2:3" }),
    good: mug({ [TIMED]: "US:Post:5.00 USD:1:2:2:3" }),
  },
  {
    rule: "gmc.ship.times",
    bad: mug({ [TIMED]: "US:Post:5.00 USD:3:2:2:3" }),
    good: mug({ [TIMED]: "US:Post:5.00 USD:::: " }),
  },
  {
    rule: "gmc.ship.times",
    bad: mug({ [TIMED]: "US:Post:5.00 USD::2::" }),
    good: mug({ [TIMED]: "US:Post:5.00 USD::2::4" }),
  },
  { rule: "gmc.ship.times", bad: mug({ [TIMED]: "US:Post:5.00 USD::soon::4" }), good: mug({}) },
  {
    rule: "gmc.ship.ambiguous",
    bad: mug({ [SHIPPING]: "US::Post:5.00 USD,US::Post:6.00 USD" }),
    good: mug({ [SHIPPING]: "US::Post:5.00 USD,US:CA:Post:6.00 USD" }),
  },
  {
    rule: "gmc.dims.incomplete",
    bad: mug({ shipping_length: "20 cm" }),
    good: mug({ shipping_length: "20 cm", shipping_width: "10 cm", shipping_height: "5 cm" }),
  },
  {
    rule: "gmc.dims.unit",
    bad: mug({ product_length: "20 cm", product_width: "10 in" }),
    good: mug({ product_length: "20 cm", product_width: "10 cm" }),
  },
  { rule: "gmc.dims.unit", bad: mug({ shipping_weight: "2 stone" }), good: mug({ shipping_weight: "2 kg" }) },
  {
    rule: "gmc.dims.range",
    bad: mug({ product_length: "3001 cm" }),
    good: mug({ product_length: "3000 cm" }),
  },
  {
    rule: "gmc.dims.range",
    bad: mug({ product_length: "1.00001 cm" }),
    good: mug({ product_length: "1.0001 cm" }),
  },
  {
    rule: "gmc.dims.range",
    bad: mug({ shipping_length: "151 in", shipping_width: "10 in", shipping_height: "5 in" }),
    good: mug({ shipping_length: "150 in", shipping_width: "10 in", shipping_height: "5 in" }),
  },
  {
    rule: "gmc.dims.range",
    bad: mug({ shipping_weight: "1001 kg" }),
    good: mug({ shipping_weight: "1001 lb" }),
  },
  { rule: "gmc.number", bad: mug({ multipack: "1" }), good: mug({ multipack: "2" }) },
  { rule: "gmc.number", bad: mug({ max_handling_time: "2 days" }), good: mug({ max_handling_time: "0" }) },
  {
    rule: "gmc.highlight.count",
    bad: mug({ product_highlight: "One" }),
    good: mug({ product_highlight: "One,Two" }),
  },
  {
    rule: "gmc.highlight.length",
    bad: mug({ product_highlight: `One,${letters(151)}` }),
    good: mug({ product_highlight: `One,"${letters(100)},${letters(49)}"` }),
  },
  {
    rule: "gmc.detail.count",
    bad: mug({ [DETAIL]: times(101, (n) => `:n${n}:v`) }),
    good: mug({ [DETAIL]: times(100, (n) => `:n${n}:v`) }),
  },
  {
    rule: "gmc.detail.length",
    bad: mug({ [DETAIL]: `:${letters(141)}:v` }),
    good: mug({ [DETAIL]: `:${letters(140)}:${letters(1000)}` }),
  },
  {
    rule: "gmc.detail.missing",
    bad: mug({ [DETAIL]: "General:Material:" }),
    good: mug({ [DETAIL]: ":Material:Clay" }),
  },
  {
    rule: "gmc.cert.missing",
    bad: mug({ [CERTIFICATION]: "EC::123456" }),
    good: mug({ [CERTIFICATION]: "EC:EPREL:123456" }),
  },
  {
    rule: "gmc.qa.count",
    bad: mug({ [QA]: times(31, (n) => `"Q${n}?":"A."`) }),
    good: mug({ [QA]: times(30, (n) => `"Q${n}?":"A."`) }),
  },
  {
    rule: "gmc.qa.length",
    bad: mug({ [QA]: `"Q?":"${letters(1001)}"` }),
    good: mug({ [QA]: `"Q?":"${letters(1000)}"` }),
  },
  {
    rule: "gmc.qa.total",
    bad: mug({ [QA]: times(11, (n) => `"Q${n}?":"${letters(990)}"`) }),
    good: mug({ [QA]: times(10, (n) => `"Q${n}?":"${letters(990)}"`) }),
  },
  {
    rule: "gmc.related.count",
    bad: mug({ [RELATED]: times(31, (n) => `accessory:id:${n}`) }),
    good: mug({ [RELATED]: times(30, (n) => `accessory:id:${n}`) }),
  },
  {
    rule: "gmc.related.type",
    bad: mug({ [RELATED]: "sibling:id:1" }),
    good: mug({ [RELATED]: "accessory:id:1,substitute:gtin:4006381333931" }),
  },
  {
    rule: "gmc.doc.count",
    bad: mug({ document_link: times(6, (n) => `https://shop.example/${n}.pdf`) }),
    good: mug({ document_link: times(5, (n) => `https://shop.example/${n}.pdf`) }),
  },
  {
    rule: "gmc.doc.link",
    bad: mug({ document_link: "manual.pdf" }),
    good: mug({ document_link: "https://shop.example/manual.pdf" }),
  },
  {
    rule: "gmc.video.link",
    bad: mug({ video_link: "mug.mp4" }),
    good: mug({ video_link: "https://cdn.example/mug.mp4" }),
  },
  {
    rule: "gmc.promo.id",
    bad: mug({ promotion_id: "summer sale" }),
    good: mug({ promotion_id: "SUMMER_2026" }),
  },
  {
    rule: "gmc.promo.id",
    bad: mug({ promotion_id: times(11, (n) => `P${n}`) }),
    good: mug({ promotion_id: times(10, (n) => `P${n}`) }),
  },
];

/** A word that Google knows for each attribute. */
const WORDS: Readonly<Record<(typeof WORD_ATTRIBUTES)[number], string>> = {
  condition: "refurbished",
  adult: "no",
  age_group: "adult",
  gender: "unisex",
  size_type: "petite,tall",
  size_system: "MEX",
  identifier_exists: "yes",
  is_bundle: "yes",
  energy_efficiency_class: "A+++",
  min_energy_efficiency_class: "G",
  max_energy_efficiency_class: "A",
  pause: "ads",
  excluded_destination: "Display_ads,Free_listings",
  included_destination: "Shopping_ads",
};

const WORD_CASES: readonly Case[] = WORD_ATTRIBUTES.map((name) => ({
  rule: `gmc.enum.${name}` as const,
  bad: mug({ [name]: "Banana" }),
  good: mug({ [name]: WORDS[name] }),
}));

const CASES = [...FILE_CASES, ...ITEM_CASES, ...OFFER_CASES, ...VARIANT_CASES, ...REST_CASES, ...WORD_CASES];

function contentOf(given: Case["bad"]): FileContent {
  return typeof given === "string" || given instanceof Uint8Array ? given : tsv(given);
}

test("there are no findings in the sample items", async () => {
  for (const rows of [[MUG], [MUG, TRAY], variants({}, {})])
    assert.deepEqual(foundIn(await reportOn("gmc.tsv", tsv(rows))), []);
});

test("an unknown category is reported with the nearest one that exists", async () => {
  const detail = async (category: string): Promise<string | undefined> => {
    const { problems } = await reportOn("gmc.tsv", tsv(mug({ google_product_category: category })));
    return problems.find(({ rule }) => rule === "gmc.category.unknown")?.message;
  };
  assert.match(
    (await detail("Mugs")) ?? "",
    /The nearest one is 2169, Home & Garden > Kitchen & Dining > Tableware > Drinkware > Mugs\.$/,
  );
  assert.doesNotMatch((await detail("999999")) ?? assert.fail(), /nearest/);
});

test("what Google documents or reads is not reported as a fault", async () => {
  const harmless: readonly (readonly GoogleFixtureRow[])[] = [
    mug({ title: 'Fjellgarn 22" TV' }),
    mug({ availability: "in stock" }),
    mug({ condition: "New", identifier_exists: "TRUE", gender: "Unisex", multipack: "0" }),
    mug({ google_product_category: "371" }),
    mug({ gtin: "978-1455582341" }),
    mug({
      sale_price: "9.00 USD",
      sale_price_effective_date: "2026-11-10T11:07+0100 / 2026-11-29T23:07+0100",
    }),
    mug({ availability: "preorder", availability_date: "2026-12-24T11:07" }),
    mug({ [SHIPPING]: "US::Standard:" }),
    mug({ google_product_category: "1856", color: "Teal", age_group: "adult" }),
    mug({ description: '"Glazed stoneware mug,\nfired twice, dishwasher safe, for coffee and tea."' }),
    mug({
      installment: "6:30 USD:199 USD",
      subscription_cost: "month:12:35.00USD",
      loyalty_program: "club:silver:10 USD::10::member_shipping",
      certification: "EC:EPREL:123456",
      related_product: "required_part:id:TRAY, accessory:gtin:036000291452",
      free_shipping_threshold: "US:16.00 USD",
    }),
    mug({ google_product_category: "Hem & trädgård > Kök & matsal" }),
    mug({ price: "4999 JPY", [SHIPPING]: "JP:::500 JPY" }),
    mug({ brand: "", gtin: "9781455582341", google_product_category: "784" }),
    mug({ [SHIPPING]: "" }),
    mug({ [SHIPPING]: "", shipping: "US:CA:Overnight:16.00 USD:1:1:2:3,US:::5 USD" }),
    mug({ [SHIPPING]: "", shipping: '"US:CA:Overnight:16.00 USD:1:1:2:3"' }),
    mug({ additional_image_link: `"${images(3)}"` }),
  ];
  for (const rows of harmless) {
    const report = await reportOn("gmc.tsv", tsv(rows));
    assert.deepEqual(foundIn(report, "warning"), [], JSON.stringify(rows[0]));
  }
});

test("a file with Google's column names is read in the same way with any delimiter", async () => {
  const rows = [
    { ...MUG, price: "79.9 USD" },
    { ...TRAY, availability: "perhaps" },
  ];
  const expected = foundIn(await reportOn("gmc.tsv", tsv(rows)), "warning");
  assert.deepEqual(expected, ["error gmc.avail.enum availability", "warning gmc.price.precision price"]);
  for (const delimiter of [",", "|", "~"]) {
    const { problems } = await reportOn("gmc.tsv", delimited(rows, delimiter));
    const found = problems.filter(({ severity }) => severity !== "info");
    assert.deepEqual(
      found.map(({ severity, rule, field, line }) => `${severity} ${rule} ${field} ${line}`),
      ["error gmc.avail.enum availability 3", "warning gmc.price.precision price 2"],
      delimiter,
    );
  }
});

for (const [place, { rule, severity, bad, good }] of CASES.entries()) {
  const expected = severity ?? GOOGLE_RULES[rule].severity;
  test(`${place + 1}. ${expected} ${rule} is reported for the bad item and not for the good one`, async () => {
    assertFound(await reportOn("gmc.tsv", contentOf(bad)), expected, rule);
    assertNotFound(await reportOn("gmc.tsv", contentOf(good)), expected, rule);
  });
}

test("every rule has a case", () => {
  const tried = new Set<string>(CASES.map(({ rule }) => rule));
  const missing = Object.keys(GOOGLE_RULES).filter((rule) => !tried.has(rule));

  assert.deepEqual(
    missing,
    [
      "gmc.file.size",
      "gmc.file.items",
      "gmc.file.ids",
      "gmc.xml.malformed",
      "gmc.xml.namespace",
      "gmc.xml.plain",
      "gmc.xml.group",
      "gmc.xml.nested",
    ],
    "these have tests of their own",
  );
});

test("every attribute that the field table requires has a rule for items without it", () => {
  assert.deepEqual(
    REQUIRED.filter((name) => fieldRule(name, "missing") === undefined),
    [],
  );
});

describe("of very large files", () => {
  function reportedFor(rows: number, bytes: number): string[] {
    const findings = new Findings(GOOGLE_RULES, 10);
    const feed = new GoogleFeed(findings, NOW);
    for (let row = 0; row < rows; row += 1) feed.skip();
    feed.end(bytes);
    return findings
      .summary()
      .rules.map(({ rule, severity }) => `${severity} ${rule}`)
      .filter((text) => text.includes("file"));
  }

  test("the number of rows is reported from 150,001 on, the size from 1 GB and 4 GB on", () => {
    assert.deepEqual(reportedFor(150_000, 1024 ** 3), []);
    assert.deepEqual(reportedFor(150_001, 1), ["warning gmc.file.items"]);
    assert.deepEqual(reportedFor(1, 1024 ** 3 + 1), ["warning gmc.file.size"]);
    assert.deepEqual(reportedFor(1, 4 * 1024 ** 3 + 1), ["error gmc.file.size"]);
  });

  test("more ids than are kept in memory are reported", () => {
    const findings = new Findings(GOOGLE_RULES, 1_000);
    const feed = new GoogleFeed(findings, NOW, 2);
    for (const [line, id] of ["a", "b", "c", "a"].entries()) {
      const row = new FeedRow(line + 2);
      row.texts.set("id", id);
      feed.add(row);
    }
    feed.end(1);

    const reported = findings.summary().problems.map(({ rule, line }) => `${rule} ${line}`);
    assert.ok(reported.includes("gmc.file.ids null"));
    assert.ok(reported.includes("gmc.id.duplicate 5"));
  });
});

test("a problem names line, item, attribute, rule, severity and value", async () => {
  const { problems } = await reportOn(
    "gmc.tsv",
    tsv([MUG, { ...TRAY, [SHIPPING]: "US::Standard:5.00 usd" }]),
  );

  assert.deepEqual(problems, [
    {
      line: 3,
      itemId: "TRAY",
      field: "shipping",
      rule: "gmc.ship.price",
      severity: "error",
      message: "The shipping price has its currency in lower case.",
      value: "5.00 usd",
    },
  ]);
});
