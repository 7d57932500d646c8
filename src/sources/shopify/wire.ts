/**
 * What Shopify sends, as far as we rely on it: a product has a number, its media and its variants, however they
 * arrived. What has no id cannot be told from anything else and is unreadable. All the rest may be missing.
 */
import { type JsonObject, isJsonObject, listIn, numberIn, objectIn, objectsIn, textIn } from "../kit/json.ts";

export type ShopVariant = { readonly node: JsonObject; readonly media: readonly JsonObject[] };

export type ShopProduct = {
  /** Shopify's global id, `gid://shopify/Product/…`. */
  readonly gid: string;
  /** The number in it: what the admin, the storefront and other apps call the product. */
  readonly number: number;
  readonly node: JsonObject;
  readonly media: readonly JsonObject[];
  /** As they came: what is no object is found out when it is mapped, in its place. */
  readonly variants: readonly (ShopVariant | null)[];
  /** How many variants the product says it has. */
  readonly claimed: number | null;
  /** Where the rest of the variants begins; null if they are all here. */
  readonly moreAfter: string | null;
};

export type Unreadable = { readonly unreadable: string };

export function isUnreadable(value: object): value is Unreadable {
  return "unreadable" in value;
}

const PRODUCT_GID = /^gid:\/\/shopify\/Product\/(\d{1,15})$/;

/** A product from what a page or a file says of it; `found` is its variants and media, wherever they stood. */
export function readProduct(
  node: unknown,
  found: (node: JsonObject) => Pick<ShopProduct, "media" | "variants" | "moreAfter">,
): ShopProduct | Unreadable {
  if (!isJsonObject(node)) return { unreadable: "Shopify listed a product that is no object." };
  const gid = textIn(node, "id") ?? "";
  const number = Number(PRODUCT_GID.exec(gid)?.[1] ?? Number.NaN);
  if (Number.isNaN(number)) return { unreadable: "Shopify listed a product without a usable id." };
  const claimed = numberIn(objectIn(node, "variantsCount"), "count") ?? null;
  return { gid, number, node, claimed, ...found(node) };
}

export function readPageProduct(node: unknown): ShopProduct | Unreadable {
  return readProduct(node, (product) => {
    const variants = objectIn(product, "variants");
    return {
      media: objectsIn(objectIn(product, "media"), "nodes"),
      variants: readVariants(variants),
      moreAfter: nextCursor(variants),
    };
  });
}

export function readVariants(connection: JsonObject): readonly (ShopVariant | null)[] {
  return listIn(connection, "nodes").map((node) =>
    isJsonObject(node) ? { node, media: objectsIn(objectIn(node, "media"), "nodes") } : null,
  );
}

/** Where the next page of a connection begins, if there is one. */
export function nextCursor(connection: JsonObject): string | null {
  const info = objectIn(connection, "pageInfo");
  return info["hasNextPage"] === true ? (textIn(info, "endCursor") ?? null) : null;
}
