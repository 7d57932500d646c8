/**
 * schema.org in JSON-LD: `Product` nodes are items, the variants of a `ProductGroup` as well; other nodes (the shop,
 * its policies) are none. The offer is folded into the flat words that the alias tables know.
 */
import { isJsonObject, type JsonObject } from "../../lib/json-object.ts";
import type { Draft } from "../../catalog/draft.ts";
import type { MapObject } from "./json-variants.ts";
import { variantDraft } from "./product-draft.ts";

export function isJsonLdNode(object: JsonObject): boolean {
  return "@type" in object;
}

/** The items of a node; none for a node that is not a product. */
export function jsonLdDrafts(node: JsonObject, map: MapObject): Draft[] {
  const product = isJsonObject(node["item"]) ? node["item"] : node;
  const types = texts(product["@type"]);
  const variants = list(product["hasVariant"]).filter(isJsonObject);
  if (types.includes("ProductGroup") && variants.length > 0) {
    const group = map(flatNode(product));
    const groupId = group.groupId ?? group.id;
    return variants.map((variant) => ({
      ...variantDraft(group, map(flatNode(variant))),
      ...(groupId === undefined ? {} : { groupId }),
      ...(group.title === undefined ? {} : { groupTitle: group.title }),
    }));
  }
  return types.includes("Product") || types.includes("IndividualProduct") ? [map(flatNode(product))] : [];
}

/** Names of ours for a node's values. Keys that the alias tables know already stay as they are. */
function flatNode(node: JsonObject): JsonObject {
  const images = list(node["image"]).map(addressOf);
  const rating = objectAt(node, "aggregateRating");
  return {
    ...node,
    offers: null,
    image: null,
    hasVariant: null,
    item_id: firstValue(node, "productID", "sku", "@id"),
    group_id: firstValue(node, "productGroupID", "inProductGroupWithID"),
    gtin: firstValue(node, "gtin", "gtin14", "gtin13", "gtin12", "gtin8"),
    image_link: images[0],
    additional_image_link: images.slice(1),
    star_rating: rating["ratingValue"],
    review_count: firstValue(rating, "reviewCount", "ratingCount"),
    ...flatOffer(objectAt(node, "offers"), node["url"]),
  };
}

function flatOffer(offer: JsonObject, pageUrl: unknown): JsonObject {
  const prices = list(offer["priceSpecification"]).filter(isJsonObject);
  // A sale is the active price together with a strikethrough price.
  const active = prices.find(({ priceType }) => priceType === undefined) ?? {};
  const struck = prices.find(({ priceType }) => /(?:Strikethrough|List)Price$/.test(String(priceType))) ?? {};
  const stated = { ...active, ...offer };
  return {
    link: offer["url"] ?? pageUrl,
    price: stated["price"],
    currency: stated["priceCurrency"],
    compare_at_price: struck["price"],
    availability: offer["availability"],
    condition: offer["itemCondition"],
  };
}

function firstValue(object: JsonObject, ...keys: readonly string[]): unknown {
  return keys.map((key) => object[key]).find((value) => value !== undefined && value !== null);
}

/** The object under the key, or the first of several. */
function objectAt(object: JsonObject, key: string): JsonObject {
  return list(object[key]).find(isJsonObject) ?? {};
}

function addressOf(image: unknown): unknown {
  return isJsonObject(image) ? (image["url"] ?? image["contentUrl"]) : image;
}

function list(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

function texts(value: unknown): string[] {
  return list(value).filter((part) => typeof part === "string");
}
