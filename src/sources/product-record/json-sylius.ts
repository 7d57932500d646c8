/** Products and variants as Sylius' API returns them, in the shape that `json-variants.ts` reads. */
import { isJsonObject, type JsonObject } from "../../lib/json-object.ts";
import { shiftDecimal } from "../../catalog/decimal.ts";
import {
  availabilityOf,
  isWhole,
  type NamedPrice,
  objectAt,
  objectsIn,
  pricesOf,
} from "./json-system-parts.ts";

const isSyliusVariant = (object: JsonObject): boolean =>
  "channelPricings" in object || (object["@type"] === "ProductVariant" && "price" in object);

/**
 * Sylius names products and variants by `code`. Amounts are whole numbers of hundredths in every currency (its
 * `MoneyFormatter` divides by 100,
 * https://github.com/Sylius/Sylius/blob/2.0/src/Sylius/Bundle/MoneyBundle/Formatter/MoneyFormatter.php), without their
 * currency, which is that of the channel. In a list of products without their variants, `defaultVariantData` has the
 * price.
 */
export function fromSylius(object: JsonObject): JsonObject | undefined {
  if (isSyliusVariant(object)) return { ...syliusVariant(object), group_id: lastPart(object["product"]) };
  const main = object["defaultVariantData"];
  const own = objectsIn(object["variants"]);
  const variants = own.length === 0 && isJsonObject(main) && "price" in main ? [main] : own;
  const isOwn = (variant: JsonObject): boolean => variant === main || isSyliusVariant(variant);
  if (variants.length === 0 || !variants.every(isOwn)) return undefined;
  const taxons = [object["mainTaxon"], ...objectsIn(object["taxons"])].filter(isJsonObject);
  return {
    id: object["code"],
    title: syliusText(object, "name"),
    description: syliusText(object, "description") ?? syliusText(object, "shortDescription"),
    image_link: syliusImages(object["images"]),
    product_type: taxons.map((taxon) => syliusText(taxon, "name")).find((name) => name !== undefined),
    published: object["enabled"] === false ? "hidden" : undefined,
    variants: variants.map(syliusVariant),
  };
}

function syliusVariant(variant: JsonObject): JsonObject {
  const { code, channelPricings, tracked, onHand, onHold } = variant;
  const channels = isJsonObject(channelPricings)
    ? Object.entries(channelPricings)
    : objectsIn(channelPricings).map((pricing) => [textOf(pricing["channelCode"]), pricing] as const);
  const all = channelPricings === undefined ? [["", variant] as const] : channels;
  const amounts = (key: string): NamedPrice[] =>
    all.map(([name, pricing]) => [name, syliusAmount(pricing, key)]);
  return {
    id: code,
    sku: code,
    title: syliusText(variant, "name"),
    ...pricesOf(amounts("price")),
    compare_at_price: pricesOf(amounts("originalPrice"))["price"],
    image_link: syliusImages(variant["images"]),
    availability: availabilityOf(variant["inStock"] ?? (tracked === false ? true : undefined)),
    quantity: tracked === true ? Math.max(0, Number(onHand ?? 0) - Number(onHold ?? 0)) : undefined,
    published: variant["enabled"] === false ? "hidden" : undefined,
    options: objectsIn(variant["optionValues"]).map((value) => ({
      name: syliusText(objectAt(value, "option"), "name") ?? "Option",
      value: syliusText(value, "value") ?? syliusText(value, "name"),
    })),
  };
}

function syliusAmount(pricing: unknown, key: string): string | undefined {
  if (!isJsonObject(pricing)) return undefined;
  const { [key]: amount, currency, currencyCode = currency } = pricing;
  if (!isWhole(amount)) return undefined;
  const decimal = shiftDecimal(String(amount), -2);
  return typeof currencyCode === "string" ? `${decimal} ${currencyCode}` : decimal;
}

/** A text of the object, or the first of its translations. */
function syliusText(object: JsonObject, key: string): unknown {
  const translations = Object.values(objectAt(object, "translations")).filter(isJsonObject);
  return (
    object[key] ?? translations.map((translation) => translation[key]).find((text) => (text ?? null) !== null)
  );
}

/**
 * Sylius keeps files of images below `/media/image/`: `sylius_core.images_dir` in the configuration of its CoreBundle.
 */
function syliusImages(images: unknown): unknown[] {
  return objectsIn(images).flatMap(({ path }) => {
    if (typeof path !== "string" || path === "") return [];
    return /^(?:https?:)?\//.test(path) ? [path] : [`/media/image/${path}`];
  });
}

const lastPart = (address: unknown): string | undefined =>
  typeof address === "string" ? address.split("/").at(-1) : undefined;

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
