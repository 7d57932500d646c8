/**
 * One draft on its way to an item. Every field is read through here, so that blank values are absent everywhere, no
 * text is unbounded, and whatever is left out or cut says so in a warning that names the field and the value. The
 * sentences are for users: they spell fields as the API and the feeds do (`sale_price`), never as the code does.
 */
import { counted } from "../../lib/counted.ts";
import { snakeCase } from "../../lib/snake-case.ts";
import type { Draft, TextField } from "../draft.ts";
import type { Rejection, RejectionCode, Warning, WarningCode } from "../finding.ts";
import type { Item } from "../item.ts";
import type { DecimalMark } from "../money.ts";
import type { CatalogSettings } from "../settings.ts";
import { clamp, foldText, isBlank, plainLines, plainText } from "../text.ts";

export type Intake = {
  readonly draft: Draft;
  readonly position: number;
  readonly settings: CatalogSettings;
  readonly decimalMark: DecimalMark | undefined;
  readonly warnings: Warning[];
  itemId: string | null;
};

/** An item being filled in. Fields are put in one fixed order, so that equal items have equal JSON. */
export type ItemUnderWay = { -readonly [Field in keyof Item]: Item[Field] };

/** A value without which there is no item. */
export type Needed<Value> =
  | { readonly kind: "valid"; readonly value: Value }
  | { readonly kind: "rejected"; readonly rejection: Rejection };

/** Longest texts kept, in code points: far beyond what any feed takes, so that only the feeds decide what to cut. */
export const TITLE_LIMIT = 1_000;
export const DESCRIPTION_LIMIT = 20_000;
const TEXT_LIMIT = 2_000;
/** How much of an offending value a message repeats. */
const QUOTE_LIMIT = 80;

export function put<Field extends keyof Item>(
  item: ItemUnderWay,
  field: Field,
  value: Item[Field] | undefined,
): void {
  if (value !== undefined) item[field] = value;
}

/** The field as the source wrote it, trimmed; undefined when it says nothing. */
export function given(intake: Intake, field: TextField): string | undefined {
  const raw = intake.draft[field];
  return raw === undefined || isBlank(raw) ? undefined : raw.trim();
}

/** The field as plain text on one line. */
export function textOf(intake: Intake, field: TextField, limit = TEXT_LIMIT): string | undefined {
  const raw = intake.draft[field];
  return raw === undefined ? undefined : cleanText(intake, field, raw, limit);
}

/** The field as plain text in lines: paragraphs and list items stay apart. */
export function linesOf(intake: Intake, field: TextField, limit = TEXT_LIMIT): string | undefined {
  const raw = intake.draft[field];
  return raw === undefined ? undefined : cleanLines(intake, field, raw, limit);
}

export function cleanLines(
  intake: Intake,
  field: string,
  raw: string,
  limit = TEXT_LIMIT,
): string | undefined {
  const text = plainLines(raw);
  return isBlank(text) ? undefined : withinLimit(intake, field, text, limit);
}

/** A text of a list or a group, cleaned under the name of the field it belongs to. */
export function cleanText(
  intake: Intake,
  field: string,
  raw: string,
  limit = TEXT_LIMIT,
): string | undefined {
  const text = plainText(raw);
  return isBlank(text) ? undefined : withinLimit(intake, field, text, limit);
}

/** A code such as a SKU: on one line, but otherwise as written, since `&amp;` may be part of it. */
export function codeOf(intake: Intake, field: TextField): string | undefined {
  const raw = intake.draft[field];
  if (raw === undefined) return undefined;
  const code = foldText(raw);
  return isBlank(code) ? undefined : withinLimit(intake, field, code);
}

/** The first entries of a list. Without a limit one draft could take the memory meant for a million. */
export function firstOf<Entry>(
  intake: Intake,
  field: string,
  entries: readonly Entry[],
  limit: number,
): readonly Entry[] {
  if (entries.length <= limit) return entries;
  warn(
    intake,
    "too_many_values",
    field,
    `${snakeCase(field)} has ${entries.length} values; ${counted(limit, "is", "are")} kept.`,
  );
  return entries.slice(0, limit);
}

/** A text no longer than we keep, cut with a warning if need be. */
export function withinLimit(intake: Intake, field: string, text: string, limit = TEXT_LIMIT): string {
  if (text.length <= limit) return text;
  const kept = clamp(text, limit);
  if (kept.length < text.length)
    warn(
      intake,
      "value_too_long",
      field,
      `${snakeCase(field)} ${quoted(text)} is longer than ${limit} characters.`,
    );
  return kept;
}

export function warn(intake: Intake, code: WarningCode, field: string, message: string): void {
  intake.warnings.push({ itemId: intake.itemId, position: intake.position, field, code, message });
}

/** Warns that a value is not used. `problem` ends the sentence that begins with field and value. */
export function leaveOut(
  intake: Intake,
  code: WarningCode,
  field: string,
  { value, problem }: { readonly value: string; readonly problem: string },
): undefined {
  warn(intake, code, field, `${snakeCase(field)} ${quoted(value)} ${problem}.`);
  return undefined;
}

export function reject(
  intake: Intake,
  code: RejectionCode,
  field: string,
  message: string,
): { readonly kind: "rejected"; readonly rejection: Rejection } {
  return {
    kind: "rejected",
    rejection: { itemId: intake.itemId, position: intake.position, field, code, message },
  };
}

/** A value as a message repeats it: short, on one line, nothing invisible. */
export function quoted(value: string): string {
  const beginning = foldText(value.slice(0, 4 * QUOTE_LIMIT));
  const kept = clamp(beginning, QUOTE_LIMIT);
  return kept.length < beginning.length || value.length > 4 * QUOTE_LIMIT ? `"${kept}…"` : `"${kept}"`;
}
