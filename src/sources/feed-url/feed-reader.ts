/**
 * What every format's reader is: fed text as it comes, it never looks at the network or the disk; what it found out
 * about the file it tells at the end. A file that turns out not to be about products is refused in the words here.
 */
import type { TextField } from "../../catalog/draft.ts";
import type { DecimalMark } from "../../catalog/money.ts";
import { AppError } from "../../errors.ts";
import type { TextReader } from "../../lib/formats/text-reader.ts";
import { namesShown, type Reading } from "../product-record/reading.ts";
import { suggestColumns } from "./suggestion.ts";

export type FeedReader = TextReader<Reading> & {
  /** The kind of file, in words, for messages: "CSV separated by semicolons". */
  readonly format: string;
  /** Whether the export of a known shop system is read: it makes links and the like by itself. */
  readonly isDialect: boolean;
  /** Names of the columns or fields met so far, as the file spells them. */
  readonly columns: () => readonly string[];
  /** Whether anything met so far can feed the field. */
  readonly has: (field: TextField) => boolean;
};

export type Chosen = {
  readonly reader: FeedReader;
  readonly usualMark: DecimalMark | null;
  readonly needsPrices: boolean;
  /** Asked when the whole file went through: another way to read it, or null when it was read. May refuse it. */
  readonly after: () => Chosen | null;
  /** Lets go of what was opened for it and for what comes after it. */
  readonly close: () => void;
};

/** The refusal of a file that has rows, but not of products. */
export function notProducts(
  format: string,
  { columns, has }: { readonly columns: readonly string[]; readonly has: FeedReader["has"] },
  reason: string,
): AppError {
  const suggested = suggestColumns(columns, has)?.columns ?? "";
  const advice =
    suggested === ""
      ? ""
      : ` If it is a product feed, set columns to say which is which, e.g. "${suggested.replaceAll("\n", "; ")}".`;
  return new AppError(
    "source_not_a_feed",
    `The file was read as ${format}, but ${reason}. Columns found: ${namesShown(columns)}.${advice}`,
  );
}

/** What no field of the file can feed although items need it, in words; null when nothing is missing. */
export function missingFields(has: FeedReader["has"], needsPrices: boolean): string | null {
  const missing: string[] = [];
  // Without id and SKU an id can be made of what names the product, if the file is about things with a price.
  const hasOwnNames = has("id") || has("sku");
  if (!hasOwnNames && !has("groupId") && !has("link")) missing.push("id");
  if (!has("title")) missing.push("title");
  if ((needsPrices || !hasOwnNames) && !has("price")) missing.push("price");
  return missing.length === 0 ? null : missing.join(" or ");
}
