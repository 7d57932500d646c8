/**
 * What has to be looked after by the clock, by every worker alike: sources that are due, feeds that time has
 * changed, runs that dead workers left, files and history that nobody needs. Each round is safe to run anywhere,
 * any number of times, at once.
 */
import { newId } from "../lib/id.ts";
import { sleep } from "../lib/async.ts";
import { listCatalogs, renderLater, takeStaleCatalogs } from "../store/catalogs.ts";
import { pruneChanges } from "../store/changes.ts";
import { neededFolders, openFolders } from "../store/feed-files.ts";
import { enqueueRun, failAbandonedRuns, pruneRuns } from "../store/runs.ts";
import { unfinishedRemovals } from "../store/removals.ts";
import { pruneSourceTests } from "../store/source-tests.ts";
import { takeDueSources } from "../store/sources.ts";
import { pruneWebhooks } from "../store/webhooks/retention.ts";
import type { JobDeps } from "./job.ts";
import { clearPushes } from "./push/request.ts";
import { sweepSpool } from "./sync/spool.ts";
import { RENDER_AGAIN_MS } from "./worker.ts";

export type RoundsOptions = {
  readonly everyMs: number;
  /** Clearing up is dearer and less urgent: it goes along every so many rounds. */
  readonly clearEvery: number;
  readonly keepRuns: number;
  readonly keepRenders: number;
  /** How long the trail of changes goes back. */
  readonly keepChangesS: number;
};

export const ROUNDS_DEFAULTS: RoundsOptions = {
  everyMs: 5_000,
  clearEvery: 60,
  keepRuns: 1_000,
  keepRenders: 3,
  keepChangesS: 365 * 86_400,
};

export async function goRounds(
  deps: JobDeps,
  signal: AbortSignal,
  options: RoundsOptions = ROUNDS_DEFAULTS,
): Promise<void> {
  for (let round = 0; !signal.aborted; round += 1) {
    try {
      await startWhatIsDue(deps);
      await failAbandoned(deps);
      await pruneSourceTests(deps.db);
      if (round % options.clearEvery === 0) await clearUp(deps, options);
    } catch (error) {
      deps.log.error({ err: error }, "a round of the clock failed");
    }
    await sleep(options.everyMs, signal);
  }
}

const DUE_AT_ONCE = 50;
/** When a removal whose run failed is continued. */
const REMOVE_AGAIN_S = 600;
/** As the design decides: delivery attempts are kept 30 days. */
const KEEP_ATTEMPTS_MS = 30 * 86_400_000;

/** Makes a run of every source that is due and every catalog whose feeds have gone stale. */
export async function startWhatIsDue({ db }: Pick<JobDeps, "db">): Promise<void> {
  await db.tx(async (tx) => {
    for (const { id, catalogId } of await takeDueSources(tx, DUE_AT_ONCE)) {
      await enqueueRun(tx, { id: newId(), catalogId, sourceId: id, kind: "sync", cause: "schedule" });
    }
    for (const catalogId of await takeStaleCatalogs(tx)) {
      await enqueueRun(tx, { id: newId(), catalogId, sourceId: null, kind: "render", cause: "stale" });
    }
    for (const removal of await unfinishedRemovals(tx, REMOVE_AGAIN_S))
      await enqueueRun(tx, { id: newId(), ...removal, kind: "removal", cause: "removal" });
  });
}

async function failAbandoned({ db, log }: JobDeps): Promise<void> {
  for (const { id, catalogId, kind } of await failAbandonedRuns(db)) {
    if (kind === "render") await renderLater(db, catalogId, new Date(Date.now() + RENDER_AGAIN_MS));
    log.warn({ run_id: id, code: "interrupted" }, `${kind} given up: its workers died`);
  }
}

/** Drops history and files beyond what the settings keep, and what crashes left lying about. */
export async function clearUp(
  deps: JobDeps,
  { keepRuns, keepRenders, keepChangesS }: RoundsOptions,
): Promise<void> {
  await pruneRuns(deps.db, keepRuns);
  await clearPushes(deps.db);
  await pruneWebhooks(deps.db, { attemptsOlderThan: new Date(Date.now() - KEEP_ATTEMPTS_MS) });
  await pruneChanges(deps.db, new Date(Date.now() - keepChangesS * 1_000));
  await sweepSpool(deps.spoolRoot);
  const withFolders = await deps.folders.catalogs();
  const catalogs = await listCatalogs(deps.db);
  await sweepRemoved(deps, withFolders, new Set(catalogs.map(({ id }) => id)));
  for (const { id } of catalogs) {
    const removed = await deps.folders.sweep(id, async () => {
      // In this order: a render that ends in between leaves the first set, and is then in the second.
      const open = await openFolders(deps.db, id);
      return open.union(await neededFolders(deps.db, id, keepRenders));
    });
    if (removed > 0) deps.log.info({ catalog_id: id, removed }, "old feed files removed");
  }
}

/** Folders that were listed before the catalogs, of catalogs that are gone: a render was under way when its catalog was removed. */
async function sweepRemoved(
  { folders, log }: JobDeps,
  withFolders: readonly string[],
  known: ReadonlySet<string>,
): Promise<void> {
  for (const id of withFolders) {
    if (known.has(id)) continue;
    const removed = await folders.sweep(id, async () => new Set());
    if (removed > 0) log.info({ catalog_id: id, removed }, "feed files of a removed catalog removed");
  }
}
