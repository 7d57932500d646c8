/**
 * A product or variation of the REST API (wc/v3) to a draft. Pure. A variation has the fields of its product where its
 * own are empty, except those that identify or price it.
 */
import type { JsonObject } from "../../lib/json-object.ts";
import { isZeroDecimal, roundHalfUp } from "../../catalog/decimal.ts";
import type { Draft } from "../../catalog/draft.ts";
import { wordKey } from "../../catalog/words.ts";
import { draftOf, imageFields, measureFields, unlessEmpty } from "../kit/draft.ts";
import { idsIn, isFalse, isTrue, objectIn, objectsIn } from "../kit/json.ts";
import { pairsOf, textIn, textsIn } from "../kit/json.ts";
import { attributeFields } from "../product-record/attribute-fields.ts";
import { categoryPaths, type CategoryTree, SHOWN_PRICES } from "./catalog.ts";
import type { FieldNames } from "./settings.ts";
import type { WoocommerceStore } from "./store.ts";
import { ownValue } from "../../lib/own-value.ts";

export type MapContext = {
  readonly store: WoocommerceStore;
  readonly categories: CategoryTree;
  readonly fieldNames: FieldNames;
};

/** Only what the mapping reads is requested: this halves the time and quarters the bytes. */
const SHARED_FIELDS =
  "id,permalink,type,status,description,sku,global_unique_id,price,regular_price,sale_price,on_sale,date_on_sale_from_gmt,date_on_sale_to_gmt,virtual,downloadable,tax_status,tax_class,manage_stock,stock_quantity,stock_status,weight,dimensions,shipping_class,attributes,date_modified_gmt";
export const PRODUCT_FIELDS = `${SHARED_FIELDS},name,short_description,catalog_visibility,post_password,categories,tags,brands,images,variations,average_rating,rating_count`;
export const VARIATION_FIELDS = `${SHARED_FIELDS},parent_id,image`;

export function productDraft(product: JsonObject, context: MapContext): Draft {
  return {
    ...productFields(product, context.categories, "rating_count"),
    ...offerFields(product, product, context.store),
    ...draftOf({
      link: textIn(product, "permalink"),
      description: textIn(product, "description"),
      isBundle: textIn(product, "type") === "bundle" ? "yes" : undefined,
    }),
    ...goodsFields(product, {}, context.store),
    ...imagesOf(objectsIn(product, "images")),
    ...namedFields(product, context.fieldNames),
  };
}

export function variationDraft(product: JsonObject, variation: JsonObject, context: MapContext): Draft {
  const { store, categories, fieldNames } = context;
  return {
    ...withoutCodes(productFields(product, categories, "rating_count")),
    ...draftOf({ brand: namedFields(product, fieldNames).brand }),
    ...offerFields(variation, product, store),
    ...variationFields(product, variation, variationIds(product).length),
    ...draftOf({
      link: textIn(variation, "permalink") ?? textIn(product, "permalink"),
      // "Any" has no option.
      options: unlessEmpty(pairsOf(objectsIn(variation, "attributes"), "name", "option")),
    }),
    ...goodsFields(variation, product, store),
    ...imagesOf([objectIn(variation, "image"), ...objectsIn(product, "images")]),
    ...namedFields(variation, fieldNames),
  };
}

export function variationIds(product: JsonObject): readonly number[] {
  return idsIn(product, "variations");
}

/** Fields that all variations of a product share, in both APIs. */
export function productFields(product: JsonObject, categories: CategoryTree, ratingCount: string): Draft {
  const ratings = textIn(product, ratingCount) ?? "0";
  const [brand] = objectsIn(product, "brands").flatMap((row) => textIn(row, "name") ?? []);
  return {
    ...attributeFields(attributesIn(product).filter(({ isVisible }) => isVisible)),
    ...draftOf({
      title: textIn(product, "name"),
      shortDescription: textIn(product, "short_description"),
      brand,
      ratingValue: ratings === "0" ? undefined : textIn(product, "average_rating"),
      ratingCount: ratings === "0" ? undefined : ratings,
      categories: unlessEmpty(categoryPaths(product, categories)),
      tags: unlessEmpty(objectsIn(product, "tags").flatMap((row) => textIn(row, "name") ?? [])),
    }),
  };
}

/** How a variation belongs to its product, in both APIs. */
export function variationFields(product: JsonObject, variation: JsonObject, siblings: number): Draft {
  const group = siblings > 1 ? product : {};
  return draftOf({
    groupId: textIn(group, "id"),
    groupTitle: textIn(group, "name"),
    canonicalLink: textIn(product, "permalink"),
    description: textIn(variation, "description") ?? textIn(product, "description"),
  });
}

/** A code of the product is the code of none of its variations. */
export function withoutCodes({ gtin: _gtin, mpn: _mpn, ...rest }: Draft): Draft {
  return rest;
}

/** WooCommerce gives a variation without a code that of its product. If there are several, it is the code of none. */
export function ownCode(row: JsonObject, product: JsonObject, field: string, siblings: number) {
  const code = textIn(row, field);
  const isInherited = row !== product && code === textIn(product, field);
  return isInherited && siblings > 1 ? undefined : code;
}

/** WooCommerce's image for products that have none. */
const PLACEHOLDER = /\/woocommerce-placeholder[^/]*$/;

