/**
 * A variant of Shopify as a draft. Pure, and never guesses: what the shop does not say stays unsaid. Prices are the
 * shop's own texts; the compare-at price is handed on as the list price, and counts only where it is the higher one.
 */
import type { Draft } from "../../catalog/draft.ts";
import { flagAt, type JsonObject, numberAt, objectAt, objectsAt, textAt } from "./json.ts";
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
    const title = textAt(product.node, "title") ?? "";
    return { unreadable: `A variant of the product "${title.slice(0, 80)}" has no usable id.` };
  }
  const { node } = variant;
  const isGroup = product.variants.length > 1;
  return present({
    id,
    ...(isGroup ? { groupId: String(product.number), groupTitle: textAt(product.node, "title") } : {}),
    sku: textAt(node, "sku"),
    gtin: textAt(node, "barcode"),
    brand: textAt(product.node, "vendor"),
    title: textAt(product.node, "title"),
    description: textAt(product.node, "descriptionHtml"),
    ...links(product, id, { node, isGroup, template: settings.urlTemplate }),
    ...media(product, variant),
    ...prices(node, shop),
    ...stock(node),
    ...categories(product.node),
    ...options(node),
    ...unitPricing(node),
    ...weight(node),
    isDigital: flagAt(objectAt(node, "inventoryItem"), "requiresShipping") === false ? "yes" : undefined,
    country: settings.country ?? undefined,
    ...metafieldTexts(settings.metafields, product.node, node),
  });
}

type Loose<T> = { [K in keyof T]?: T[K] | undefined };

/** Without the fields that are undefined: absent means unknown. */
function present(draft: Loose<Draft>): Draft {
  return Object.fromEntries(Object.entries(draft).filter(([, value]) => value !== undefined));
}

/** The number that people and links know a thing by; in the global id as well, should it be missing. */
function numberOf(node: JsonObject, type: string): string | undefined {
  const own = textAt(node, "legacyResourceId");
  if (own !== undefined && /^\d+$/.test(own)) return own;
  return new RegExp(`^gid://shopify/${type}/(\\d+)$`).exec(textAt(node, "id") ?? "")?.[1];
}

type Linked = {
  readonly node: JsonObject;
  readonly isGroup: boolean;
  readonly template: string | null;
};

function links(product: ShopProduct, id: string, { node, isGroup, template }: Linked): Loose<Draft> {
  if (template !== null) {
    const parts: Readonly<Record<string, string>> = {
      handle: textAt(product.node, "handle") ?? "",
      product_id: String(product.number),
      variant_id: id,
      sku: textAt(node, "sku") ?? "",
    };
    const link = template.replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
      encodeURIComponent(parts[name] ?? whole),
    );
    return { link };
  }
  const page = textAt(product.node, "onlineStoreUrl");
  if (page === undefined || !isGroup) return { link: page };
  return { link: `${page}${page.includes("?") ? "&" : "?"}variant=${id}`, canonicalLink: page };
}

/** The variant's own image first. A medium without an address is still being processed by Shopify. */
function media(product: ShopProduct, variant: ShopVariant): Loose<Draft> {
  const shown = product.media.slice(0, MOST_MEDIA);
  const all = [...variant.media.slice(0, 1), ...shown].flatMap((medium) => imageOf(medium) ?? []);
  const [image, ...additionalImages] = new Set(all);
  const videos = shown.flatMap((medium) => videoOf(medium) ?? []);
  return {
    image,
    additionalImages: additionalImages.length > 0 ? additionalImages : undefined,
    videos: videos.length > 0 ? videos : undefined,
  };
}

function imageOf(medium: JsonObject): string | undefined {
  return medium["__typename"] === "MediaImage" ? textAt(objectAt(medium, "image"), "url") : undefined;
}

/** Of the forms one video comes in, the one every player takes. */
function videoOf(medium: JsonObject): string | undefined {
  const source = objectsAt(medium, "sources").find(({ mimeType }) => mimeType === "video/mp4");
  return source === undefined ? undefined : textAt(source, "url");
}

/** The prices of the country's market where one was asked for, else the shop's own. */
function prices(node: JsonObject, shop: ShopFacts): Loose<Draft> {
  const market = objectAt(node, "contextualPricing");
  const marketPrice = objectAt(market, "price");
  const priceIncludesTax = shop.taxesIncluded === undefined ? undefined : yesNo(shop.taxesIncluded);
  const amount = textAt(marketPrice, "amount");
  if (amount !== undefined) {
    const currency = textAt(marketPrice, "currencyCode") ?? shop.currency;
    const listPrice = textAt(objectAt(market, "compareAtPrice"), "amount");
    return { price: amount, listPrice, currency, priceIncludesTax };
  }
  return {
    price: textAt(node, "price"),
    listPrice: textAt(node, "compareAtPrice"),
    currency: shop.currency,
    priceIncludesTax,
  };
}

/**
 * What is not counted is in stock. What is counted can be had while there is some; sold out, it can still be ordered
 * where the shop goes on selling.
 */
function stock(node: JsonObject): Loose<Draft> {
  const isTracked = flagAt(objectAt(node, "inventoryItem"), "tracked");
  if (isTracked === false) return { availability: "in stock" };
  const isForSale = flagAt(node, "availableForSale");
  const quantity = numberAt(node, "sellableOnlineQuantity");
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
function categories(product: JsonObject): Loose<Draft> {
  const place = textAt(objectAt(product, "category"), "fullName");
  const named = [textAt(product, "productType"), place === "Uncategorized" ? undefined : place];
  const paths = named.filter((path) => path !== undefined);
  return paths.length > 0 ? { categories: paths } : {};
}

function options(node: JsonObject): Loose<Draft> {
  const chosen = objectsAt(node, "selectedOptions").flatMap((option) => {
    const name = textAt(option, "name");
    const value = textAt(option, "value");
    // What Shopify gives a product that has no options.
    const isPseudo = name === "Title" && value === "Default Title";
    return name === undefined || value === undefined || isPseudo ? [] : [{ name, value }];
  });
  return chosen.length > 0 ? { options: chosen } : {};
}

function unitPricing(node: JsonObject): Loose<Draft> {
  const measure = objectAt(node, "unitPriceMeasurement");
  return {
    unitPricingMeasure: quantityOf(measure, "quantityValue", "quantityUnit"),
    unitPricingBaseMeasure: quantityOf(measure, "referenceValue", "referenceUnit"),
  };
}

function quantityOf(measure: JsonObject, valueKey: string, unitKey: string): string | undefined {
  const value = numberAt(measure, valueKey);
  const unit = textAt(measure, unitKey);
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
function weight(node: JsonObject): Loose<Draft> {
  const said = objectAt(objectAt(objectAt(node, "inventoryItem"), "measurement"), "weight");
  const value = numberAt(said, "value");
  const weightUnit = WEIGHT_UNITS[textAt(said, "unit") ?? ""];
  if (value === undefined || value <= 0 || weightUnit === undefined) return {};
  return { weight: plain(value), weightUnit };
}

/** A number without an exponent. */
function plain(value: number): string {
  const text = String(value);
  return text.includes("e") ? trimEndOf(value.toFixed(10), /0/) : text;
}

function yesNo(flag: boolean): string {
  return flag ? "yes" : "no";
}
