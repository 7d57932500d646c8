/**
 * Where the value of each field of an OpenAI row comes from. One function a field: undefined means that the item
 * says nothing, and then the cell is empty and the key absent. Objects are JSON text already.
 */
import { type Item, VARIANT_TRAITS } from "../../catalog/item.ts";
import { formatMoney } from "../../catalog/money.ts";
import { OPENAI_AVAILABILITY, OPENAI_FIELD_TABLE, type OpenaiFieldName } from "./fields.ts";
import { meaningful } from "../../catalog/filler-words.ts";
import { OPTION_NAME_WORDS } from "../../catalog/vocabulary/traits.ts";
import { meaningOf } from "../../catalog/words.ts";
import type { OpenaiStore } from "./store.ts";
import { limitOf } from "../kit/limits.ts";
import type { Variant } from "../kit/variants.ts";
import { fitTitle } from "../kit/title.ts";

export type OpenaiValue = string | boolean | number | readonly string[] | undefined;
export type RowContext = {
  readonly store: OpenaiStore;
  readonly groupId: string | undefined;
  /** See `sharedChoices`. */
  readonly choices: ReadonlySet<string>;
};
type ValueOf = (variant: Variant, place: RowContext) => OpenaiValue;

const TITLE_LIMIT = limitOf(OPENAI_FIELD_TABLE.fields.title);

/** As JSON text. The first of two equal names wins; a plain object would lose the name `__proto__`. */
function jsonObject(entries: readonly (readonly [string, string | undefined])[]): string | undefined {
  let text = "";
  const seen: string[] = [];
  for (const [name, value] of entries) {
    if (value === undefined || seen.includes(name)) continue;
    seen.push(name);
    text += `${text === "" ? "" : ","}${JSON.stringify(name)}:${JSON.stringify(value)}`;
  }
  return text === "" ? undefined : `{${text}}`;
}

/** The attributes that OpenAI itself reads as options where a row has only Google's columns. */
const TRAITS: readonly (readonly [name: string, value: (item: Item) => string | undefined])[] = [
  ["color", ({ color }) => color],
  ["size", ({ size }) => size],
  ["material", ({ material }) => material],
  ["age_group", ({ ageGroup }) => ageGroup],
  ["gender", ({ gender }) => gender],
  ["pattern", ({ pattern }) => pattern],
  ["size_type", ({ sizeType }) => sizeType],
];

/** Traits that go beside options, as in a Google feed with both `variant_option` and `color`. */
const CHOICES: ReadonlySet<string> = new Set(VARIANT_TRAITS);

/** The names of the traits that go beside options: those that all variants have, so that all have the same names. */
export function sharedChoices(variants: readonly Variant[]): ReadonlySet<string> {
  const shared = TRAITS.filter(
    ([name, value]) => CHOICES.has(name) && variants.every(({ item }) => value(item) !== undefined),
  );
  return new Set(shared.map(([name]) => name));
}

function variantDict(item: Item, choices: ReadonlySet<string>): string | undefined {
  const { options } = item;
  if (options === undefined) return jsonObject(TRAITS.map(([name, value]) => [name, value(item)] as const));
  const named: ReadonlySet<string | undefined> = new Set(
    options.map(({ name }) => meaningOf(OPTION_NAME_WORDS, name)),
  );
  const more = TRAITS.filter(([name]) => choices.has(name) && !named.has(name));
  return jsonObject([
    ...options.map(({ name, value }) => [name, value] as const),
    ...more.map(([name, value]) => [name, value(item)] as const),
  ]);
}

function adsMetadata(labels: Item["customLabels"]): string | undefined {
  if (labels === undefined) return undefined;
  return jsonObject(labels.slice(0, 5).map((label, i) => [`custom_label_${i}`, label ?? undefined] as const));
}

function productCategory({ item, categories }: Variant): string | undefined {
  if (categories !== undefined) return categories[0];
  const { googleCategory } = item;
  return googleCategory === undefined || /^\d+$/.test(googleCategory) ? undefined : googleCategory;
}

function dimensions({ length, width, height }: Item): string | undefined {
  if (length === undefined && width === undefined) return undefined;
  const axes = [length, width, height].filter((axis) => axis !== undefined);
  const unit = axes[0]?.unit;
  if (axes.length < 2 || axes.some((axis) => axis.unit !== unit)) return undefined;
  return jsonObject([
    ["length", length?.value],
    ["width", width?.value],
    ["height", height?.value],
    ["unit", unit],
  ]);
}