export function imagesOf(rows: readonly JsonObject[]): Draft {
  const urls = rows.flatMap((row) => textIn(row, "src") ?? []);
  return imageFields(urls.filter((url) => !PLACEHOLDER.test(url)));
}

/**
 * Attributes that describe a product, and do not make its variations. Those that are not "visible on the product page"
 * are for `namedFields` only; the Store API does not send them.
 */
function attributesIn(product: JsonObject) {
  return objectsIn(product, "attributes").flatMap((row) => {
    const name = textIn(row, "name");
    if (name === undefined || isTrue(row, "variation") || isTrue(row, "has_variations")) return [];
    const terms = objectsIn(row, "terms").flatMap((term) => textIn(term, "name") ?? []);
    const values = [...textsIn(row, "options"), ...terms];
    const slug = textIn(row, "slug") ?? textIn(row, "taxonomy") ?? name;
    return values.length === 0 ? [] : [{ name, slug, values, isVisible: !isFalse(row, "visible") }];
  });
}

/** Fields that the settings say are in an attribute or custom field. */
export function namedFields(row: JsonObject, fieldNames: FieldNames): Draft {
  const { brand, gtin, mpn } = fieldNames;
  const valueOf = (name: string | undefined): string | undefined => {
    const custom = objectsIn(row, "meta_data").find((meta) => meta["key"] === name) ?? {};
    return name ? (attributeNamed(row, name) ?? textIn(custom, "value")) : undefined;
  };
  return draftOf({ brand: valueOf(brand), gtin: valueOf(gtin), mpn: valueOf(mpn) });
}

function attributeNamed(row: JsonObject, name: string): string | undefined {
  const key = wordKey(name);
  const attribute = attributesIn(row).find((one) =>
    [one.name, one.slug, one.slug.replace(/^pa_/, "")].some((known) => wordKey(known) === key),
  );
  return attribute?.values[0];
}

/** Code, price and stock are those of the row itself. */
function offerFields(row: JsonObject, product: JsonObject, store: WoocommerceStore): Draft {
  const siblings = variationIds(product).length;
  const stock = textIn(row, "stock_status") ?? "";
  // `parent`: the variations share one stock, and each states its quantity.
  const isCounted = isTrue(row, "manage_stock") || row["manage_stock"] === "parent";
  const quantity = textIn(row, "stock_quantity") ?? textIn(product, "stock_quantity");
  return {
    ...pricesOf(row, store),
    ...draftOf({
      id: textIn(row, "id"),
      sku: ownCode(row, product, "sku", siblings),
      gtin: ownCode(row, product, "global_unique_id", siblings),
      availability: ownValue(AVAILABILITY, stock) ?? (stock || undefined),
      quantity: isCounted ? quantity : undefined,
    }),
  };
}

const AVAILABILITY: Readonly<Record<string, string>> = {
  instock: "in_stock",
  outofstock: "out_of_stock",
  onbackorder: "backorder",
};

/** As shown if that is another number than the one entered, and rounded as the shop rounds what it shows. */
function shownPrice(row: JsonObject, field: string, { priceDecimals }: WoocommerceStore): string | undefined {
  const entered = textIn(row, field);
  if (entered === undefined) return undefined;
  if (SHOWN_PRICES in row) return textIn(objectIn(row, SHOWN_PRICES), field);
  return priceDecimals === undefined ? entered : roundHalfUp(entered, priceDecimals);
}

function pricesOf(row: JsonObject, store: WoocommerceStore): Draft {
  const regular = shownPrice(row, "regular_price", store);
  const now = shownPrice(row, "price", store);
  const entered = shownPrice(row, "sale_price", store);
  const isOnSale = isTrue(row, "on_sale");
  // Plugins that price by rules state only the price now and that it is a sale.
  const salePrice = entered ?? (isOnSale && regular !== undefined ? now : undefined);
  const saleFrom = textIn(row, "date_on_sale_from_gmt");
  const saleTo = textIn(row, "date_on_sale_to_gmt");
  // Free: no feed has a sale price of zero, so zero is the price. With dates it is so while the sale runs.
  if (isZeroDecimal(salePrice) && saleFrom === undefined && saleTo === undefined) {
    return draftOf({ price: isOnSale ? salePrice : (regular ?? now) });
  }
  return draftOf({ price: regular ?? now, salePrice, saleFrom, saleTo });
}

/** What the item is like, by the variation or else by the product, and what its price means. */
function goodsFields(row: JsonObject, product: JsonObject, store: WoocommerceStore): Draft {
  const { currency, showsTax, weightUnit, sizeUnit } = store;
  const weight = textIn(row, "weight") ?? textIn(product, "weight");
  const [own, other] = [objectIn(row, "dimensions"), objectIn(product, "dimensions")];
  const size = (field: string): string | undefined => textIn(own, field) ?? textIn(other, field);
  const sizes = { length: size("length"), width: size("width"), height: size("height") };
  // A number without its unit says nothing.
  const measures = {
    ...(weightUnit === undefined ? {} : { weight }),
    ...(sizeUnit === undefined ? {} : sizes),
  };
  return {
    ...draftOf({
      currency,
      priceIncludesTax: showsTax === undefined ? undefined : String(showsTax),
      shippingLabel: textIn(row, "shipping_class") ?? textIn(product, "shipping_class"),
      isDigital: isTrue(row, "virtual") || isTrue(row, "downloadable") ? "yes" : undefined,
    }),
    ...measureFields(measures, { weight: weightUnit, size: sizeUnit }),
  };
}
