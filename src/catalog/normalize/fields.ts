/**
 * Reads the fields of a draft and sets those of an item. All fields are read here, so that blank values are absent, texts
 * are bounded, and every value that is dropped or cut is reported with field and value. Messages spell fields as the
 * API and the feeds do (`sale_price`).
 */
import { snakeCase } from "../../lib/snake-case.ts";
import type { Draft, TextField } from "../draft.ts";
import type { Rejection, RejectionCode, Warning, WarningCode } from "../finding.ts";
import type { Item } from "../item.ts";
import type { DecimalMark } from "../money.ts";
import type { CatalogSettings } from "../settings.ts";
import { clamp, foldText, isBlank, plainLines, plainText } from "../text.ts";

export type DraftState = {
  readonly draft: Draft;
  readonly position: number;
  readonly settings: CatalogSettings;
  readonly decimalMark: DecimalMark | undefined;
  readonly warnings: Warning[];
  itemId: string | null;
};

/** An item under construction. Fields are set in one fixed order, so that equal items have equal JSON. */
export type MutableItem = { -readonly [Field in keyof Item]: Item[Field] };

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

export function setField<Field extends keyof Item>(
  item: MutableItem,
  field: Field,
  value: Item[Field] | undefined,
): void {
  if (value !== undefined) item[field] = value;
}

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

/** The field as plain text in lines: paragraphs and list items stay apart. */
export function linesField(state: DraftState, field: TextField, limit = TEXT_LIMIT): string | undefined {
  const raw = state.draft[field];
  return raw === undefined ? undefined : cleanLines(state, field, raw, limit);
}

export function cleanLines(
  state: DraftState,
  field: string,
  raw: string,
  limit = TEXT_LIMIT,
): string | undefined {
  const text = plainLines(raw);
  return isBlank(text) ? undefined : withinLimit(state, field, text, limit);
}

/** A text of a list or a group, cleaned under the name of the field it belongs to. */
export function cleanText(
  state: DraftState,
  field: string,
  raw: string,
  limit = TEXT_LIMIT,
): string | undefined {
  const text = plainText(raw);
  return isBlank(text) ? undefined : withinLimit(state, field, text, limit);
}

/** A code such as a SKU: on one line, but otherwise as written, since `&amp;` may be part of it. */
export function codeField(state: DraftState, field: TextField): string | undefined {
  const raw = state.draft[field];
  if (raw === undefined) return undefined;
  const code = foldText(raw);
  return isBlank(code) ? undefined : withinLimit(state, field, code);
}

/** The first entries of a list, so that the memory for one draft is bounded. */
export function firstOf<Entry>(
  state: DraftState,
  field: string,
  entries: readonly Entry[],
  limit: number,
): readonly Entry[] {
  if (entries.length <= limit) return entries;
  warn(
    state,
    "too_many_values",
    field,
    `${snakeCase(field)} has ${entries.length} values; the first ${limit} are kept.`,
  );
  return entries.slice(0, limit);
}

/** The text, cut to the limit with a warning if it is longer. */
export function withinLimit(state: DraftState, field: string, text: string, limit = TEXT_LIMIT): string {
  if (text.length <= limit) return text;
  const kept = clamp(text, limit);
  if (kept.length < text.length)
    warn(
      state,
      "value_too_long",
      field,
      `${snakeCase(field)} ${quoted(text)} is longer than ${limit} characters; its end is cut off.`,
    );
  return kept;
}

export function warn(state: DraftState, code: WarningCode, field: string, message: string): void {
  state.warnings.push({ itemId: state.itemId, position: state.position, field, code, message });
}

/** Warns that a value is not used, and returns undefined in its place. `problem` ends the sentence that begins with field and value. */
export function dropWithWarning(
  state: DraftState,
  code: WarningCode,
  field: string,
  { value, problem }: { readonly value: string; readonly problem: string },
): undefined {
  warn(state, code, field, `${snakeCase(field)} ${quoted(value)} ${problem}.`);
  return undefined;
}

export function reject(
  state: DraftState,
  code: RejectionCode,
  field: string,
  message: string,
): { readonly kind: "rejected"; readonly rejection: Rejection } {
  return {
    kind: "rejected",
    rejection: { itemId: state.itemId, position: state.position, field, code, message },
  };
}

/** A value in quotes for a message: shortened, on one line, without invisible characters. */
export function quoted(value: string): string {
  const beginning = foldText(value.slice(0, 4 * QUOTE_LIMIT));
  const kept = clamp(beginning, QUOTE_LIMIT);
  return kept.length < beginning.length || value.length > 4 * QUOTE_LIMIT ? `"${kept}…"` : `"${kept}"`;
}
