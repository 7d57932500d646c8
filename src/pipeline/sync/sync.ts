/**
 * One sync: reads the source into staging, checks the numbers, merges, and in the same transaction finishes the run and
 * queues the render. If anything fails, nothing is changed.
 */
import { AppError } from "../../errors.ts";
import type { FileEnding, Validators } from "../../sources/source.ts";
import { findCatalog, lockItems } from "../../store/catalogs.ts";
import type { Queries } from "../../store/db.ts";
import { copyIssues } from "../../store/run-issues.ts";
import { newestSync } from "../../store/newest-syncs.ts";
import { enqueueRender } from "../../store/runs.ts";
import { forgetChangedProducts } from "../../store/changed-products.ts";
import { endSourceEdit, findSource, saveRead, scheduleNextSync } from "../../store/sources.ts";
import type { ReadState, SourceRow } from "../../store/sources.ts";
import type { SyncCompleted } from "../../contract/events.ts";
import { appendEvents } from "../../webhooks/events.sql.ts";
import { effectsOf } from "../enrich/effects.ts";
import { balance, EMPTY_STATS } from "./ledger.ts";
import type { SyncStats } from "../../contract/syncs.ts";
import type { Job, JobDeps } from "../job.ts";
import { type MergeOptions, mergeStaged, SHORT_LAST_ROW, SOURCE_ID_OWNERS } from "./merge-staged.ts";
import { planRead, readSource, type StagedRead } from "./read-source.ts";
import { nextReadState } from "./read-state.ts";

export async function syncSource(deps: JobDeps, job: Job): Promise<SyncStats> {
  const { id: runId, cause, attempts } = job.run;
  // Before the source is read: if its settings change from here on, it is due at once.
  if (cause === "schedule" && attempts === 1) await scheduleNextSync(deps.db, runId);
  const plan = await planRead(deps, job);
  const { source } = plan;
  try {
    return await readSource(deps, job, { plan, mode: "since-last" }, async (session, read) =>
      session.tx(async (tx) =>
        read.kind === "unchanged" ? finishUnchanged(tx, job, source, read.validators) : merge(tx, job, read),
      ),
    );
  } catch (error) {
    // The rows do not fit the items: the next sync reads them all.
    if (error instanceof AppError && error.code === "ledger_mismatch") {
      await saveRead(deps.db, source.id, { rowContext: null, readState: null });
    }
    throw error;
  }
}

async function merge(tx: Queries, job: Job, read: StagedRead): Promise<SyncStats> {
  const { validators, isPartial } = read;
  const { source, context, hasReported } = read.plan;
  const { id: sourceId, catalogId } = source;
  await lockItems(tx, catalogId);
  const before = await countBefore(tx, { catalogId, sourceId });
  const stats = await mergeStaged(tx, mergeOptions(job.run, read, before));
  await saveRead(tx, sourceId, {
    validators,
    rowContext: isPartial ? undefined : context,
    readState: nextState(read, { stats, stored: before.readState }),
    rejections: hasDuplicates(stats) ? null : read.products.allRejections(),
    endsWithLineEnd: read.ending && read.ending.hasLineEnd && before.endsWithLineEnd !== false,
  });
  if (hasReported && job.run.startedAt !== null) await forgetChangedProducts(tx, sourceId, job.run.startedAt);
  await succeed(tx, job, stats);
  return stats;
}

export function mergeOptions(
  run: Job["run"],
  { plan: { source }, ledger, staged, known, isPartial, ending, products }: StagedRead,
  before: Awaited<ReturnType<typeof countBefore>>,
): MergeOptions {
  const { id: sourceId, catalogId, maxRemovedRatio } = source;
  return {
    scope: { catalogId, sourceId, mode: "replace" },
    before,
    effects: before.effects,
    staged,
    part: isPartial
      ? { products: products.complete, itemsAtFullRead: source.readState?.items ?? 0 }
      : undefined,
    ledger,
    removals: 0,
    known,
    idOwners: SOURCE_ID_OWNERS,
    // Whoever allows the removal says that the file is complete.
    cutOff: run.maxRemovedRatio === 1 ? null : cutOffReason(ending, before.endsWithLineEnd),
    limit: {
      maxRemovedRatio: run.maxRemovedRatio ?? maxRemovedRatio,
      action: "This pull",
      owner: "the source's",
      advice:
        "If the shop really shrank, sync once more and allow the removal with a max_removed_ratio of 1. The limit of the source stays as it is.",
      repair: "Correct the data or the settings of the source, and sync again.",
    },
  };
}

