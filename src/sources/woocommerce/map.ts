/**
 * A product or variation of the REST API (wc/v3) as a draft. Pure. What a variation leaves empty its product says for
 * it, except what names or prices it. Prices are as the shop shows them, texts as WordPress keeps them: with
 * markup and entities, which `normalize` takes off.
 */
import { isZeroDecimal, roundHalfUp } from "../../catalog/decimal.ts";
import type { Draft, TextField } from "../../catalog/draft.ts";
import { attributeFields } from "../product-record/attribute-fields.ts";
import { SHOWN_PRICES } from "./amounts.ts";
import { describingAttributes, ownFieldsIn } from "./attributes.ts";
import { type CategoryTree, categoryPaths } from "./categories.ts";
import type { Facts } from "./facts.ts";
import type { OwnFields } from "./settings.ts";
import { idIn, isTrue, type Row, rowIn, rowsIn, textIn } from "./wire.ts";

/** What a draft is made with beside the row itself. */
export type Shelf = {
  readonly facts: Facts;
  readonly categories: CategoryTree;
  readonly own: OwnFields;
};

/** What the mapping reads, so that nothing else is asked for: it halves the time and quarters the bytes. */
const SHARED_FIELDS =
  "id,permalink,type,status,description,sku,global_unique_id,price,regular_price,sale_price,on_sale,date_on_sale_from_gmt,date_on_sale_to_gmt,virtual,downloadable,tax_status,tax_class,manage_stock,stock_quantity,stock_status,weight,dimensions,shipping_class,attributes";
export const PRODUCT_FIELDS = `${SHARED_FIELDS},name,short_description,catalog_visibility,post_password,categories,brands,images,variations,average_rating,rating_count`;
export const VARIATION_FIELDS = `${SHARED_FIELDS},parent_id,image`;

export function productDraft(product: Row, shelf: Shelf): Draft {
  const images = rowsIn(product, "images");
  return {
    ...sharedFields(product, shelf),
    ...offerFields(product, product, shelf),
    ...texts({
      link: textIn(product, "permalink"),
      description: textIn(product, "description"),
      isBundle: textIn(product, "type") === "bundle" ? "yes" : undefined,
    }),
    ...goodsFields(product, {}, shelf),
    ...imageFields(images),
    ...ownFieldsIn(product, shelf.own),
  };
}

export function variationDraft(product: Row, variation: Row, shelf: Shelf): Draft {
  const isOneOfMany = variationIds(product).length > 1;
  const options = optionsOf(variation);
  return {
    ...withoutCodes({ ...sharedFields(product, shelf), ...ownFieldsIn(product, shelf.own) }),
    ...offerFields(variation, product, shelf),
    ...texts({
      groupId: isOneOfMany ? textIn(product, "id") : undefined,
      groupTitle: isOneOfMany ? textIn(product, "name") : undefined,
      link: textIn(variation, "permalink") ?? textIn(product, "permalink"),
      canonicalLink: textIn(product, "permalink"),
      description: textIn(variation, "description") ?? textIn(product, "description"),
    }),
    ...goodsFields(variation, product, shelf),
    ...(options.length === 0 ? {} : { options }),
    ...imageFields([rowIn(variation, "image"), ...rowsIn(product, "images")]),
    ...ownFieldsIn(variation, shelf.own),
  };
}

/** A number that names the product names none of its variations. */
export function withoutCodes({ gtin: _gtin, mpn: _mpn, ...rest }: Draft): Draft {
  return rest;
}

export function variationIds(product: Row): readonly number[] {
  const ids: unknown = product["variations"];
  if (!Array.isArray(ids)) return [];
  return ids.flatMap((id: unknown) => idIn({ id }) ?? []);
}

/** What a product says for all its variations. */
function sharedFields(product: Row, { categories }: Shelf): Draft {
  const paths = categoryPaths(product, categories);
  const ratings = textIn(product, "rating_count") ?? "0";
  const attributes = attributeFields(describingAttributes(product));
  const brand = rowsIn(product, "brands").flatMap((row) => textIn(row, "name") ?? [])[0];
  return {
    ...attributes,
    ...texts({
      title: textIn(product, "name"),
      shortDescription: textIn(product, "short_description"),
      brand,
      ratingValue: ratings === "0" ? undefined : textIn(product, "average_rating"),
      ratingCount: ratings === "0" ? undefined : ratings,
    }),
    ...(paths.length === 0 ? {} : { categories: paths }),
  };
}

/** What one row sells, and for how much. Nothing of this is another row's. */
function offerFields(row: Row, product: Row, { facts }: Shelf): Draft {
  const siblings = variationIds(product).length;
  return {
    ...priceFields(row, facts),
    ...texts({
      id: textIn(row, "id"),
      sku: ownCode(row, product, "sku", siblings),
      gtin: ownCode(row, product, "global_unique_id", siblings),
      availability: AVAILABILITY[textIn(row, "stock_status") ?? ""] ?? textIn(row, "stock_status"),
      quantity: isCounted(row)
        ? (textIn(row, "stock_quantity") ?? textIn(product, "stock_quantity"))
        : undefined,
    }),
  };
}

