/**
 * JSON objects with a product and its `variants`: the public list of a Shopify shop, OpenAI's nested feed, and
 * others of that shape. Each variant becomes an item and inherits from its product what it has no value for.
 */
import { isJsonObject, type JsonObject } from "../../lib/json-object.ts";
import { currencyExponent } from "../../catalog/currency.ts";
import { shiftDecimal } from "../../catalog/decimal.ts";
import type { Draft } from "../../catalog/draft.ts";
import { VARIANT_TRAITS } from "../../catalog/item.ts";
import { trimEndOf } from "../../lib/trim-text.ts";
import { shopLink, variantDraft, withImages, without } from "./product-draft.ts";

export type MapObject = (object: JsonObject) => Draft;

/** The variants of a product, or null when the object has none. */
export function variantsIn(object: JsonObject): readonly JsonObject[] | null {
  const { variants } = object;
  if (!Array.isArray(variants) || variants.length === 0 || !variants.every(isJsonObject)) return null;
  return variants;
}

export type VariantOptions = {
  readonly map: MapObject;
  readonly storeUrl: string | undefined;
};

export function variantDrafts(
  product: JsonObject,
  variants: readonly JsonObject[],
  { map, storeUrl }: VariantOptions,
): Draft[] {
  const isNested = variants.some(isNestedFeedVariant);
  const flatten = (object: JsonObject): JsonObject => (isNested ? flattenNestedVariant(object) : object);
  const productDraft = map(flatten({ ...product, variants: null }));
  const own = variants.map((variant) => map(flatten(variant)));
  const drafts = own.map((variant) => joinDrafts(productDraft, variant, variants.length));
  if (isShopifyProduct(product))
    return drafts.map((draft, at) => completeShopifyVariant(draft, product, variants[at] ?? {}, storeUrl));
  const { title } = productDraft;
  if (title === undefined || own.length < 2) return drafts;
  return drafts.map((draft, at) => withTitle(draft, { product: title, variant: own[at] ?? {}, own }));
}

function joinDrafts(product: Draft, own: Draft, count: number): Draft {
  const { link, image, additionalImages, title } = product;
  const pages = Object.entries({ link, image, additionalImages }).filter(([, value]) => value !== undefined);
  const draft: Draft = { ...Object.fromEntries(pages), ...variantDraft(product, own, "everything") };
  if (title !== undefined) draft.title = fullTitle(title, own.title);
  const groupId = product.groupId ?? product.id ?? product.sku;
  if (groupId === undefined || (count === 1 && own.options === undefined)) return without(draft, "groupId");
  draft.groupId = groupId;
  if (title !== undefined) draft.groupTitle = title;
  return draft;
}

/** A variant's own title is used when it names the product; `Red / M` alone does not. */
function fullTitle(product: string, own: string | undefined): string {
  return own?.toLowerCase().includes(product.toLowerCase()) === true ? own : product;
}

type VariantTitle = { readonly product: string; readonly variant: Draft; readonly own: readonly Draft[] };

/**
 * The title of a variant without options and traits (`{"title": "Large"}`) counts as an option, so it is in the item's
 * title and in its generated id. Ids that were generated before this rule stay the same: a variant that has a page of
 * its own but no id keeps the option in its title alone, because its id is derived from the page.
 */
function withTitle(draft: Draft, { product, variant, own }: VariantTitle): Draft {
  if (variant.title === undefined || hasTraits(draft)) return draft;
  const isNamed = draft.title !== product;
  const value = (isNamed ? withoutProduct(variant.title, product) : variant.title).trim();
  const hasOwnPage = own.every((other) => other === variant || other.link !== variant.link);
  const isIdentified = hasOwnPage || hasId(variant);
  if (value === "" || (isNamed && isIdentified)) return draft;
  if (variant.id === undefined && hasOwnPage) return { ...draft, title: `${product}, ${value}` };
  return { ...draft, options: [{ name: "Variant", value }] };
}

function hasId({ id, sku }: Draft): boolean {
  return (id ?? sku) !== undefined;
}

