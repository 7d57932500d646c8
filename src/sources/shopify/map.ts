/**
 * One variant to a draft. Pure: what the shop does not state stays absent. The compare-at price is the list price,
 * which counts only if it is the higher one.
 */
import type { JsonObject } from "../../lib/json-object.ts";
import type { Draft } from "../../catalog/draft.ts";
import { trimEndOf } from "../../lib/trim-text.ts";
import { type DraftFields, draftOf, imageFields, unlessEmpty, withQuery, yesNo } from "../kit/draft.ts";
import { isFalse, listIn, flagIn, numberIn, objectIn, objectsIn, pairsOf, textIn } from "../kit/json.ts";
import { metafieldFields } from "./metafields.ts";
import type { ShopProduct, ShopVariant } from "./product.ts";
import { MAX_MEDIA } from "./queries.ts";
import type { ShopifySettings } from "./settings.ts";
import type { ShopifyShop } from "./shop.ts";
import { ownValue } from "../../lib/own-value.ts";

/** What holds for all products of a shop. */
export type ShopifyFacts = Pick<ShopifyShop, "currency" | "taxesIncluded"> & {
  readonly settings: Pick<ShopifySettings, "country" | "urlTemplate" | "metafields">;
};

/** Null if the variant has no usable id. */
export function mapVariant(product: ShopProduct, variant: ShopVariant, shop: ShopifyFacts): Draft | null {
  const { node } = variant;
  const { country, urlTemplate, metafields } = shop.settings;
  const id = variantNumber(node);
  if (id === undefined) return null;
  const title = textIn(product.node, "title");
  const isGroup = product.variants.length > 1;
  return draftOf({
    id,
    ...(isGroup ? { groupId: String(product.number), groupTitle: title } : {}),
    sku: textIn(node, "sku"),
    gtin: textIn(node, "barcode"),
    brand: textIn(product.node, "vendor"),
    title,
    description: textIn(product.node, "descriptionHtml"),
    ...(urlTemplate === null
      ? linksOf(product.node, id, isGroup)
      : { link: fillTemplate(urlTemplate, product, node, id) }),
    ...mediaOf(product, variant),
    ...pricesOf(node, shop),
    ...stockOf(node),
    categories: categoriesOf(product.node),
    tags: unlessEmpty(listIn(product.node, "tags").filter((tag) => typeof tag === "string")),
    options: optionsOf(node),
    ...unitPricingOf(node),
    ...weightOf(node),
    isDigital: isFalse(objectIn(node, "inventoryItem"), "requiresShipping") ? "yes" : undefined,
    country: country ?? undefined,
    ...metafieldFields(metafields, product.node, node),
  });
}

/** The number in the admin and in links. If it is missing, the global id has it. */
function variantNumber(node: JsonObject): string | undefined {
  const number = textIn(node, "legacyResourceId") ?? "";
  if (/^\d+$/.test(number)) return number;
  return /^gid:\/\/shopify\/ProductVariant\/(\d+)$/.exec(textIn(node, "id") ?? "")?.[1];
}

function fillTemplate(template: string, product: ShopProduct, node: JsonObject, id: string): string {
  const parts: Readonly<Record<string, string>> = {
    handle: textIn(product.node, "handle") ?? "",
    product_id: String(product.number),
    variant_id: id,
    sku: textIn(node, "sku") ?? "",
  };
  return template.replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
    encodeURIComponent(ownValue(parts, name) ?? whole),
  );
}

function linksOf(product: JsonObject, id: string, isGroup: boolean): DraftFields {
  const page = textIn(product, "onlineStoreUrl");
  if (page === undefined || !isGroup) return { link: page };
  return { link: withQuery(page, "variant", id), canonicalLink: page };
}

/** The variant's own image first. A medium without an address is still being processed by Shopify. */
function mediaOf(product: ShopProduct, variant: ShopVariant): DraftFields {
  const shown = product.media.slice(0, MAX_MEDIA);
  const images = [...variant.media.slice(0, 1), ...shown].flatMap((medium) => imageOf(medium) ?? []);
  return { ...imageFields(images), videos: unlessEmpty(shown.flatMap((medium) => videoOf(medium) ?? [])) };
}

