/**
 * What every worker does at intervals: due syncs, stale renders, abandoned runs, old files. Safe to run concurrently.
 */
import { pruneDestinationDeliveries } from "../destinations/deliveries.sql.ts";
import { newId } from "../lib/id.ts";
import { sleep } from "../lib/async.ts";
import { pruneAlerts } from "../store/alerts.ts";
import {
  claimDueRules,
  claimStaleCatalogs,
  claimUnproposedCatalogs,
  listCatalogs,
  scheduleRenderIn,
} from "../store/catalogs.ts";
import { enqueueReportedChanges } from "../store/changed-products.ts";
import { pruneChanges } from "../store/changes.ts";
import { databaseTime } from "../store/due.ts";
import { pruneReceipts } from "../store/fetch-receipts.ts";
import { openFolders } from "../store/feed-files.ts";
import { pruneRuns } from "../store/render-retention.ts";
import { enqueueRender, enqueueRun, failAbandonedRuns } from "../store/runs.ts";
import { unfinishedRemovals } from "../store/removals.ts";
import { applyRulesAgain } from "../store/rules.ts";
import { pruneSessions } from "../store/sessions.ts";
import { pruneSourceTests } from "../store/source-tests.ts";
import { claimDueSources } from "../store/sources.ts";
import { pruneWebhooks } from "../webhooks/retention.sql.ts";
import { runAlerts } from "./alerts/run.ts";
import { runDeletionChecks } from "./deletions/check.ts";
import { runDamageChecks } from "./publication/damage-check.ts";
import { keptFolders, type RenderRetention } from "./publication/retention.ts";
import type { JobDeps } from "./job.ts";
import { announceFailedRun } from "./run-failed.ts";
import { prunePushData } from "./push/request.ts";
import { runShopWebhooks } from "./shop-webhooks/register.ts";
import { sweepSpool } from "./sync/spool.ts";
import { RENDER_RETRY_S } from "./worker.ts";

export type MaintenanceOptions = RenderRetention & {
  readonly everyMs: number;
  /** Cleaning up costs more and is less urgent: it runs once in so many passes. */
  readonly cleanEvery: number;
  readonly keepRuns: number;
  readonly keepChangesS: number;
  readonly keepReceiptsS: number;
};

export const MAINTENANCE_DEFAULTS: MaintenanceOptions = {
  everyMs: 5_000,
  cleanEvery: 60,
  keepRuns: 1_000,
  keepRenders: 20,
  keepRenderBytes: 2 * 1024 ** 3,
  keepChangesS: 365 * 86_400,
  keepReceiptsS: 90 * 86_400,
};

export async function runMaintenance(
  deps: JobDeps,
  signal: AbortSignal,
  options: MaintenanceOptions = MAINTENANCE_DEFAULTS,
): Promise<void> {
  // A slow shop or mail server must not delay due syncs.
  await Promise.all([
    runPasses(deps, signal, options),
    runShopWebhooks(deps, signal, options.everyMs),
    runDeletionChecks(deps, signal, options.everyMs),
    runAlerts(deps, signal),
    runDamageChecks(deps, signal),
  ]);
}

async function runPasses(deps: JobDeps, signal: AbortSignal, options: MaintenanceOptions): Promise<void> {
  for (let pass = 0; !signal.aborted; pass += 1) {
    try {
      await enqueueDueRuns(deps);
      await failAbandoned(deps);
      await pruneSourceTests(deps.db);
      if (pass % options.cleanEvery === 0) await cleanUp(deps, options);
    } catch (error) {
      deps.log.error({ err: error }, "maintenance failed");
    }
    await sleep(options.everyMs, signal);
  }
}

/** How many sources a pass queues, so that not all of them are queued at once after an outage. */
const DUE_BATCH = 50;
/** How long after a failed removal run the removal is queued again. */
const REMOVAL_RETRY_S = 600;
const KEEP_ATTEMPTS_MS = 30 * 86_400_000;
const KEEP_ALERTS_MS = 90 * 86_400_000;

