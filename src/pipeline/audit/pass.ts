/** The audit inside a render. An error does not stop the render: it is kept until the end and becomes a failed audit run. */
import { type Audit, openAudit } from "../../audit/audit.ts";
import type { AuditReport } from "../../audit/report.ts";
import type { AuditContext, Freshness } from "../../audit/audit-context.ts";
import { ruleNumbersOf } from "../../audit/verdict.ts";
import type { ItemGroup } from "../../catalog/item.ts";
import type { Catalog } from "../../store/catalogs.ts";
import type { Queries, Session } from "../../store/db.ts";
import { findStoredIds } from "../../store/items.ts";
import { findIssues } from "../../store/run-issues.ts";
import { findReplacement, newestSyncs, type SourceSchedule, sourceSchedules } from "../../store/runs.ts";
import { openVerdictStaging, type VerdictStaging } from "../../store/verdicts.ts";
import { entriesOf, rejectedRows, type RejectionStats, withoutStored } from "./rejected.ts";

export type AuditOutcome =
  | {
      readonly kind: "judged";
      readonly context: AuditContext;
      readonly report: AuditReport;
      readonly sameUntil: string | null;
    }
  | { readonly kind: "failed"; readonly error: unknown };

export type AuditPass = Awaited<ReturnType<typeof openAuditPass>>;

export async function auditContext(
  db: Queries,
  { id, settings }: Catalog,
  asOf: Date,
): Promise<AuditContext> {
  return {
    settings,
    asOf,
    freshness: mostOverdue(await sourceSchedules(db, id), asOf),
    rejected: rejectedRows([
      ...(await newestSyncs(db, id, "succeeded")).map(({ stats }) => stats),
      ...(await replacementStats(db, id)),
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

/** Stages on `session`, whose transaction must later merge the verdicts. */
export async function openAuditPass(session: Session, { number }: Catalog, context: AuditContext) {
  const audit = openAudit(context);
  const staging = await openVerdictStaging(session, number);
  let failure: { readonly error: unknown } | null = null;
  const failed = (error: unknown): void => {
    failure ??= { error };
  };
  return {
    /** Returns a promise only when staging must drain: this runs once per group. */
    add: (group: ItemGroup): Promise<void> | undefined => {
      if (failure) return undefined;
      try {
        return stage(group, audit, staging)?.catch(failed);
      } catch (error) {
        failed(error);
        return undefined;
      }
    },
    finish: async (): Promise<AuditOutcome> => {
      const encrypted = failure ? null : staging.finish();
      const report = await encrypted?.then(() => audit.finish()).catch(failed);
      if (failure || !report) return { kind: "failed", ...(failure ?? { error: null }) };
      return { kind: "judged", context, report, sameUntil: audit.sameUntil() };
    },
  };
}

const NO_RULES: readonly number[] = [];

/** One row for every item of the group, in its order; the verdict is null without findings. */
function stage(group: ItemGroup, audit: Audit, staging: VerdictStaging): Promise<void> | undefined {
  const verdicts = audit.group(group);
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
function mostOverdue(schedules: readonly SourceSchedule[], now: Date): Freshness {
  const age = ({ intervalS, lastSyncAt }: SourceSchedule): number =>
    lastSyncAt === null ? 2 : (now.getTime() - lastSyncAt.getTime()) / 1_000 / intervalS;
  const [first] = schedules.toSorted((a, b) => age(b) - age(a));
  return first ?? { lastSyncAt: null, intervalS: null };
}
