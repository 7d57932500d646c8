/** A product or variation of the Store API as a draft. Pure. Prices are as visitors see them. */
import { isZeroDecimal } from "../../catalog/decimal.ts";
import type { Draft } from "../../catalog/draft.ts";
import { attributeFields } from "../product-record/attribute-fields.ts";
import { amountIn } from "./amounts.ts";
import { describingAttributes, ownFieldsIn } from "./attributes.ts";
import { type CategoryTree, categoryPaths } from "./categories.ts";
import { imageFields, ownCode, texts, withoutCodes } from "./map.ts";
import type { OwnFields } from "./settings.ts";
import { idIn, isTrue, type Row, rowIn, rowsIn, textIn } from "./wire.ts";

export type StoreShelf = { readonly categories: CategoryTree; readonly own: OwnFields };

const SHARED_FIELDS =
  "id,type,permalink,sku,description,on_sale,prices,images,is_purchasable,is_in_stock,is_on_backorder,low_stock_remaining,weight,formatted_weight,is_password_protected";
export const STORE_PRODUCT_FIELDS = `${SHARED_FIELDS},name,short_description,average_rating,review_count,categories,brands,attributes,variations`;
export const STORE_VARIATION_FIELDS = `${SHARED_FIELDS},parent`;

export function storeProductDraft(product: Row, shelf: StoreShelf): Draft {
  return {
    ...sharedFields(product, shelf),
    ...offerFields(product, product),
    ...texts({ description: textIn(product, "description") }),
    ...imageFields(rowsIn(product, "images")),
  };
}

export function storeVariationDraft(product: Row, variation: Row, shelf: StoreShelf): Draft {
  const isOneOfMany = storeVariationIds(product).length > 1;
  const options = optionsOf(product, idIn(variation));
  return {
    ...withoutCodes(sharedFields(product, shelf)),
    ...offerFields(variation, product),
    ...texts({
      groupId: isOneOfMany ? textIn(product, "id") : undefined,
      groupTitle: isOneOfMany ? textIn(product, "name") : undefined,
      canonicalLink: textIn(product, "permalink"),
      description: textIn(variation, "description") ?? textIn(product, "description"),
    }),
    ...(options.length === 0 ? {} : { options }),
    ...imageFields([...rowsIn(variation, "images"), ...rowsIn(product, "images")]),
  };
}

export function storeVariationIds(product: Row): readonly number[] {
  return rowsIn(product, "variations").flatMap((row) => idIn(row) ?? []);
}

function sharedFields(product: Row, { categories, own }: StoreShelf): Draft {
  const paths = categoryPaths(product, categories);
  const reviews = textIn(product, "review_count") ?? "0";
  return {
    ...attributeFields(describingAttributes(product)),
    ...texts({
      title: textIn(product, "name"),
      shortDescription: textIn(product, "short_description"),
      brand: rowsIn(product, "brands").flatMap((row) => textIn(row, "name") ?? [])[0],
      ratingValue: reviews === "0" ? undefined : textIn(product, "average_rating"),
      ratingCount: reviews === "0" ? undefined : reviews,
    }),
    ...(paths.length === 0 ? {} : { categories: paths }),
    ...ownFieldsIn(product, own),
  };
}

function offerFields(row: Row, product: Row): Draft {
  return {
    ...priceFields(row),
    ...texts({
      id: textIn(row, "id"),
      sku: ownCode(row, product, "sku", storeVariationIds(product).length),
      link: textIn(row, "permalink"),
      availability: availabilityOf(row),
      // Only given when there is little left.
      quantity: textIn(row, "low_stock_remaining"),
      // The unit is in the formatted text alone: "0.5 kg".
      weight: textIn(row, "weight") === undefined ? undefined : textIn(row, "formatted_weight"),
    }),
  };
}

function priceFields(row: Row): Draft {
  const prices = rowIn(row, "prices");
  const price = amountIn(prices, "regular_price") ?? amountIn(prices, "price");
  const sale = isTrue(row, "on_sale")
    ? (amountIn(prices, "sale_price") ?? amountIn(prices, "price"))
    : undefined;
  const currency = textIn(prices, "currency_code");
  // Visitors cannot buy what has no price, and its price reads as zero: that is unknown, not free.
  if (!isTrue(row, "is_purchasable") && /^[0.]*$/.test(price ?? "")) return texts({ currency });
  // Given away: no feed has a sale price of zero, so that zero is the price.
  if (isZeroDecimal(sale)) return texts({ price: sale, currency });
  return texts({ price, salePrice: sale, currency });
}

function availabilityOf(row: Row): string | undefined {
  if (isTrue(row, "is_on_backorder")) return "backorder";
  if (row["is_in_stock"] === undefined) return undefined;
  return isTrue(row, "is_in_stock") ? "in_stock" : "out_of_stock";
}

/** The parent says what each variation chose: a term by its slug, a text by itself, "any" by null. */
function optionsOf(product: Row, id: number | null): { name: string; value: string }[] {
  const entry = rowsIn(product, "variations").find((row) => idIn(row) === id) ?? {};
  return rowsIn(entry, "attributes").flatMap((chosen) => {
    const [name, value] = [textIn(chosen, "name"), textIn(chosen, "value")];
    return name === undefined || value === undefined ? [] : [{ name, value: termName(product, name, value) }];
  });
}

function termName(product: Row, attribute: string, slug: string): string {
  const named = rowsIn(product, "attributes").find((row) => textIn(row, "name") === attribute) ?? {};
  const term = rowsIn(named, "terms").find((row) => textIn(row, "slug") === slug) ?? {};
  return textIn(term, "name") ?? slug;
}
