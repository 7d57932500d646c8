/** The counts of one sync. Every item is stored, unchanged or rejected; `balance` fails a run that does not add up. */
import { counted } from "../../lib/counted.ts";
import type { Rejection, RejectionCode, Warning, WarningCode } from "../../catalog/finding.ts";
import type { SyncIssue } from "../../contract/runs.ts";
import type {
  Rejection as RejectionEntry,
  SyncStats,
  Warning as WarningEntry,
} from "../../contract/syncs.ts";
import { AppError } from "../../errors.ts";
import { snakeCase } from "../../lib/snake-case.ts";

/** How many rejections the statistics of a run list, spread over the codes. All are counted. */
export const MAX_REJECTIONS = 100;

/**
 * How many rejections and how many warnings are stored beside the statistics; of each code the first hundred in any
 * case.
 */
export const MAX_ISSUES = 10_000;
const MIN_OF_ONE_CODE = 100;

/** How many warnings the statistics list, in total and of one code. All are counted. */
const MAX_WARNINGS = 100;
const MAX_OF_ONE_CODE = 5;

export const EMPTY_STATS: SyncStats = {
  seen: 0,
  upserted: 0,
  unchanged: 0,
  rejected: 0,
  removed: 0,
  not_read: 0,
  warnings: 0,
  warning_codes: {},
  warning_examples: [],
  rejection_codes: {},
  rejections: [],
};

/** What a merge did. */
type Result = {
  readonly upserted: number;
  readonly unchanged: number;
  readonly removed: number;
  readonly notRead?: number;
};

export class Ledger {
  seen = 0;
  accepted = 0;
  rejected = 0;
  warnings = 0;
  private readonly warningCodes = new Map<string, number>();
  private readonly examples: WarningEntry[] = [];
  private readonly rejectionCodes = new Map<RejectionCode, number>();
  /** The first `MAX_REJECTIONS` of each code, from which the listed ones are chosen. */
  private readonly rejections: RejectionEntry[] = [];
  private readonly allRejections: RejectionEntry[] = [];
  private readonly allWarnings: WarningEntry[] = [];

  warn({ itemId, position, field, code, message }: Warning): void {
    const count = this.countWarnings(code, 1);
    const isExample = this.examples.length < MAX_WARNINGS && (count <= MAX_OF_ONE_CODE || position === null);
    const isStored = this.allWarnings.length < MAX_ISSUES || count <= MIN_OF_ONE_CODE;
    if (!isExample && !isStored) return;
    const entry = { item_id: itemId, position, field: apiName(field), code, message };
    if (isExample) this.examples.push(entry);
    if (isStored) this.allWarnings.push(entry);
  }

  /** Counts warnings that are not listed. */
  countWarnings(code: WarningCode, more: number): number {
    const count = (this.warningCodes.get(code) ?? 0) + more;
    if (count > 0) this.warningCodes.set(code, count);
    this.warnings += more;
    return count;
  }

  reject({ itemId, position, field, code, message }: Rejection): void {
    const count = this.countRejected(code, 1);
    const isStored = this.allRejections.length < MAX_ISSUES || count <= MIN_OF_ONE_CODE;
    if (!isStored) return;
    const entry = { item_id: itemId, position, field: apiName(field), code, message };
    this.allRejections.push(entry);
    if (count <= MAX_REJECTIONS) this.rejections.push(entry);
  }

  /** Counts accepted items as rejected; `sample` may have fewer than `count`. */
  rejectAccepted(code: RejectionCode, count: number, sample: readonly Omit<Rejection, "code">[]): void {
    for (const rejection of sample) this.reject({ ...rejection, code });
    this.countRejected(code, count - sample.length);
    this.accepted -= count;
  }

  private countRejected(code: RejectionCode, more: number): number {
    const count = (this.rejectionCodes.get(code) ?? 0) + more;
    if (count > 0) this.rejectionCodes.set(code, count);
    this.rejected += more;
    return count;
  }

  /** What is stored beside the statistics: rejections in the order of the source, then warnings. */
  issues(): readonly SyncIssue[] {
    const rejections = this.allRejections.toSorted((a, b) => a.position - b.position);
    return [
      ...rejections.map((entry) => ({ kind: "rejection" as const, ...entry })),
      ...this.allWarnings.map((entry) => ({ kind: "warning" as const, ...entry })),
    ];
  }

  /** Without a result: nothing has been merged yet. */
  stats(result: Result = { upserted: 0, unchanged: 0, removed: 0 }): SyncStats {
    return {
      seen: this.seen,
      upserted: result.upserted,
      unchanged: result.unchanged,
      rejected: this.rejected,
      removed: result.removed,
      not_read: result.notRead ?? 0,
      warnings: this.warnings,
      warning_codes: Object.fromEntries(this.warningCodes),
      warning_examples: this.examples,
      rejection_codes: Object.fromEntries(this.rejectionCodes),
      rejections: spread(this.rejections, MAX_REJECTIONS),
    };
  }
}

/**
 * At most `limit` entries, in the order of the source. Every code gets an equal share, and what a rare code does not
 * use goes to the others, so that a hundred drafts do not hide one broken row.
 */
export function spread(entries: readonly RejectionEntry[], limit: number): readonly RejectionEntry[] {
  const byPosition = entries.toSorted((a, b) => a.position - b.position);
  if (byPosition.length <= limit) return byPosition;
  const rarestFirst = [...Map.groupBy(byPosition, ({ code }) => code).values()].sort(
    (a, b) => a.length - b.length,
  );
  let left = limit;
  const shares = rarestFirst.map((ofCode, i) => {
    const share = ofCode.slice(0, Math.ceil(left / (rarestFirst.length - i)));
    left -= share.length;
    return share;
  });
  return shares.flat().sort((a, b) => a.position - b.position);
}

/** The field's name in the API: `sale_price`. */
const apiName = (field: string | null): string | null => (field === null ? null : snakeCase(field));

export function balance({ seen, upserted, unchanged, rejected, rejection_codes }: SyncStats): void {
  if (seen !== upserted + unchanged + rejected) {
    throw new AppError(
      "ledger_mismatch",
      `${counted(seen, "item was", "items were")} seen, but ${upserted} stored + ${unchanged} unchanged + ${rejected} rejected make ${upserted + unchanged + rejected}. Nothing was changed. Please report this.`,
    );
  }
  const reasons = Object.values(rejection_codes).reduce((sum, count) => sum + count, 0);
  if (reasons === rejected) return;
  throw new AppError(
    "ledger_mismatch",
    `${counted(rejected, "item was", "items were")} rejected, but ${counted(reasons, "reason was", "reasons were")} counted. Nothing was changed. Please report this.`,
  );
}
