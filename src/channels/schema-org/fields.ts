/**
 * schema.org release 30.0 as we use it: the nodes of `jsonld.json`, their properties in the order in which they are
 * written, and our values in schema.org's words. The requirements are those of Google's merchant listings, the
 * strictest reader; schema.org itself requires nothing, so every item is in the file.
 */
import type {
  AgeGroup,
  Condition,
  LengthUnit,
  SizeSystem,
  SizeType,
  WeightUnit,
} from "../../catalog/item.ts";
import { addressRefusals, type FieldTable, fieldKinds } from "../kit/field-table.ts";

export const SCHEMA_ORG = "https://schema.org";

const KINDS = {
  text: "Text.",
  url: "Absolute address.",
  urls: "List of absolute addresses.",
  word: "A member of a schema.org enumeration, as a full address.",
  amount: "Decimal amount as text, with the digits of the other files.",
  time: "ISO 8601 instant.",
  node: "A nested object, or a reference to a shared node.",
  nodes: "A list of nested objects.",
} as const;

const { text, url, urls, word, amount, time, node, nodes } = fieldKinds(KINDS);

export const SCHEMA_ORG_FIELD_TABLE = {
  id: "schema-org-30.0",
  label: "schema.org JSON-LD",
  reference: "https://developers.google.com/search/docs/appearance/structured-data/merchant-listing",
  observed: "2026-07-07",
  note: "Search engines read markup in product pages, not a file of a whole catalog. The file is for agents, for other readers, and for the shop's own pages: each line can be put into a `<script>` element as it is.\n\nEvery item is in this file: schema.org requires nothing. The needs and refusals below are those of Google's merchant listings.\n\nThe graph begins with a `DataFeed`, the `OnlineStore` and, when its terms are known, the store's `MerchantReturnPolicy`.",
  kinds: KINDS,
  types: {
    Product: {
      name: text(
        "required",
        "The item's title, followed by the options and differing traits it does not mention already; never cut.",
      ),
      description: text("optional", "The item's description, with its line breaks; never cut."),
      url: url("optional", "The item's link."),
      image: urls("required", "The item's images."),
      productID: text("optional", "The item's id, the same in all four files."),
      sku: text(
        "optional",
        "The item's SKU, else its id; the id, too, where variants of a group share one SKU. Left out when it has white space.",
      ),
      gtin8: text("optional", "The item's GTIN of 8 digits."),
      gtin12: text("optional", "The item's GTIN of 12 digits."),
      gtin13: text("optional", "The item's GTIN of 13 digits."),
      gtin14: text("optional", "The item's GTIN of 14 digits."),
      mpn: text("optional", "The item's manufacturer part number, unless it is a filler word."),
      brand: node("optional", "A `Brand` with the item's brand as name."),
      category: nodes("optional", "The item's category paths, then its Google category as a `CategoryCode`."),
      color: text("optional", "The item's color."),
      size: node("optional", "The item's size; a `SizeSpecification` when its system or type is known."),
      material: text("optional", "The item's material."),
      pattern: text("optional", "The item's pattern."),
      audience: node("optional", "A `PeopleAudience` from the item's gender and age group."),
      weight: node("optional", "The item's own weight."),
      depth: node("optional", "The item's length."),
      width: node("optional", "The item's width."),
      height: node("optional", "The item's height."),
      additionalProperty: nodes(
        "optional",
        "The options that are not a color, size, material or pattern, then the details.",
      ),
      hasCertification: nodes("optional", "The item's certifications, at most ten.", { most: 10 }),
      hasEnergyConsumptionDetails: node("optional", "The item's energy class."),
      hasAdultConsideration: word("conditional", "Stated when the item is for adults only."),
      aggregateRating: node(
        "optional",
        "The item's rating, when it is from 1 to 5 and there is at least one review.",
      ),
      inProductGroupWithID: text("conditional", "The group's id."),
      isVariantOf: node("conditional", "The group itself, when it is too large to hold its variants."),
      offers: node("required", "The `Offer` below."),
    },
    Offer: {
      url: url("optional", "The item's link."),
      price: amount(
        "required",
        "What is to be paid now; inside `priceSpecification` when there is a unit price.",
      ),
      priceCurrency: text("required", "The currency of the price; inside `priceSpecification` likewise."),
      priceSpecification: node(
        "conditional",
        "The regular price while a sale is on; the unit price with its measures.",
      ),
      validFrom: time("optional", "When the running sale began, if known."),
      priceValidUntil: time("optional", "When the running sale ends, if known; never made up."),
      availability: word("optional", "The item's availability; left out when unknown."),
      availabilityStarts: time("optional", "The day from which a pre-order or backorder is delivered."),
      itemCondition: word("optional", "The item's condition."),
      shippingDetails: nodes(
        "optional",
        "The shipping rates that are complete: a country and an area that can be named, price, and longest handling and transit times.",
      ),
      hasMerchantReturnPolicy: node(
        "optional",
        "The catalog's policy, or the item's own, when country and terms are known.",
      ),
      seller: node("optional", "The store."),
    },
    ProductGroup: {
      name: text("required", "The group's title, else the title of its first item."),
      description: text("optional", "The description, when all variants have the same."),
      url: url("optional", "The canonical link, when all variants have the same."),
      productGroupID: text("required", "The group's id; prefixed when an item has the same id."),
      brand: node("optional", "The brand, when all variants have the same."),
      variesBy: urls(
        "optional",
        "Which of color, size, material, pattern, age and gender all variants have and differ in.",
      ),
      hasVariant: nodes("required", "The variants, each a `Product`."),
    },
  },
  refusals: {
    missing_image: { field: "image", message: "The item has no image, which merchant listings require." },
    ...addressRefusals({ link: "url", image: "image" }),
    price_not_positive: {
      field: "price",
      message: "The price is zero; merchant listings take only positive prices.",
    },
  },
} as const satisfies FieldTable;

