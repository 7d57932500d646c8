/** One cycle of the real program: a sync and its render, timed by the caller and by the runs. */
import type { System } from "../src/cli/system.ts";
import { newId } from "../src/lib/id.ts";
import type { SyncStats } from "../src/contract/syncs.ts";
import { failureOf, requestSync, waitForRun } from "../src/pipeline/requests.ts";
import { createCatalog } from "../src/setup/catalogs.ts";
import { createKey } from "../src/setup/keys.ts";
import { addSource } from "../src/setup/sources.ts";
import { listFeedFiles } from "../src/store/feed-files.ts";
import { findRunCausedBy, type Run } from "../src/store/runs.ts";
import { cpuBetween, type Processes } from "./processes.ts";

export type Subject = { readonly catalogId: string; readonly sourceId: string; readonly key: string };

/** A catalog with one source that has no scheduled sync. */
export async function createSubject({ db, encryption }: System, url: string): Promise<Subject> {
  return db.tx(async (tx) => {
    const { id: catalogId } = await createCatalog(tx, encryption, {
      slug: `bench-${newId()}`,
      name: "Benchmark",
      settings: {
        currency: "USD",
        country: "US",
        sellerName: "Benchmark",
        storeUrl: "https://shop.example/",
      },
    });
    const { key } = await createKey(tx, {
      catalogId,
      name: "bench",
      scopes: ["read", "write"],
      expiresAt: null,
    });
    const { id: sourceId } = await addSource(tx, encryption, {
      catalogId,
      kind: "feed_url",
      settings: { url },
      intervalS: 86_400,
      enabled: false,
    });
    return { catalogId, sourceId, key };
  });
}

/** `wallMs`: as the caller measures it, queue and commit included. `ownMs`: as the run's row has it. */
export type Cycle = Awaited<ReturnType<typeof runCycle>>;

export type Running = {
  readonly system: System;
  readonly processes: Processes;
  readonly signal: AbortSignal;
};

export async function runCycle(
  { system: { db, notices }, processes, signal }: Running,
  { catalogId, sourceId }: Subject,
) {
  const cpuBefore = await processes.cpu();
  const waiting = { db, notices, signal };
  const began = performance.now();
  const syncId = await requestSync(db, { catalogId, sourceId, cause: "command" });
  const sync = succeeded(await waitForRun(waiting, syncId));
  const synced = performance.now();
  const cpuBetweenRuns = await processes.cpu();
  const renderId = (await findRunCausedBy(db, syncId))?.id;
  if (renderId === undefined) throw new Error("the sync asked for no render");
  const render = succeeded(await waitForRun(waiting, renderId));
  const rendered = performance.now();
  return {
    sync: { wallMs: synced - began, ownMs: ownMs(sync), cpu: cpuBetween(cpuBefore, cpuBetweenRuns) },
    render: {
      wallMs: rendered - synced,
      ownMs: ownMs(render),
      cpu: cpuBetween(cpuBetweenRuns, await processes.cpu()),
    },
    wallMs: rendered - began,
    stats: sync.stats as SyncStats,
    files: await listFeedFiles(db, renderId),
  };
}

function succeeded(run: Run): Run {
  if (run.state === "failed") throw failureOf(run);
  return run;
}

function ownMs({ startedAt, finishedAt }: Run): number {
  return (finishedAt?.getTime() ?? 0) - (startedAt?.getTime() ?? 0);
}
