/**
 * The catalog through the Store API, which the shop's own pages use: no key, and only what visitors see. Prices are as
 * shown. Products that are hidden from the catalog pages are counted and not read.
 */
import type { JsonObject } from "../../lib/json-object.ts";
import { isZeroDecimal, unscaled } from "../../catalog/decimal.ts";
import type { Draft } from "../../catalog/draft.ts";
import { draftOf, unlessEmpty } from "../kit/draft.ts";
import { idIn, isTrue, objectIn, objectsIn, pairsOf, textIn } from "../kit/json.ts";
import { BY_ID, type ShopCatalog, categoryTree, passwordFlags, productVerdict } from "./catalog.ts";
import type { List, QueryParameters } from "./client.ts";
import type { WoocommerceShop } from "./connect.ts";
import { imagesOf, type MapContext, namedFields, ownCode, productFields, variationFields } from "./map.ts";
import { withoutCodes } from "./map.ts";

export const STORE_PRODUCTS = "wc/store/v1/products";
export const IN_CATALOG = { catalog_visibility: "catalog" } as const;

const SHARED_FIELDS =
  "id,type,permalink,sku,description,on_sale,prices,images,is_purchasable,is_in_stock,is_on_backorder,low_stock_remaining,weight,formatted_weight,is_password_protected";
const PRODUCT_FIELDS = `${SHARED_FIELDS},name,short_description,average_rating,review_count,categories,brands,attributes,variations`;
const VARIATION_FIELDS = `${SHARED_FIELDS},parent`;

export async function storeCatalog(
  shop: WoocommerceShop,
  note: (sentence: string) => void,
): Promise<ShopCatalog> {
  const { api, fieldNames } = shop;
  // Without `per_page`, this route returns the whole tree.
  const tree = await api.optionalRows(`${STORE_PRODUCTS}/categories`, { _fields: "id,name,parent" });
  const context = { categories: categoryTree(tree ?? []), fieldNames };
  const variationList = (filter: QueryParameters, noun = "variations"): List => ({
    route: STORE_PRODUCTS,
    query: { ...BY_ID, type: "variation", _fields: VARIATION_FIELDS, ...filter },
    noun,
  });

  return {
    products: {
      route: STORE_PRODUCTS,
      query: { ...BY_ID, ...IN_CATALOG, _fields: PRODUCT_FIELDS },
      noun: "products",
    },
    unlisted: { reason: "hidden", all: {}, listed: IN_CATALOG },
    complete: passwordFlags(shop, note),
    product: (row) =>
      productVerdict(row, storeVariationIds(row), shop, () => storeProductDraft(row, context)),
    variationIds: storeVariationIds,
    parentId: (row) => idIn(row, "parent"),
    variation: (product, row) =>
      storeVariationIds(product).includes(idIn(row) ?? 0)
        ? storeVariationDraft(product, row, context)
        : "notOffered",
    variationsOf: (id) => variationList({ parent: id }, `variations of product ${id}`),
    single: (_product, id) => ({ route: `${STORE_PRODUCTS}/${id}`, query: { _fields: VARIATION_FIELDS } }),
    // Some versions return by id even what is disabled or in the trash; only what is published can be bought.
    singleVariation: (product, row) =>
      row !== null && isTrue(row, "is_purchasable") && idIn(row, "parent") === idIn(product)
        ? storeVariationDraft(product, row, context)
        : "notShown",
    findVariations: () => Promise.resolve(variationList({})),
  };
}

type StoreContext = Omit<MapContext, "store">;

export function storeProductDraft(product: JsonObject, context: StoreContext): Draft {
  return {
    ...sharedFields(product, context),
    ...offerFields(product, product),
    ...draftOf({ description: textIn(product, "description") }),
    ...imagesOf(objectsIn(product, "images")),
  };
}

