/**
 * Products as Shopify sends them, and which of them are not items. Only the id is required; all else may be missing.
 */
import type { JsonObject } from "../../lib/json-object.ts";
import { type DropReason, productsThatAre } from "../kit/event-builder.ts";
import { flagIn, listIn, numberIn, objectIn, objectsIn, textIn, toObject } from "../kit/json.ts";
import type { ShopifySettings } from "./settings.ts";
import { ownValue } from "../../lib/own-value.ts";

export type ShopVariant = { readonly node: JsonObject; readonly media: readonly JsonObject[] };

export type ShopProduct = {
  /** The number in the global id: the product's id in the admin and the storefront. */
  readonly number: number;
  readonly node: JsonObject;
  readonly media: readonly JsonObject[];
  readonly variants: readonly ShopVariant[];
  /** The product's own count of its variants. */
  readonly variantCount: number | null;
  /** Where further variants begin; null if there are none. */
  readonly moreAfter: string | null;
};

/** Null: without a usable id. */
export type ProductBatch = readonly (ShopProduct | null)[];

const PRODUCT_GID = /^gid:\/\/shopify\/Product\/(\d{1,15})$/;

export function productNumber(node: JsonObject): number | undefined {
  const [, digits] = PRODUCT_GID.exec(textIn(node, "id") ?? "") ?? [];
  return digits === undefined ? undefined : Number(digits);
}

export const productGid = (number: number): string => `gid://shopify/Product/${number}`;

export function parseProduct(
  node: JsonObject,
  parts: Pick<ShopProduct, "media" | "variants" | "moreAfter">,
): ShopProduct | null {
  const number = productNumber(node);
  return number === undefined
    ? null
    : { number, node, variantCount: countIn(node, "variantsCount"), ...parts };
}

/** A product of a page. */
export function parsePageProduct(row: unknown): ShopProduct | null {
  const node = toObject(row);
  const variants = objectIn(node, "variants");
  const media = objectsIn(objectIn(node, "media"), "nodes");
  return parseProduct(node, { media, variants: parseVariants(variants), moreAfter: nextCursor(variants) });
}

export function parseVariants(connection: JsonObject): readonly ShopVariant[] {
  return listIn(connection, "nodes").map((row) => {
    const node = toObject(row);
    return { node, media: objectsIn(objectIn(node, "media"), "nodes") };
  });
}

export function countIn(object: JsonObject, name: string): number | null {
  return numberIn(objectIn(object, name), "count") ?? null;
}

/** Where the next page of a connection begins, if there is one. */
export function nextCursor(connection: JsonObject): string | null {
  const info = objectIn(connection, "pageInfo");
  return info["hasNextPage"] === true ? (textIn(info, "endCursor") ?? null) : null;
}

/** Why products are not items. */
export const DROP_REASONS = {
  draft: { one: "product is a draft and was left out.", many: "products are drafts and were left out." },
  archived: productsThatAre("archived"),
  unlisted: {
    one: "product is unlisted and was left out. Set include_unlisted to yes to read it.",
    many: "products are unlisted and were left out. Set include_unlisted to yes to read them.",
  },
  unpublished: productsThatAre("not published to the Online Store"),
  gift_card: {
    one: "product is a gift card and was left out.",
    many: "products are gift cards and were left out.",
  },
  combined: {
    one: "product is a combined listing, which only groups other products, and was left out.",
    many: "products are combined listings, which only group other products, and were left out.",
  },
} as const satisfies Record<string, DropReason>;

export type DropReasonName = keyof typeof DROP_REASONS;

const BY_STATUS: Readonly<Record<string, DropReasonName>> = {
  DRAFT: "draft",
  ARCHIVED: "archived",
  UNLISTED: "unlisted",
};

/** Why a product is not an item; null if it is one. */
export function dropReasonOf(
  product: JsonObject,
  { publishedOnly, includeUnlisted }: Pick<ShopifySettings, "publishedOnly" | "includeUnlisted">,
): DropReasonName | null {
  const byStatus = ownValue(BY_STATUS, textIn(product, "status") ?? "");
  if (byStatus !== undefined && !(byStatus === "unlisted" && includeUnlisted)) return byStatus;
  if (flagIn(product, "isGiftCard") === true) return "gift_card";
  if (product["combinedListingRole"] === "PARENT") return "combined";
  return publishedOnly && textIn(product, "onlineStoreUrl") === undefined ? "unpublished" : null;
}
