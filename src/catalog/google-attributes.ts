/**
 * The attributes of Google's product data specification (2026) that items have no field for: their names, the form of
 * their values and Google's limits. This table is their only declaration. The readers split cells by it, `normalize`
 * checks values by it, and the profile of `gmc.tsv` makes its columns from it.
 *
 * Attributes that have a field of an item are not here, except in `GOOGLE_SURPLUS`, which has the values that such a
 * field cannot hold. `tax` and `tax_category` left the specification, and the attributes of vehicles and homes have
 * specifications of their own.
 */
import { CHANNEL_LIMITS } from "./channel-limits.ts";
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
  may,
  money,
  must,
  number,
  one,
  percentage,
  spelled,
  text,
  time,
  url,
  words,
} from "./google-form.ts";
import { GOOGLE_SURPLUS } from "./google-surplus.ts";

/** The destinations with the names they had before; Google still takes those. */
const destination = spelled({
  Shopping_ads: "shopping",
  Display_ads: "dynamic remarketing, remarketing",
  Local_inventory_ads: "local shopping",
  Free_listings: "surfaces across google, surfaces",
  Free_local_listings: "local surfaces across google",
  YouTube_Shopping: "",
  YouTube_Shopping_checkout: "",
  YouTube_affiliate: "",
  Buy_on_Google_listings: "shopping actions, buy on google",
  Cloud_retail: "",
  Local_cloud_retail: "",
});

const structuredText = (longest: number) =>
  groups(
    {
      digital_source_type: may(words("default trained_algorithmic_media")),
      content: must(text(longest)),
    },
    { most: 1, orders: ["content", "digital_source_type content"] },
  );

const businessDays = groups(
  { country: may(country), business_days: must(code(200)) },
  { most: 10, orders: ["business_days", "country business_days"] },
);

/** In the order of the columns. */
export const GOOGLE_ATTRIBUTES = {
  // basic product data
  structured_title: structuredText(CHANNEL_LIMITS.title),
  structured_description: structuredText(CHANNEL_LIMITS.description),
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
      months: must(number(1)),
      amount: must(money),
      downpayment: may(money),
      credit_type: may(words("finance lease")),
      annual_percentage_rate: may(decimal),
      total_amount: may(money),
    },
    { most: 1 },
  ),
  subscription_cost: groups(
    { period: must(words("week month year")), period_length: must(number(1)), amount: must(money) },
    { most: 1 },
  ),
  loyalty_program: groups(
    {
      program_label: may(code(100)),
      tier_label: may(code(100)),
      price: may(money),
      cashback_for_future_use: may(money),
      loyalty_points: may(number(0)),
      member_price_effective_date: may(interval),
      shipping_label: may(code(100)),
    },
    { aliases: "loyalty_programs" },
  ),
  loyalty_points: groups(
    { name: may(text(24)), points_value: must(number(0)), ratio: may(decimal) },
    { most: 1, orders: ["points_value", "name points_value", "name points_value ratio"] },
  ),
  // details
  question_and_answer: groups(
    { question: must(text(1_000)), answer: must(text(1_000)) },
    { aliases: "questions_and_answers", most: 30, longest: 10_000 },
  ),
  related_product: groups(
    {
      relationship_type: must(
        words("part_of_set required_part often_bought_with substitute different_brand accessory"),
      ),
      identifier_type: must(words("gtin id")),
      identifier: must(code(50)),
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
    { country: must(country), price_threshold: must(money) },
    { aliases: "free_shipping_thresholds" },
  ),
  minimum_order_value: groups(
    {
      country: must(country),
      service: may(code(100)),
      surface: may(words("online local online_local")),
      price: must(money),
    },
    { aliases: "minimum_order_values", orders: ["country price", "country service surface price"] },
  ),
  handling_cutoff_time: groups(
    {
      country: may(country),
      cutoff_time: must(clock),
      cutoff_timezone: may(code(100)),
      disable_delivery_after_cutoff: may(flag),
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
      country: must(country),
      region: may(code(100)),
      postal_code: may(code(100)),
      location_id: may(code(100)),
      origin_postal_code: may(code(20)),
      flat_price: may(money),
      carrier_price: may(code(100)),
      // Either may be negative, which no amount here is: they are kept as written.
      carrier_price_flat_adjustment: may(code(30)),
      carrier_price_percentage_adjustment: may(code(30)),
      min_handling_time: may(number(0)),
      max_handling_time: may(number(0)),
      fixed_min_transit_time: may(number(0)),
      fixed_max_transit_time: may(number(0)),
      carrier_transit_time: may(code(100)),
      loyalty_program_label: may(code(100)),
      loyalty_tier_label: may(code(100)),
    },
    {
      rivals: "region postal_code location_id",
      // Google's own sample; it documents no other order.
      orders: [
        "country origin_postal_code carrier_price min_handling_time max_handling_time fixed_min_transit_time fixed_max_transit_time",
      ],
    },
  ),
  return: groups(
    {
      country: must(country),
      window_days: may(number(0)),
      item_condition: must(words("NEW LIKE_NEW USED DEFECTIVE_ONLY")),
      method: must(words("BY_MAIL IN_STORE AT_A_KIOSK DROP_OFF_LOCATION")),
      shipping_fee: may(money),
      window_type: may(words("FINITE_RETURN_WINDOW NO_RETURNS LIFETIME")),
      outcome: may(words("REFUND EXCHANGE STORE_CREDIT")),
      shipping_fee_type: may(words("DEDUCTED_FROM_REFUND CUSTOMER_RESPONSIBILITY")),
      restocking_fee: may(money),
      restocking_percentage_fee: may(decimal),
      policy_url: may(url),
    },
    {
      orders: ["country window_days item_condition method shipping_fee"],
      rivals: "restocking_fee restocking_percentage_fee",
    },
  ),
  return_policy_label: one(code(100)),
  // local stores
  store_code: one(code(64)),
  pickup_method: one(code(50)),
  pickup_sla: one(code(50)),
  pickup_cost: groups({ flat_rate: must(money), free_threshold: may(money) }, { most: 1 }),
  link_template: one(code(2_000)),
  mobile_link_template: one(code(2_000)),
  pickup_link_template: one(code(2_000)),
  mobile_pickup_link_template: one(code(2_000)),
  // of programs that Google has ended or limits to a few
  sell_on_google_quantity: one(number(0)),
  sustainability_incentive: groups(
    { type: must(words("ev_tax_credit ev_price_discount")), amount: may(money), percentage: may(decimal) },
    {
      aliases: "sustainability_incentives",
      orders: [],
      oneOf: "amount percentage",
      rivals: "amount percentage",
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

/** The attribute that goes by this name and has a column of its own, or undefined. */
export function googleNamed(name: string): GoogleColumn | undefined {
  return BY_NAME.get(name);
}

/** One group: the names of its parts and their texts. */
export type GoogleGroup = Readonly<Record<string, string>>;

/** Texts in the form in which `gmc.tsv` has them. */
export type GoogleValue = string | readonly string[] | readonly GoogleGroup[];

/** What an item carries, in the order of the table. */
export type GoogleValues = { readonly [Name in GoogleName]?: GoogleValue };

/** One value as a source has it. A group that could not be split into its parts is a text. */
export type GoogleRawValue = string | GoogleGroup;

/** The values of each attribute as a source has them. */
export type GoogleDraft = { readonly [Name in GoogleName]?: readonly GoogleRawValue[] };
