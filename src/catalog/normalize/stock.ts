/** Whether the item can be had, when, and how many there are. */
import type { Availability, Condition } from "../item.ts";
import { availabilityOf, isAwaited, readAvailability, type StockSaid } from "../vocabulary/availability.ts";
import { readCondition } from "../vocabulary/condition.ts";
import { given, type Intake, type ItemUnderWay, leaveOut, put, quoted, warn } from "./intake.ts";
import { instantOf, integerOf } from "./typed-fields.ts";

/** Shops that oversell count below zero; to a buyer that is none. */
const LEAST_QUANTITY = -999_999_999;

export function readStock(intake: Intake): StockSaid {
  const said = readSaid(intake);
  const counted = integerOf(intake, "quantity", LEAST_QUANTITY);
  const quantity = counted === undefined ? said?.quantity : Math.max(counted, 0);
  const availability = said?.availability ?? fromQuantity(quantity);
  if (availability === "unknown" && given(intake, "availability") === undefined)
    warn(
      intake,
      "availability_missing",
      "availability",
      "The item has neither an availability nor a quantity.",
    );
  return quantity === undefined ? { availability } : { availability, quantity };
}

export function fillStock(item: ItemUnderWay, intake: Intake, { availability, quantity }: StockSaid): void {
  const date = instantOf(intake, "availabilityDate", "start");
  // Google asks for the date.
  if (date === undefined && isAwaited(availability))
    warn(
      intake,
      "availability_date_missing",
      "availabilityDate",
      `The item is on ${availability}, but not from when.`,
    );
  put(item, "availabilityDate", date);
  put(item, "quantity", quantity);
  put(item, "expiresAt", instantOf(intake, "expiresAt", "end"));
  put(item, "condition", conditionOf(intake));
}

/**
 * A shop that states a condition in words we do not know means something other than "new", which every feed reads
 * into silence. So it counts as used: an item must never look better than it is.
 */
function conditionOf(intake: Intake): Condition | undefined {
  const text = given(intake, "condition");
  if (text === undefined) return undefined;
  const condition = readCondition(text);
  if (condition !== undefined) return condition === "unstated" ? undefined : condition;
  warn(
    intake,
    "unknown_condition",
    "condition",
    `condition ${quoted(text)} is not a known condition; the item is listed as used. Use new, refurbished or used.`,
  );
  return "used";
}

/** What the availability field says; `unknown` says nothing, so that a quantity beside it may. */
function readSaid(intake: Intake): StockSaid | undefined {
  const text = given(intake, "availability");
  if (text === undefined) return undefined;
  const said = readAvailability(text);
  if (said !== undefined) return said.availability === "unknown" ? undefined : said;
  const problem = "is not a known availability";
  return leaveOut(intake, "unknown_availability", "availability", { value: text, problem });
}

function fromQuantity(quantity: number | undefined): Availability {
  return quantity === undefined ? "unknown" : availabilityOf(quantity);
}
