/**
 * Reads the fields of a draft. All fields are read here, so that blank values are absent, texts are bounded, and every
 * value that is dropped or cut is reported with field and value. Messages spell fields as the API and the feeds do
 * (`sale_price`).
 */
import { memoizeLast } from "../../lib/memoize.ts";
import { snakeCase } from "../../lib/snake-case.ts";
import { type Checked, PROBLEMS } from "../checked.ts";
import { type DayEdge, parseInstant } from "../dates.ts";
import { asciiDigits, parseInteger } from "../decimal.ts";
import type { Draft, TextField } from "../draft.ts";
import type { Rejection, RejectionCode, Warning, WarningCode } from "../finding.ts";
import type { DecimalMark } from "../decimal.ts";
import type { CatalogSettings } from "../settings.ts";
import { clamp, foldText, isBlank, plainLines, plainText } from "../text.ts";
import { parseUrl } from "../url.ts";
import { YES_NO_WORDS } from "../vocabulary/traits.ts";
import { meaningOf, type WordTable } from "../words.ts";

export type DraftState = {
  readonly draft: Draft;
  readonly position: number;
  readonly settings: CatalogSettings;
  readonly decimalMark: DecimalMark | undefined;
  readonly warnings: Warning[];
  itemId: string | null;
};

/** A value that every item must have, or the rejection of the item. */
export type RequiredValue<Value> =
  | { readonly kind: "valid"; readonly value: Value }
  | { readonly kind: "rejected"; readonly rejection: Rejection };

/** Longest texts stored, in code points: far beyond what any feed accepts, so that only the feeds cut them. */
export const TITLE_LIMIT = 1_000;
export const DESCRIPTION_LIMIT = 20_000;
const TEXT_LIMIT = 2_000;
/** How much of a value a message repeats. */
const QUOTE_LIMIT = 80;

/** The field as the source wrote it, trimmed; undefined when it is blank. */
export function readField(state: DraftState, field: TextField): string | undefined {
  const raw = state.draft[field];
  return raw === undefined || isBlank(raw) ? undefined : raw.trim();
}

/** The field as plain text on one line. */
export function textField(state: DraftState, field: TextField, limit = TEXT_LIMIT): string | undefined {
  const raw = state.draft[field];
  return raw === undefined ? undefined : cleanText(state, field, raw, limit);
}

/** Cleans a text under the name of the field it belongs to. */
const cleanedBy =
  (plain: (raw: string) => string) =>
  (state: DraftState, field: string, raw: string, limit = TEXT_LIMIT): string | undefined => {
    const text = plain(raw);
    return isBlank(text) ? undefined : withinLimit(state, field, text, limit);
  };
export const cleanText = cleanedBy(plainText);
/**
 * In lines: paragraphs and list items stay apart. The variants of a product follow one another and mostly have the same
 * text.
 */
export const cleanLines = cleanedBy(memoizeLast(plainLines));

/**
 * Reads a code such as a SKU. A code is on one line, but is otherwise kept as written, since `&amp;` may be part of it.
 */
export function codeField(state: DraftState, field: TextField): string | undefined {
  const raw = state.draft[field];
  if (raw === undefined) return undefined;
  const code = foldText(raw);
  return isBlank(code) ? undefined : withinLimit(state, field, code);
}

export function wordField<Meaning>(
  state: DraftState,
  field: TextField,
  table: WordTable<Meaning>,
): Meaning | undefined {
  const text = readField(state, field);
  if (text === undefined) return undefined;
  const meaning = meaningOf(table, text);
  if (meaning !== undefined) return meaning;
  const problem = `is not a known value. Use ${[...new Set(table.values())].join(", ")}`;
  return dropWithWarning(state, "unknown_word", field, { value: text, problem });
}

export function booleanField(state: DraftState, field: TextField): boolean | undefined {
  const word = wordField(state, field, YES_NO_WORDS);
  return word === undefined ? undefined : word === "yes";
}

export function integerField(state: DraftState, field: TextField, least: number): number | undefined {
  const text = readField(state, field);
  return text === undefined ? undefined : readInteger(state, field, text, least);
}

