/** Shipping rates as Google's `shipping` groups. A rate that Google would misread is left out. */
import type { GoogleGroup } from "../../catalog/google-attributes.ts";
import { GOOGLE_ONLY_SHIPPING_PARTS, SHIPPING_PARTS } from "../../catalog/google-surplus.ts";
import type { Item, ShippingRate } from "../../catalog/item.ts";
import { formatMoney } from "../../catalog/money.ts";
import type { GroupValue } from "./cell.ts";

type Days = number | undefined;

/** Parts that rates for every buyer do not have. */
const NO_LIMITS = GOOGLE_ONLY_SHIPPING_PARTS.map(() => undefined);

/** Google reads a shortest time only with its longest, and only below it. */
function span(least: Days, most: Days): readonly [Days, Days] {
  return [least !== undefined && most !== undefined && least <= most ? least : undefined, most];
}

function group(rate: ShippingRate, country: string): GroupValue {
  // Only one kind of area may be named; a postal code is the narrower one, so it claims nothing new.
  const region = rate.postalCode === undefined ? rate.region : undefined;
  const price = formatMoney(rate.price);
  const handling = span(rate.minHandling, rate.maxHandling);
  const transit = span(rate.minTransit, rate.maxTransit);
  return [country, region, rate.postalCode, rate.service, price, ...handling, ...transit, ...NO_LIMITS];
}

export function shippingGroups(
  item: Item,
  storeCountry: string | undefined,
): readonly GroupValue[] | undefined {
  const { shipping, google } = item;
  if (shipping === undefined && google?.shipping === undefined) return undefined;
  const groups = (shipping ?? []).flatMap((rate) => rateGroups(rate, item, storeCountry));
  for (const rate of (google?.shipping ?? []) as readonly GoogleGroup[])
    groups.push(SHIPPING_PARTS.map((part) => rate[part]));
  return groups;
}

/** None for a rate whose country is unknown or that is in another currency. */
function rateGroups(rate: ShippingRate, item: Item, storeCountry: string | undefined): GroupValue[] {
  const country = rate.country ?? item.country ?? storeCountry;
  const isUsable = country !== undefined && rate.price.currency === item.price.currency;
  return isUsable ? [group(rate, country)] : [];
}