function hasTraits(draft: Draft): boolean {
  return draft.options !== undefined || VARIANT_TRAITS.some((trait) => draft[trait] !== undefined);
}

function withoutProduct(title: string, product: string): string {
  const from = title.toLowerCase().indexOf(product.toLowerCase());
  const rest = `${title.slice(0, from)} ${title.slice(from + product.length)}`;
  return trimEndOf(rest.replace(/^[\s,;:|/–-]+/, ""), /[\s,;:|/–-]/);
}

// OpenAI's nested feed (Agentic Commerce Protocol, 2026-04-17), flattened to names of the alias tables. Its prices are
// integers in minor units, and its `price` is the current one; the price before is `list_price`.

function isNestedFeedVariant({ price }: JsonObject): boolean {
  return isJsonObject(price) && Number.isInteger(price["amount"]) && typeof price["currency"] === "string";
}

function flattenNestedVariant(object: JsonObject): JsonObject {
  const { price, list_price: listPrice, media, barcodes, availability, categories, ...rest } = object;
  const images = objectsIn(media)
    .filter(({ type }) => type === "image")
    .map(({ url }) => url);
  return {
    ...rest,
    price: majorUnits(price),
    compare_at_price: majorUnits(listPrice),
    image_link: images[0],
    additional_image_link: images.slice(1),
    gtin: objectsIn(barcodes)[0]?.["value"],
    availability: availabilityOf(availability),
    google_product_category: categoryOf(categories, (taxonomy) => taxonomy === "google_product_category"),
    product_type: categoryOf(categories, (taxonomy) => taxonomy !== "google_product_category"),
  };
}

function majorUnits(price: unknown): string | undefined {
  if (!isJsonObject(price)) return undefined;
  const { amount, currency } = price;
  if (typeof currency !== "string" || !Number.isSafeInteger(amount)) return undefined;
  return `${shiftDecimal(String(amount), -(currencyExponent(currency) ?? 2))} ${currency}`;
}

function availabilityOf(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  if (typeof value["status"] === "string") return value["status"];
  return value["available"] === undefined
    ? undefined
    : value["available"] === true
      ? "in stock"
      : "out of stock";
}

function categoryOf(categories: unknown, isWanted: (taxonomy: unknown) => boolean): unknown {
  return objectsIn(categories).find(({ taxonomy }) => isWanted(taxonomy))?.["value"];
}

function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

// Shopify's public product list (`/products.json`): option values by position, images separate from the variants, a
// handle instead of a link.

function isShopifyProduct(product: JsonObject): boolean {
  return typeof product["handle"] === "string" && "body_html" in product;
}

function completeShopifyVariant(
  draft: Draft,
  product: JsonObject,
  variant: JsonObject,
  storeUrl: string | undefined,
): Draft {
  const options = optionsOf(product, variant);
  const grams = Number(variant["grams"]);
  const named: Draft = {
    ...without(draft, "options", "weight", "image", "additionalImages"),
    link: shopLink(
      storeUrl,
      `/products/${encodeURIComponent(textAt(product, "handle"))}?variant=${textAt(variant, "id")}`,
    ),
    ...(options.length > 0 ? { options } : {}),
    ...(grams > 0 ? { weight: String(grams), weightUnit: "g" } : {}),
  };
  const images = [imageOf(variant["featured_image"]), ...listOf(product["images"]).map(imageOf)];
  const grouped: Draft =
    options.length > 0
      ? { ...named, groupId: textAt(product, "id") }
      : without(named, "groupId", "groupTitle");
  return withImages(grouped, images);
}

function optionsOf(product: JsonObject, variant: JsonObject): { name: string; value: string }[] {
  return listOf(product["options"]).flatMap((option, index) => {
    const name = isJsonObject(option) ? textAt(option, "name") : String(option);
    const value = textAt(variant, `option${index + 1}`);
    return value === "" || value === "Default Title" ? [] : [{ name, value }];
  });
}

function imageOf(image: unknown): string | undefined {
  if (typeof image === "string") return image;
  return isJsonObject(image) && typeof image["src"] === "string" ? image["src"] : undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textAt(object: JsonObject, key: string): string {
  const value = object[key];
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
