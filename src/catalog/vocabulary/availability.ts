/**
 * The words that shops use for availability, by language in `availability.json`, and what a delivery time says about it
 * (`delivery-time.ts`).
 */
import { asciiDigits } from "../decimal.ts";
import type { Availability } from "../item.ts";
import { byMeaning, meaningOf, wordTable } from "../words.ts";
import phrases from "./availability.json" with { type: "json" };
import { type HandlingTime, readDeliveryTime } from "./delivery-time.ts";
import stockUnits from "./stock-units.json" with { type: "json" };

const AVAILABILITY_WORDS = wordTable<Availability>({
  unknown: [],
  ...byMeaning<Exclude<Availability, "unknown">>(phrases),
});

const STOCK_UNITS = wordTable(stockUnits);

export type StockStatus = {
  readonly availability: Availability;
  /** How many, when the field held a count. `0` and `1` may as well mean no and yes, and are not taken for counts. */
  readonly quantity?: number;
  readonly handling?: HandlingTime;
};

const COUNT = /^-?\d{1,9}$/;
/**
 * Matches the separator between an availability and the delivery time after it: "in stock, ships in 3 days", "auf Lager
 * (2-3 Tage)", "Available from 1 to 3 days". "Available in 3 weeks" may mean that the item is not available before, so
 * it is not split.
 */
const BETWEEN = /[,;(|:–/]| - | (?=(?:from|από|απο) \d{1,3} (?:to|έως|εως) \d)/gi;
/**
 * The range of days that Skroutz and others have as an availability. From zero up it may as well be a range of counts.
 */
const DAY_RANGE = /^[1-9]\d?\s?[-–]\s?[1-9]\d?$/;

/**
 * An item that is dispatched in some days is in stock and has a handling time. A delivery time never means pre-order or
 * backorder, and neither does a word that says only that an item can be asked for or will arrive ("auf Anfrage",
 * "in arrivo", "ordinabile"): such words are in no list.
 */
export function readAvailability(raw: string): StockStatus | undefined {
  return DAY_RANGE.test(raw.trim()) ? readDeliveryColumn(raw) : readStockWords(raw);
}

/** Reads the words of a column of quantities, in which a range is not a range of days. */
export function readStockWords(raw: string): StockStatus | undefined {
  const text = asciiDigits(raw);
  const availability = meaningOf(AVAILABILITY_WORDS, text);
  if (availability !== undefined) return { availability };
  const count = COUNT.test(text) ? Number(text) : undefined;
  if (count !== undefined) return { availability: availabilityOf(count), quantity: Math.max(count, 0) };
  const handling = readDeliveryTime(text);
  if (handling !== undefined) return { availability: "in_stock", handling };
  return readCount(text) ?? wordsAndTime(text);
}

const LONGEST_COUNT = 40;
const COUNT_IN_WORDS = /^([^\d<]*)(\d{1,9})(?:[.,]0{1,3})?([^\d<]*)$/;

/**
 * A count with its unit or an availability ("12 pcs", "12 szt.", "in stock (12)"). "10+", "> 5" and "more than 10" are
 * in stock; how many there are is not known.
 */
function readCount(text: string): StockStatus | undefined {
  const found = text.length > LONGEST_COUNT ? null : COUNT_IN_WORDS.exec(text.trim());
  if (found === null) return undefined;
  const [before, digits, rest] = found.slice(1) as [string, string, string];
  const { plus, after } = splitPlus(rest.trimStart());
  if (!isUnit(after) && !isInStock(after)) return undefined;
  const count = Number(digits);
  if (isMoreThan(before) || isOpenCount(before + plus, count)) return { availability: "in_stock" };
  const isCount = plus === "" && (before === "" || isInStock(before));
  return isCount ? { availability: availabilityOf(count), quantity: count } : undefined;
}

function splitPlus(text: string): { readonly plus: string; readonly after: string } {
  return text.startsWith("+") ? { plus: "+", after: text.slice(1).trimStart() } : { plus: "", after: text };
}

/** `10+` is at least ten; `0+` says nothing. */
function isOpenCount(signs: string, count: number): boolean {
  return signs === "+" && count > 0;
}

function isUnit(text: string): boolean {
  return text === "" || text === ")" || meaningOf(STOCK_UNITS, text) === "pieces";
}

function isMoreThan(text: string): boolean {
  return text.trim() === ">" || meaningOf(STOCK_UNITS, text) === "more_than";
}

function isInStock(text: string): boolean {
  return meaningOf(AVAILABILITY_WORDS, text.replace(/[\s:()]+$/, "")) === "in_stock";
}

/** The column of a delivery time may have a number of days alone, or a word ("sofort lieferbar"). */
export function readDeliveryColumn(raw: string): StockStatus | undefined {
  const text = asciiDigits(raw);
  const handling = readDeliveryTime(text, "day");
  return handling === undefined ? readStockWords(text) : { availability: "in_stock", handling };
}

const LONGEST_TEXT = 100;

function wordsAndTime(text: string): StockStatus | undefined {
  if (text.length > LONGEST_TEXT || !/\d/.test(text)) return undefined;
  for (const { index } of text.matchAll(BETWEEN)) {
    const availability = meaningOf(AVAILABILITY_WORDS, text.slice(0, index));
    const handling = availability === undefined ? undefined : readDeliveryTime(text.slice(index + 1));
    if (availability !== undefined && handling !== undefined) return { availability, handling };
  }
  return undefined;
}

/** Not in stock yet, but sold: there may be a date, and a quantity does not change the availability. */
export function isPreOrBackorder(availability: Availability): boolean {
  return availability === "preorder" || availability === "backorder";
}

export function availabilityOf(quantity: number): Availability {
  return quantity > 0 ? "in_stock" : "out_of_stock";
}
