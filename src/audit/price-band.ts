/**
 * Between which prices the variants of a product may be expected: within twenty times of their median. Variants can
 * differ much (a sample and a roll), a misplaced decimal mark differs by a hundred. Amounts are compared as IEEE
 * doubles, which every machine rounds alike; nothing here enters a score but yes or no.
 */
import type { Item } from "../catalog/item.ts";

export type PriceBand = { readonly currency: string; readonly low: number; readonly high: number };

const FACTOR = 20;
/** The median of two is neither. */
const FEWEST = 3;

/** Null when all prices are near one another, which is nearly always, or too few to tell. */
export function priceBand(items: readonly Item[]): PriceBand | null {
  const first = items[0]?.price;
  if (first === undefined || items.length < FEWEST) return null;
  if (items.every(({ price }) => price.amount === first.amount)) return null;
  const amounts = items
    .filter(({ price }) => price.currency === first.currency)
    .map(({ price }) => Number(price.amount))
    .filter((amount) => amount > 0)
    .sort((a, b) => a - b);
  const [lowest = 0, highest = 0] = [amounts[0], amounts.at(-1)];
  if (amounts.length < FEWEST || highest <= lowest * FACTOR) return null;
  const median = amounts[Math.floor((amounts.length - 1) / 2)] ?? 0;
  return { currency: first.currency, low: median / FACTOR, high: median * FACTOR };
}
