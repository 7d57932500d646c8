/**
 * The attributes of Google's file: those of the profile, and those that Google documents and our items never fill.
 * The latter are here only so that other people's files can be read: their kind decides how a cell is taken apart.
 */
import { GMC_2026, type GmcKind } from "../../profiles/gmc-2026.ts";
import { drop, fieldOf } from "../../profiles/field.ts";
import { type Field, namesOf } from "../../profiles/profile.ts";

export type Attribute = Field & { readonly name: string; readonly kind: GmcKind };

const text = fieldOf("text")("optional", null);
const url = fieldOf("url")("optional", null, { limit: drop(2000) });
const money = fieldOf("money")("optional", null);
const number = fieldOf("number")("optional", null);
const list = fieldOf("list")("optional", null);
const groups = (parts: string) => fieldOf("groups")("optional", null, { parts: parts.split(" ") });
const words = (values: string) => fieldOf("word")("optional", null, { values: values.split(" ") });
const destinations = fieldOf("list")("optional", null, {
  values:
    "Shopping_ads Display_ads Local_inventory_ads Free_listings Free_local_listings YouTube_Shopping Buy_on_Google_listings".split(
      " ",
    ),
});

type Unnamed = Field & { readonly kind: GmcKind };

const UNWRITTEN: Readonly<Record<string, Unnamed>> = {
  structured_title: groups("digital_source_type content"),
  structured_description: groups("digital_source_type content"),
  lifestyle_image_link: list,
  virtual_model_link: url,
  cost_of_goods_sold: money,
  auto_pricing_min_price: money,
  maximum_retail_price: money,
  installment: groups("months amount downpayment credit_type"),
  subscription_cost: groups("period period_length amount"),
  loyalty_program: groups(
    "program_label tier_label price cashback_for_future_use loyalty_points member_price_effective_date shipping_label",
  ),
  document_link: list,
  question_and_answer: groups("question answer"),
  related_product: groups("relationship_type identifier_type identifier"),
  popularity_rank: text,
  promotion_id: list,
  ads_redirect: url,
  ads_grouping: text,
  ads_labels: list,
  external_seller_id: text,
  excluded_destination: destinations,
  included_destination: destinations,
  shopping_ads_excluded_country: list,
  pause: words("ads all"),
  free_shipping_threshold: groups("country price_threshold"),
  carrier_shipping: groups(
    "country region postal_code origin_postal_code flat_price carrier_price carrier_price_flat_adjustment carrier_price_percentage_adjustment min_handling_time max_handling_time fixed_min_transit_time fixed_max_transit_time carrier_transit_time",
  ),
  return_policy_label: text,
  transit_time_label: text,
  ships_from_country: text,
  min_handling_time: number,
  max_handling_time: number,
  shipping_handling_business_days: groups("country business_days"),
  shipping_transit_business_days: groups("country business_days"),
  handling_cutoff_time: groups("country cutoff_time cutoff_timezone disable_delivery_after_cutoff"),
  minimum_order_value: groups("country service surface price"),
  return: groups(
    "country window_days item_condition method shipping_fee outcome window_type shipping_fee_type restocking_fee restocking_percentage_fee policy_url",
  ),
  tax: groups("country region postal_code location_id rate tax_ship"),
  tax_category: text,
  display_ads_id: text,
  display_ads_title: text,
  display_ads_link: url,
  display_ads_value: text,
  display_ads_similar_id: list,
  store_code: text,
  pickup_method: text,
  pickup_sla: text,
  pickup_cost: money,
  link_template: text,
  mobile_link_template: text,
  sell_on_google_quantity: number,
  disclosure_date: text,
  loyalty_points: groups("name points_value ratio"),
  sustainability_incentive: groups("type amount percentage"),
  cloud_export_additional_properties: text,
  pickup_link_template: text,
  mobile_pickup_link_template: text,
  quantity: number,
  instore_product_location: text,
  local_shipping_label: text,
};

/** Sub-attributes that Google takes beside those we write. */
const MORE_PARTS: Readonly<Record<string, readonly string[]>> = {
  shipping: [
    "location_id",
    "location_group_name",
    "loyalty_program_label",
    "loyalty_tier_label",
    "handling_cutoff_time",
    "handling_cutoff_timezone",
    "shipping_transit_business_days",
    "shipping_handling_business_days",
  ],
  carrier_shipping: ["location_id", "loyalty_program_label", "loyalty_tier_label"],
  certification: ["certification_value"],
};

/** Google's own order where a header names none. It documents one for shipping that differs from ours. */
const DEFAULT_PARTS: Readonly<Record<string, readonly string[]>> = {
  shipping: [
    "country",
    "region",
    "service",
    "price",
    "min_handling_time",
    "max_handling_time",
    "min_transit_time",
    "max_transit_time",
  ],
};

/** Attributes whose samples contradict the order that Google documents for a header without sub-attributes. */
const UNCLEAR_ORDER: ReadonlySet<string> = new Set([
  "carrier_shipping",
  "handling_cutoff_time",
  "minimum_order_value",
  "return",
]);

/** Attributes whose header is one column but whose rule is Google's: several values are allowed in a cell. */
const REPEATED: ReadonlySet<string> = new Set(["gtin", "size_type"]);

const TABLE: Readonly<Record<string, Unnamed>> = { ...UNWRITTEN, ...GMC_2026.fields };

export const ATTRIBUTES: ReadonlyMap<string, Attribute> = new Map(
  namesOf(TABLE).flatMap((name) => {
    const field = TABLE[name];
    return field === undefined ? [] : [[name, { name, ...field }] as const];
  }),
);

export type CellKind = "text" | "list" | "groups";

/** How the cells of an attribute are taken apart; a column nobody knows is plain text. */
export function cellKind(name: string): CellKind {
  const kind = ATTRIBUTES.get(name)?.kind;
  if (kind === "groups") return "groups";
  return kind === "list" || REPEATED.has(name) ? "list" : "text";
}

export function isKnownPart({ name, parts = [] }: Attribute, part: string): boolean {
  return parts.includes(part) || MORE_PARTS[name]?.includes(part) === true;
}

/** Whether it is not clear what a group of the attribute holds where the header does not say so. */
export function isOrderUnclear({ name }: Attribute): boolean {
  return UNCLEAR_ORDER.has(name);
}

export function defaultParts({ name, parts = [] }: Attribute): readonly string[] {
  return DEFAULT_PARTS[name] ?? parts;
}
