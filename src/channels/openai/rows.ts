/**
 * The rows of OpenAI's files: which items they contain, and where the value of each field comes from. Undefined means
 * that the item has no such value: the cell is empty and the key absent. `acp.csv` and `acp.json` write the same rows,
 * so a row is built once for both. What only the catalog's settings decide is computed once for all rows.
 */
import { isPlaceholder, meaningful } from "../../catalog/filler-words.ts";
import { type ItemGroup, type Item, VARIANT_TRAITS } from "../../catalog/item.ts";
import { formatMoney } from "../../catalog/money.ts";
import { OPTION_NAME_WORDS } from "../../catalog/vocabulary/traits.ts";
import { meaningOf } from "../../catalog/words.ts";
import type { FeedContext } from "../channel.ts";
import { type TextLimit, limitOf, namesOf, within } from "../kit/field-table.ts";
import { memoize, memoizeLast, memoizeLastPair } from "../../lib/memoize.ts";
import { fitTitle } from "../kit/title.ts";
import { ADDRESS_CHECKS, refusalChecks, type Variant, writtenVariants } from "../kit/variants.ts";
import { OPENAI_AVAILABILITY, OPENAI_FIELD_TABLE, type OpenaiFieldName, type OpenaiKind } from "./fields.ts";

/** A file that is rendered without a server belongs to no catalog, so it may have no name. */
const sellerName = ({ catalog, settings }: FeedContext): string | undefined =>
  settings.sellerName ?? (catalog.name === "" ? undefined : catalog.name);

const isSearchable = ({ settings }: FeedContext): boolean => settings.eligibleForSearch ?? true;

/** OpenAI refuses checkout without search or without the two policies, so then it is not stated. */
function isBuyable(feed: FeedContext): boolean {
  const { eligibleForCheckout, privacyPolicyUrl, termsUrl } = feed.settings;
  const hasPolicies = privacyPolicyUrl !== undefined && termsUrl !== undefined;
  return eligibleForCheckout === true && isSearchable(feed) && hasPolicies;
}

/**
 * An object of strings, as JSON and as a part of a CSV cell: there its quotes are doubled, so it is made for both at
 * once.
 */
export type OpenaiObject = { readonly json: string; readonly inCell: string };
export type OpenaiValue = string | boolean | number | readonly string[] | OpenaiObject | undefined;

export function isObject(value: OpenaiValue): value is OpenaiObject {
  return typeof value === "object" && "inCell" in value;
}

/** An object as JSON. */
export function textOf(value: OpenaiValue): string {
  return isObject(value) ? value.json : String(value);
}

type OpenaiRowContext = {
  readonly feed: FeedContext;
  readonly groupId: string | undefined;
  /** See `sharedChoices`. */
  readonly choices: ReadonlySet<string>;
};
type OpenaiValueReader = (variant: Variant, context: OpenaiRowContext) => OpenaiValue;

const TITLE_LIMIT = limitOf(OPENAI_FIELD_TABLE.fields.title);

/** The first of two equal names wins; a plain object would lose the name `__proto__`. */
class ObjectBuilder {
  private json = "";
  private inCell = "";
  private readonly names: string[] = [];

  add(name: string, value: string | undefined): void {
    if (value === undefined || this.names.includes(name)) return;
    const separator = this.names.push(name) === 1 ? "{" : ",";
    const [key, text] = [stringOf(name), stringOf(value)];
    this.json += `${separator}${key.json}:${text.json}`;
    this.inCell += `${separator}${key.inCell}:${text.inCell}`;
  }

  /** Undefined without a value. */
  end(): OpenaiObject | undefined {
    if (this.names.length === 0) return undefined;
    return { json: `${this.json}}`, inCell: `${this.inCell}}` };
  }
}

/** Names and values of options repeat throughout a catalog. */
const stringOf = memoize(2_000, (text: string): OpenaiObject => {
  const json = JSON.stringify(text);
  return { json, inCell: json.replaceAll('"', '""') };
});

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

