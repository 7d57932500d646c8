/** The dry run of a sync: reads the source completely and merges it into the copies. It fails as the sync would. */
import { decodeItem } from "../../catalog/item.ts";
import type { ChangedItem, NamedItem, SyncPlan } from "../../contract/plans.ts";
import type { SyncStats } from "../../contract/syncs.ts";
import { changedFields } from "../../enrich/changed-fields.ts";
import { AppError } from "../../errors.ts";
import { newId } from "../../lib/id.ts";
import type { Queries } from "../../store/db.ts";
import { storableJson } from "../../store/json.ts";
import {
  changedPairs,
  insertShadowSync,
  type ItemBody,
  type ItemPair,
  newItems,
  removedItems,
} from "../../store/shadow-tables.ts";
import type { Job, JobDeps } from "../job.ts";
import { mergeStaged } from "../sync/merge-staged.ts";
import { planRead, readSource, type StagedRead } from "../sync/read-source.ts";
import { countBefore, mergeOptions } from "../sync/sync.ts";
import { onCopies } from "./figures.ts";

/** The statistics of the run: those of a sync, and the plan. */
export type SyncPlanStats = SyncStats & { readonly plan: SyncPlan };

export async function planSync(deps: JobDeps, job: Job): Promise<SyncPlanStats> {
  const plan = await planRead(deps, job);
  const stats = await readSource(deps, job, { plan, mode: "anew" }, async (session, read) => {
    if (read.kind === "unchanged") throw new AppError("internal", "The source was not read completely.");
    const { result, ...figures } = await onCopies(
      deps,
      job,
      { session, isRemoval: job.run.maxRemovedRatio === 1 },
      async (tx) => tryMerge(tx, job, read),
    );
    const { before, after } = figures;
    const { merged, ...examples } = result;
    const fresh = after.items - before.items + merged.removed;
    const plan = { new_items: fresh, changed_items: merged.upserted - fresh, ...examples, ...figures };
    return { ...merged, plan };
  });
  await deps.db.tx(async (tx) => job.finish(tx, { state: "succeeded", stats }));
  return stats;
}

async function tryMerge(tx: Queries, job: Job, read: StagedRead) {
  const { id: sourceId, catalogId } = read.plan.source;
  const stored = await countBefore(tx, { catalogId, sourceId });
  const merged = await mergeStaged(tx, mergeOptions(job.run, read, stored));
  await insertShadowSync(tx, { id: newId(), catalogId, sourceId, stats: storableJson(merged) });
  return {
    merged,
    examples: (await changedPairs(tx, catalogId, EXAMPLES)).map(changedItem),
    new_examples: (await newItems(tx, catalogId, EXAMPLES)).map(namedItem),
    removed_examples: (await removedItems(tx, catalogId, EXAMPLES)).map(namedItem),
  };
}

const EXAMPLES = 10;

const changedItem = ({ id, before, after }: ItemPair): ChangedItem => ({
  item_id: id,
  changes: changedFields(decodeItem(before), decodeItem(after)),
});

const namedItem = ({ id, body }: ItemBody): NamedItem => ({ item_id: id, title: decodeItem(body).title });
