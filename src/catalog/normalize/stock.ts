/** Availability, quantity and condition. */
import type { Availability, Condition } from "../item.ts";
import {
  availabilityOf,
  isPreOrBackorder,
  readAvailability,
  type StockStatus,
} from "../vocabulary/availability.ts";
import { readCondition } from "../vocabulary/condition.ts";
import { type DraftState, instantField, integerField, quoted, readField, warn } from "./fields.ts";

/** Shops that oversell count below zero; to a buyer that is zero. */
const MIN_QUANTITY = -999_999_999;

export function readStock(state: DraftState): StockStatus {
  const text = readField(state, "availability");
  const stated = readAvailability(text ?? "");
  const counted = integerField(state, "quantity", MIN_QUANTITY);
  const quantity = counted === undefined ? stated?.quantity : Math.max(counted, 0);
  const word = stated?.availability;
  const availability = word === undefined || word === "unknown" ? fromQuantity(quantity) : word;
  if (text === undefined) warnOfNone(state, availability);
  else if (stated === undefined) warnOfUnknown(state, text, availability);
  return quantity === undefined ? { availability } : { availability, quantity };
}

/** Google asks for the date of what is not in stock yet. */
export function readAvailabilityDate(state: DraftState, availability: Availability): string | undefined {
  const date = instantField(state, "availabilityDate", "start");
  if (date === undefined && isPreOrBackorder(availability)) {
    const message = `The item is on ${availability} without a date. Set availability_date.`;
    warn(state, "availability_date_missing", "availabilityDate", message);
  }
  return date;
}

/**
 * A shop that states a condition in words we do not know means something other than "new", which feeds assume when
 * there is no condition. So it counts as used: an item must not be listed as better than it is.
 */
export function conditionField(state: DraftState): Condition | undefined {
  const text = readField(state, "condition");
  if (text === undefined) return undefined;
  const condition = readCondition(text);
  if (condition !== undefined) return condition === "unstated" ? undefined : condition;
  const message = `condition ${quoted(text)} is not a known condition; the item is listed as used. Use new, refurbished or used.`;
  warn(state, "unknown_condition", "condition", message);
  return "used";
}

function warnOfNone(state: DraftState, availability: Availability): void {
  if (availability !== "unknown") return;
  const message =
    "The item has neither an availability nor a quantity. Add one: Google and OpenAI require an availability.";
  warn(state, "availability_missing", "availability", message);
}

/** Says what was done with the word: the quantity decides, if there is one. */
function warnOfUnknown(state: DraftState, text: string, availability: Availability): void {
  const result =
    availability === "unknown"
      ? "the item's availability is unknown, and feeds that require one omit it"
      : `by its quantity the item is ${availability}`;
  const message = `availability ${quoted(text)} is not a known value; ${result}. Use in_stock, out_of_stock, preorder or backorder, or a number.`;
  warn(state, "unknown_availability", "availability", message);
}

function fromQuantity(quantity: number | undefined): Availability {
  return quantity === undefined ? "unknown" : availabilityOf(quantity);
}
