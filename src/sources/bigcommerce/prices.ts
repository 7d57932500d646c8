/**
 * Prices as the shop shows them. The catalog has them as entered. If shoppers of the store's country see them with tax
 * and they are entered without, or the reverse, the Pricing API states what is shown to shoppers who are not signed in:
 * https://developer.bigcommerce.com/docs/rest-management/pricing
 */
import { isJsonObject, type JsonObject } from "../../lib/json-object.ts";
import { currencyExponent } from "../../catalog/currency.ts";
import { roundHalfUp } from "../../catalog/decimal.ts";
import { AppError } from "../../errors.ts";
import { type DraftFields, yesNo } from "../kit/draft.ts";
import { orStatus } from "../kit/failure.ts";
import { flagIn, idIn, isFalse } from "../kit/json.ts";
import { listIn, numberIn, objectIn, objectsIn, textIn } from "../kit/json.ts";
import { inBatches } from "../kit/lookup.ts";
import { decimalText, type ShopPrices, priceFields } from "../kit/prices.ts";
import { PERMISSIONS } from "./client.ts";
import type { BigcommerceShop, BigcommerceStore } from "./store.ts";

/** BigCommerce stores four decimals. */
const DECIMALS = 4;

/** `shown`: what the shop shows, if that is another number than the one in the catalog. */
export function pricesOf(
  product: JsonObject,
  variant: JsonObject,
  {
    currency,
    decimals,
    pricesIncludeTax,
  }: Pick<BigcommerceStore, "currency" | "decimals" | "pricesIncludeTax">,
  shown?: ShopPrices,
): DraftFields {
  const places = decimals ?? currencyExponent(currency) ?? DECIMALS;
  const toText = (amount: number): string => {
    const text = decimalText(amount, DECIMALS);
    return (text.split(".")[1]?.length ?? 0) > places ? roundHalfUp(text, places) : text;
  };
  const priceIncludesTax = yesNo(shown === undefined ? pricesIncludeTax : !pricesIncludeTax);
  const cost = numberIn(variant, "cost_price") ?? numberIn(product, "cost_price");
  return {
    ...priceFields(shown ?? enteredPrices(product, variant), toText),
    ...(cost !== undefined && { cost: toText(cost) }),
    currency,
    priceIncludesTax,
  };
}

/**
 * A variant without a price of its own has the product's. A sale price of zero means no sale. `calculated_price` is the
 * price now, with the rules of options. `retail_price` is the maker's suggestion and never the regular price.
 */
function enteredPrices(product: JsonObject, variant: JsonObject): ShopPrices {
  const regular = numberIn(variant, "price") ?? numberIn(product, "price");
  const sale = numberIn(variant, "sale_price") ?? numberIn(product, "sale_price");
  const positive = [numberIn(variant, "calculated_price"), sale].find((amount) => (amount ?? 0) > 0);
  return { regular, now: positive ?? regular };
}

/** Whether shoppers of the store's country see prices with tax; undefined if the store does not state it. */
export async function readShowsTax({ api, store }: BigcommerceShop): Promise<boolean | undefined> {
  const { country } = store;
  const zones = await orStatus(api.list({ path: "v3/tax/zones", needs: PERMISSIONS.information }), 403, 404);
  if (typeof zones === "number") return undefined;
  const enabled = zones.rows.filter(isJsonObject).filter((zone) => !isFalse(zone, "enabled"));
  const forAll = enabled.filter((zone) => listIn(targetOf(zone), "customer_groups").length === 0);
  const zone =
    forAll.find((one) => objectsIn(targetOf(one), "locations").some((place) => isWhole(place, country))) ??
    // The default zone has no locations.
    forAll.find((one) => listIn(targetOf(one), "locations").length === 0);
  return flagIn(objectIn(zone ?? {}, "price_display_settings"), "show_inclusive");
}

const targetOf = (zone: JsonObject): JsonObject => objectIn(zone, "shopper_target_settings");

function isWhole(place: JsonObject, country: string | undefined): boolean {
  const parts = [...listIn(place, "subdivision_codes"), ...listIn(place, "postal_codes")];
  return textIn(place, "country_code") === country && parts.length === 0;
}

export type PricedVariant = { readonly product_id: number; readonly variant_id: number };

export type ShownPrices = Awaited<ReturnType<typeof readShownPrices>>;

/** BigCommerce accepts no more in one request. */
const BATCH_SIZE = 50;

export async function readShownPrices(shop: BigcommerceShop) {
  const { api, channelId } = shop;
  const { country, currency, pricesIncludeTax } = shop.store;
  const showsTax = pricesIncludeTax === undefined ? undefined : await readShowsTax(shop);
  const isAsEntered = showsTax === undefined || showsTax === pricesIncludeTax;
  const field = showsTax === true ? "tax_inclusive" : "tax_exclusive";

  async function fetchBatch(items: readonly PricedVariant[]): Promise<readonly JsonObject[]> {
    const place = country === undefined ? {} : { country_code: country };
    const json = { channel_id: channelId, currency_code: currency, ...place, items };
    const call = { path: "v3/pricing/products", json, needs: PERMISSIONS.products };
    const answer = await orStatus(api.list(call), 403, 404);
    if (typeof answer === "number")
      throw unknownPrices(showsTax === true ? ["with", "without"] : ["without", "with"]);
    return answer.rows.filter(isJsonObject);
  }

  return {
    /** The catalog's own prices are those shown. */
    isAsEntered,
    /** Prices by the ids of variants; empty if they are shown as entered. */
    of: async (variants: readonly PricedVariant[]): Promise<ReadonlyMap<number, ShopPrices>> => {
      const found = new Map<number, ShopPrices>();
      const rows = isAsEntered ? [] : await inBatches(variants, BATCH_SIZE, fetchBatch);
      for (const row of rows) {
        const id = idIn(row, "variant_id");
        const regular = numberIn(objectIn(row, "price"), field);
        const now = numberIn(objectIn(row, "calculated_price"), field) ?? regular;
        if (id !== undefined && now !== undefined) found.set(id, { regular, now });
      }
      return found;
    },
  };
}

function unknownPrices([shown, entered]: readonly string[]): AppError {
  return new AppError(
    "source_unavailable",
    `The shop shows prices ${shown} tax, but its catalog has them ${entered}, and BigCommerce does not state what shoppers see (v3/pricing/products). Nothing was changed. Enter prices as they are shown (Settings, Tax), or ask BigCommerce's support for the Pricing API.`,
  );
}
