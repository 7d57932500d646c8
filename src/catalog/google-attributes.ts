/**
 * The attributes of Google's product data specification (2026) that items have no field for: their names, the form of
 * their values and Google's limits. This table is their only declaration. The readers split cells by it, `normalize`
 * checks values by it, and the profile of `gmc.tsv` makes its columns from it.
 *
 * Attributes that have a field of an item are not here, except in `GOOGLE_SURPLUS`, which has the values that such a
 * field cannot hold. `tax` and `tax_category` left the specification, and the attributes of vehicles and homes have
 * specifications of their own.
 */
import { GOOGLE_LIMITS } from "./google-limits.ts";
import {
  clock,
  code,
  country,
  decimal,
  flag,
  type GoogleAttribute,
  groups,
  interval,
  list,
  optional,
  money,
  required,
  number,
  one,
  percentage,
  wordsWithAliases,
  text,
  time,
  url,
  words,
} from "./google-form.ts";
import { GOOGLE_SURPLUS } from "./google-surplus.ts";

/** The destinations with their former names, which Google still takes. */
const destination = wordsWithAliases({
  Shopping_ads: ["shopping"],
  Display_ads: ["dynamic remarketing", "remarketing"],
  Local_inventory_ads: ["local shopping"],
  Free_listings: ["surfaces across google", "surfaces"],
  Free_local_listings: ["local surfaces across google"],
  YouTube_Shopping: [],
  YouTube_Shopping_checkout: [],
  YouTube_affiliate: [],
  Buy_on_Google_listings: ["shopping actions", "buy on google"],
  Cloud_retail: [],
  Local_cloud_retail: [],
});

const structuredText = (longest: number) =>
  groups(
    {
      digital_source_type: optional(words("default trained_algorithmic_media")),
      content: required(text(longest)),
    },
    { most: 1, orders: ["content", "digital_source_type content"] },
  );

const businessDays = groups(
  { country: optional(country), business_days: required(code(200)) },
  { most: 10, orders: ["business_days", "country business_days"] },
);

