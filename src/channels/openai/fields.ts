/**
 * OpenAI's flat product rows as documented in September 2026: nine required fields, and the fields
 * of earlier revisions. OpenAI has no version numbers, so the table's id is ours. The order of the fields is
 * the order of the columns of `acp.csv` and of the keys in `acp.json`.
 */
import {
  AGE_GROUPS,
  CONDITIONS,
  GENDERS,
  LENGTH_UNITS,
  SIZE_SYSTEMS,
  WEIGHT_UNITS,
} from "../../catalog/item.ts";
import { addressRefusals, cut, fieldKinds, keep } from "../kit/field-table.ts";
import type { FieldTable } from "../kit/field-table.ts";

const KINDS = {
  text: "Text as it is. CSV: quoted when it has a comma, a quote or a line break. JSON: string.",
  url: "Absolute http or https address. JSON: string.",
  urls: "Addresses, commas inside one written as `%2C`. CSV: joined by commas. JSON: array of strings.",
  money: "Decimal amount, a space, ISO 4217 code: `18.00 USD`. JSON: string.",
  word: "One word of a closed list. JSON: string.",
  boolean: "`true` or `false`. JSON: boolean.",
  integer: "Whole number. JSON: number.",
  decimal: "Decimal number with a point. JSON: string.",
  object: "Object of strings. CSV: compact JSON in the cell. JSON: object.",
  countries: "ISO 3166-1 codes. CSV: joined by commas. JSON: array of strings.",
} as const;

export const OPENAI_KIND = fieldKinds(KINDS);
const { text, url, word, money, boolean, object, decimal, urls, integer, countries } = OPENAI_KIND;

/** Our availability in OpenAI's spelling. */
export const OPENAI_AVAILABILITY = {
  in_stock: "in_stock",
  out_of_stock: "out_of_stock",
  preorder: "pre_order",
  backorder: "backorder",
  unknown: "unknown",
} as const;

