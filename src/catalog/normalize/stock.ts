/** Availability, quantity and condition. */
import type { Availability, Condition } from "../item.ts";
import {
  availabilityOf,
  isPreOrBackorder,
  readAvailability,
  type StockStatus,
} from "../vocabulary/availability.ts";
import { readCondition } from "../vocabulary/condition.ts";
import {
  readField,
  type DraftState,
  type MutableItem,
  dropWithWarning,
  setField,
  quoted,
  warn,
} from "./fields.ts";
import { instantField, integerField } from "./typed-fields.ts";

/** Shops that oversell count below zero; to a buyer that is zero. */
const LEAST_QUANTITY = -999_999_999;

export function readStock(state: DraftState): StockStatus {
  const stated = readStatedStock(state);
  const counted = integerField(state, "quantity", LEAST_QUANTITY);
  const quantity = counted === undefined ? stated?.quantity : Math.max(counted, 0);
  const availability = stated?.availability ?? fromQuantity(quantity);
  if (availability === "unknown" && readField(state, "availability") === undefined)
    warn(
      state,
      "availability_missing",
      "availability",
      "The item has neither an availability nor a quantity. Add one: Google and OpenAI require an availability.",
    );
  return quantity === undefined ? { availability } : { availability, quantity };
}

export function fillStock(
  item: MutableItem,
  state: DraftState,
  { availability, quantity }: StockStatus,
): void {
  const date = instantField(state, "availabilityDate", "start");
  // Google asks for the date.
  if (date === undefined && isPreOrBackorder(availability))
    warn(
      state,
      "availability_date_missing",
      "availabilityDate",
      `The item is on ${availability} without a date. Set availability_date.`,
    );
  setField(item, "availabilityDate", date);
  setField(item, "quantity", quantity);
  setField(item, "expiresAt", instantField(state, "expiresAt", "end"));
  setField(item, "condition", conditionOf(state));
}

/**
 * A shop that states a condition in words we do not know means something other than "new", which feeds assume when
 * there is no condition. So it counts as used: an item must not be listed as better than it is.
 */
function conditionOf(state: DraftState): Condition | undefined {
  const text = readField(state, "condition");
  if (text === undefined) return undefined;
  const condition = readCondition(text);
  if (condition !== undefined) return condition === "unstated" ? undefined : condition;
  warn(
    state,
    "unknown_condition",
    "condition",
    `condition ${quoted(text)} is not a known condition; the item is listed as used. Use new, refurbished or used.`,
  );
  return "used";
}

/** What the availability field says; `unknown` says nothing, so that a quantity beside it may. */
function readStatedStock(state: DraftState): StockStatus | undefined {
  const text = readField(state, "availability");
  if (text === undefined) return undefined;
  const stated = readAvailability(text);
  if (stated !== undefined) return stated.availability === "unknown" ? undefined : stated;
  const problem = "is not a known availability. Use in_stock, out_of_stock, preorder or backorder";
  return dropWithWarning(state, "unknown_availability", "availability", { value: text, problem });
}

function fromQuantity(quantity: number | undefined): Availability {
  return quantity === undefined ? "unknown" : availabilityOf(quantity);
}
