/**
 * Compares the published files of each catalog with what was written, once a day: a render does not read what it keeps.
 * Files that were damaged on disk are rendered anew.
 */
import { sleep } from "../../lib/async.ts";
import { forgetRenders } from "../../store/catalogs.ts";
import { listFeedFiles } from "../../store/feed-files.ts";
import { claimUnchecked, type UncheckedRender } from "../../store/renders.ts";
import { enqueueRender } from "../../store/runs.ts";
import type { JobDeps } from "../job.ts";

type CheckDeps = Pick<JobDeps, "db" | "folders" | "log">;

const CHECK_EVERY_S = 86_400;
const IDLE_MS = 60_000;
/** After each file the check rests for so many times the time that the file took. */
const REST = 4;

export async function runDamageChecks(deps: CheckDeps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const render = await claimUnchecked(deps.db, CHECK_EVERY_S).catch((error: unknown) => {
      deps.log.error({ err: error }, "published files could not be checked");
      return undefined;
    });
    if (render)
      await checkFiles(deps, render, signal).catch((error: unknown) => {
        if (!signal.aborted)
          deps.log.error({ err: error, ...render }, "published files could not be checked");
      });
    else await sleep(IDLE_MS, signal);
  }
}

/** Returns the files that are damaged, after it has queued a render of all items. */
export async function checkFiles(
  { db, folders, log }: CheckDeps,
  { catalogId, runId }: UncheckedRender,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const damaged: string[] = [];
  for (const { folder, file, etag } of await listFeedFiles(db, runId))
    for (const isGzip of [false, true]) {
      const began = performance.now();
      const { verdict } = await folders.verify({ catalogId, folder, file }, { etag, isGzip, signal });
      if (verdict !== "same") damaged.push(isGzip ? `${file}.gz` : file);
      await sleep(REST * (performance.now() - began), signal);
      signal.throwIfAborted();
    }
  if (damaged.length === 0) return damaged;
  const about = { run_id: runId, catalog_id: catalogId, files: damaged };
  log.error(about, "published files are damaged on disk: all items are rendered anew");
  await db.tx(async (tx) => {
    await forgetRenders(tx, catalogId);
    await enqueueRender(tx, catalogId, "stale");
  });
  return damaged;
}
