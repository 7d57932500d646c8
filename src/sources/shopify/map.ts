/**
 * A variant of Shopify as a draft. Pure, and never guesses: what the shop does not say stays unsaid. Prices are the
 * shop's own texts; the compare-at price is handed on as the list price, and counts only where it is the higher one.
 */
import type { Draft } from "../../catalog/draft.ts";
import { type DraftFields, draftOf, imageFields, unlessEmpty, withQuery, yesNo } from "../kit/draft.ts";
import { flagIn, type JsonObject, numberIn, objectIn, objectsIn, pairsOf, textIn } from "../kit/json.ts";
import { metafieldTexts } from "./metafield-texts.ts";
import { MOST_MEDIA } from "./queries.ts";
import type { ShopifySettings } from "./settings.ts";
import type { ShopProduct, ShopVariant, Unreadable } from "./wire.ts";
import { trimEndOf } from "../../lib/trim-text.ts";

/** What holds for all the shop's products. */
export type ShopFacts = {
  readonly currency: string | undefined;
  readonly taxesIncluded: boolean | undefined;
};

export type MapSettings = Pick<ShopifySettings, "country" | "urlTemplate" | "metafields">;

export function mapVariant(
  product: ShopProduct,
  variant: ShopVariant | null,
  { shop, settings }: { readonly shop: ShopFacts; readonly settings: MapSettings },
): Draft | Unreadable {
  const id = variant === null ? undefined : numberOf(variant.node, "ProductVariant");
  if (variant === null || id === undefined) {
    const title = textIn(product.node, "title") ?? "";
    return { unreadable: `A variant of the product "${title.slice(0, 80)}" has no usable id.` };
  }
  const { node } = variant;
  const isGroup = product.variants.length > 1;
  return draftOf({
    id,
    ...(isGroup ? { groupId: String(product.number), groupTitle: textIn(product.node, "title") } : {}),
    sku: textIn(node, "sku"),
    gtin: textIn(node, "barcode"),
    brand: textIn(product.node, "vendor"),
    title: textIn(product.node, "title"),
    description: textIn(product.node, "descriptionHtml"),
    ...links(product, id, { node, isGroup, template: settings.urlTemplate }),
    ...media(product, variant),
    ...prices(node, shop),
    ...stock(node),
    ...categories(product.node),
    ...options(node),
    ...unitPricing(node),
    ...weight(node),
    isDigital: flagIn(objectIn(node, "inventoryItem"), "requiresShipping") === false ? "yes" : undefined,
    country: settings.country ?? undefined,
    ...metafieldTexts(settings.metafields, product.node, node),
  });
}

/** The number that people and links know a thing by; in the global id as well, should it be missing. */
function numberOf(node: JsonObject, type: string): string | undefined {
  const own = textIn(node, "legacyResourceId");
  if (own !== undefined && /^\d+$/.test(own)) return own;
  return new RegExp(`^gid://shopify/${type}/(\\d+)$`).exec(textIn(node, "id") ?? "")?.[1];
}

type Linked = {
  readonly node: JsonObject;
  readonly isGroup: boolean;
  readonly template: string | null;
};

function links(product: ShopProduct, id: string, { node, isGroup, template }: Linked): DraftFields {
  if (template !== null) {
    const parts: Readonly<Record<string, string>> = {
      handle: textIn(product.node, "handle") ?? "",
      product_id: String(product.number),
      variant_id: id,
      sku: textIn(node, "sku") ?? "",
    };
    const link = template.replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
      encodeURIComponent(parts[name] ?? whole),
    );
    return { link };
  }
  const page = textIn(product.node, "onlineStoreUrl");
  if (page === undefined || !isGroup) return { link: page };
  return { link: withQuery(page, "variant", id), canonicalLink: page };
}

/** The variant's own image first. A medium without an address is still being processed by Shopify. */
function media(product: ShopProduct, variant: ShopVariant): DraftFields {
  const shown = product.media.slice(0, MOST_MEDIA);
  const all = [...variant.media.slice(0, 1), ...shown].flatMap((medium) => imageOf(medium) ?? []);
  return { ...imageFields(all), videos: unlessEmpty(shown.flatMap((medium) => videoOf(medium) ?? [])) };
}

function imageOf(medium: JsonObject): string | undefined {
  return medium["__typename"] === "MediaImage" ? textIn(objectIn(medium, "image"), "url") : undefined;
}

