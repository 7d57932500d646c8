/**
 * Products as the APIs of headless shop systems return them, in the shape that `json-variants.ts` reads: commercetools,
 * Vendure, Medusa (versions 1 and 2), Saleor and Sylius. Amounts in minor units are documented as such by their
 * systems, so they are read exactly. A variant with prices in several currencies has none: which one counts is not ours
 * to guess, but each is a field of its own (`Price in EUR`), which the setting `columns` can map.
 */
import { isJsonObject, type JsonObject } from "../../lib/json-object.ts";
import { currencyExponent } from "../../catalog/currency.ts";
import { shiftDecimal } from "../../catalog/decimal.ts";
import { fromSylius } from "./json-sylius.ts";
import { availabilityOf, byCurrency, isWhole, objectAt, objectsIn, pricesOf } from "./json-system-parts.ts";

/** The object as the tables name its fields; the same object if no system is recognized. */
export function readSystemProduct(object: JsonObject): JsonObject {
  const product = isJsonObject(object["node"]) ? object["node"] : object;
  return (
    fromCommercetools(product) ??
    fromVendure(product) ??
    fromMedusa(product) ??
    fromSaleor(product) ??
    fromSylius(product) ??
    object
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
      ...pricesOf(objectsIn(variant["prices"]).map(({ value }) => byCurrency(centAmount(value)))),
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

const hasAmount = (variant: JsonObject): boolean =>
  "calculated_amount" in objectAt(variant, "calculated_price");
const medusaPrices = (variant: JsonObject): readonly JsonObject[] =>
  objectsIn(variant["prices"]).filter((price) => "amount" in price && "currency_code" in price);
const isMedusa = (variant: JsonObject): boolean => hasAmount(variant) || medusaPrices(variant).length > 0;

function fromMedusa(object: JsonObject): JsonObject | undefined {
  const variants = objectsIn(object["variants"]);
  if (variants.length === 0 || !variants.every(isMedusa)) return undefined;
  const { thumbnail, images, variants: _, options: choices, ...rest } = object;
  const version = medusaVersion(variants);
  const nameOf = (option: JsonObject): unknown =>
    objectAt(option, "option")["title"] ??
    objectsIn(choices).find(({ id }) => id === option["option_id"])?.["title"] ??
    "Option";
  return {
    ...rest,
    image_link: [thumbnail, ...objectsIn(images).map(({ url }) => url)].filter(
      (url) => typeof url === "string",
    ),
    variants: variants.map(
      ({ calculated_price: __, prices: ___, original_price: ____, options, ean, upc, ...variant }, at) => ({
        ...variant,
        gtin: variant["barcode"] ?? ean ?? upc,
        ...medusaPrice(variants[at] ?? {}, version),
        quantity: variant["manage_inventory"] === true ? variant["inventory_quantity"] : undefined,
        availability: variant["manage_inventory"] === false ? "in stock" : undefined,
        options: objectsIn(options).map((option) => ({ name: nameOf(option), value: option["value"] })),
      }),
    ),
  };
}

type MedusaVersion = 1 | 2 | undefined;

/**
 * Version 1 counts in minor units, version 2 in the currency's main unit. Their prices differ in the fields beside the
 * amount.
 */
function medusaVersion(variants: readonly JsonObject[]): MedusaVersion {
  const prices = variants.flatMap(medusaPrices);
  const hasId = (start: string): boolean => prices.some(({ id }) => String(id).startsWith(start));
  const isSecond =
    variants.some(hasAmount) ||
    hasId("price_") ||
    prices.some((price) => "raw_amount" in price || "price_set_id" in price || !isWhole(price["amount"]));
  const isFirst =
    hasId("ma_") ||
    prices.some((price) => "region_id" in price) ||
    variants.some((variant) => "original_price" in variant);
  if (isFirst === isSecond) return undefined;
  return isFirst ? 1 : 2;
}

/** Prices of price lists, regions and quantities do not apply to every customer. */
function medusaPrice(variant: JsonObject, version: MedusaVersion): JsonObject {
  if (hasAmount(variant))
    return { price: majorUnits(variant["calculated_price"], "calculated_amount", "currency_code") };
  const special = ["price_list_id", "region_id", "min_quantity", "max_quantity"];
  const general = medusaPrices(variant).filter((price) =>
    special.every((key) => (price[key] ?? null) === null),
  );
  return pricesOf(
    general.map((price) => {
      const currency = String(price["currency_code"]).toUpperCase();
      if (version === undefined) return [currency, undefined];
      const isMinor = version === 1;
      return [
        currency,
        isMinor ? minorUnits(price["amount"], currency) : majorUnits(price, "amount", "currency_code"),
      ];
    }),
  );
}

/** An amount of Medusa in a file that does not show which version wrote it. */
export function unclearMedusaAmount(object: JsonObject): { amount: unknown; currency: string } | undefined {
  const variants = objectsIn(object["variants"]);
  if (variants.length === 0 || !variants.every(isMedusa) || medusaVersion(variants) !== undefined)
    return undefined;
  const [price] = variants.flatMap(medusaPrices);
  return price && { amount: price["amount"], currency: String(price["currency_code"]).toUpperCase() };
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

/** A text, or one in several languages: the first of them. */
function localized(value: unknown): unknown {
  return isJsonObject(value) ? Object.values(value)[0] : value;
}
