/**
 * Where the value of each field of an OpenAI row comes from. One function a field: undefined means that the item
 * says nothing, and then the cell is empty and the key absent. Objects are JSON text already.
 */
import type { Item } from "../../catalog/item.ts";
import { formatMoney } from "../../catalog/money.ts";
import {
  OPENAI_AVAILABILITY,
  OPENAI_FLAT_2026_09,
  type OpenaiField,
} from "../profiles/openai-flat-2026-09.ts";
import { meaningful } from "../../catalog/placeholder.ts";
import type { AcpStore } from "./acp-store.ts";
import { limitOf } from "./limit.ts";
import type { Member } from "./members.ts";
import { fitTitle } from "./title.ts";

export type AcpValue = string | boolean | number | readonly string[] | undefined;
export type AcpPlace = { readonly store: AcpStore; readonly groupId: string | undefined };
type ValueOf = (member: Member, place: AcpPlace) => AcpValue;

const TITLE_LIMIT = limitOf(OPENAI_FLAT_2026_09.fields.title);

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
function variantDict(item: Item): string | undefined {
  if (item.options !== undefined) {
    return jsonObject(item.options.map(({ name, value }) => [name, value] as const));
  }
  return jsonObject([
    ["color", item.color],
    ["size", item.size],
    ["material", item.material],
    ["age_group", item.ageGroup],
    ["gender", item.gender],
    ["pattern", item.pattern],
    ["size_type", item.sizeType],
  ]);
}

function adsMetadata(labels: Item["customLabels"]): string | undefined {
  if (labels === undefined) return undefined;
  return jsonObject(labels.slice(0, 5).map((label, i) => [`custom_label_${i}`, label ?? undefined] as const));
}

function productCategory({ item, categories }: Member): string | undefined {
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
function shippingPrice({ shipping, price }: Item): string | undefined {
  const first = shipping?.[0]?.price;
  if (shipping === undefined || first === undefined || first.currency !== price.currency) return undefined;
  const isCertain = shipping.every(
    ({ price: { amount, currency }, region, postalCode }) =>
      amount === first.amount &&
      currency === first.currency &&
      region === undefined &&
      postalCode === undefined,
  );
  return isCertain ? formatMoney(first) : undefined;
}

function returnDays({ returns }: Item, store: AcpStore): number | undefined {
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

export const ACP_VALUES: { readonly [F in OpenaiField]: ValueOf | null } = {
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
  variant_dict: ({ item }, { groupId }) => (groupId === undefined ? undefined : variantDict(item)),
  offer_id: ({ item }, { store }) => `${store.slug}-${item.id}`,
  gtin: ({ item }) => item.gtin,
  mpn: ({ item }) => meaningful(item.mpn),
  condition: ({ item }) => item.condition,
  product_category: (member) => productCategory(member),
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
