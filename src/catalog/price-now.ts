/**
 * The price of an item at one instant, and when time alone changes it next. A sale runs from
 * its beginning up to, but not including, its end. All instants have the same form, so text order is time order.
 */
import type { Item, Money } from "./item.ts";
import { isZero } from "./money.ts";
import { isPreOrBackorder } from "./vocabulary/availability.ts";

export type OfferNow = {
  readonly price: Money;
  /** Only while the sale runs. */
  readonly salePrice?: Money;
  /**
   * The next time at which the offer changes without an update: a sale begins or ends, goods arrive, the offer expires.
   */
  readonly nextChangeAt: string | null;
};

export function offerAt(item: Item, asOf: Date): OfferNow {
  const { price, salePrice } = item;
  if (salePrice === undefined && item.availabilityDate === undefined && item.expiresAt === undefined)
    return { price, nextChangeAt: null };
  const now = asOf.toISOString();
  const nextChangeAt = earliestAfter(now, item);
  if (salePrice === undefined || !isSaleOn(item, now)) return { price, nextChangeAt };
  // No channel accepts a sale price of zero: an item that is given away has the price zero during the sale.
  if (isZero(salePrice)) return { price: salePrice, nextChangeAt };
  return { price, salePrice, nextChangeAt };
}

/** Whether the sale of an item with a sale price runs. */
export function isSaleOn({ saleFrom, saleTo }: Item, now: string): boolean {
  return (saleFrom === undefined || saleFrom <= now) && (saleTo === undefined || now < saleTo);
}

function earliestAfter(now: string, item: Item): string | null {
  const { saleFrom, saleTo, expiresAt, availability } = item;
  // A date on something that is in stock already, or not sold, changes nothing when it passes.
  const availableFrom = isPreOrBackorder(availability) ? item.availabilityDate : undefined;
  let earliest: string | null = null;
  for (const instant of [saleFrom, saleTo, availableFrom, expiresAt]) {
    if (instant !== undefined && instant > now && (earliest === null || instant < earliest))
      earliest = instant;
  }
  return earliest;
}