/** As shown, where that is another number than the one entered; rounded as the shop rounds what it shows. */
function priceFields(row: Row, facts: Facts): Draft {
  const shown = SHOWN_PRICES in row ? rowIn(row, SHOWN_PRICES) : row;
  const amount = (field: string): string | undefined => {
    const text = textIn(row, field) === undefined ? undefined : textIn(shown, field);
    if (text === undefined || SHOWN_PRICES in row || facts.priceDecimals === null) return text;
    return roundHalfUp(text, facts.priceDecimals);
  };
  const [regular, now, entered] = [amount("regular_price"), amount("price"), amount("sale_price")];
  const isOnSale = isTrue(row, "on_sale");
  // Plugins that price by rules say only what it costs now and that this is a sale.
  const sale = entered ?? (isOnSale && regular !== undefined ? now : undefined);
  const dates = texts({
    saleFrom: textIn(row, "date_on_sale_from_gmt"),
    saleTo: textIn(row, "date_on_sale_to_gmt"),
  });
  // Given away: no feed has a sale price of zero, so that zero is the price. With dates it is so while the sale runs.
  if (isZeroDecimal(sale) && Object.keys(dates).length === 0)
    return texts({ price: isOnSale ? sale : (regular ?? now) });
  return { ...texts({ price: regular ?? now, salePrice: sale }), ...dates };
}

/** WooCommerce gives a variation without a code its product's: with siblings, that is the code of none of them. */
export function ownCode(row: Row, product: Row, field: string, siblings: number): string | undefined {
  const code = textIn(row, field);
  const isInherited = row !== product && code === textIn(product, field);
  return isInherited && siblings > 1 ? undefined : code;
}

const AVAILABILITY: Readonly<Record<string, string>> = {
  instock: "in_stock",
  outofstock: "out_of_stock",
  onbackorder: "backorder",
};

/** `parent`: the variations share one count, and each of them says that count. */
function isCounted(row: Row): boolean {
  return isTrue(row, "manage_stock") || row["manage_stock"] === "parent";
}

/** What the thing is like and what its price is in, the variation's own or else the product's. */
function goodsFields(row: Row, product: Row, { facts }: Shelf): Draft {
  return {
    ...texts({
      currency: facts.currency ?? undefined,
      priceIncludesTax: facts.showsTax === null ? undefined : String(facts.showsTax),
      shippingLabel: textIn(row, "shipping_class") ?? textIn(product, "shipping_class"),
      isDigital: isTrue(row, "virtual") || isTrue(row, "downloadable") ? "yes" : undefined,
    }),
    ...weightFields(textIn(row, "weight") ?? textIn(product, "weight"), facts),
    ...sizeFields(rowIn(row, "dimensions"), rowIn(product, "dimensions"), facts),
  };
}

/** A number without its unit says nothing, so both or neither. */
function weightFields(weight: string | undefined, { weightUnit }: Facts): Draft {
  return weight === undefined || weightUnit === null ? {} : { weight, weightUnit };
}

function sizeFields(own: Row, product: Row, { dimensionUnit }: Facts): Draft {
  if (dimensionUnit === null) return {};
  const sides = texts({
    length: textIn(own, "length") ?? textIn(product, "length"),
    width: textIn(own, "width") ?? textIn(product, "width"),
    height: textIn(own, "height") ?? textIn(product, "height"),
  });
  return Object.keys(sides).length === 0 ? {} : { ...sides, dimensionsUnit: dimensionUnit };
}

/** What the variation chose, in the order of its own list. "Any" has no option, and none is made up. */
function optionsOf(variation: Row): { name: string; value: string }[] {
  return rowsIn(variation, "attributes").flatMap((row) => {
    const [name, value] = [textIn(row, "name"), textIn(row, "option")];
    return name === undefined || value === undefined ? [] : [{ name, value }];
  });
}

const PLACEHOLDER = /\/woocommerce-placeholder[^/]*$/;

export function imageFields(rows: readonly Row[]): Draft {
  const sources = rows.flatMap((row) => textIn(row, "src") ?? []).filter((src) => !PLACEHOLDER.test(src));
  const [image, ...more] = new Set(sources);
  if (image === undefined) return {};
  return more.length === 0 ? { image } : { image, additionalImages: more };
}

/** Only what is there: an absent field and an undefined one are different things. */
export function texts(fields: { readonly [Field in TextField]?: string | undefined }): Draft {
  return Object.fromEntries(Object.entries(fields).filter(([, text]) => text !== undefined));
}
