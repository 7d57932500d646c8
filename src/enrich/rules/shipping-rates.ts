/** The shipping rates of an item by country, for rules that read and set `shipping.DE`. */
import type { Item, Money, ShippingRate } from "../../catalog/item.ts";
import { defined } from "../../lib/defined.ts";

/** Without a price, the country has no rate. */
export type CountryPrice = { readonly country: string; readonly price: Money | undefined };

/** The lowest rate for the whole country. */
export function countryRate(item: Item, country: string): ShippingRate | undefined {
  return lowestRate(ratesTo(item, country, undefined));
}

/** A rate without a country is for the item's own, or else for the store's. */
function ratesTo(item: Item, country: string, storeCountry: string | undefined): readonly ShippingRate[] {
  const own = item.country ?? storeCountry;
  return (item.shipping ?? []).filter((rate) => (rate.country ?? own) === country);
}

function lowestRate(rates: readonly ShippingRate[]): ShippingRate | undefined {
  const whole = rates.filter(({ region, postalCode }) => region === undefined && postalCode === undefined);
  return whole.reduce<ShippingRate | undefined>(
    (lowest, rate) =>
      lowest === undefined || Number(rate.price.amount) < Number(lowest.price.amount) ? rate : lowest,
    undefined,
  );
}

/**
 * The item's rates with one for the country in place of all that it has, regions included: next to the new price, the others
 * would not be true any more. Service and days of the lowest one stay.
 */
export function ratesWith(
  item: Item,
  { country, price }: CountryPrice,
  storeCountry: string | undefined,
): readonly ShippingRate[] | undefined {
  const replaced = new Set(ratesTo(item, country, storeCountry));
  const { service, minHandling, maxHandling, minTransit, maxTransit } = lowestRate([...replaced]) ?? {};
  const days = { minHandling, maxHandling, minTransit, maxTransit };
  const rate = price && defined({ country, service, price, ...days });
  const rates = item.shipping ?? [];
  const first = rates.findIndex((each) => replaced.has(each));
  const kept = rates.flatMap((each, at) => {
    if (!replaced.has(each)) return [each];
    return at === first && rate ? [rate] : [];
  });
  const all = first < 0 && rate ? [...kept, rate] : kept;
  return all.length === 0 ? undefined : all;
}