/** Traits that are added to options, as in a Google feed with both `variant_option` and `color`. */
const CHOICES: ReadonlySet<string> = new Set(VARIANT_TRAITS);

/** The names of the traits that are added to options: those that all variants have, so that all have the same names. */
function sharedChoices(variants: readonly Variant[]): ReadonlySet<string> {
  const shared = TRAITS.filter(
    ([name, value]) => CHOICES.has(name) && variants.every(({ item }) => value(item) !== undefined),
  );
  return new Set(shared.map(([name]) => name));
}

function variantDict(item: Item, choices: ReadonlySet<string>): OpenaiObject | undefined {
  const { options } = item;
  const dict = new ObjectBuilder();
  const named = new Set<string | undefined>();
  for (const { name, value } of options ?? []) {
    dict.add(name, value);
    named.add(meaningOf(OPTION_NAME_WORDS, name));
  }
  for (const [name, value] of TRAITS) {
    if (options === undefined || (choices.has(name) && !named.has(name))) dict.add(name, value(item));
  }
  return dict.end();
}

function adsMetadata(labels: Item["customLabels"]): OpenaiObject | undefined {
  if (labels === undefined) return undefined;
  const metadata = new ObjectBuilder();
  for (const [at, label] of labels.slice(0, 5).entries())
    metadata.add(`custom_label_${at}`, label ?? undefined);
  return metadata.end();
}

function productCategory({ item, categories }: Variant): string | undefined {
  if (categories !== undefined) return categories[0];
  const { googleCategory } = item;
  return googleCategory === undefined || /^\d+$/.test(googleCategory) ? undefined : googleCategory;
}

function dimensions({ length, width, height }: Item): OpenaiObject | undefined {
  if (length === undefined && width === undefined) return undefined;
  const axes = [length, width, height].filter((axis) => axis !== undefined);
  const unit = axes[0]?.unit;
  if (axes.length < 2 || axes.some((axis) => axis.unit !== unit)) return undefined;
  const all = new ObjectBuilder();
  all.add("length", length?.value);
  all.add("width", width?.value);
  all.add("height", height?.value);
  all.add("unit", unit);
  return all.end();
}

/** A charge is certain only if no rate differs or is for a part of a country; other currencies cannot be stated. */
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

function returnDays({ returns }: Item, { settings }: FeedContext): number | undefined {
  if ((returns?.accepted ?? settings.acceptsReturns) !== true) return undefined;
  const days = returns?.days ?? settings.returnDays;
  return days !== undefined && days > 0 ? days : undefined;
}

const nonEmpty = (texts: readonly string[] | undefined): readonly string[] | undefined =>
  texts?.length === 0 ? undefined : texts;

const TWO_DECIMALS = /^\d\.\d\d$/;

function starRating({ rating }: Item): string | undefined {
  if (rating === undefined || rating.count < 1) return undefined;
  const stars = Number(rating.value);
  if (stars > 5) return undefined;
  return TWO_DECIMALS.test(rating.value) ? rating.value : stars.toFixed(2);
}

/** Values that the settings of the catalog decide. */
const CATALOG_VALUES = {
  seller_name: (feed) => sellerName(feed),
  is_eligible_search: (feed) => isSearchable(feed),
  is_eligible_checkout: (feed) => isBuyable(feed),
  is_ads_eligible: (feed) => feed.settings.eligibleForAds,
  seller_url: (feed) => feed.settings.storeUrl,
  seller_privacy_policy: (feed) => feed.settings.privacyPolicyUrl,
  seller_tos: (feed) => feed.settings.termsUrl,
  marketplace_seller: () => undefined,
  accepts_exchanges: () => undefined,
  store_review_count: () => undefined,
  store_star_rating: () => undefined,
  target_countries: (feed) => nonEmpty(feed.settings.targetCountries),
  store_country: (feed) => feed.settings.country,
} as const satisfies { readonly [F in OpenaiFieldName]?: (feed: FeedContext) => OpenaiValue };

