/**
 * One variant of one product to a draft. Pure: what the product names by id (brand, categories) is handed in. The
 * shop's values are handed on as texts; what they are worth is for `normalize` to say.
 */
import type { Draft } from "../../catalog/draft.ts";
import { OPTION_NAME_WORDS } from "../../catalog/vocabulary/traits.ts";
import { meaningOf } from "../../catalog/words.ts";
import { customFieldsOf } from "./custom-fields.ts";
import { imagesOf } from "./images.ts";
import { decimalText, pricesOf } from "./price.ts";
import type { ShownPrice } from "./shown-prices.ts";
import { stockOf } from "./stock.ts";
import type { Store } from "./store.ts";
import { asFields, type Fields, objectsIn, idIn, numberIn, textIn } from "./wire.ts";

/** What holds for the whole shop. */
export type ShopFacts = {
  readonly store: Store;
  /** Where links begin, without a slash at the end. */
  readonly storefrontUrl: string;
  readonly hasVariantLinks: boolean;
};

/** A product, with what its variants share. */
export type ProductFacts = {
  readonly product: Fields;
  readonly brand: string | undefined;
  readonly categories: readonly string[];
  readonly hasSeveralVariants: boolean;
};

/** `shown`: see `pricesOf`. */
export function mapVariant(variant: Fields, facts: ProductFacts, shop: ShopFacts, shown?: ShownPrice): Draft {
  const { product, brand, categories } = facts;
  const { store } = shop;
  const draft: Loose<Draft> = {
    ...customFieldsOf(product),
    ...identityOf(variant, facts),
    ...codesOf(variant, facts),
    brand,
    title: textIn(product, "name"),
    description: textIn(product, "description"),
    ...linksOf(variant, facts, shop),
    ...imagesOf(product, variant),
    ...pricesOf(product, variant, store, shown),
    currency: store.currency,
    priceIncludesTax: yesNo(shown === undefined ? store.pricesIncludeTax : !store.pricesIncludeTax),
    ...stockOf(product, variant),
    condition: textIn(product, "condition"),
    categories: categories.length === 0 ? undefined : categories,
    ...optionsOf(variant),
    isDigital: textIn(product, "type") === "digital" ? "yes" : undefined,
    ...measuresOf(product, variant, store),
    ...ratingOf(product),
    language: store.language,
  };
  return withoutAbsent(draft);
}

type Loose<T> = { [Field in keyof T]?: T[Field] | undefined };

function withoutAbsent(draft: Loose<Draft>): Draft {
  return Object.fromEntries(Object.entries(draft).filter(([, value]) => value !== undefined));
}

function yesNo(flag: boolean | undefined): string | undefined {
  if (flag === undefined) return undefined;
  return flag ? "yes" : "no";
}

function identityOf(variant: Fields, { product, hasSeveralVariants }: ProductFacts): Loose<Draft> {
  const id = idIn(variant, "id");
  const groupId = idIn(product, "id");
  return {
    id: id === undefined ? undefined : String(id),
    groupId: hasSeveralVariants && groupId !== undefined ? String(groupId) : undefined,
    groupTitle: hasSeveralVariants ? textIn(product, "name") : undefined,
    sku: textIn(variant, "sku") ?? (hasSeveralVariants ? undefined : textIn(product, "sku")),
  };
}

/** The product's codes are those of its only variant: several variants cannot share a GTIN. */
function codesOf(variant: Fields, { product, hasSeveralVariants }: ProductFacts): Loose<Draft> {
  const own = { gtin: textIn(variant, "gtin") ?? textIn(variant, "upc"), mpn: textIn(variant, "mpn") };
  if (hasSeveralVariants) return own;
  const custom = customFieldsOf(product);
  return {
    gtin: own.gtin ?? textIn(product, "gtin") ?? textIn(product, "upc") ?? custom.gtin,
    mpn: own.mpn ?? textIn(product, "mpn") ?? custom.mpn,
  };
}

function linksOf(
  variant: Fields,
  { product, hasSeveralVariants }: ProductFacts,
  { storefrontUrl, hasVariantLinks }: ShopFacts,
): Loose<Draft> {
  const path = textIn(asFields(product["custom_url"]) ?? {}, "url");
  if (path === undefined) return {};
  const page = /^https?:\/\//i.test(path) ? path : `${storefrontUrl}/${path.trim().replace(/^\/+/, "")}`;
  const sku = textIn(variant, "sku");
  if (!hasVariantLinks || !hasSeveralVariants || sku === undefined) return { link: page };
  const sign = page.includes("?") ? "&" : "?";
  return { link: `${page}${sign}sku=${encodeURIComponent(sku.toWellFormed())}`, canonicalLink: page };
}

/** What a variant's option says of color or size is nearer to it than a custom field of the whole product. */
function optionsOf(variant: Fields): Draft {
  const options = objectsIn(variant, "option_values").flatMap((option) => {
    const name = textIn(option, "option_display_name");
    const value = textIn(option, "label");
    return name === undefined || value === undefined ? [] : [{ name, value }];
  });
  if (options.length === 0) return {};
  const draft: Draft = { options };
  for (const { name, value } of options) {
    const trait = meaningOf(OPTION_NAME_WORDS, name);
    if (trait !== undefined) draft[trait] ??= value;
  }
  return draft;
}

/** Zero means "not set". `calculated_weight` has the rules of options in it. */
function measuresOf(product: Fields, variant: Fields, store: Store): Loose<Draft> {
  const weight = positiveIn([variant], "calculated_weight") ?? positiveIn([variant, product], "weight");
  const length = positiveIn([variant, product], "depth");
  const width = positiveIn([variant, product], "width");
  const height = positiveIn([variant, product], "height");
  const hasSize = length !== undefined || width !== undefined || height !== undefined;
  return {
    weight,
    weightUnit: weight === undefined ? undefined : store.weightUnit,
    length,
    width,
    height,
    dimensionsUnit: hasSize ? store.dimensionsUnit : undefined,
  };
}

function positiveIn(places: readonly Fields[], name: string): string | undefined {
  const number = places.map((place) => numberIn(place, name)).find((found) => found !== undefined);
  return number !== undefined && number > 0 ? decimalText(number) : undefined;
}

/** The shop keeps the sum of all ratings. */
function ratingOf(product: Fields): Draft {
  const count = numberIn(product, "reviews_count") ?? 0;
  const sum = numberIn(product, "reviews_rating_sum") ?? 0;
  if (count <= 0 || sum <= 0) return {};
  return { ratingValue: (sum / count).toFixed(2), ratingCount: String(count) };
}
