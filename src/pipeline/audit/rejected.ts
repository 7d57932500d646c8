/**
 * What the syncs could not store, from the numbers of their runs. Rows that the shop itself holds back (drafts,
 * hidden products) are its owner's choice and do not count. Runs are read defensively: those of earlier versions have
 * no `rejection_codes`, only the number and the first hundred rejections.
 */
import type { RejectedExample, RejectedRows, RejectionReason } from "../../audit/audit-context.ts";
import { REJECTION_CODES } from "../../catalog/finding.ts";
import type { RejectionEntry } from "../sync/ledger.ts";

export type RejectionStats = {
  readonly rejected?: unknown;
  readonly rejection_codes?: unknown;
  readonly rejections?: unknown;
};

/** Not counted. */
const OWNERS_CHOICE = "unpublished";

/** Of one run: how many rows, and how many for each code; null where the number is not known. */
type Counted = { readonly count: number; readonly codes: ReadonlyMap<string, number | null> };

/** One for each source: the newest run that succeeded. */
export function rejectedRows(runs: readonly RejectionStats[]): RejectedRows {
  const counted = runs.map(countRows);
  const entries = runs.flatMap(entriesOf).filter(({ code }) => code !== OWNERS_CHOICE);
  const codes = new Map<string, number | null>();
  for (const [code, rows] of counted.flatMap(({ codes: own }) => [...own])) {
    const known = codes.get(code);
    codes.set(code, known === null || rows === null ? null : (known ?? 0) + rows);
  }
  const reasons = [...codes].map(
    ([code, rows]): RejectionReason => ({ code, rows, message: sentenceFor(code, entries) }),
  );
  return {
    count: counted.reduce((sum, { count }) => sum + count, 0),
    reasons: reasons.sort((a, b) => (b.rows ?? 0) - (a.rows ?? 0) || (a.code < b.code ? -1 : 1)),
    examples: examplesOf(entries),
  };
}

function countRows(stats: RejectionStats): Counted {
  const { rejected, rejection_codes: all } = stats;
  if (typeof all === "object" && all !== null) {
    const codes = Object.entries(all).filter(
      (entry): entry is [string, number] => typeof entry[1] === "number" && entry[0] !== OWNERS_CHOICE,
    );
    return { count: codes.reduce((sum, [, rows]) => sum + rows, 0), codes: new Map(codes) };
  }
  const entries = entriesOf(stats);
  const total = typeof rejected === "number" ? rejected : entries.length;
  const isComplete = entries.length >= total;
  const byCode = Map.groupBy(entries, ({ code }) => code);
  const choice = byCode.get(OWNERS_CHOICE)?.length ?? 0;
  byCode.delete(OWNERS_CHOICE);
  const codes = [...byCode].map(([code, rows]) => [code, isComplete ? rows.length : null] as const);
  return { count: Math.max(total - choice, 0), codes: new Map(codes) };
}

function entriesOf({ rejections }: RejectionStats): readonly RejectionEntry[] {
  return Array.isArray(rejections) ? (rejections as readonly RejectionEntry[]) : [];
}

function sentenceFor(code: string, entries: readonly RejectionEntry[]): string {
  const known: Readonly<Record<string, string>> = REJECTION_CODES;
  return known[code] ?? entries.find((entry) => entry.code === code)?.message ?? code;
}

/** One of each code first, then as they come. */
function examplesOf(entries: readonly RejectionEntry[]): readonly RejectedExample[] {
  const firsts = [...Map.groupBy(entries, ({ code }) => code).values()].flatMap((own) => own.slice(0, 1));
  return [...new Set([...firsts, ...entries])].map(({ item_id, position, message }) => ({
    item_id,
    message: `Row ${position}: ${message}`,
  }));
}
