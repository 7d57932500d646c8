/**
 * The attributes that are for Google alone. Each value is brought into the form that Google documents. A value of
 * another form is dropped with a warning, and so is a group that lacks a required part. A word that Google does not
 * document is kept as written: dropping it could publish an item that its merchant has paused or excluded.
 */
import { defined } from "../../lib/defined.ts";
import { PROBLEMS } from "../checked.ts";
import { parseInstant, parseInterval } from "../dates.ts";
import { parseDecimal, parseInteger } from "../decimal.ts";
import type { WarningCode } from "../finding.ts";
import {
  GOOGLE_NAMES,
  GOOGLE_TABLE,
  type GoogleDraft,
  type GoogleGroup,
  type GoogleName,
  type GoogleRawValue,
  type GoogleValue,
  type GoogleValues,
} from "../google-attributes.ts";
import type { GoogleAttribute, GoogleForm, GoogleFormKind, GoogleGroupsAttribute } from "../google-form.ts";
import { checkGtin, GTIN_PROBLEMS } from "../gtin.ts";
import { formatMoney } from "../money.ts";
import { foldText, isBlank, plainText } from "../text.ts";
import type { HandlingTime } from "../vocabulary/delivery-time.ts";
import { readCountry } from "../vocabulary/places.ts";
import { YES_NO_WORDS } from "../vocabulary/traits.ts";
import { meaningOf } from "../words.ts";
import {
  type DraftState,
  dropWithWarning,
  limitEntries,
  quoted,
  readUrl,
  warn,
  withinLimit,
} from "./fields.ts";
import { readMoney } from "./price.ts";

type GoogleContext = {
  readonly state: DraftState;
  /** The attribute, or one of its parts: `installment.amount`. */
  readonly field: string;
  /** The currency of the item's price; an amount that names no currency is in this currency. */
  readonly currency: string;
};

export function readGoogle(
  state: DraftState,
  currency: string,
  handling?: HandlingTime,
): GoogleValues | undefined {
  const google = withHandling(state.draft.google, handling);
  if (google === undefined) return undefined;
  const values: { -readonly [Name in GoogleName]?: GoogleValue } = {};
  for (const name of GOOGLE_NAMES) {
    const raw = google[name]?.filter(isMeaningful) ?? [];
    if (raw.length === 0) continue;
    const value = readAttribute({ state, field: name, currency }, GOOGLE_TABLE[name], raw);
    if (value !== undefined) values[name] = value;
  }
  return Object.keys(values).length === 0 ? undefined : values;
}

/** The shop's own handling times win over those that its delivery time says. */
function withHandling(
  google: GoogleDraft | undefined,
  handling: HandlingTime | undefined,
): GoogleDraft | undefined {
  const isStated = google?.min_handling_time !== undefined || google?.max_handling_time !== undefined;
  if (handling === undefined || isStated) return google;
  const min_handling_time = handling.min === undefined ? undefined : [String(handling.min)];
  return { ...google, ...defined({ min_handling_time, max_handling_time: [String(handling.max)] }) };
}

function isMeaningful(value: GoogleRawValue): boolean {
  return typeof value === "string" ? !isBlank(value) : Object.values(value).some((text) => !isBlank(text));
}

/** The text of `structured_title` or `structured_description`, for items that have no plain one. */
export function structuredContent(
  { draft }: DraftState,
  name: "structured_title" | "structured_description",
): string | undefined {
  const [group] = draft.google?.[name] ?? [];
  return typeof group === "object" ? group["content"] : undefined;
}

function readAttribute(
  context: GoogleContext,
  attribute: GoogleAttribute,
  raw: readonly GoogleRawValue[],
): GoogleValue | undefined {
  if (attribute.shape === "groups") return readGroups(context, attribute, raw);
  const { state, field } = context;
  const values: string[] = [];
  for (const value of limitEntries(state, field, raw, attribute.shape === "one" ? 1 : attribute.most)) {
    const text =
      typeof value === "string"
        ? FORM_READERS[attribute.form.kind](context, value, attribute.form)
        : drop(context, "invalid_attribute", groupText(value), "has parts, and the attribute has none");
    if (text !== undefined && !values.includes(text)) values.push(text);
  }
  if (values.length === 0) return undefined;
  return attribute.shape === "one" ? values[0] : values;
}

function groupText(group: GoogleGroup): string {
  return Object.values(group).join(":");
}

