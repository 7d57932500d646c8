/** Summarizes rejections for the error message of a run. */
import { counted, formatCount } from "../../lib/counted.ts";
import { REJECTION_CODES, type RejectionCode, type WarningCode } from "../../catalog/finding.ts";
import { AppError } from "../../errors.ts";
import type { SyncStats } from "../../contract/syncs.ts";

const MAX_REASONS = 4;

/**
 * `1,990 × missing_link (The item has no link.), 4 × missing_price (…)`: the most frequent first, drafts last, since
 * shops keep drafts out on purpose. An example follows if it has more information than the reason.
 */
export function rejectionSummary(stats: SyncStats): string {
  const reasons = Object.entries(stats.rejection_codes).sort(
    ([a, m], [b, n]) => Number(a === "unpublished") - Number(b === "unpublished") || n - m,
  );
  const shown = reasons
    .slice(0, MAX_REASONS)
    .map(([code, count]) => `${formatCount(count)} × ${code} (${meaningOf(code)})`);
  const more = reasons.length - shown.length;
  const list = `${shown.join(", ")}${more > 0 ? ` and ${counted(more, "more reason")}` : ""}.`;
  return `${list} ${exampleOf(stats, reasons[0]?.[0])}`.trim();
}

const meaningOf = (code: string): string => (REJECTION_CODES as Readonly<Record<string, string>>)[code] ?? "";

function exampleOf({ rejections }: SyncStats, code: string | undefined): string {
  const example = rejections.find((one) => one.code === code);
  if (!example || example.message === meaningOf(example.code)) return "";
  return `For example item ${example.position}: ${example.message}`;
}

/** Missing columns, and columns that were not recognized: one of those may be the missing one. */
const COLUMN_NOTES: ReadonlySet<string> = new Set<WarningCode>(["missing_column", "unmapped_column"]);

const columnNotes = ({ warning_examples }: SyncStats): readonly string[] =>
  warning_examples
    .filter(({ code, position }) => COLUMN_NOTES.has(code) && position === null)
    .map(({ message }) => message);

/** Rejections that are not errors of the source: the item is not for sale, or is already in the catalog. */
const EXCUSED: ReadonlySet<string> = new Set<RejectionCode>(["unpublished", "duplicate_item_id"]);

/** No rejection is an error of the source. */
export const areExcused = ({ rejection_codes }: SyncStats): boolean =>
  Object.keys(rejection_codes).every((code) => EXCUSED.has(code));

/** The error if every row was rejected; undefined if no rejection is an error of the source. */
export function allRejectedError(stats: SyncStats, advice: string): AppError | undefined {
  const { rejected } = stats;
  if (areExcused(stats)) return undefined;
  const who =
    rejected === 1 ? "The only row was rejected" : `All ${formatCount(rejected)} rows were rejected`;
  const parts = [`${who}: ${rejectionSummary(stats)} Nothing was changed. ${advice}`, ...columnNotes(stats)];
  return new AppError("source_all_rejected", parts.join(" "));
}
