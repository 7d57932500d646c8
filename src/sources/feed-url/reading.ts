/**
 * What every format's reader gives: drafts, and rows that could not be read. A reader is fed text as it comes and
 * never looks at the network or the disk; what it found out about the file it tells at the end.
 */
import type { Draft, TextField } from "../../catalog/draft.ts";
import type { WarningCode } from "../../catalog/finding.ts";
import { AppError } from "../../errors.ts";
import type { TextReader } from "../../lib/text-reader.ts";

export type Reading =
  | { readonly kind: "draft"; readonly draft: Draft }
  | { readonly kind: "unreadable"; readonly itemId: string | null; readonly message: string }
  | { readonly kind: "note"; readonly code: WarningCode; readonly message: string };

export type FeedReader = TextReader<Reading> & {
  /** The kind of file, in words, for messages: "CSV separated by semicolons". */
  readonly format: string;
  /** Names of the columns or fields met so far, as the file spells them. */
  readonly columns: () => readonly string[];
  /** Whether anything met so far can feed the field. */
  readonly has: (field: TextField) => boolean;
};

const SHOWN_COLUMNS = 30;

/** The refusal of a file that has rows, but not of products. */
export function notProducts(format: string, columns: readonly string[], reason: string): AppError {
  return new AppError(
    "source_not_a_feed",
    `The file was read as ${format}, but ${reason}. Columns found: ${namesShown(columns)}.`,
  );
}

/** The names for a sentence; of many, the first ones and how many more. */
export function namesShown(names: readonly string[]): string {
  const shown = names.slice(0, SHOWN_COLUMNS).map((name) => JSON.stringify(name.slice(0, 60)));
  const more = names.length > SHOWN_COLUMNS ? ` and ${names.length - SHOWN_COLUMNS} more` : "";
  return `${shown.join(", ")}${more}`;
}

/** What no field of the file can feed although items need it, in words; null when nothing is missing. */
export function missingFields(has: FeedReader["has"], needsPrices: boolean): string | null {
  const missing: string[] = [];
  // An item without an id of its own goes by its SKU.
  if (!has("id") && !has("sku")) missing.push("id");
  if (!has("title")) missing.push("title");
  if (needsPrices && !has("price")) missing.push("price");
  return missing.length === 0 ? null : missing.join(" or ");
}