/**
 * Queues a sync of every due source, a render of every catalog with stale feeds, the rules that depend on the day, a
 * search for proposals in every catalog that has changed, and removals that did not finish.
 */
export async function enqueueDueRuns({ db }: Pick<JobDeps, "db">): Promise<void> {
  // Each has its own transaction, so that locks of sources and their runs are not kept while catalogs are locked.
  await db.tx(async (tx) => {
    for (const { id, catalogId, hasFirstSync } of await claimDueSources(tx, DUE_BATCH)) {
      if (hasFirstSync) continue;
      const run = { kind: "sync", cause: "schedule", reads: "changes" } as const;
      await enqueueRun(tx, { id: newId(), catalogId, sourceId: id, ...run });
    }
  });
  await db.tx(enqueueReportedChanges);
  await db.tx(async (tx) => {
    for (const catalogId of await claimStaleCatalogs(tx)) await enqueueRender(tx, catalogId, "stale");
  });
  await db.tx(async (tx) => {
    for (const catalogId of await claimDueRules(tx)) await applyRulesAgain(tx, catalogId, "stale");
  });
  await db.tx(async (tx) => {
    for (const catalogId of await claimUnproposedCatalogs(tx))
      await enqueueRun(tx, { id: newId(), catalogId, sourceId: null, kind: "proposals", cause: "sync" });
  });
  await db.tx(async (tx) => {
    for (const removal of await unfinishedRemovals(tx, REMOVAL_RETRY_S))
      await enqueueRun(tx, { id: newId(), ...removal, kind: "removal", cause: "removal" });
  });
}

async function failAbandoned({ db, log }: JobDeps): Promise<void> {
  const failed = await db.tx(async (tx) => {
    const runs = await failAbandonedRuns(tx);
    for (const run of runs) await announceFailedRun(tx, run);
    return runs;
  });
  for (const { id, catalogId, kind } of failed) {
    if (kind === "render") await scheduleRenderIn(db, catalogId, RENDER_RETRY_S);
    log.warn({ run_id: id, code: "interrupted" }, `${kind} failed: its workers died`);
  }
}

export async function cleanUp(
  deps: JobDeps,
  { keepRuns, keepChangesS, keepReceiptsS, ...retention }: MaintenanceOptions,
): Promise<void> {
  await pruneRuns(deps.db, keepRuns);
  await prunePushData(deps.db);
  await pruneSessions(deps.db);
  const now = (await databaseTime(deps.db)).getTime();
  await pruneWebhooks(deps.db, { attemptsOlderThan: new Date(now - KEEP_ATTEMPTS_MS) });
  await pruneAlerts(deps.db, new Date(now - KEEP_ALERTS_MS));
  await pruneChanges(deps.db, new Date(now - keepChangesS * 1_000));
  const receiptsSince = new Date(now - keepReceiptsS * 1_000);
  await pruneReceipts(deps.db, receiptsSince);
  await pruneDestinationDeliveries(deps.db, receiptsSince);
  await sweepSpool(deps.spoolRoot);
  // Listed before the catalogs: a catalog that was removed while it was rendered has left a folder.
  const withFolders = new Set(await deps.folders.catalogs());
  const catalogs = new Set((await listCatalogs(deps.db)).map(({ id }) => id));
  for (const id of catalogs.union(withFolders)) {
    try {
      await sweepFolders(deps, id, { exists: catalogs.has(id), retention });
    } catch (error) {
      // A damaged file of one catalog: the files of the others are removed all the same.
      deps.log.error({ err: error, catalog_id: id }, "old feed files could not be removed");
    }
  }
}

async function sweepFolders(
  deps: JobDeps,
  id: string,
  { exists, retention }: { readonly exists: boolean; readonly retention: RenderRetention },
): Promise<void> {
  const removed = await deps.folders.sweep(id, async () => {
    if (!exists) return new Set();
    // In this order: a render that finishes between the two queries is in the second set.
    const open = await openFolders(deps.db, id);
    return (await keptFolders(deps, id, retention))?.union(open);
  });
  if (removed > 0) deps.log.info({ catalog_id: id, removed }, "old feed files removed");
}