export type ProductProperty = keyof typeof SCHEMA_ORG_FIELD_TABLE.types.Product;
export type OfferProperty = keyof typeof SCHEMA_ORG_FIELD_TABLE.types.Offer;
export type GroupProperty = keyof typeof SCHEMA_ORG_FIELD_TABLE.types.ProductGroup;

/** An unknown availability is not stated. */
export const AVAILABILITY_TERMS = {
  in_stock: "InStock",
  out_of_stock: "OutOfStock",
  preorder: "PreOrder",
  backorder: "BackOrder",
  unknown: undefined,
} as const;

export const CONDITION_TERMS: Readonly<Record<Condition, string>> = {
  new: "NewCondition",
  refurbished: "RefurbishedCondition",
  used: "UsedCondition",
};

/** Years, as Google reads its own age groups; adults have no upper end. */
export const AGE_YEARS: Readonly<Record<AgeGroup, { readonly min: number; readonly max?: number }>> = {
  newborn: { min: 0, max: 0.25 },
  infant: { min: 0.25, max: 1 },
  toddler: { min: 1, max: 5 },
  kids: { min: 5, max: 13 },
  adult: { min: 13 },
};

/** A plain word where schema.org has no term. */
export const GENDER_TERMS = {
  male: `${SCHEMA_ORG}/Male`,
  female: `${SCHEMA_ORG}/Female`,
  unisex: "unisex",
} as const;

export const SIZE_GROUP_TERMS: Readonly<Record<SizeType, string>> = {
  regular: "WearableSizeGroupRegular",
  petite: "WearableSizeGroupPetite",
  plus: "WearableSizeGroupPlus",
  tall: "WearableSizeGroupTall",
  big: "WearableSizeGroupBig",
  maternity: "WearableSizeGroupMaternity",
};

export const SIZE_SYSTEM_TERMS: Readonly<Record<SizeSystem, string>> = {
  US: "WearableSizeSystemUS",
  UK: "WearableSizeSystemUK",
  EU: "WearableSizeSystemEurope",
  DE: "WearableSizeSystemDE",
  FR: "WearableSizeSystemFR",
  JP: "WearableSizeSystemJP",
  CN: "WearableSizeSystemCN",
  IT: "WearableSizeSystemIT",
  BR: "WearableSizeSystemBR",
  MEX: "WearableSizeSystemMX",
  AU: "WearableSizeSystemAU",
};

/** UN/CEFACT common codes. */
export const UNIT_CODES: Readonly<Record<WeightUnit | LengthUnit, string>> = {
  g: "GRM",
  kg: "KGM",
  oz: "ONZ",
  lb: "LBR",
  mm: "MMT",
  cm: "CMT",
  m: "MTR",
  in: "INH",
  ft: "FOT",
};

/** Units of unit prices that Google does not read in markup. */
export const UNITS_NOT_IN_MARKUP: ReadonlySet<string> = new Set(["sheet", "item"]);

export const ENERGY_TERMS: ReadonlyMap<string, string> = new Map([
  ["A+++", "A3Plus"],
  ["A++", "A2Plus"],
  ["A+", "A1Plus"],
  ...["A", "B", "C", "D", "E", "F", "G"].map((letter) => [letter, letter] as const),
]);

/**
 * The countries for which Google reads a region or a postal code of a shipping destination. For other countries Google
 * reads only the country.
 */
export const REGION_COUNTRIES: ReadonlySet<string> = new Set(["US", "AU", "JP"]);
export const POSTAL_CODE_COUNTRIES: ReadonlySet<string> = new Set(["AU", "CA", "US"]);

export const GOOGLE_TAXONOMY = "https://www.google.com/basepages/producttype/taxonomy-with-ids.en-US.txt";
export const MAX_RETURN_COUNTRIES = 50;
