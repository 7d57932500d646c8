/**
 * Google Merchant Center's product data specification of 2026, for a tab-separated file. The columns that our own
 * fields fill come first, then those for values that only Google uses. The tax attributes left the
 * specification and are never written. Composite attributes always name their sub-attributes in the header, since
 * Google's default orders contradict its samples.
 */
import { GOOGLE_LIMITS } from "../../catalog/google-limits.ts";
import { SHIPPING_PARTS } from "../../catalog/google-surplus.ts";
import {
  AGE_GROUPS,
  CONDITIONS,
  GENDERS,
  type LengthUnit,
  SIZE_SYSTEMS,
  SIZE_TYPES,
  type WeightUnit,
} from "../../catalog/item.ts";
import { cut, drop, fieldKinds, type FieldTable, refuse, shorten } from "../kit/field-table.ts";
import { PASSED_FIELDS } from "./passed-fields.ts";
import { GOOGLE_REFUSALS } from "./refusal-reasons.ts";

/** How values are written. */
const GOOGLE_KINDS = {
  text: "One text on one line; in quotes when it has a quote.",
  url: "Absolute http or https address.",
  money: "Decimal amount, a space, ISO 4217 code: `18.00 USD`.",
  word: "One word of a closed list.",
  flag: "`yes` or `no`.",
  number: "Whole number.",
  decimal: "Decimal number with a point.",
  measure: "Decimal number, a space, unit: `1.5 kg`.",
  time: "UTC time to the minute: `2026-11-14T10:00Z`.",
  interval: "Two times with a slash between them.",
  list: "Values joined by commas; one that has a comma or a quote is in quotes alone; commas in addresses are `%2C`.",
  groups:
    "Sub-values joined by colons, groups by commas; a sub-value that has one of these or a quote is in quotes.",
} as const;

export type GoogleKind = keyof typeof GOOGLE_KINDS;

/** The numbers a base measure may have. */
export const UNIT_PRICING_BASES: ReadonlySet<string> = new Set(["1", "2", "4", "8", "10", "100"]);
/** Bases allowed in addition to the plain numbers, each in one unit only. */
export const UNIT_PRICING_SPECIAL_BASES: ReadonlySet<string> = new Set([
  "75 cl",
  "750 ml",
  "50 kg",
  "1000 kg",
]);

/** How a measure is rewritten in another unit: times `factor`, then the point moves `shift` places to the right. */
export type Conversion<Unit extends string> = {
  readonly unit: Unit;
  readonly factor: bigint;
  readonly shift: number;
};

/** Google measures lengths in centimeters and inches only. All of these are exact in decimals. */
export const GOOGLE_LENGTH: Readonly<Record<LengthUnit, Conversion<"cm" | "in">>> = {
  mm: { unit: "cm", factor: 1n, shift: -1 },
  cm: { unit: "cm", factor: 1n, shift: 0 },
  m: { unit: "cm", factor: 1n, shift: 2 },
  in: { unit: "in", factor: 1n, shift: 0 },
  ft: { unit: "in", factor: 12n, shift: 0 },
};

/** The next larger unit, for weights whose number is above the limit. */
export const LARGER_WEIGHT: Readonly<Record<WeightUnit, Conversion<WeightUnit>>> = {
  g: { unit: "kg", factor: 1n, shift: -3 },
  kg: { unit: "kg", factor: 1n, shift: 0 },
  oz: { unit: "lb", factor: 625n, shift: -4 },
  lb: { unit: "lb", factor: 1n, shift: 0 },
};

export const MAX_PRODUCT_LENGTH = 3000;
export const MAX_PRODUCT_DECIMALS = 4;
export const MAX_PRODUCT_WEIGHT = { g: 2000, kg: 2000, oz: 2000, lb: 2000 } as const;
export const MAX_SHIPPING_WEIGHT = { g: 1000, kg: 1000, oz: 2000, lb: 2000 } as const;
export const MIN_SHIPPING_LENGTH = 1;
export const MAX_SHIPPING_LENGTH = { cm: 400, in: 150 } as const;