/** A whole number from a list or a group, read under the name of the field it belongs to. */
export function readInteger(
  state: DraftState,
  field: string,
  text: string,
  least: number,
): number | undefined {
  const number = parseInteger(asciiDigits(text.trim()));
  if (number !== undefined && number >= least) return number;
  const problem = `is not a whole number from ${least} up`;
  return dropWithWarning(state, "invalid_number", field, { value: text, problem });
}

export function instantField(state: DraftState, field: TextField, edge: DayEdge): string | undefined {
  const value = readField(state, field);
  if (value === undefined) return undefined;
  return validOrDrop(state, parseInstant(value, edge), { code: "invalid_date", field, value });
}

export function urlField(state: DraftState, field: TextField): string | undefined {
  const text = readField(state, field);
  return text === undefined ? undefined : readUrl(state, field, text);
}

/** A link from a list, read under the name of the field it belongs to. */
export function readUrl(state: DraftState, field: string, value: string): string | undefined {
  const url = parseUrl(value, state.settings.storeUrl);
  return validOrDrop(state, url, { code: "invalid_url", field, value });
}

/** Reads only the first entries of a list, so that the memory for one draft is bounded. */
export function readList<Entry, Value>(
  state: DraftState,
  { field, entries, limit }: { field: string; entries: readonly Entry[] | undefined; limit: number },
  read: (entry: Entry) => Value | undefined,
): readonly Value[] | undefined {
  if (entries === undefined) return undefined;
  const values: Value[] = [];
  for (const entry of limitEntries(state, field, entries, limit)) {
    const value = read(entry);
    if (value !== undefined) values.push(value);
  }
  return values.length === 0 ? undefined : values;
}

export function limitEntries<Entry>(
  state: DraftState,
  field: string,
  entries: readonly Entry[],
  limit: number,
): readonly Entry[] {
  if (entries.length <= limit) return entries;
  const message = `${snakeCase(field)} has ${entries.length} values; the first ${limit} are kept.`;
  warn(state, "too_many_values", field, message);
  return entries.slice(0, limit);
}

/** The text, cut to the limit with a warning if it is longer. */
export function withinLimit(state: DraftState, field: string, text: string, limit = TEXT_LIMIT): string {
  if (text.length <= limit) return text;
  const kept = clamp(text, limit);
  if (kept.length === text.length) return kept;
  const message = `${snakeCase(field)} ${quoted(text)} is longer than ${limit} characters; its end is cut off.`;
  warn(state, "value_too_long", field, message);
  return kept;
}

export function warn(state: DraftState, code: WarningCode, field: string, message: string): void {
  state.warnings.push({ itemId: state.itemId, position: state.position, field, code, message });
}

/**
 * Warns that a value is not used, and returns undefined in its place. `problem` ends the sentence that begins with
 * field and value.
 */
export function dropWithWarning(
  state: DraftState,
  code: WarningCode,
  field: string,
  { value, problem }: { readonly value: string; readonly problem: string },
): undefined {
  warn(state, code, field, `${snakeCase(field)} ${quoted(value)} ${problem}.`);
  return undefined;
}

/** The value of a check that succeeded; undefined after a warning if it failed. */
export function validOrDrop<Value>(
  state: DraftState,
  checked: Checked<Value>,
  { code, field, value }: { readonly code: WarningCode; readonly field: string; readonly value: string },
): Value | undefined {
  if (checked.kind === "valid") return checked.value;
  return dropWithWarning(state, code, field, { value, problem: PROBLEMS[checked.reason] });
}

export function reject(
  state: DraftState,
  code: RejectionCode,
  field: string,
  message: string,
): { readonly kind: "rejected"; readonly rejection: Rejection } {
  const { itemId, position } = state;
  return { kind: "rejected", rejection: { itemId, position, field, code, message } };
}

/** A value in quotes for a message: shortened, on one line, without invisible characters. */
export function quoted(value: string): string {
  const beginning = foldText(value.slice(0, 4 * QUOTE_LIMIT));
  const kept = clamp(beginning, QUOTE_LIMIT);
  return kept.length < beginning.length || value.length > 4 * QUOTE_LIMIT ? `"${kept}…"` : `"${kept}"`;
}