function imageOf(medium: JsonObject): string | undefined {
  return medium["__typename"] === "MediaImage" ? textIn(objectIn(medium, "image"), "url") : undefined;
}

/** Of the formats of a video, the one that every player supports. */
function videoOf(medium: JsonObject): string | undefined {
  const source = objectsIn(medium, "sources").find(({ mimeType }) => mimeType === "video/mp4");
  return textIn(source ?? {}, "url");
}

/** The prices of the country's market if one is set, otherwise the shop's own. */
function pricesOf(node: JsonObject, { currency, taxesIncluded }: ShopifyFacts): DraftFields {
  const priceIncludesTax = yesNo(taxesIncluded);
  const market = objectIn(node, "contextualPricing");
  const marketPrice = objectIn(market, "price");
  const price = textIn(marketPrice, "amount");
  if (price !== undefined) {
    const listPrice = textIn(objectIn(market, "compareAtPrice"), "amount");
    return { price, listPrice, currency: textIn(marketPrice, "currencyCode") ?? currency, priceIncludesTax };
  }
  return {
    price: textIn(node, "price"),
    listPrice: textIn(node, "compareAtPrice"),
    currency,
    priceIncludesTax,
  };
}

/** An item that is not tracked is in stock. One that is sold out is on backorder if the shop continues to sell it. */
function stockOf(node: JsonObject): DraftFields {
  if (isFalse(objectIn(node, "inventoryItem"), "tracked")) return { availability: "in stock" };
  const isForSale = flagIn(node, "availableForSale");
  const quantity = numberIn(node, "sellableOnlineQuantity");
  if (quantity === undefined) return { availability: stockText(isForSale) };
  const isBackorder = quantity <= 0 && node["inventoryPolicy"] === "CONTINUE";
  const availability = isBackorder ? "backorder" : stockText(quantity > 0 && isForSale !== false);
  return { availability, quantity: String(quantity) };
}

function stockText(isInStock: boolean | undefined): string | undefined {
  return isInStock === undefined ? undefined : isInStock ? "in stock" : "out of stock";
}

/** The merchant's own type first, then the category in Shopify's taxonomy. */
function categoriesOf(product: JsonObject): readonly string[] | undefined {
  const category = textIn(objectIn(product, "category"), "fullName");
  const paths = [textIn(product, "productType"), category === "Uncategorized" ? undefined : category];
  return unlessEmpty(paths.filter((path) => path !== undefined));
}

function optionsOf(node: JsonObject): Draft["options"] {
  const options = pairsOf(objectsIn(node, "selectedOptions"), "name", "value");
  // Products without options have this one.
  return unlessEmpty(options.filter(({ name, value }) => name !== "Title" || value !== "Default Title"));
}

function unitPricingOf(node: JsonObject): DraftFields {
  const measure = objectIn(node, "unitPriceMeasurement");
  return {
    unitPricingMeasure: measureText(measure, "quantityValue", "quantityUnit"),
    unitPricingBaseMeasure: measureText(measure, "referenceValue", "referenceUnit"),
  };
}

function measureText(measure: JsonObject, valueField: string, unitField: string): string | undefined {
  const value = numberIn(measure, valueField);
  const unit = textIn(measure, unitField);
  if (value === undefined || value <= 0 || unit === undefined || unit === "UNKNOWN") return undefined;
  return `${withoutExponent(value)} ${unit.toLowerCase()}`;
}

const WEIGHT_UNITS: Readonly<Record<string, string>> = {
  GRAMS: "g",
  KILOGRAMS: "kg",
  OUNCES: "oz",
  POUNDS: "lb",
};

/** Zero means that no weight was entered. */
function weightOf(node: JsonObject): DraftFields {
  const weight = objectIn(objectIn(objectIn(node, "inventoryItem"), "measurement"), "weight");
  const value = numberIn(weight, "value");
  const weightUnit = ownValue(WEIGHT_UNITS, textIn(weight, "unit") ?? "");
  if (value === undefined || value <= 0 || weightUnit === undefined) return {};
  return { weight: withoutExponent(value), weightUnit };
}

function withoutExponent(value: number): string {
  const text = String(value);
  return text.includes("e") ? trimEndOf(value.toFixed(10), /0/) : text;
}
