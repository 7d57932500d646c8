/**
 * One object that holds a product and its `variants`: the public list of a Shopify shop, OpenAI's nested feed, or
 * anything built like them. Each variant becomes an item that has of its product what it does not say itself.
 */
import type { Draft } from "../../catalog/draft.ts";
import { flattenNestedVariant, isNestedFeedVariant } from "./acp-nested.ts";
import { isJsonObject, type JsonObject } from "./json-fields.ts";
import { variantDraft, without } from "./product-draft.ts";
import { completeShopifyVariant, isShopifyProduct } from "./shopify-json.ts";

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
  return variants.map((variant) => {
    const own = map(flatten(variant));
    const draft = join(productDraft, own, variants.length);
    return isShopifyProduct(product) ? completeShopifyVariant(draft, product, variant, storeUrl) : draft;
  });
}

function join(product: Draft, own: Draft, count: number): Draft {
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