/** One charge is certain only when no rate differs or is for a part of a country; other currencies cannot be stated. */
function shippingPrice({ shipping, price, google }: Item): string | undefined {
  const first = shipping?.[0]?.price;
  if (shipping === undefined || first === undefined || first.currency !== price.currency) return undefined;
  // Members or some places have other rates.
  if (google?.shipping !== undefined) return undefined;
  const isCertain = shipping.every(
    ({ price: { amount, currency }, region, postalCode }) =>
      amount === first.amount &&
      currency === first.currency &&
      region === undefined &&
      postalCode === undefined,
  );
  return isCertain ? formatMoney(first) : undefined;
}

function returnDays({ returns }: Item, store: OpenaiStore): number | undefined {
  if ((returns?.accepted ?? store.acceptsReturns) !== true) return undefined;
  const days = returns?.days ?? store.returnDays;
  return days !== undefined && days > 0 ? days : undefined;
}

const TWO_DECIMALS = /^\d\.\d\d$/;

function starRating({ rating }: Item): string | undefined {
  if (rating === undefined || rating.count < 1) return undefined;
  const stars = Number(rating.value);
  if (stars > 5) return undefined;
  return TWO_DECIMALS.test(rating.value) ? rating.value : stars.toFixed(2);
}

export const OPENAI_VALUES: { readonly [F in OpenaiFieldName]: ValueOf | null } = {
  item_id: ({ item }) => item.id,
  title: ({ title }) => fitTitle(title, TITLE_LIMIT),
  description: ({ item }) => meaningful(item.description),
  url: ({ item }) => item.link,
  brand: ({ item }) => meaningful(item.brand),
  seller_name: (_, { store }) => store.sellerName,
  image_url: ({ item }) => item.images?.[0],
  availability: ({ item }) => OPENAI_AVAILABILITY[item.availability],
  price: ({ price }) => price,
  is_eligible_search: (_, { store }) => store.isSearchable,
  is_eligible_checkout: (_, { store }) => store.isBuyable,
  is_ads_eligible: (_, { store }) => store.isAdvertised,
  ads_metadata: ({ item }, { store }) =>
    store.isAdvertised === true ? adsMetadata(item.customLabels) : undefined,
  group_id: (_, { groupId }) => groupId,
  listing_has_variations: (_, { groupId }) => (groupId === undefined ? undefined : true),
  variant_dict: ({ item }, { groupId, choices }) =>
    groupId === undefined ? undefined : variantDict(item, choices),
  offer_id: ({ item }, { store }) => `${store.slug}-${item.id}`,
  gtin: ({ item }) => item.gtin,
  mpn: ({ item }) => meaningful(item.mpn),
  condition: ({ item }) => item.condition,
  product_category: (variant) => productCategory(variant),
  material: ({ item }) => meaningful(item.material),
  color: ({ item }) => meaningful(item.color),
  size: ({ item }) => meaningful(item.size),
  size_system: ({ item }) => item.sizeSystem,
  gender: ({ item }) => item.gender,
  age_group: ({ item }) => item.ageGroup,
  dimensions: ({ item }) => dimensions(item),
  weight: ({ item }) => item.weight?.value,
  item_weight_unit: ({ item }) => item.weight?.unit,
  additional_image_urls: ({ furtherImages }) => furtherImages,
  sale_price: ({ salePrice }) => salePrice,
  shipping_price: ({ item }) => shippingPrice(item),
  seller_url: (_, { store }) => store.url,
  seller_privacy_policy: (_, { store }) => store.privacyPolicyUrl,
  seller_tos: (_, { store }) => store.termsUrl,
  marketplace_seller: null,
  accepts_returns: ({ item }, { store }) => item.returns?.accepted ?? store.acceptsReturns,
  return_deadline_in_days: ({ item }, { store }) => returnDays(item, store),
  return_policy: ({ item }, { store }) => item.returns?.policyUrl ?? store.returnPolicyUrl,
  accepts_exchanges: null,
  review_count: ({ item }) => item.rating?.count,
  star_rating: ({ item }) => starRating(item),
  store_review_count: null,
  store_star_rating: null,
  is_digital: ({ item }) => item.isDigital,
  target_countries: (_, { store }) => store.targetCountries,
  store_country: (_, { store }) => store.country,
};