/**
 * Why the file may have been cut off; null if nothing speaks for it. `before`: whether all earlier files ended with a
 * line end.
 */
function cutOffReason(ending: FileEnding | undefined, before: boolean | null): string | null {
  if (ending?.isInsideRow === true) return SHORT_LAST_ROW;
  return ending?.hasLineEnd === false && before === true
    ? "The file does not end with a line end, as all earlier files of this source did."
    : null;
}

/**
 * `stored`: before the merge. A change of the settings during the read clears it: then it stays, and the next read is a
 * complete one.
 */
function nextState(
  { plan, isPartial, newestChange }: StagedRead,
  { stats, stored }: { readonly stats: SyncStats; readonly stored: ReadState | null },
): ReadState | undefined {
  const { context, startedAt, namesProducts } = plan;
  if (!namesProducts || (isPartial && stored === null)) return undefined;
  return nextReadState({
    previous: isPartial ? stored : null,
    context,
    startedAt,
    newestChange,
    items: stats.upserted + stats.unchanged,
  });
}

/** Whether rows were rejected because of other rows: a read without those cannot judge them. */
const hasDuplicates = ({ rejection_codes: codes }: SyncStats): boolean =>
  (codes["duplicate_item_id"] ?? 0) > 0;

/** The caller has the lock of the items. */
export async function countBefore(
  tx: Queries,
  { catalogId, sourceId }: { readonly catalogId: string; readonly sourceId: string },
) {
  const catalog = await findCatalog(tx, catalogId);
  const source = await findSource(tx, sourceId);
  if (!catalog || !source)
    throw new AppError("unknown_source", "The source was removed while it was being synced.");
  return {
    catalog: catalog.itemCount,
    source: source.itemCount,
    isToBeReadInFull: source.validators === null,
    readState: source.readState,
    endsWithLineEnd: source.endsWithLineEnd,
    effects: await effectsOf(tx, catalog),
  };
}

/** The file is unchanged: so are its items and its rejections. */
async function finishUnchanged(
  tx: Queries,
  job: Job,
  source: SourceRow,
  validators: Validators | null,
): Promise<SyncStats> {
  const scope = { catalogId: source.catalogId, sourceId: source.id };
  await lockItems(tx, source.catalogId);
  const { source: items, isToBeReadInFull } = await countBefore(tx, scope);
  const last = await newestSync(tx, source.id, "succeeded");
  const known: SyncStats = { ...EMPTY_STATS, ...last?.stats };
  const stats: SyncStats = {
    ...known,
    seen: items + known.rejected,
    upserted: 0,
    unchanged: items,
    removed: 0,
  };
  balance(stats);
  // Validators that were cleared meanwhile stay cleared: an id that was rejected as a duplicate may be free now.
  if (!isToBeReadInFull) await saveRead(tx, source.id, { validators });
  await succeed(tx, job, stats);
  if (last) await copyIssues(tx, last.id, job.run);
  return stats;
}

/**
 * The end of every successful sync, and of a push that is applied alone: the run is finished, the render queued, the
 * event appended.
 */
export async function succeed(tx: Queries, job: Job, stats: SyncStats): Promise<void> {
  const finishedAt = await job.finish(tx, { state: "succeeded", stats });
  const { catalogId, id, sourceId, startedAt, createdAt } = job.run;
  const isOwnChange = sourceId !== null && (await endSourceEdit(tx, sourceId, startedAt ?? createdAt));
  const guard = isOwnChange ? "publish" : job.run.guard;
  await enqueueRender(tx, catalogId, "sync", { causeRunId: id, guard });
  await announceSyncs(tx, [{ run: job.run, stats, finishedAt }]);
}

type EndedSync = { readonly run: Job["run"]; readonly stats: SyncStats; readonly finishedAt: Date };

/** Appends the events of syncs and pushes of one catalog that have succeeded. */
export async function announceSyncs(tx: Queries, syncs: readonly EndedSync[]): Promise<void> {
  const events = syncs.map(({ run, stats, finishedAt }) => {
    const data: SyncCompleted = {
      run_id: run.id,
      source_id: run.sourceId,
      status: "succeeded",
      stats,
      started_at: (run.startedAt ?? run.createdAt).toISOString(),
      finished_at: finishedAt.toISOString(),
    };
    return { type: "sync.completed", data, catalogId: run.catalogId, createdAt: finishedAt } as const;
  });
  await appendEvents(tx, events);
}