const ITEM_VALUES: {
  readonly [F in Exclude<OpenaiFieldName, keyof typeof CATALOG_VALUES>]: OpenaiValueReader;
} = {
  item_id: ({ item }) => item.id,
  title: ({ title }) => fitTitle(title, TITLE_LIMIT),
  description: ({ item }) => meaningful(item.description),
  url: ({ item }) => item.link,
  brand: ({ item }) => meaningful(item.brand),
  image_url: ({ item }) => item.images?.[0],
  availability: ({ item }) => OPENAI_AVAILABILITY[item.availability],
  price: ({ price }) => price,
  ads_metadata: ({ item }, { feed }) =>
    feed.settings.eligibleForAds === true ? adsMetadata(item.customLabels) : undefined,
  group_id: (_, { groupId }) => groupId,
  listing_has_variations: (_, { groupId }) => (groupId === undefined ? undefined : true),
  variant_dict: ({ item }, { groupId, choices }) =>
    groupId === undefined ? undefined : variantDict(item, choices),
  offer_id: ({ item }, { feed }) => `${feed.catalog.slug}-${item.id}`,
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
  accepts_returns: ({ item }, { feed }) => item.returns?.accepted ?? feed.settings.acceptsReturns,
  return_deadline_in_days: ({ item }, { feed }) => returnDays(item, feed),
  return_policy: ({ item }, { feed }) => item.returns?.policyUrl ?? feed.settings.returnPolicyUrl,
  review_count: ({ item }) => item.rating?.count,
  star_rating: ({ item }) => starRating(item),
  is_digital: ({ item }) => item.isDigital,
};

const FIELDS = OPENAI_FIELD_TABLE.fields;

export type OpenaiRow = readonly OpenaiValue[];

/** The columns in order; a row has one value for each. */
export const OPENAI_COLUMNS: readonly { readonly name: OpenaiFieldName; readonly kind: OpenaiKind }[] =
  namesOf(FIELDS).map((name) => ({ name, kind: FIELDS[name].kind }));

const NAMES = namesOf(FIELDS);

/** A row with the values of the catalog alone. */
const emptyRow = memoizeLast((feed: FeedContext): OpenaiRow => {
  const values: Partial<Record<OpenaiFieldName, (feed: FeedContext) => OpenaiValue>> = CATALOG_VALUES;
  return NAMES.map((name) => fitted(values[name]?.(feed), FIELDS[name].limit));
});

const SOURCES = namesOf(ITEM_VALUES).map((name) => ({
  column: NAMES.indexOf(name),
  valueOf: ITEM_VALUES[name],
  limit: FIELDS[name].limit,
}));

function fitted(value: OpenaiValue, limit: TextLimit | undefined): OpenaiValue {
  return typeof value === "string" && limit !== undefined ? within(value, limit) : value;
}

const REFUSALS = refusalChecks(OPENAI_FIELD_TABLE.refusals, {
  placeholder_title: ({ item }) => isPlaceholder(item.title),
  missing_description: ({ item }) => item.description === undefined || isPlaceholder(item.description),
  missing_brand: ({ item }) => item.brand === undefined || isPlaceholder(item.brand),
  missing_seller_name: (_, context) => sellerName(context) === undefined,
  missing_link: ({ item }) => item.link === undefined,
  missing_image: ({ item }) => item.images === undefined,
  ...ADDRESS_CHECKS,
  price_not_positive: ({ isFree }) => isFree,
});

function row(variant: Variant, context: OpenaiRowContext): OpenaiRow {
  const values = emptyRow(context.feed).slice();
  for (const { column, valueOf, limit } of SOURCES) values[column] = fitted(valueOf(variant, context), limit);
  return values;
}

const NONE: ReadonlySet<string> = new Set();

/** The rows of a group. Whether they form a group for OpenAI depends on how many of them the file has. */
export const openaiRows = memoizeLastPair((group: ItemGroup, feed: FeedContext) => {
  const { written, refusals, groupId } = writtenVariants(group, feed, {
    channel: "openai",
    checks: REFUSALS,
  });
  const context = { feed, groupId, choices: groupId === undefined ? NONE : sharedChoices(written) };
  return { rows: written.map((variant) => row(variant, context)), refusals };
});
