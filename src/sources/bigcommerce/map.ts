/**
 * One variant of one product to a draft. Pure: brand and categories, which a product references by id, are arguments.
 */
import type { JsonObject } from "../../lib/json-object.ts";
import type { Draft, TextField } from "../../catalog/draft.ts";
import { draftOf, imageFields, measureFields, optionFields, unlessEmpty, withQuery } from "../kit/draft.ts";
import { customFields } from "../kit/feed-attributes.ts";
import { idIn, isTrue, numberIn, objectIn, objectsIn, pairsOf, textIn } from "../kit/json.ts";
import { decimalText, type ShopPrices } from "../kit/prices.ts";
import { pricesOf } from "./prices.ts";
import type { BigcommerceShop, BigcommerceStore } from "./store.ts";

/** Values of the whole shop. */
export type BigcommerceFacts = Pick<BigcommerceShop, "store" | "storefront" | "hasVariantLinks">;

/** A product, with what its variants share. */
export type ProductFacts = {
  readonly product: JsonObject;
  readonly brand: string | undefined;
  readonly categories: readonly string[];
  readonly hasSeveralVariants: boolean;
};

/** `shown`: see `pricesOf`. */
export function mapVariant(
  variant: JsonObject,
  facts: ProductFacts,
  shop: BigcommerceFacts,
  shown?: ShopPrices,
): Draft {
  const { product, brand, categories, hasSeveralVariants } = facts;
  const { store } = shop;
  const custom = customFields(pairsOf(objectsIn(product, "custom_fields"), "name", "value"), NOT_CUSTOM);
  // Several variants cannot share a GTIN: the product's codes are those of its only variant.
  const [single, codes, group] = hasSeveralVariants ? [{}, {}, product] : [product, custom, {}];
  return draftOf({
    ...custom,
    id: idIn(variant)?.toString(),
    groupId: idIn(group)?.toString(),
    groupTitle: textIn(group, "name"),
    sku: textIn(variant, "sku") ?? textIn(single, "sku"),
    gtin: gtinOf(variant) ?? gtinOf(single) ?? codes.gtin,
    mpn: textIn(variant, "mpn") ?? textIn(single, "mpn") ?? codes.mpn,
    brand,
    title: textIn(product, "name"),
    description: textIn(product, "description"),
    ...linksOf(variant, facts, shop),
    ...imagesOf(product, variant),
    ...pricesOf(product, variant, store, shown),
    ...stockOf(product, variant),
    condition: textIn(product, "condition"),
    categories: unlessEmpty(categories),
    // A variant's color or size is more specific than a custom field of the whole product.
    ...optionFields(pairsOf(objectsIn(variant, "option_values"), "option_display_name", "label")),
    isDigital: textIn(product, "type") === "digital" ? "yes" : undefined,
    ...measuresOf(product, variant, store),
    ...ratingOf(product),
    language: store.language,
  });
}

/** BigCommerce has its own fields for brand and condition; the others are shown as details of the product. */
const NOT_CUSTOM: readonly TextField[] = ["brand", "condition", "shortTitle", "availabilityDate"];

function gtinOf(object: JsonObject): string | undefined {
  return textIn(object, "gtin") ?? textIn(object, "upc");
}

function linksOf(
  variant: JsonObject,
  { product, hasSeveralVariants }: ProductFacts,
  { storefront, hasVariantLinks }: BigcommerceFacts,
): Draft {
  const path = textIn(objectIn(product, "custom_url"), "url");
  if (path === undefined) return {};
  const page = /^https?:\/\//i.test(path) ? path : `${storefront.url}/${path.trim().replace(/^\/+/, "")}`;
  const sku = textIn(variant, "sku");
  if (!hasVariantLinks || !hasSeveralVariants || sku === undefined) return { link: page };
  return { link: withQuery(page, "sku", sku), canonicalLink: page };
}

/** The variant's own image first, then the product's, the thumbnail before the others, each in its largest size. */
function imagesOf(product: JsonObject, variant: JsonObject): Draft {
  const images = objectsIn(product, "images").toSorted((a, b) => rankOf(a) - rankOf(b));
  const urls = images.flatMap(
    (image) => textIn(image, "url_zoom") ?? textIn(image, "url_standard") ?? textIn(image, "image_url") ?? [],
  );
  const own = textIn(variant, "image_url");
  return imageFields(own === undefined ? urls : [own, ...urls], withoutSize);
}

function rankOf(image: JsonObject): number {
  return isTrue(image, "is_thumbnail") ? Number.NEGATIVE_INFINITY : (numberIn(image, "sort_order") ?? 0);
}

/** The shop writes the size into the file name (`….386.513.jpg?c=2`), so one image has several addresses. */
function withoutSize(url: string): string {
  return url.replace(/\?.*$/s, "").replace(/\.\d{1,5}\.\d{1,5}(\.[a-z]{3,4})$/i, "$1");
}

/** Levels are those of the shop's default location. */
function stockOf(product: JsonObject, variant: JsonObject): Draft {
  const availability = textIn(product, "availability");
  if (availability === "disabled" || isTrue(variant, "purchasing_disabled")) {
    return { availability: "out of stock" };
  }
  const tracking = textIn(product, "inventory_tracking");
  const counted = { product, variant }[tracking ?? ""];
  const level = counted === undefined ? undefined : numberIn(counted, "inventory_level");
  const quantity = level === undefined ? {} : { quantity: String(Math.trunc(level)) };
  if (availability === "preorder") return { availability, ...releaseOf(product), ...quantity };
  if (tracking === "none") return { availability: "in stock" };
  return level === undefined ? {} : { availability: level > 0 ? "in stock" : "out of stock", ...quantity };
}

/** Some shops send the epoch for a date that is not set. */
const UNSET_DATE = /^(?:1970-01-01|0000-|-)/;

function releaseOf(product: JsonObject): Draft {
  const date = textIn(product, "preorder_release_date");
  return date === undefined || UNSET_DATE.test(date) ? {} : { availabilityDate: date };
}

/** Zero means "not set". `calculated_weight` includes the rules of options. */
function measuresOf(product: JsonObject, variant: JsonObject, store: BigcommerceStore): Draft {
  const own = (name: string) => positiveText(numberIn(variant, name) ?? numberIn(product, name));
  const weight = positiveText(numberIn(variant, "calculated_weight")) ?? own("weight");
  const sizes = { length: own("depth"), width: own("width"), height: own("height") };
  return measureFields({ weight, ...sizes }, { weight: store.weightUnit, size: store.dimensionsUnit });
}

function positiveText(number = 0): string | undefined {
  return number > 0 ? decimalText(number, 4) : undefined;
}

/** The shop stores the sum of all ratings. */
function ratingOf(product: JsonObject): Draft {
  const count = numberIn(product, "reviews_count") ?? 0;
  const sum = numberIn(product, "reviews_rating_sum") ?? 0;
  if (count <= 0 || sum <= 0) return {};
  return { ratingValue: (sum / count).toFixed(2), ratingCount: String(count) };
}
