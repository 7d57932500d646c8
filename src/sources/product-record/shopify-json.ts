/**
 * What the public product list of a Shopify shop (`/products.json`) says in its own way: option values by position,
 * images beside the variants, a handle instead of a link.
 */
import type { Draft } from "../../catalog/draft.ts";
import { isJsonObject, type JsonObject } from "./json-fields.ts";
import { shopLink, withImages, without } from "./product-draft.ts";

export function isShopifyProduct(product: JsonObject): boolean {
  return typeof product["handle"] === "string" && "body_html" in product;
}

export function completeShopifyVariant(
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