export const GOOGLE_FIELD_BUILDERS = fieldKinds(GOOGLE_KINDS);
const { text, url, list, word, time, money, interval, flag, groups, number, measure } = GOOGLE_FIELD_BUILDERS;

export const ENERGY_CLASSES = ["A+++", "A++", "A+", "A", "B", "C", "D", "E", "F", "G"] as const;

/** The longest name of a color, and how many colors a value may have. */
export const COLOR_LIMITS = { colors: 3, codePoints: 40 } as const;

/** The values that Google knows. If the availability of an item is unknown, the cell is empty. */
const AVAILABILITIES = ["in_stock", "out_of_stock", "preorder", "backorder"] as const;

const URL_LIMIT = drop(GOOGLE_LIMITS.url);

function customLabel(place: string) {
  return text("optional", `The item's ${place} custom label.`, { limit: cut(100) });
}

function productLength(axis: string) {
  return measure(
    "optional",
    `The item's ${axis} in cm or in, when its known axes come out in one unit and in range.`,
  );
}

function shippingLength(axis: string) {
  return measure(
    "optional",
    `The parcel's ${axis} in cm or in, when all three axes are known, in one unit and in range.`,
  );
}

export const GOOGLE_FIELD_TABLE = {
  id: "gmc-2026",
  label: "Google Merchant Center product data",
  reference: "https://support.google.com/merchants/answer/7052112",
  observed: "2026-09",
  note: "Merchant Center can fetch the address on a schedule. Quoted fields must be switched on for the data source, as they are for new ones.",
  kinds: GOOGLE_KINDS,
  fields: {
    id: text("required", "The item's id, the same in all four files.", { limit: refuse(GOOGLE_LIMITS.id) }),
    title: text(
      "required",
      "The item's title, followed by the options and differing traits it does not mention already.",
      { limit: cut(GOOGLE_LIMITS.title) },
    ),
    description: text("required", "The item's description, on one line.", {
      limit: cut(GOOGLE_LIMITS.description),
    }),
    link: url("required", "The item's link.", { limit: URL_LIMIT }),
    image_link: url("required", "The item's first image, commas as `%2C`.", { limit: URL_LIMIT }),
    additional_image_link: list("optional", "The item's further images, without repetitions of the first.", {
      limit: URL_LIMIT,
      most: 10,
    }),
    availability: word("required", "The item's availability.", { values: AVAILABILITIES }),
    availability_date: time(
      "conditional",
      "The day from which a pre-order or backorder is delivered, while it is to come.",
    ),
    price: money("required", "The regular price."),
    sale_price: money(
      "optional",
      "The sale price while it is valid, and before that when both ends of its window are known.",
    ),
    sale_price_effective_date: interval(
      "optional",
      "The window of the sale price, when both ends are known.",
    ),
    brand: text("conditional", "The item's brand, unless it is a filler word.", {
      limit: cut(GOOGLE_LIMITS.brand),
    }),
    gtin: list(
      "conditional",
      "The item's GTIN and further ones that the source gives, unless from a range for use inside a shop, coupons or variable measure.",
    ),
    mpn: text("conditional", "The item's manufacturer part number, unless it is a filler word.", {
      limit: drop(70),
    }),
    identifier_exists: flag(
      "optional",
      "`no` when the merchant declared it and the item has neither a GTIN nor brand and part number.",
    ),
    condition: word("conditional", "The item's condition.", { values: CONDITIONS }),
    google_product_category: text("optional", "The item's Google category, id or path as it was given."),
    product_type: list("optional", "The item's category paths, broad to specific with ` > ` between.", {
      limit: cut(750),
    }),
    item_group_id: text(
      "conditional",
      "The group's id when two or more of its items are in the file; prefixed when an item has the same id.",
      { limit: shorten(50) },
    ),
    item_group_title: text("optional", "The group's title, with the group id.", { limit: cut(150) }),
    variant_option: groups("optional", "The item's options, with the group id.", {
      limit: cut(250),
      most: 30,
      parts: ["name", "value"],
      requiredParts: ["name", "value"],
      total: 5_000,
    }),
    color: text("conditional", "The item's color, commas as slashes; left out when it names no color.", {
      limit: cut(100),
    }),
    size: text("conditional", "The item's size, commas as spaces.", { limit: cut(100) }),
    size_type: list("optional", "The item's size type, and a second one that the source gives.", {
      values: SIZE_TYPES,
      most: 2,
    }),
    size_system: word("optional", "The item's size system.", { values: SIZE_SYSTEMS }),
    material: text("conditional", "The item's material.", { limit: cut(200) }),
    pattern: text("conditional", "The item's pattern.", { limit: cut(100) }),
    age_group: word("conditional", "The item's age group.", { values: AGE_GROUPS }),
    gender: word("conditional", "The item's gender.", { values: GENDERS }),
    adult: flag("conditional", "Whether the item is for adults only."),
    multipack: number("conditional", "The number of pieces, from 2."),
    is_bundle: flag("conditional", "Whether the merchant bundled it."),
    unit_pricing_measure: measure(
      "conditional",
      "The item's measure for the unit price, in one of Google's units.",
    ),
    unit_pricing_base_measure: measure(
      "conditional",
      "The measure the unit price refers to, when Google allows it and it is of the same kind.",
    ),
    shipping: groups(
      "conditional",
      "The item's shipping rates in its own currency. A rate without a country is for the item's market, else the catalog's country. A shortest time only with its longest. Rates without a price, for members or for places that Google defines are in no other file.",
      {
        parts: SHIPPING_PARTS,
      },
    ),
    shipping_weight: measure("optional", "The parcel's weight, else the item's own."),
    shipping_length: shippingLength("length"),
    shipping_width: shippingLength("width"),
    shipping_height: shippingLength("height"),
    shipping_label: text("optional", "The item's shipping label.", { limit: drop(100) }),
    product_highlight: list("optional", "The item's highlights, when there are at least two.", {
      limit: cut(150),
      least: 2,
      most: 100,
    }),
    product_detail: groups("optional", "The item's details.", {
      limit: cut(1_000),
      most: 100,
      parts: ["section_name", "attribute_name", "attribute_value"],
      requiredParts: ["attribute_name", "attribute_value"],
      partLimits: { section_name: 140, attribute_name: 140 },
    }),
    product_length: productLength("length"),
    product_width: productLength("width"),
    product_height: productLength("height"),
    product_weight: measure("optional", "The item's own weight."),
    certification: groups("conditional", "The item's certifications.", {
      parts: ["certification_authority", "certification_name", "certification_code", "certification_value"],
      requiredParts: ["certification_authority", "certification_name"],
    }),
    energy_efficiency_class: word("conditional", "The item's energy class.", { values: ENERGY_CLASSES }),
    min_energy_efficiency_class: word("conditional", "The lower end of the label's scale.", {
      values: ENERGY_CLASSES,
    }),
    max_energy_efficiency_class: word("conditional", "The upper end of the label's scale.", {
      values: ENERGY_CLASSES,
    }),
    video_link: list("optional", "The item's videos.", { limit: URL_LIMIT }),
    custom_label_0: customLabel("first"),
    custom_label_1: customLabel("second"),
    custom_label_2: customLabel("third"),
    custom_label_3: customLabel("fourth"),
    custom_label_4: customLabel("fifth"),
    expiration_date: time("optional", "When the item's offer ends."),
    short_title: text("optional", "The item's short title.", { limit: cut(150) }),
    mobile_link: url("optional", "The item's mobile link.", { limit: URL_LIMIT }),
    canonical_link: url("optional", "The item's canonical link.", { limit: URL_LIMIT }),
    ...PASSED_FIELDS,
  },
  refusals: GOOGLE_REFUSALS,
} as const satisfies FieldTable;

export type GoogleFieldName = keyof typeof GOOGLE_FIELD_TABLE.fields;