/** Of the forms one video comes in, the one every player takes. */
function videoOf(medium: JsonObject): string | undefined {
  const source = objectsIn(medium, "sources").find(({ mimeType }) => mimeType === "video/mp4");
  return source === undefined ? undefined : textIn(source, "url");
}

/** The prices of the country's market where one was asked for, else the shop's own. */
function prices(node: JsonObject, shop: ShopFacts): DraftFields {
  const market = objectIn(node, "contextualPricing");
  const marketPrice = objectIn(market, "price");
  const priceIncludesTax = yesNo(shop.taxesIncluded);
  const amount = textIn(marketPrice, "amount");
  if (amount !== undefined) {
    const currency = textIn(marketPrice, "currencyCode") ?? shop.currency;
    const listPrice = textIn(objectIn(market, "compareAtPrice"), "amount");
    return { price: amount, listPrice, currency, priceIncludesTax };
  }
  return {
    price: textIn(node, "price"),
    listPrice: textIn(node, "compareAtPrice"),
    currency: shop.currency,
    priceIncludesTax,
  };
}

/**
 * What is not counted is in stock. What is counted can be had while there is some; sold out, it can still be ordered
 * where the shop goes on selling.
 */
function stock(node: JsonObject): DraftFields {
  const isTracked = flagIn(objectIn(node, "inventoryItem"), "tracked");
  if (isTracked === false) return { availability: "in stock" };
  const isForSale = flagIn(node, "availableForSale");
  const quantity = numberIn(node, "sellableOnlineQuantity");
  if (quantity === undefined) {
    return { availability: isForSale === undefined ? undefined : isForSale ? "in stock" : "out of stock" };
  }
  const availability = quantity > 0 ? inStockIf(isForSale !== false) : whenSoldOut(node);
  return { availability, quantity: String(quantity) };
}

function inStockIf(isForSale: boolean): string {
  return isForSale ? "in stock" : "out of stock";
}

function whenSoldOut(node: JsonObject): string {
  return node["inventoryPolicy"] === "CONTINUE" ? "backorder" : "out of stock";
}

/** The merchant's own type first, then the place in Shopify's taxonomy. */
function categories(product: JsonObject): DraftFields {
  const place = textIn(objectIn(product, "category"), "fullName");
  const named = [textIn(product, "productType"), place === "Uncategorized" ? undefined : place];
  const paths = named.filter((path) => path !== undefined);
  return paths.length > 0 ? { categories: paths } : {};
}

function options(node: JsonObject): DraftFields {
  const pairs = pairsOf(objectsIn(node, "selectedOptions"), "name", "value");
  // Shopify gives a product without options this one.
  const chosen = pairs.filter(({ name, value }) => name !== "Title" || value !== "Default Title");
  return { options: unlessEmpty(chosen) };
}

function unitPricing(node: JsonObject): DraftFields {
  const measure = objectIn(node, "unitPriceMeasurement");
  return {
    unitPricingMeasure: quantityOf(measure, "quantityValue", "quantityUnit"),
    unitPricingBaseMeasure: quantityOf(measure, "referenceValue", "referenceUnit"),
  };
}

function quantityOf(measure: JsonObject, valueKey: string, unitKey: string): string | undefined {
  const value = numberIn(measure, valueKey);
  const unit = textIn(measure, unitKey);
  if (value === undefined || value <= 0 || unit === undefined || unit === "UNKNOWN") return undefined;
  return `${plain(value)} ${unit.toLowerCase()}`;
}

const WEIGHT_UNITS: Readonly<Record<string, string>> = {
  GRAMS: "g",
  KILOGRAMS: "kg",
  OUNCES: "oz",
  POUNDS: "lb",
};

/** Zero is how Shopify says that no weight was entered. */
function weight(node: JsonObject): DraftFields {
  const said = objectIn(objectIn(objectIn(node, "inventoryItem"), "measurement"), "weight");
  const value = numberIn(said, "value");
  const weightUnit = WEIGHT_UNITS[textIn(said, "unit") ?? ""];
  if (value === undefined || value <= 0 || weightUnit === undefined) return {};
  return { weight: plain(value), weightUnit };
}

/** A number without an exponent. */
function plain(value: number): string {
  const text = String(value);
  return text.includes("e") ? trimEndOf(value.toFixed(10), /0/) : text;
}
