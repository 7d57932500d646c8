/**
 * The rows that syncs and replacements by a push rejected, from the statistics of their runs. Rows that the shop itself
 * does not publish (drafts, hidden products) do not count. Runs of earlier versions have no `rejection_codes`, only the
 * number and the first hundred rejections.
 */
import type { RejectedExample, RejectedRows, RejectionReason } from "../../audit/audit-context.ts";
import { REJECTION_CODES } from "../../catalog/finding.ts";
import type { Rejection } from "../../contract/syncs.ts";

export type RejectionStats = {
  readonly rejected?: unknown;
  readonly rejection_codes?: unknown;
  readonly rejections?: unknown;
};

const UNPUBLISHED = "unpublished";

/** The rows of one run, in total and by code; null where the number is not known. */
type CountedRejection = { readonly count: number; readonly codes: ReadonlyMap<string, number | null> };

/** `runs` has the newest successful run of each source, and of the pushes the newest replacement. */
export function rejectedRows(runs: readonly RejectionStats[]): RejectedRows {
  const counted = runs.map(countRows);
  const entries = runs.flatMap(entriesOf).filter(({ code }) => code !== UNPUBLISHED);
  const codes = new Map<string, number | null>();
  for (const [code, rows] of counted.flatMap(({ codes: own }) => [...own])) {
    const known = codes.get(code);
    codes.set(code, known === null || rows === null ? null : (known ?? 0) + rows);
  }
  const reasons = [...codes].map(
    ([code, rows]): RejectionReason => ({ code, rows, message: messageFor(code, entries) }),
  );
  return {
    count: counted.reduce((sum, { count }) => sum + count, 0),
    reasons: reasons.sort((a, b) => (b.rows ?? 0) - (a.rows ?? 0) || (a.code < b.code ? -1 : 1)),
    examples: examplesOf(entries),
  };
}

/** Without the rows whose items are stored now. A repeated id is one of a stored item from the beginning. */
export function withoutStored(stats: RejectionStats, storedIds: ReadonlySet<string>): RejectionStats {
  const codes = { ...(stats.rejection_codes as Readonly<Record<string, number>> | undefined) };
  const rejections = entriesOf(stats).filter(({ item_id, code }) => {
    const isCorrected = item_id !== null && code !== "duplicate_item_id" && storedIds.has(item_id);
    if (isCorrected) codes[code] = Math.max((codes[code] ?? 0) - 1, 0);
    return !isCorrected;
  });
  const left = Object.entries(codes).filter(([, rows]) => rows > 0);
  return { rejections, rejection_codes: Object.fromEntries(left) };
}

function countRows(stats: RejectionStats): CountedRejection {
  const { rejected, rejection_codes: all } = stats;
  if (typeof all === "object" && all !== null) {
    const codes = Object.entries(all).filter(
      (entry): entry is [string, number] => typeof entry[1] === "number" && entry[0] !== UNPUBLISHED,
    );
    return { count: codes.reduce((sum, [, rows]) => sum + rows, 0), codes: new Map(codes) };
  }
  const entries = entriesOf(stats);
  const total = typeof rejected === "number" ? rejected : entries.length;
  const isComplete = entries.length >= total;
  const byCode = Map.groupBy(entries, ({ code }) => code);
  const unpublished = byCode.get(UNPUBLISHED)?.length ?? 0;
  byCode.delete(UNPUBLISHED);
  const codes = [...byCode].map(([code, rows]) => [code, isComplete ? rows.length : null] as const);
  return { count: Math.max(total - unpublished, 0), codes: new Map(codes) };
}

export function entriesOf({ rejections }: RejectionStats): readonly Rejection[] {
  return Array.isArray(rejections) ? (rejections as readonly Rejection[]) : [];
}

function messageFor(code: string, entries: readonly Rejection[]): string {
  const known: Readonly<Record<string, string>> = REJECTION_CODES;
  return known[code] ?? entries.find((entry) => entry.code === code)?.message ?? code;
}

/** One of each code first, then the others in order. */
function examplesOf(entries: readonly Rejection[]): readonly RejectedExample[] {
  const firsts = [...Map.groupBy(entries, ({ code }) => code).values()].flatMap((own) => own.slice(0, 1));
  return [...new Set([...firsts, ...entries])].map(({ item_id, position, message }) => ({
    item_id,
    message: `Row ${position}: ${message}`,
  }));
}
