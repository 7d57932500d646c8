/**
 * Times and sales as Google writes them. A sale can be announced to Google before it begins, but only with both ends of
 * its window; an open one is stated while it runs and not before.
 */
import { formatMoney, isZero } from "../../catalog/money.ts";
import type { Item } from "../../catalog/item.ts";
import type { Variant } from "../kit/variants.ts";

/** `2026-11-14T10:00Z`: Google takes at most 25 characters and no milliseconds. */
export function toMinute(instant: string): string {
  return `${instant.slice(0, 16)}Z`;
}

export function saleInterval({ saleFrom, saleTo }: Item): string | undefined {
  if (saleFrom === undefined || saleTo === undefined) return undefined;
  const from = toMinute(saleFrom);
  const to = toMinute(saleTo);
  return from < to ? `${from}/${to}` : undefined;
}

/** The sale price, running or announced. Google takes none of zero. */
export function statedSale({ item, salePrice }: Variant, now: string): string | undefined {
  if (salePrice !== undefined || item.salePrice === undefined) return salePrice;
  if (isZero(item.salePrice)) return undefined;
  const isAnnounced = item.saleFrom !== undefined && item.saleFrom > now && saleInterval(item) !== undefined;
  return isAnnounced ? formatMoney(item.salePrice) : undefined;
}
