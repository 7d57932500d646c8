/**
 * OpenAI's nested feed (Agentic Commerce Protocol, 2026-04-17) in the flat words that the alias tables know. Its
 * prices are integers in minor units, and its `price` is the one paid now: what it was before is `list_price`.
 */
import { currencyExponent } from "../../catalog/currency.ts";
import { shiftDecimal } from "../../catalog/decimal.ts";
import { isJsonObject, type JsonObject } from "./json-fields.ts";

export function isNestedFeedVariant({ price }: JsonObject): boolean {
  return isJsonObject(price) && Number.isInteger(price["amount"]) && typeof price["currency"] === "string";
}

export function flattenNestedVariant(object: JsonObject): JsonObject {
  const { price, list_price: listPrice, media, barcodes, availability, categories, ...rest } = object;
  const images = objectsIn(media)
    .filter(({ type }) => type === "image")
    .map(({ url }) => url);
  return {
    ...rest,
    price: majorUnits(price),
    compare_at_price: majorUnits(listPrice),
    image_link: images[0],
    additional_image_link: images.slice(1),
    gtin: objectsIn(barcodes)[0]?.["value"],
    availability: availabilityOf(availability),
    google_product_category: categoryOf(categories, (taxonomy) => taxonomy === "google_product_category"),
    product_type: categoryOf(categories, (taxonomy) => taxonomy !== "google_product_category"),
  };
}

function majorUnits(price: unknown): string | undefined {
  if (!isJsonObject(price)) return undefined;
  const { amount, currency } = price;
  if (typeof currency !== "string" || !Number.isSafeInteger(amount)) return undefined;
  return `${shiftDecimal(String(amount), -(currencyExponent(currency) ?? 2))} ${currency}`;
}

function availabilityOf(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  if (typeof value["status"] === "string") return value["status"];
  return value["available"] === undefined
    ? undefined
    : value["available"] === true
      ? "in stock"
      : "out of stock";
}

function categoryOf(categories: unknown, isWanted: (taxonomy: unknown) => boolean): unknown {
  return objectsIn(categories).find(({ taxonomy }) => isWanted(taxonomy))?.["value"];
}

function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
