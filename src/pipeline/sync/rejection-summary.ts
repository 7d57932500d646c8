/** Why rows were rejected, in a sentence for the message of a run that fails because of it. */
import { counted } from "../../lib/counted.ts";
import { REJECTION_CODES } from "../../catalog/finding.ts";
import type { RejectionCode, WarningCode } from "../../catalog/finding.ts";
import { AppError } from "../../errors.ts";
import type { SyncStats } from "../../contract/syncs.ts";

const MOST_REASONS = 4;

/**
 * `1,990 × missing_link (The item has no link.), 4 × missing_price (…)`: the commonest first, drafts last, since they
 * are what a shop means to keep out. An example follows where it says more than the reason does.
 */
export function rejectionSummary(stats: SyncStats): string {
  const reasons = Object.entries(stats.rejection_codes).sort(
    ([a, m], [b, n]) => Number(a === "unpublished") - Number(b === "unpublished") || n - m,
  );
  const shown = reasons
    .slice(0, MOST_REASONS)
    .map(([code, count]) => `${formatCount(count)} × ${code} (${meaningOf(code)})`);
  const more = reasons.length - shown.length;
  const list = `${shown.join(", ")}${more > 0 ? ` and ${counted(more, "more reason")}` : ""}.`;
  return `${list} ${exampleOf(stats, reasons[0]?.[0])}`.trim();
}

export const formatCount = (count: number): string => count.toLocaleString("en");

const meaningOf = (code: string): string => (REJECTION_CODES as Readonly<Record<string, string>>)[code] ?? "";

function exampleOf({ rejections }: SyncStats, code: string | undefined): string {
  const example = rejections.find((one) => one.code === code);
  if (!example || example.message === meaningOf(example.code)) return "";
  return `For example item ${example.position}: ${example.message}`;
}

/** What the file lacks, and the columns that were not understood: one of them may well be the one that is missing. */
const COLUMN_NOTES: ReadonlySet<string> = new Set<WarningCode>(["missing_column", "unmapped_column"]);

const columnNotes = ({ warning_examples }: SyncStats): readonly string[] =>
  warning_examples
    .filter(({ code, position }) => COLUMN_NOTES.has(code) && position === null)
    .map(({ message }) => message);

/**
 * Reasons that are no fault of the source: it says itself that the item is not for sale, or the item is in the
 * catalog already, by another source or a push.
 */
const EXCUSED: ReadonlySet<string> = new Set<RejectionCode>(["unpublished", "duplicate_item_id"]);

/** The failure of a read of which every row was rejected; none if the reasons are no fault of the source. */
export function allRejectedError(stats: SyncStats, advice: string): AppError | undefined {
  const { rejected, rejection_codes } = stats;
  if (Object.keys(rejection_codes).every((code) => EXCUSED.has(code))) return undefined;
  const who =
    rejected === 1 ? "The only row was rejected" : `All ${formatCount(rejected)} rows were rejected`;
  const parts = [`${who}: ${rejectionSummary(stats)} Nothing was changed. ${advice}`, ...columnNotes(stats)];
  return new AppError("source_all_rejected", parts.join(" "));
}
