/**
 * The audit inside a render. An error does not stop the render: it is kept until the end and becomes a failed audit
 * run.
 */
import {
  type Auditor,
  type AuditState,
  type EarlierGroup,
  type GroupRecord,
  type ItemVerdict,
  openAudit,
  type PreviousAudit,
} from "../../audit/audit.ts";
import { MarketChanged } from "../../audit/catalog-tables.ts";
import type { AuditReport } from "../../audit/report.ts";
import type { AuditContext, Freshness } from "../../audit/audit-context.ts";
import { ruleNumbersOf } from "../../audit/verdict.ts";
import type { ItemGroup } from "../../catalog/item.ts";
import type { Catalog } from "../../store/catalogs.ts";
import type { Queries, Session } from "../../store/db.ts";
import { findStoredIds } from "../../store/items.ts";
import { findIssues } from "../../store/run-issues.ts";
import { findReplacement, type SyncedSource, syncedSources } from "../../store/newest-syncs.ts";
import { openVerdictStaging, type VerdictStaging } from "../../store/verdicts.ts";
import { entriesOf, rejectedRows, type RejectionStats, withoutStored } from "./rejected.ts";

export type AuditOutcome =
  | {
      readonly kind: "judged";
      readonly context: AuditContext;
      readonly report: AuditReport;
      readonly sameUntil: string | null;
      readonly state: AuditState;
      /** The items that were kept from the previous audit; null if all were evaluated. */
      readonly kept: Auditor["kept"] | null;
    }
  | { readonly kind: "failed"; readonly error: unknown };

export type JudgedAudit = Extract<AuditOutcome, { kind: "judged" }>;

export type AuditPass = Awaited<ReturnType<typeof openAuditPass>>;

export async function auditContext(
  db: Queries,
  { id, name, settings, replacedRunId }: Catalog,
  asOf: Date,
): Promise<AuditContext> {
  const sources = await syncedSources(db, id);
  return {
    // Files name the catalog as the seller unless a seller is set.
    settings: { sellerName: name, ...settings },
    asOf,
    freshness: mostOverdue(sources, asOf),
    rejected: rejectedRows([
      ...sources.flatMap(({ stats }) => (stats === null ? [] : [stats])),
      ...(replacedRunId === null ? [] : await replacementStats(db, id)),
    ]),
  };
}

/** The newest replacement by a push, without rows that a later push corrected: their items are stored now. */
async function replacementStats(db: Queries, catalogId: string): Promise<readonly RejectionStats[]> {
  const run = await findReplacement(db, catalogId);
  if (!run) return [];
  const stats: RejectionStats = run.stats;
  if (!run.isFollowed || stats.rejected === 0) return [stats];
  const issues = await findIssues(db, run.id);
  const rejections = issues?.filter(({ kind }) => kind === "rejection") ?? entriesOf(stats);
  const ids = rejections.flatMap(({ item_id }) => item_id ?? []);
  const stored = await findStoredIds(db, { catalogId, sourceId: null }, [...new Set(ids)]);
  return [withoutStored({ ...stats, rejections }, new Set(stored.map(({ id }) => id)))];
}

/**
 * Stages on `session`, whose transaction must later merge the verdicts. With the previous audit, groups that did not
 * change since then can be kept.
 */
export async function openAuditPass(
  session: Session,
  { number }: Catalog,
  context: AuditContext,
  previous?: PreviousAudit,
) {
  const audit = openAudit(context, previous);
  const staging = await openVerdictStaging(session, number);
  const removed: string[] = [];
  let failure: { readonly error: unknown } | null = null;
  const failed = (error: unknown): void => {
    // Not a failure: the render begins again, without keeping anything.
    if (error instanceof MarketChanged) throw error;
    failure ??= { error };
  };
  /** Calls the audit, unless it has failed. */
  const attempt = <T>(work: () => T, otherwise: T): T => {
    if (failure) return otherwise;
    try {
      return work();
    } catch (error) {
      failed(error);
      return otherwise;
    }
  };
  const staged = (group: ItemGroup, evaluate: () => readonly ItemVerdict[]): Promise<void> | undefined =>
    attempt(() => stage(group, evaluate(), staging)?.catch(failed), undefined);
  return {
    /** Returns a promise only when staging must drain: this runs once per group. */
    add: (group: ItemGroup, lookupsLike?: Buffer) =>
      staged(group, () => (lookupsLike ? audit.groupLike(group, lookupsLike) : audit.group(group))),
    /** What a later audit needs to keep the group that was added last; null after a failure. */
    record: (): GroupRecord | null => (failure ? null : audit.record()),
    /** False: the items of the group are needed; call `addKept` with them. */
    keep: (lookups: Buffer): boolean => attempt(() => audit.keep(lookups), true),
    addKept: (group: ItemGroup, earlier: EarlierGroup) =>
      staged(group, () => audit.keptGroup(group, earlier)),
    /** After a group of the previous audit was replaced or removed. */
    replaced: (earlier: EarlierGroup): void => attempt(() => audit.replaced(earlier), undefined),
    /** See `Audit`. */
    examplesFrom: (end?: string): string | undefined => attempt(() => audit.examplesFrom(end), undefined),
    needsExample: (earlier: EarlierGroup): boolean => attempt(() => audit.needsExample(earlier), false),
    addExamples: (group: ItemGroup, earlier: EarlierGroup): void =>
      attempt(() => audit.exampleGroup(group, earlier), undefined),
    abandon: staging.abandon,
    /** Items of the previous audit that no longer exist. */
    remove: (ids: readonly string[]): void => void removed.push(...ids),
    /** `keptUntil`: when time alone changes a verdict of a group. */
    finish: async (keptUntil: string | null): Promise<AuditOutcome> => {
      const finished = failure ? null : staging.finish(removed);
      const report = await finished?.then(() => audit.finish()).catch(failed);
      if (failure || !report) return { kind: "failed", ...(failure ?? { error: null }) };
      const kept = previous === undefined ? null : audit.kept;
      const sameUntil = earliest(audit.sameUntil(), keptUntil);
      return { kind: "judged", context, report, sameUntil, state: audit.state(), kept };
    },
  };
}

/** ISO instants compare as text; null: never. */
const earliest = (a: string | null, b: string | null): string | null =>
  a === null || (b !== null && b < a) ? b : a;

const NO_RULES: readonly number[] = [];

/** One row for every item of the group, in its order; the verdict is null without findings. */
function stage(
  group: ItemGroup,
  verdicts: readonly ItemVerdict[],
  staging: VerdictStaging,
): Promise<void> | undefined {
  let full: Promise<void> | undefined;
  let next = 0;
  for (const { id } of group.items) {
    const verdict = verdicts[next];
    if (verdict?.itemId === id) {
      full = staging.add(id, verdict.encoded, ruleNumbersOf(verdict.encoded)) ?? full;
      next += 1;
    } else full = staging.add(id, null, NO_RULES) ?? full;
  }
  return full;
}

/** The source with the most overdue sync; one that was never synced only if no other is overdue. */
function mostOverdue(sources: readonly SyncedSource[], now: Date): Freshness {
  const age = ({ intervalS, lastSyncAt }: SyncedSource): number =>
    lastSyncAt === null ? 2 : (now.getTime() - lastSyncAt.getTime()) / 1_000 / intervalS;
  const [first] = sources.filter(({ isEnabled }) => isEnabled).toSorted((a, b) => age(b) - age(a));
  return { lastSyncAt: first?.lastSyncAt ?? null, intervalS: first?.intervalS ?? null };
}
