/** Shipping rates as Google's `shipping` groups. A rate that Google would misread is left out. */
import type { Item, ShippingRate } from "../../catalog/item.ts";
import { formatMoney } from "../../catalog/money.ts";
import { groupCell } from "./gmc-cell.ts";

type Days = number | undefined;

/** Google reads the times only when both longest ones are given, and a shortest one only below its longest. */
function times({ minHandling, maxHandling, minTransit, maxTransit }: ShippingRate): readonly Days[] {
  if (maxHandling === undefined || maxTransit === undefined)
    return [undefined, undefined, undefined, undefined];
  return [upTo(minHandling, maxHandling), maxHandling, upTo(minTransit, maxTransit), maxTransit];
}

function upTo(least: Days, most: number): Days {
  return least !== undefined && least <= most ? least : undefined;
}

function group(rate: ShippingRate, country: string): string {
  // Only one kind of area may be named; a postal code is the narrower one, so it claims nothing new.
  const region = rate.postalCode === undefined ? rate.region : undefined;
  const price = formatMoney(rate.price);
  return groupCell([country, region, rate.postalCode, rate.service, price, ...times(rate)]);
}

export function shippingCell(item: Item, storeCountry: string | undefined): string | undefined {
  if (item.shipping === undefined) return undefined;
  const groups: string[] = [];
  for (const rate of item.shipping) {
    const country = rate.country ?? item.country ?? storeCountry;
    if (country !== undefined && rate.price.currency === item.price.currency)
      groups.push(group(rate, country));
  }
  return groups.length === 0 ? undefined : groups.join(",");
}