function readGroups(
  context: GoogleContext,
  attribute: GoogleGroupsAttribute,
  raw: readonly GoogleRawValue[],
): readonly GoogleGroup[] | undefined {
  const { state, field } = context;
  const { most, longest = Number.POSITIVE_INFINITY } = attribute;
  const groups: GoogleGroup[] = [];
  let length = 0;
  for (const value of limitEntries(state, field, raw, most)) {
    const group =
      typeof value === "string"
        ? dropUnsplit(context, attribute, value)
        : readGroup(context, attribute, value);
    if (group === undefined) continue;
    length += groupText(group).length;
    if (length > longest) {
      const message = `${field} has more than ${longest} characters; ${groups.length} of ${raw.length} values are kept.`;
      warn(state, "too_many_values", field, message);
      break;
    }
    groups.push(group);
  }
  return groups.length === 0 ? undefined : groups;
}

function dropUnsplit(context: GoogleContext, { parts }: GoogleGroupsAttribute, value: string): undefined {
  const header = `${context.field}(${Object.keys(parts).join(":")})`;
  const problem = `cannot be split into its parts; name those you use in the column's header, as in ${header}, and quote values that have a colon or a comma`;
  return drop(context, "invalid_attribute", value, problem);
}

function readGroup(
  context: GoogleContext,
  { parts, anyOf, exclusive }: GoogleGroupsAttribute,
  raw: GoogleGroup,
): GoogleGroup | undefined {
  const group: Record<string, string> = {};
  for (const [name, { form, isRequired }] of Object.entries(parts)) {
    const text = raw[name] ?? "";
    const part = { ...context, field: `${context.field}.${name}` };
    const value = isBlank(text) ? undefined : FORM_READERS[form.kind](part, text, form);
    if (value !== undefined) group[name] = value;
    else if (isRequired) return dropIncomplete(context, name, raw);
  }
  if (anyOf?.every((name) => group[name] === undefined) === true)
    return dropIncomplete(context, anyOf.join(" or "), raw);
  if (exclusive.filter((name) => group[name] !== undefined).length > 1)
    return drop(context, "invalid_attribute", groupText(raw), `has more than one of ${exclusive.join(", ")}`);
  warnOfUnknownParts(context, parts, raw);
  return Object.keys(group).length === 0 ? undefined : group;
}

function dropIncomplete(context: GoogleContext, part: string, group: GoogleGroup): undefined {
  return drop(context, "incomplete_value", groupText(group), `lacks a usable ${part}`);
}

function warnOfUnknownParts(
  context: GoogleContext,
  parts: GoogleGroupsAttribute["parts"],
  raw: GoogleGroup,
): void {
  for (const [name, text] of Object.entries(raw)) {
    if (!Object.hasOwn(parts, name) && !isBlank(text))
      drop(context, "invalid_attribute", name, "is not a part that Google documents");
  }
}

/**
 * Reads one value by its form. Returns the value in the spelling that Google documents, or undefined after a warning.
 */
type FormReader = (context: GoogleContext, text: string, form: GoogleForm) => string | undefined;

function drop({ state, field }: GoogleContext, code: WarningCode, value: string, problem: string): undefined {
  return dropWithWarning(state, code, field, { value, problem });
}

/** Far more than Google takes where it documents no limit. */
const LONGEST = 2_000;
const LONGEST_WORD = 100;

const readText: FormReader = ({ state, field }, raw, { longest = LONGEST }) => {
  const text = plainText(raw);
  if (isBlank(text)) return undefined;
  return withinLimit(state, field, text, longest);
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

const readLink: FormReader = ({ state, field }, text) => readUrl(state, field, text)?.replaceAll(",", "%2C");

const readAmount: FormReader = (context, text) => {
  const { currency, state } = context;
  const money = readMoney(state, { field: context.field, text, currency });
  if (money.kind === "valid") return formatMoney(money.value);
  return drop(context, "invalid_amount", text, PROBLEMS[money.reason]);
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
  return drop(context, "invalid_date", text, PROBLEMS[instant.reason]);
};

const readInterval: FormReader = (context, text) => {
  const span = parseInterval(text);
  if (span.kind === "invalid") return drop(context, "invalid_date", text, PROBLEMS[span.reason]);
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

const FORM_READERS: Readonly<Record<GoogleFormKind, FormReader>> = {
  text: readText,
  code: readCode,
  word: readWord,
  number: readNumber,
  decimal: readDecimal,
  url: readLink,
  money: readAmount,
  flag: readFlag,
  country: readCountryCode,
  time: readTime,
  interval: readInterval,
  clock: readClock,
  gtin: readGtin,
};
