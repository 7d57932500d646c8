/**
 * The dry run of a sync: reads the source completely, merges it into copies of the catalog's rows, renders and audits both states, and
 * drops everything. It fails as the sync would.
 */
import { decodeItem } from "../../catalog/item.ts";
import type { ChangedItem, NamedItem, SyncPlan } from "../../contract/plans.ts";
import type { SyncStats } from "../../contract/syncs.ts";
import { changedFields } from "../../enrich/changed-fields.ts";
import { AppError } from "../../errors.ts";
import { newId } from "../../lib/id.ts";
import type { Queries, Session } from "../../store/db.ts";
import { storableJson } from "../../store/json.ts";
import {
  changedPairs,
  insertShadowSync,
  type ItemBody,
  type ItemPair,
  newItems,
  removedItems,
  shadowTables,
} from "../../store/shadow-tables.ts";
import type { Job, JobDeps } from "../job.ts";
import { mergeStaged } from "../sync/merge-staged.ts";
import { planRead, readSource, type StagedRead } from "../sync/read-source.ts";
import { countBefore, mergeOptions } from "../sync/sync.ts";
import { measureCatalog, measureGuarded, pointsGained } from "./figures.ts";

/** The statistics of the run: those of a sync, and the plan. */
export type SyncPlanStats = SyncStats & { readonly plan: SyncPlan };

export async function planSync(deps: JobDeps, job: Job): Promise<SyncPlanStats> {
  const plan = await planRead(deps, job);
  const stats = await readSource(deps, job, { plan, mode: "anew" }, async (session, read) => {
    if (read.kind === "unchanged") throw new AppError("internal", "The source was not read completely.");
    return deps.db.session(async (auditSession) =>
      session.trial(async (tx) => tryMerge(deps, job, { session, tx, auditSession }, read)),
    );
  });
  await deps.db.tx(async (tx) => job.finish(tx, { state: "succeeded", stats }));
  return stats;
}

type Connections = { readonly session: Session; readonly tx: Queries; readonly auditSession: Session };

async function tryMerge(
  deps: JobDeps,
  job: Job,
  connections: Connections,
  read: StagedRead,
): Promise<SyncPlanStats> {
  const { tx } = connections;
  const { id: sourceId, catalogId } = read.plan.source;
  await shadowTables(tx, catalogId);
  const stored = await countBefore(tx, { catalogId, sourceId });
  const before = await measureCatalog(connections, deps, job);
  const stats = await mergeStaged(tx, mergeOptions(job.run, read, stored));
  await insertShadowSync(tx, { id: newId(), catalogId, sourceId, stats: storableJson(stats) });
  const { figures: after, guard } = await measureGuarded(connections, deps, job, {
    isRemoval: job.run.maxRemovedRatio === 1,
  });
  const fresh = after.items - before.items + stats.removed;
  const changed = stats.upserted - fresh;
  const plan: SyncPlan = {
    new_items: fresh,
    changed_items: changed,
    examples: changed > 0 ? (await changedPairs(tx, catalogId, EXAMPLES)).map(changedItem) : [],
    new_examples: fresh > 0 ? (await newItems(tx, catalogId, EXAMPLES)).map(namedItem) : [],
    removed_examples: stats.removed > 0 ? (await removedItems(tx, catalogId, EXAMPLES)).map(namedItem) : [],
    before,
    after,
    gain: pointsGained(before, after),
    guard,
  };
  return { ...stats, plan };
}

const EXAMPLES = 10;

const changedItem = ({ id, before, after }: ItemPair): ChangedItem => ({
  item_id: id,
  changes: changedFields(decodeItem(before), decodeItem(after)),
});

const namedItem = ({ id, body }: ItemBody): NamedItem => ({ item_id: id, title: decodeItem(body).title });
