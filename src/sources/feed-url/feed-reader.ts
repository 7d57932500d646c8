/**
 * The interface of a reader: it gets text piece by piece and uses neither network nor disk. Also the error for a file
 * that is not about products.
 */
import type { TextField } from "../../catalog/draft.ts";
import type { DecimalMark } from "../../catalog/decimal.ts";
import { AppError } from "../../errors.ts";
import type { TextReader } from "../../lib/formats/text-reader.ts";
import type { FileColumnSettings } from "../product-record/column-settings.ts";
import { languageQuestion } from "../product-record/localized-names.ts";
import { namesShown } from "../product-record/aliases.ts";
import type { FileEnding, RecordResult } from "../source.ts";
import { adviceParts, type FileSeen, suggestColumns } from "./suggestion.ts";

export type SourceFeedReader = TextReader<RecordResult> & {
  /** The kind of file, in words, for messages: "text separated by semicolons". */
  readonly format: string;
  /** Whether the export of a known shop system is read: it makes links and the like by itself. */
  readonly isDialect: boolean;
  /** Names of the columns or fields met so far, as the file spells them. */
  readonly columns: () => readonly string[];
  /** Values of a column in the first rows that are not empty, for suggestions. */
  readonly valuesOf: (column: string) => readonly string[];
  /** Whether anything met so far can feed the field. */
  readonly has: (field: TextField) => boolean;
  /** What the merchant set for the columns. */
  readonly settings: FileColumnSettings;
  /** How the text ended, once all of it was read. Not set for formats whose readers notice a missing end themselves. */
  readonly ending?: () => FileEnding;
};

/** One reading of the whole file. */
export type FeedPass = {
  readonly reader: SourceFeedReader;
  /** Makes another reader of the same items, to look at all of them before the others. */
  readonly makeReader?: () => SourceFeedReader;
  /** The decimal mark to expect when the prices do not show it. */
  readonly defaultDecimalMark?: DecimalMark | null;
  /** Whether a list without any prices is something else: a blog's RSS has ids, titles and links too. */
  readonly needsPrices?: boolean;
  /** How many rows the passes before this one have returned. */
  readonly rowsBefore?: number;
};

/** What a reader has met so far. */
export function seenBy({ columns, valuesOf, has, settings }: SourceFeedReader): FileSeen {
  return { columns: columns(), valuesOf, has, mapping: settings.mapping };
}

/** The refusal of a file that has rows, but not of products. */
export function notProducts(format: string, seen: FileSeen, reason: string): AppError {
  const suggestion = suggestColumns(seen);
  const advice =
    suggestion === null
      ? []
      : ["If it is a product feed, map its columns.", ...adviceParts({ ...suggestion, link_template: null })];
  const found = `Columns found: ${namesShown(seen.columns)}.`;
  const question = seen.has("title") ? undefined : languageQuestion(seen.columns, "title");
  return new AppError(
    "source_not_a_feed",
    [`The file was read as ${format}, but ${reason}.`, question, found, ...advice]
      .filter((part) => part !== undefined)
      .join(" "),
    suggestion && suggestion.columns !== "" ? { suggestedSettings: { columns: suggestion.columns } } : {},
  );
}

export type Needs = Pick<FeedPass, "needsPrices"> & {
  /** Whether rows may change some fields of stored items: an id is enough then. */
  readonly mayChangeFields?: boolean | undefined;
};

/** Without id and SKU an id can be made of what names the product, if the file is about things with a price. */
const canMakeIds = (has: SourceFeedReader["has"]): boolean =>
  has("groupId") || has("link") || (has("title") && has("price"));

/** All that no field of the file can feed although items need it, in words; null if the file can be read. */
export function missingFields(has: SourceFeedReader["has"], needs: Needs): string | null {
  const hasOwnNames = has("id") || has("sku");
  if (needs.mayChangeFields === true && hasOwnNames) return null;
  const present = {
    id: hasOwnNames || canMakeIds(has),
    title: has("title"),
    price: has("price") || (needs.needsPrices !== true && hasOwnNames),
  };
  if (Object.values(present).every(Boolean)) return null;
  // A price or a link alone does not refuse the file, but without them its items are refused next.
  const needed = { ...present, price: has("price"), link: has("link") };
  const missing = Object.entries(needed).flatMap(([field, isThere]) => (isThere ? [] : [field]));
  return missing.join(" or ");
}
