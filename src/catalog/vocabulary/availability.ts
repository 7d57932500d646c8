/** The words that shops use for availability, in the languages of our users' markets. */
import type { Availability } from "../item.ts";
import { meaningOf, wordTable } from "../words.ts";
import phrases from "./availability.json" with { type: "json" };

const AVAILABILITY_WORDS = wordTable<Availability>(phrases);

export type StockStatus = {
  readonly availability: Availability;
  /** How many, when the field held a count. `0` and `1` may as well mean no and yes, and are not taken for counts. */
  readonly quantity?: number;
};

const COUNT = /^-?\d{1,9}$/;

export function readAvailability(text: string): StockStatus | undefined {
  const availability = meaningOf(AVAILABILITY_WORDS, text);
  if (availability !== undefined) return { availability };
  const count = COUNT.test(text) ? Number(text) : undefined;
  return count === undefined
    ? undefined
    : { availability: availabilityOf(count), quantity: Math.max(count, 0) };
}

/** Not in stock yet, but sold: there may be a date, and a quantity does not change the availability. */
export function isPreOrBackorder(availability: Availability): boolean {
  return availability === "preorder" || availability === "backorder";
}

export function availabilityOf(quantity: number): Availability {
  return quantity > 0 ? "in_stock" : "out_of_stock";
}
