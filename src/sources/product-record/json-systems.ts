/**
 * Products as the APIs of headless shop systems return them, in the shape that `json-variants.ts` reads: commercetools,
 * Vendure, Medusa (version 2) and Saleor. Amounts in minor units are documented as such by their systems and name
 * their currency, so they are read exactly. A variant with prices in several currencies has none: which one counts
 * is not ours to guess.
 */
import { currencyExponent } from "../../catalog/currency.ts";
import { shiftDecimal } from "../../catalog/decimal.ts";
import { isJsonObject, type JsonObject } from "./json-fields.ts";

/** The object as the tables name its fields; the same object if no system is recognized. */
export function readSystemProduct(object: JsonObject): JsonObject {
  const product = isJsonObject(object["node"]) ? object["node"] : object;
  return (
    fromCommercetools(product) ?? fromVendure(product) ?? fromMedusa(product) ?? fromSaleor(product) ?? object
  );
}

function fromCommercetools(object: JsonObject): JsonObject | undefined {
  const { masterData } = object;
  const current = isJsonObject(masterData) ? masterData["current"] : object;
  if (!isJsonObject(current) || !isJsonObject(current["masterVariant"])) return undefined;
  const { masterVariant, variants } = current;
  return {
    id: object["id"] ?? current["id"],
    title: localized(current["name"]),
    description: localized(current["description"]),
    variants: [masterVariant, ...objectsIn(variants)].map((variant) => ({
      sku: variant["sku"],
      id: variant["sku"] ?? variant["key"],
      price: onlyPrice(objectsIn(variant["prices"]).map(({ value }) => centAmount(value))),
      image_link: objectsIn(variant["images"]).map(({ url }) => url),
      availability: availabilityOf(objectAt(variant, "availability")["isOnStock"]),
      quantity: objectAt(variant, "availability")["availableQuantity"],
    })),
  };
}

function centAmount(value: unknown): string | undefined {
  if (!isJsonObject(value)) return undefined;
  const { centAmount: cents, currencyCode, fractionDigits } = value;
  return minorUnits(cents, currencyCode, fractionDigits === undefined ? undefined : Number(fractionDigits));
}

/** The shop API has prices with and without tax; with tax is what customers pay. */
function fromVendure(object: JsonObject): JsonObject | undefined {
  const variants = objectsIn(object["variants"]);
  if (variants.length === 0 || !variants.every((variant) => "priceWithTax" in variant)) return undefined;
  const { featuredAsset, assets, variants: _, ...rest } = object;
  return {
    ...rest,
    image_link: [featuredAsset, ...objectsIn(assets)]
      .filter(isJsonObject)
      .map(({ source, preview }) => source ?? preview),
    variants: variants.map(({ priceWithTax, price: __, currencyCode, stockLevel, options, ...variant }) => ({
      ...variant,
      price: minorUnits(priceWithTax, currencyCode),
      availability: stockLevel,
      options: objectsIn(options).map(({ name, group }) => ({
        name: isJsonObject(group) ? group["name"] : "Option",
        value: name,
      })),
    })),
  };
}

const isMedusa = (variant: JsonObject): boolean =>
  "calculated_amount" in objectAt(variant, "calculated_price");

/** Version 2 has amounts in the currency's main unit; version 1 has no `calculated_amount`. */
function fromMedusa(object: JsonObject): JsonObject | undefined {
  const variants = objectsIn(object["variants"]);
  if (variants.length === 0 || !variants.every(isMedusa)) return undefined;
  const { thumbnail, images, variants: _, options: __, ...rest } = object;
  return {
    ...rest,
    image_link: [thumbnail, ...objectsIn(images).map(({ url }) => url)].filter(
      (url) => typeof url === "string",
    ),
    variants: variants.map(({ calculated_price: price, prices: ___, options, ean, upc, ...variant }) => ({
      ...variant,
      gtin: variant["barcode"] ?? ean ?? upc,
      price: majorUnits(price, "calculated_amount", "currency_code"),
      quantity: variant["manage_inventory"] === true ? variant["inventory_quantity"] : undefined,
      availability: variant["manage_inventory"] === false ? "in stock" : undefined,
      options: objectsIn(options).map((option) => ({
        name: objectAt(option, "option")["title"] ?? "Option",
        value: option["value"],
      })),
    })),
  };
}

const grossOf = (variant: JsonObject): JsonObject =>
  objectAt(objectAt(objectAt(variant, "pricing"), "price"), "gross");

function fromSaleor(object: JsonObject): JsonObject | undefined {
  const variants = objectsIn(object["variants"]);
  if (variants.length === 0 || !variants.every((variant) => "amount" in grossOf(variant))) return undefined;
  const { media, thumbnail, category, variants: _, pricing: __, ...rest } = object;
  return {
    ...rest,
    image_link: [...objectsIn(media), thumbnail].filter(isJsonObject).map(({ url }) => url),
    product_type: isJsonObject(category) ? category["name"] : undefined,
    variants: variants.map(({ pricing: ___, quantityAvailable, attributes, ...variant }) => ({
      ...variant,
      price: majorUnits(grossOf({ ...variant, pricing: ___ }), "amount", "currency"),
      quantity: quantityAvailable,
      options: objectsIn(attributes).map((attribute) => ({
        name: objectAt(attribute, "attribute")["name"],
        value: objectsIn(attribute["values"])[0]?.["name"],
      })),
    })),
  };
}

/** Numbers are the digits that were written (`json-fields.ts`). */
function minorUnits(amount: unknown, currency: unknown, digits?: number): string | undefined {
  const text = String(amount);
  if (typeof currency !== "string" || !/^\d{1,15}$/.test(text)) return undefined;
  const exponent = digits ?? currencyExponent(currency);
  return exponent === undefined ? undefined : `${shiftDecimal(text, -exponent)} ${currency}`;
}

function majorUnits(price: unknown, amountKey: string, currencyKey: string): string | undefined {
  if (!isJsonObject(price)) return undefined;
  const { [amountKey]: amount, [currencyKey]: currency } = price;
  const isAmount = typeof amount === "number" || typeof amount === "string";
  return isAmount && typeof currency === "string" ? `${amount} ${currency.toUpperCase()}` : undefined;
}

function onlyPrice(prices: readonly (string | undefined)[]): string | undefined {
  const [price, ...others] = new Set(prices);
  return others.length === 0 ? price : undefined;
}

/** A text, or one in several languages: the first of them. */
function localized(value: unknown): unknown {
  return isJsonObject(value) ? Object.values(value)[0] : value;
}

function availabilityOf(isOnStock: unknown): string | undefined {
  if (typeof isOnStock !== "boolean") return undefined;
  return isOnStock ? "in stock" : "out of stock";
}

function objectAt(object: JsonObject, key: string): JsonObject {
  const value = object[key];
  return isJsonObject(value) ? value : {};
}

function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
