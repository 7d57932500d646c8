/** One value of an attribute for Google, by its form: in the spelling that Google documents, or undefined after a warning. */
import { DATE_PROBLEMS, parseInstant, parseInterval } from "../dates.ts";
import { parseDecimal, parseInteger } from "../decimal.ts";
import type { WarningCode } from "../finding.ts";
import type { GoogleForm, GoogleFormKind } from "../google-form.ts";
import { checkGtin, GTIN_PROBLEMS } from "../gtin.ts";
import { formatMoney, MONEY_PROBLEMS, parseMoney } from "../money.ts";
import { clamp, foldText, isBlank, plainText } from "../text.ts";
import { readCountry } from "../vocabulary/places.ts";
import { YES_NO_WORDS } from "../vocabulary/traits.ts";
import { URL_PROBLEMS, parseUrl } from "../url.ts";
import { meaningOf } from "../words.ts";
import { type DraftState, dropWithWarning, quoted, warn } from "./fields.ts";

export type GoogleContext = {
  readonly state: DraftState;
  /** The attribute, or one of its parts: `installment.amount`. */
  readonly field: string;
  /** That of the item's price: an amount that names no currency is in it. */
  readonly currency: string;
};

type FormReader = (context: GoogleContext, text: string, form: GoogleForm) => string | undefined;

export const readForm: FormReader = (context, text, form) => READERS[form.kind](context, text, form);

function drop({ state, field }: GoogleContext, code: WarningCode, value: string, problem: string): undefined {
  return dropWithWarning(state, code, field, { value, problem });
}

/** Far more than Google takes where it documents no limit. */
const LONGEST = 2_000;
const LONGEST_WORD = 100;

const readText: FormReader = ({ state, field }, raw, { longest = LONGEST }) => {
  const text = plainText(raw);
  if (isBlank(text)) return undefined;
  const kept = clamp(text, longest);
  if (kept.length < text.length)
    warn(
      state,
      "value_too_long",
      field,
      `${field} ${quoted(text)} is longer than ${longest} characters; its end is cut off.`,
    );
  return kept;
};

const readCode: FormReader = (context, raw, { longest = LONGEST }) => {
  const text = foldText(raw);
  if (isBlank(text)) return undefined;
  if (text.length <= longest || Array.from(text).length <= longest) return text;
  return drop(context, "invalid_attribute", raw, `is longer than ${longest} characters`);
};

const readWord: FormReader = (context, raw, { values = [], words = new Map<string, string>() }) => {
  const known = meaningOf(words, raw);
  if (known !== undefined) return known;
  const text = readCode(context, raw, { kind: "code", longest: LONGEST_WORD });
  if (text !== undefined) {
    const { state, field } = context;
    const message = `${field} ${quoted(raw)} is none of ${values.join(", ")}; gmc.tsv carries it as it is.`;
    warn(state, "undocumented_word", field, message);
  }
  return text;
};

const readNumber: FormReader = (context, text, { least = 0 }) => {
  const number = parseInteger(text.trim());
  if (number !== undefined && number >= least) return String(number);
  return drop(context, "invalid_number", text, `is not a whole number from ${least} up`);
};

const readDecimal: FormReader = (context, text, { most = Number.POSITIVE_INFINITY }) => {
  const decimal = parseDecimal(text.replace("%", "").trim(), context.state.decimalMark);
  if (decimal !== undefined && Number(decimal) <= most) return decimal;
  const range = most === Number.POSITIVE_INFINITY ? "from 0 up" : `from 0 to ${most}`;
  return drop(context, "invalid_number", text, `is not a number ${range}`);
};

const readUrl: FormReader = (context, text) => {
  const address = parseUrl(text, context.state.settings.storeUrl);
  if (address.kind === "valid") return address.value.replaceAll(",", "%2C");
  return drop(context, "invalid_url", text, URL_PROBLEMS[address.reason]);
};

const readMoney: FormReader = (context, text) => {
  const { currency, state } = context;
  const money = parseMoney(text, { currency, decimalMark: state.decimalMark });
  if (money.kind === "valid") return formatMoney(money.value);
  return drop(context, "invalid_amount", text, MONEY_PROBLEMS[money.reason]);
};

const readFlag: FormReader = (context, text) =>
  meaningOf(YES_NO_WORDS, text) ?? drop(context, "unknown_word", text, "is neither yes nor no");

const readCountryCode: FormReader = (context, text) =>
  readCountry(text) ?? drop(context, "invalid_country", text, "is not an ISO 3166 country code");

/** `2026-11-14T10:00Z`: Google takes at most 25 characters and no milliseconds. */
function toMinute(instant: string): string {
  return `${instant.slice(0, 16)}Z`;
}

const readTime: FormReader = (context, text) => {
  const instant = parseInstant(text, "start");
  if (instant.kind === "valid") return toMinute(instant.value);
  return drop(context, "invalid_date", text, DATE_PROBLEMS[instant.reason]);
};

const readInterval: FormReader = (context, text) => {
  const span = parseInterval(text);
  if (span.kind === "invalid") return drop(context, "invalid_date", text, DATE_PROBLEMS[span.reason]);
  const { from = "", to = "" } = span.value;
  if (from === "" || to === "") return drop(context, "invalid_date", text, "has only one of its two ends");
  const [start, end] = [toMinute(from), toMinute(to)];
  return start < end ? `${start}/${end}` : drop(context, "invalid_date", text, "is shorter than a minute");
};

/** Google documents both forms. */
const CLOCK = /^(?:[01]\d|2[0-3]):?[0-5]\d$/;

const readClock: FormReader = (context, text) => {
  const time = text.trim();
  if (CLOCK.test(time)) return time;
  return drop(context, "invalid_attribute", text, "is not a time of day as 16:00 or 1600");
};

const readGtin: FormReader = (context, text) => {
  const checked = checkGtin(text);
  if (checked.kind === "valid") return checked.gtin;
  return drop(context, "invalid_gtin", text, GTIN_PROBLEMS[checked.reason]);
};

const READERS: Readonly<Record<GoogleFormKind, FormReader>> = {
  text: readText,
  code: readCode,
  word: readWord,
  number: readNumber,
  decimal: readDecimal,
  url: readUrl,
  money: readMoney,
  flag: readFlag,
  country: readCountryCode,
  time: readTime,
  interval: readInterval,
  clock: readClock,
  gtin: readGtin,
};