export function storeVariationDraft(product: JsonObject, variation: JsonObject, context: StoreContext) {
  return {
    ...withoutCodes(sharedFields(product, context)),
    ...offerFields(variation, product),
    ...variationFields(product, variation, storeVariationIds(product).length),
    ...draftOf({ options: unlessEmpty(optionsOf(product, idIn(variation))) }),
    ...imagesOf([...objectsIn(variation, "images"), ...objectsIn(product, "images")]),
  };
}

function storeVariationIds(product: JsonObject): readonly number[] {
  return objectsIn(product, "variations").flatMap((row) => idIn(row) ?? []);
}

function sharedFields(product: JsonObject, { categories, fieldNames }: StoreContext): Draft {
  return { ...productFields(product, categories, "review_count"), ...namedFields(product, fieldNames) };
}

function offerFields(row: JsonObject, product: JsonObject): Draft {
  return {
    ...pricesOf(row),
    ...draftOf({
      id: textIn(row, "id"),
      sku: ownCode(row, product, "sku", storeVariationIds(product).length),
      link: textIn(row, "permalink"),
      availability: availabilityOf(row),
      // Stated only if few are left.
      quantity: textIn(row, "low_stock_remaining"),
      // Only the formatted text has the unit: "0.5 kg".
      weight: textIn(row, "weight") === undefined ? undefined : textIn(row, "formatted_weight"),
    }),
  };
}

function pricesOf(row: JsonObject): Draft {
  const prices = objectIn(row, "prices");
  const currency = textIn(prices, "currency_code");
  const now = amountIn(prices, "price");
  const price = amountIn(prices, "regular_price") ?? now;
  const salePrice = isTrue(row, "on_sale") ? (amountIn(prices, "sale_price") ?? now) : undefined;
  // What has no price cannot be bought, and has the price zero here: that is unknown, not free.
  if (!isTrue(row, "is_purchasable") && /^[0.]*$/.test(price ?? "")) return draftOf({ currency });
  // Free: no feed has a sale price of zero, so zero is the price.
  return isZeroDecimal(salePrice)
    ? draftOf({ price: salePrice, currency })
    : draftOf({ price, salePrice, currency });
}

/** An amount of `prices`. They are integers of minor units: `2400` with two decimals is 24.00. */
export function amountIn(prices: JsonObject, field: string): string | undefined {
  const amount = textIn(prices, field);
  const places = Number(textIn(prices, "currency_minor_unit") ?? "2");
  return amount === undefined ? undefined : fromMinorUnits(amount, places);
}

/** Exact, without arithmetic. What is not an integer stays as it is, and `normalize` rejects it. */
export function fromMinorUnits(minor: string, places: number): string {
  const parts = /^(-?)(\d+)$/.exec(minor);
  if (parts === null || !Number.isInteger(places) || places < 1 || places > 8) return minor;
  const [, sign = "", digits = ""] = parts;
  return `${sign}${unscaled(BigInt(digits), places)}`;
}

function availabilityOf(row: JsonObject): string | undefined {
  if (isTrue(row, "is_on_backorder")) return "backorder";
  if (row["is_in_stock"] === undefined) return undefined;
  return isTrue(row, "is_in_stock") ? "in_stock" : "out_of_stock";
}

/** The product states the options of each variation: a term by its slug, a text as it is, "any" as null. */
function optionsOf(product: JsonObject, id: number | undefined): NonNullable<Draft["options"]> {
  const entry = objectsIn(product, "variations").find((row) => idIn(row) === id) ?? {};
  return pairsOf(objectsIn(entry, "attributes"), "name", "value").map(({ name, value }) => ({
    name,
    value: termName(product, name, value),
  }));
}

function termName(product: JsonObject, attribute: string, slug: string): string {
  const named = objectsIn(product, "attributes").find((row) => textIn(row, "name") === attribute) ?? {};
  const term = objectsIn(named, "terms").find((row) => textIn(row, "slug") === slug) ?? {};
  return textIn(term, "name") ?? slug;
}