export const OPENAI_FIELD_TABLE = {
  id: "openai-flat-2026-09",
  label: "OpenAI product feed, flat rows",
  reference: "https://developers.openai.com/commerce/specs/file-upload/products",
  observed: "2026-10-02",
  note: "OpenAI does not fetch feed addresses: approved merchants upload the file, which a [destination](destinations.md) does. A standard upload is for the US market, whatever the rows say.",
  kinds: KINDS,
  fields: {
    item_id: text("required", "The item's id, the same in all four files.", { limit: keep(100) }),
    title: text(
      "required",
      "The item's title, followed by the options and differing traits it does not mention already.",
      { limit: cut(150) },
    ),
    description: text(
      "required",
      "The item's description, with its line breaks; never a copy of the title.",
      { limit: cut(5_000) },
    ),
    url: url("required", "The item's link."),
    brand: text("required", "The item's brand, unless it is a filler word.", {
      limit: keep(70),
    }),
    seller_name: text("required", "The catalog's seller name, else the catalog's name.", { limit: keep(70) }),
    image_url: url("required", "The item's first image."),
    availability: word(
      "required",
      "The item's availability; `pre_order` for a pre-order, `unknown` where the source has no stock data.",
      { values: Object.values(OPENAI_AVAILABILITY) },
    ),
    price: money("required", "The regular price."),
    is_eligible_search: boolean("optional", "The catalog's setting; `true` unless switched off."),
    is_eligible_checkout: boolean(
      "conditional",
      "`true` only when the catalog asks for it, search is on, and the privacy policy and terms are set; else `false`.",
    ),
    is_ads_eligible: boolean("conditional", "The catalog's setting; absent while it is not set."),
    ads_metadata: object(
      "optional",
      "The item's custom labels as `custom_label_0` to `custom_label_4`, only while the catalog is eligible for ads.",
    ),
    group_id: text(
      "conditional",
      "The group's id when two or more of its items are in the file; prefixed when an item has the same id.",
      { limit: keep(70) },
    ),
    listing_has_variations: boolean("conditional", "`true` on every row that has a group id."),
    variant_dict: object(
      "conditional",
      "The item's options; where it has none, its color, size, material, age group, gender, pattern and size type. Only with a group id.",
    ),
    offer_id: text("optional", "The catalog's slug, a hyphen and the item's id."),
    gtin: text("optional", "The item's GTIN; its check digit has been verified."),
    mpn: text("optional", "The item's manufacturer part number, unless it is a filler word.", {
      limit: keep(70),
    }),
    condition: word("optional", "The item's condition.", { values: CONDITIONS }),
    product_category: text(
      "optional",
      "The item's first category path, else its Google category when that is a path and not a number.",
    ),
    material: text("optional", "The item's material, unless it is a filler word.", { limit: keep(100) }),
    color: text("optional", "The item's color, unless it is a filler word.", { limit: keep(40) }),
    size: text("optional", "The item's size, unless it is a filler word.", { limit: keep(20) }),
    size_system: word("arranged", "The item's size system.", { values: SIZE_SYSTEMS }),
    gender: word("optional", "The item's gender.", { values: GENDERS }),
    age_group: word("optional", "The item's age group.", { values: AGE_GROUPS }),
    dimensions: object(
      "optional",
      "The item's length, width and height, when at least two are known and all share one unit.",
      { parts: ["length", "width", "height", "unit"], values: LENGTH_UNITS },
    ),
    weight: decimal("optional", "The item's own weight, without packaging."),
    item_weight_unit: word("conditional", "The unit of that weight.", { values: WEIGHT_UNITS }),
    additional_image_urls: urls("optional", "The item's further images, without repetitions of the first."),
    sale_price: money("optional", "The sale price while it is valid at the time of the snapshot."),
    shipping_price: money(
      "optional",
      "The shipping charge, when all rates agree on it, none is for a part of a country, and it is in the item's currency.",
    ),
    seller_url: url("optional", "The catalog's store address."),
    seller_privacy_policy: url("conditional", "The catalog's privacy policy address."),
    seller_tos: url("conditional", "The address of the catalog's terms."),
    marketplace_seller: text("arranged", null),
    accepts_returns: boolean("optional", "Whether the item can be returned, else the catalog's setting."),
    return_deadline_in_days: integer(
      "optional",
      "The item's return window, else the catalog's; only where returns are accepted.",
    ),
    return_policy: url("optional", "The item's return policy address, else the catalog's."),
    accepts_exchanges: boolean("arranged", null),
    review_count: integer("optional", "The number of the item's reviews."),
    star_rating: decimal(
      "optional",
      "The item's rating from 0 to 5 with two decimals; only where there are reviews.",
    ),
    store_review_count: integer("arranged", null),
    store_star_rating: decimal("arranged", null),
    is_digital: boolean("arranged", "Whether the item is digital."),
    target_countries: countries("arranged", "The catalog's target countries."),
    store_country: word("arranged", "The catalog's country."),
  },
  refusals: {
    placeholder_title: { field: "title", message: "The title is a filler word, not a name." },
    missing_description: {
      field: "description",
      message: "The item has no description, or only a filler word; OpenAI requires one.",
    },
    missing_brand: {
      field: "brand",
      message: "The item has no brand, or only a filler word; OpenAI requires one.",
    },
    missing_seller_name: { field: "seller_name", message: "There is no seller name, which OpenAI requires." },
    missing_link: { field: "url", message: "The item has no link, which OpenAI requires." },
    missing_image: { field: "image_url", message: "The item has no image, which OpenAI requires." },
    ...addressRefusals({ link: "url", image: "image_url" }),
    price_not_positive: { field: "price", message: "The price is zero; OpenAI takes only positive prices." },
  },
} as const satisfies FieldTable;

export type OpenaiFieldName = keyof typeof OPENAI_FIELD_TABLE.fields;
export type OpenaiKind = keyof typeof KINDS;