/** In the order of the columns. */
export const GOOGLE_ATTRIBUTES = {
  // basic product data
  structured_title: structuredText(GOOGLE_LIMITS.title),
  structured_description: structuredText(GOOGLE_LIMITS.description),
  lifestyle_image_link: list(url, "lifestyle_image_links"),
  virtual_model_link: one(url),
  document_link: list(url, "document_links", 5),
  // where and whether Google shows the item
  pause: one(words("ads all")),
  excluded_destination: list(destination, "excluded_destinations"),
  included_destination: list(destination, "included_destinations"),
  shopping_ads_excluded_country: list(country, "shopping_ads_excluded_countries", 300),
  disclosure_date: one(time),
  external_seller_id: one(code(50)),
  // price
  cost_of_goods_sold: one(money),
  auto_pricing_min_price: one(money),
  maximum_retail_price: one(money),
  installment: groups(
    {
      months: required(number(1)),
      amount: required(money),
      downpayment: optional(money),
      credit_type: optional(words("finance lease")),
      annual_percentage_rate: optional(decimal),
      total_amount: optional(money),
    },
    { most: 1 },
  ),
  subscription_cost: groups(
    {
      period: required(words("week month year")),
      period_length: required(number(1)),
      amount: required(money),
    },
    { most: 1 },
  ),
  loyalty_program: groups(
    {
      program_label: optional(code(100)),
      tier_label: optional(code(100)),
      price: optional(money),
      cashback_for_future_use: optional(money),
      loyalty_points: optional(number(0)),
      member_price_effective_date: optional(interval),
      shipping_label: optional(code(100)),
    },
    { aliases: "loyalty_programs" },
  ),
  loyalty_points: groups(
    { name: optional(text(24)), points_value: required(number(0)), ratio: optional(decimal) },
    { most: 1, orders: ["points_value", "name points_value", "name points_value ratio"] },
  ),
  // details
  question_and_answer: groups(
    { question: required(text(1_000)), answer: required(text(1_000)) },
    { aliases: "questions_and_answers", most: 30, longest: 10_000 },
  ),
  related_product: groups(
    {
      relationship_type: required(
        words("part_of_set required_part often_bought_with substitute different_brand accessory"),
      ),
      identifier_type: required(words("gtin id")),
      identifier: required(code(50)),
    },
    { aliases: "related_products", most: 30 },
  ),
  popularity_rank: one(percentage),
  // campaigns
  promotion_id: list(code(50), "promotion_ids", 10),
  ads_redirect: one(url, "adwords_redirect"),
  ads_grouping: one(code(100), "adwords_grouping"),
  ads_labels: list(code(100), "ads_label adwords_labels"),
  display_ads_id: one(code(100)),
  display_ads_title: one(text(150)),
  display_ads_link: one(url),
  display_ads_value: one(decimal),
  display_ads_similar_id: list(code(100), "display_ads_similar_ids", 10),
  // shipping and returns
  ships_from_country: one(country),
  min_handling_time: one(number(0)),
  max_handling_time: one(number(0)),
  transit_time_label: one(code(100)),
  free_shipping_threshold: groups(
    { country: required(country), price_threshold: required(money) },
    { aliases: "free_shipping_thresholds" },
  ),
  minimum_order_value: groups(
    {
      country: required(country),
      service: optional(code(100)),
      surface: optional(words("online local online_local")),
      price: required(money),
    },
    { aliases: "minimum_order_values", orders: ["country price", "country service surface price"] },
  ),
  handling_cutoff_time: groups(
    {
      country: optional(country),
      cutoff_time: required(clock),
      cutoff_timezone: optional(code(100)),
      disable_delivery_after_cutoff: optional(flag),
    },
    {
      aliases: "handling_cutoff_times",
      orders: [
        "cutoff_time",
        "country cutoff_time",
        "country cutoff_time cutoff_timezone",
        "country cutoff_time cutoff_timezone disable_delivery_after_cutoff",
      ],
    },
  ),
  shipping_handling_business_days: businessDays,
  shipping_transit_business_days: businessDays,
  carrier_shipping: groups(
    {
      country: required(country),
      region: optional(code(100)),
      postal_code: optional(code(100)),
      location_id: optional(code(100)),
      origin_postal_code: optional(code(20)),
      flat_price: optional(money),
      carrier_price: optional(code(100)),
      // Both may be negative, which `money` and `decimal` do not allow.
      carrier_price_flat_adjustment: optional(code(30)),
      carrier_price_percentage_adjustment: optional(code(30)),
      min_handling_time: optional(number(0)),
      max_handling_time: optional(number(0)),
      fixed_min_transit_time: optional(number(0)),
      fixed_max_transit_time: optional(number(0)),
      carrier_transit_time: optional(code(100)),
      loyalty_program_label: optional(code(100)),
      loyalty_tier_label: optional(code(100)),
    },
    {
      exclusive: "region postal_code location_id",
      // Google's own sample; it documents no other order.
      orders: [
        "country origin_postal_code carrier_price min_handling_time max_handling_time fixed_min_transit_time fixed_max_transit_time",
      ],
    },
  ),
  return: groups(
    {
      country: required(country),
      window_days: optional(number(0)),
      item_condition: required(words("NEW LIKE_NEW USED DEFECTIVE_ONLY")),
      method: required(words("BY_MAIL IN_STORE AT_A_KIOSK DROP_OFF_LOCATION")),
      shipping_fee: optional(money),
      window_type: optional(words("FINITE_RETURN_WINDOW NO_RETURNS LIFETIME")),
      outcome: optional(words("REFUND EXCHANGE STORE_CREDIT")),
      shipping_fee_type: optional(words("DEDUCTED_FROM_REFUND CUSTOMER_RESPONSIBILITY")),
      restocking_fee: optional(money),
      restocking_percentage_fee: optional(decimal),
      policy_url: optional(url),
    },
    {
      orders: ["country window_days item_condition method shipping_fee"],
      exclusive: "restocking_fee restocking_percentage_fee",
    },
  ),
  return_policy_label: one(code(100)),
  // local stores
  store_code: one(code(64)),
  pickup_method: one(code(50)),
  pickup_sla: one(code(50)),
  pickup_cost: groups({ flat_rate: required(money), free_threshold: optional(money) }, { most: 1 }),
  link_template: one(code(GOOGLE_LIMITS.url)),
  mobile_link_template: one(code(GOOGLE_LIMITS.url)),
  pickup_link_template: one(code(GOOGLE_LIMITS.url)),
  mobile_pickup_link_template: one(code(GOOGLE_LIMITS.url)),
  // of programs that Google has ended or limits to a few
  sell_on_google_quantity: one(number(0)),
  sustainability_incentive: groups(
    {
      type: required(words("ev_tax_credit ev_price_discount")),
      amount: optional(money),
      percentage: optional(decimal),
    },
    {
      aliases: "sustainability_incentives",
      orders: [],
      anyOf: "amount percentage",
      exclusive: "amount percentage",
    },
  ),
} as const satisfies Readonly<Record<string, GoogleAttribute>>;

export type GoogleColumn = keyof typeof GOOGLE_ATTRIBUTES;
export type GoogleName = GoogleColumn | keyof typeof GOOGLE_SURPLUS;

/** Both tables, for code that goes through all attributes. */
export const GOOGLE_TABLE: Readonly<Record<GoogleName, GoogleAttribute>> = {
  ...GOOGLE_ATTRIBUTES,
  ...GOOGLE_SURPLUS,
};

/** In the order of the tables. */
export const GOOGLE_COLUMNS = Object.keys(GOOGLE_ATTRIBUTES) as readonly GoogleColumn[];
export const GOOGLE_NAMES = Object.keys(GOOGLE_TABLE) as readonly GoogleName[];

const BY_NAME: ReadonlyMap<string, GoogleColumn> = new Map(
  GOOGLE_COLUMNS.flatMap((name) =>
    [name, ...GOOGLE_TABLE[name].aliases].map((known) => [known, name] as const),
  ),
);

/** The attribute with this name or alias, or undefined. */
export function googleNamed(name: string): GoogleColumn | undefined {
  return BY_NAME.get(name);
}

/** One group: the names of its parts and their texts. */
export type GoogleGroup = Readonly<Record<string, string>>;

/** Texts in the form in which `gmc.tsv` has them. */
export type GoogleValue = string | readonly string[] | readonly GoogleGroup[];

/** The attributes of an item, in the order of the table. */
export type GoogleValues = { readonly [Name in GoogleName]?: GoogleValue };

/** One value as a source has it. A group that could not be split into its parts is a text. */
export type GoogleRawValue = string | GoogleGroup;

/** The values of each attribute as a source has them. */
export type GoogleDraft = { readonly [Name in GoogleName]?: readonly GoogleRawValue[] };
