/** Availability, quantity and condition. */
import { defined } from "../../lib/defined.ts";
import { asciiDigits, parseInteger } from "../decimal.ts";
import type { Availability, Condition } from "../item.ts";
import {
  availabilityOf,
  isPreOrBackorder,
  readAvailability,
  readDeliveryColumn,
  readStockWords,
  type StockStatus,
} from "../vocabulary/availability.ts";
import { readCondition } from "../vocabulary/condition.ts";
import {
  type DraftState,
  dropWithWarning,
  instantField,
  integerField,
  quoted,
  readField,
  warn,
} from "./fields.ts";

/** Shops that oversell count below zero; to a buyer that is zero. */
const MIN_QUANTITY = -999_999_999;

/**
 * The availability is the shop's word, else follows from the quantity, else from the delivery time. Shops also write
 * the word into the column of the quantity: "in stock", "na sklade". The word is used also where the quantity
 * contradicts it, with a warning: many exports write 0 for what the shop does not count.
 */
export function readStock(state: DraftState): StockStatus {
  const inQuantity = wordInQuantity(state);
  const text = readField(state, "availability");
  const stated = text === undefined ? inQuantity : readAvailability(text);
  const quantity = readQuantity(state, inQuantity) ?? stated?.quantity;
  const delivery = readDelivery(state);
  const availability = knownOf(stated) ?? fromQuantity(quantity) ?? knownOf(delivery) ?? "unknown";
  const stock = defined({ availability, quantity, handling: handlingOf(delivery, stated) });
  if (stated === undefined) warnOfUnstated(state, text, stock);
  else warnOfContradiction(state, stated, quantity);
  return stock;
}

/** A word with a delivery time does not contradict a quantity of zero: the shop orders the item from its supplier. */
function warnOfContradiction(state: DraftState, stated: StockStatus, quantity: number | undefined): void {
  const { availability, handling } = stated;
  if (quantity === undefined || handling !== undefined) return;
  if (availability !== "in_stock" && availability !== "out_of_stock") return;
  if (availability === availabilityOf(quantity)) return;
  const word = quoted(readField(state, "availability") ?? availability);
  const message = `availability ${word} and quantity ${quantity} contradict each other; the availability is used, and the item is ${availability}. Correct one of them in the shop.`;
  warn(state, "stock_contradicts", "availability", message);
}

const handlingOf = (delivery: StockStatus | undefined, stated: StockStatus | undefined) =>
  delivery?.handling ?? stated?.handling;

function warnOfUnstated(state: DraftState, text: string | undefined, stock: StockStatus): void {
  if (text === undefined) warnOfNone(state, stock.availability);
  else warnOfUnknown(state, text, stock);
}

function knownOf(stock: StockStatus | undefined): Availability | undefined {
  return stock?.availability === "unknown" ? undefined : stock?.availability;
}

function wordInQuantity(state: DraftState): StockStatus | undefined {
  const text = readField(state, "quantity");
  return text === undefined || isCount(text) ? undefined : readStockWords(text);
}

function readQuantity(state: DraftState, inQuantity: StockStatus | undefined): number | undefined {
  if (inQuantity !== undefined) return inQuantity.quantity;
  const counted = integerField(state, "quantity", MIN_QUANTITY);
  return counted === undefined ? undefined : Math.max(counted, 0);
}

const isCount = (text: string): boolean => parseInteger(asciiDigits(text)) !== undefined;

/** The words of a delivery time that are not known are reported; they say nothing about the item. */
function readDelivery(state: DraftState): StockStatus | undefined {
  const value = readField(state, "deliveryTime");
  if (value === undefined) return undefined;
  const problem = "is not a known delivery time. Write it in days, such as 2-4 days";
  return (
    readDeliveryColumn(value) ?? dropWithWarning(state, "unknown_word", "deliveryTime", { value, problem })
  );
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

/** A condition in words that we do not know is left out: it says neither that the item is new nor that it is used. */
export function conditionField(state: DraftState): Condition | undefined {
  const value = readField(state, "condition");
  if (value === undefined) return undefined;
  const condition = readCondition(value);
  if (condition !== undefined) return condition === "unstated" ? undefined : condition;
  const problem = "is not a known condition; it is not used. Use new, refurbished or used";
  return dropWithWarning(state, "unknown_condition", "condition", { value, problem });
}

function warnOfNone(state: DraftState, availability: Availability): void {
  if (availability !== "unknown") return;
  const message =
    "The item has neither an availability nor a quantity. Add one: Google and OpenAI require an availability.";
  warn(state, "availability_missing", "availability", message);
}

/** Says what was done with the word: the quantity or the delivery time decides, if there is one. */
function warnOfUnknown(state: DraftState, text: string, { availability, quantity }: StockStatus): void {
  const result =
    availability === "unknown"
      ? "the item's availability is unknown, so Google refuses it"
      : `by its ${quantity === undefined ? "delivery time" : "quantity"} the item is ${availability}`;
  const message = `availability ${quoted(text)} is not a known value; ${result}. Use in_stock, out_of_stock, preorder or backorder, or a number.`;
  warn(state, "unknown_availability", "availability", message);
}

function fromQuantity(quantity: number | undefined): Availability | undefined {
  return quantity === undefined ? undefined : availabilityOf(quantity);
}
