/** Actions on an installation for tests across stages: sync, render, work, and read the results. */
import { setTimeout as sleep } from "node:timers/promises";
import { work } from "../src/pipeline/worker.ts";
import type { WorkerOptions } from "../src/pipeline/worker.ts";
import type { JobDeps } from "../src/pipeline/job.ts";
import type { SyncStats } from "../src/contract/syncs.ts";
import type { Db } from "../src/store/db.ts";
import type { Run, RunState } from "../src/store/runs.ts";
import { findRun } from "../src/store/runs.ts";
import { type Installation, QUICK_WORKER, type TestCatalog } from "./installation.ts";

export type Answer = {
  readonly status: number;
  readonly data: { readonly run_id: string; readonly stats: SyncStats };
  /** Of a problem document. */
  readonly code?: string;
  readonly detail?: string;
  readonly run_id?: string;
};

async function post({ url }: Installation, path: string, key: string, body?: object): Promise<Answer> {
  const answer = await fetch(`${url}/api/v1/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { ...((await answer.json()) as Answer), status: answer.status };
}

/** Syncs a source and waits for it and its render, as the console does: files outside a limit are held. */
export const sync = (shop: Installation, { key }: TestCatalog, sourceId: string): Promise<Answer> =>
  post(shop, "syncs", key, { source_id: sourceId, guard: "hold" });

export const render = (shop: Installation, { key }: TestCatalog): Promise<Answer> =>
  post(shop, "feeds", key, { guard: "hold" });

export type Feeds = {
  readonly lastRender: { readonly run_id: string; readonly stats: Record<string, unknown> } | null;
  /** By file name; what a reader gets at its URL. */
  readonly files: Readonly<Record<string, FetchedFeed>>;
};
export type FetchedFeed = { readonly status: number; readonly etag: string | null; readonly text: string };

/** All four feeds as a reader sees them, by the URLs the API lists. */
export async function readFeeds(
  { url }: Pick<Installation, "url">,
  { key }: Pick<TestCatalog, "key">,
): Promise<Feeds> {
  const listed = await fetch(`${url}/api/v1/feeds`, { headers: { authorization: `Bearer ${key}` } });
  const { data } = (await listed.json()) as {
    data: { feeds: { file: string; url: string }[]; last_render: Feeds["lastRender"] };
  };
  const files = await Promise.all(
    data.feeds.map(async ({ file, url: public_ }) => {
      const answer = await fetch(new URL(new URL(public_).pathname, url), {
        headers: { "accept-encoding": "identity" },
      });
      const { status } = answer;
      return [file, { status, etag: answer.headers.get("etag"), text: await answer.text() }] as const;
    }),
  );
  return { lastRender: data.last_render, files: Object.fromEntries(files) };
}

/** Polls often; the lease stays long, so that only a test takes one away. */
const FAST_WORKER: WorkerOptions = {
  ...QUICK_WORKER,
  slots: { sync: 1, render: 1, removal: 1 },
  idleMs: 100,
  heartbeatMs: 50,
};

export type TestWorker = AsyncDisposable & { readonly stop: () => Promise<void> };

/** The test's own worker, in addition to or instead of the installation's. */
export function startWorker(
  { jobs, notices }: Pick<Installation, "jobs" | "notices">,
  { deps = {}, options = {} }: { deps?: Partial<JobDeps>; options?: Partial<WorkerOptions> } = {},
): TestWorker {
  const stopping = new AbortController();
  const working = work({ ...jobs, ...deps }, notices, stopping.signal, { ...FAST_WORKER, ...options });
  const stop = async () => {
    stopping.abort();
    await working;
  };
  return { stop, [Symbol.asyncDispose]: stop };
}

const POLL_MS = 30;

/**
 * A test that waits longer than this for anything hangs. Not shorter: on shared processors everything can take twenty
 * times as long for a minute.
 */
export const WAIT_LIMIT_MS = 120_000;

export const waitLimit = (): AbortSignal => AbortSignal.timeout(WAIT_LIMIT_MS);

/** Polls until there is a result. */
export async function until<T>(
  look: () => Promise<T | undefined | false>,
  what: string,
  limitMs = WAIT_LIMIT_MS,
): Promise<T> {
  const deadline = AbortSignal.timeout(limitMs);
  while (true) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    if (deadline.aborted) throw new Error(`timed out waiting for ${what}`);
    await sleep(POLL_MS);
  }
}

export const untilRun = (db: Db, id: string, ...states: readonly RunState[]): Promise<Run> =>
  until(
    async () => {
      const run = await findRun(db, id);
      return run && states.includes(run.state) && run;
    },
    `run ${id} to be ${states.join(" or ")}`,
  );

type RunRow = {
  id: string;
  kind: string;
  state: string;
  cause: string;
  attempts: number;
  owner: string | null;
};

export const runsOf = (db: Db, catalogId: string): Promise<readonly RunRow[]> =>
  db.query<RunRow>({
    text: "select id, kind, state, cause, attempts, owner from runs where catalog_id = $1 order by created_at, id",
    values: [catalogId],
  });

/** Every item's id, and the version of its row. */
export const itemRows = (
  db: Db,
  catalogId: string,
): Promise<readonly { id: string; xmin: string; ctid: string }[]> =>
  db.query({
    text: "select id, xmin::text, ctid::text from items where catalog_id = $1 order by id",
    values: [catalogId],
  });

export const itemIds = async (db: Db, catalogId: string): Promise<string[]> =>
  (await itemRows(db, catalogId)).map(({ id }) => id);
