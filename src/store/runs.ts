/**
 * Runs, which are also the job queue: a run is queued, claimed under a lease, finished. The lease decides who works
 * on a run: if a worker dies its lease expires, and the next claim takes the run. Every statement that finishes a run
 * checks its owner, so a worker that lost its lease cannot finish it.
 */
import { newId } from "../lib/id.ts";
import { isUniqueViolation, type Queries } from "./db.ts";
import { storableJson } from "./json.ts";
import { notify, sendNotice } from "./notices.ts";
import { type Sql, sql } from "./sql.ts";

/** Kinds that a worker can claim. */
export const JOB_KINDS = ["sync", "render", "removal", "rules", "proposals", "plan", "sync_plan"] as const;
export type JobKind = (typeof JOB_KINDS)[number];
/** An audit is never queued: it runs inside the render. */
export type RunKind = JobKind | "audit";
export type RunState = "queued" | "running" | "succeeded" | "failed";
/** What queued the run. */
export type RunCause =
  | "schedule"
  | "request"
  | "push"
  | "command"
  | "sync"
  | "render"
  | "stale"
  | "removal"
  | "settings"
  | "webhook"
  | "rules"
  | "approval"
  | "rollback"
  | "release";
/** What a sync reads: everything, what changed since the last read, or the products that the shop reported. */
export type RunReads = "all" | "changes" | "products";
/** What happens if a render exceeds limits of the publish guard: it is held, or published all the same. */
export type RunGuard = "hold" | "publish";
export type RunError = { readonly code: string; readonly message: string };

export type Run = {
  readonly id: string;
  readonly catalogId: string;
  readonly sourceId: string | null;
  readonly kind: RunKind;
  readonly state: RunState;
  readonly cause: RunCause;
  readonly reads: RunReads;
  /** The share of its items that this sync may remove; null: the limit of its source. */
  readonly maxRemovedRatio: number | null;
  /** For a render, or for the render after a sync. */
  readonly guard: RunGuard;
  readonly stats: Readonly<Record<string, unknown>>;
  readonly error: RunError | null;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
};

export const COLUMNS = sql`
  id, catalog_id, source_id, kind, state, cause, reads, max_removed_ratio, guard, stats, error, created_at, started_at,
  finished_at`;

export type NewRun = Pick<Run, "id" | "catalogId" | "sourceId" | "kind" | "cause"> & {
  readonly causeRunId?: string;
  /** `all` by default. */
  readonly reads?: RunReads;
  readonly maxRemovedRatio?: number | null;
  /** `hold` by default, for unattended work. */
  readonly guard?: RunGuard;
};

const ONE_WAITS = sql`on conflict (catalog_id, kind) where kind in ('rules', 'proposals') and state = 'queued' do nothing`;
/**
 * Requests that wait for the same sync share one run, which publishes if one of them does. A run that has begun is not
 * shared: its read may be older than the request.
 */
const SHARED_SYNC = sql`
  on conflict (source_id, reads, coalesce(max_removed_ratio, -1))
        where kind = 'sync' and state = 'queued' and source_id is not null and due_at is null
  do update set guard = case when excluded.guard = 'publish' then 'publish' else r.guard end`;
const CONFLICT: { readonly [Kind in RunKind]?: Sql } = {
  sync: SHARED_SYNC,
  rules: ONE_WAITS,
  proposals: ONE_WAITS,
};

/**
 * Queues a run and wakes a worker. Returns the run: this one, or the waiting sync that it shares. Undefined if such a
 * run waits already.
 */
export async function enqueueRun(db: Queries, run: NewRun): Promise<string | undefined> {
  const queued = await db.first<{ id: string }>(sql`
    with queued as (
      insert into runs as r (id, catalog_id, source_id, kind, state, cause, reads, max_removed_ratio, guard, cause_run_id)
      values (${run.id}, ${run.catalogId}, ${run.sourceId}, ${run.kind}, 'queued', ${run.cause},
              ${run.reads ?? "all"}, ${run.maxRemovedRatio ?? null}, ${run.guard ?? "hold"}, ${run.causeRunId ?? null})
      ${CONFLICT[run.kind] ?? sql``} returning id)
    select id, ${sendNotice({ about: "work" })} from queued`);
  return queued?.id;
}

/** Finds a render that a caller has requested and that has not begun, so that another caller can share it. */
export async function findWaitingRender(
  tx: Queries,
  { catalogId, guard }: { readonly catalogId: string; readonly guard: RunGuard },
): Promise<string | undefined> {
  const waiting = await tx.first<{ id: string }>(sql`
    select id from runs
     where catalog_id = ${catalogId} and kind = 'render' and state = 'queued' and due_at is null
       and cause = 'request' and guard = ${guard}
     order by created_at limit 1`);
  return waiting?.id;
}

/** Queues a render and returns its run. */
export async function enqueueRender(
  db: Queries,
  catalogId: string,
  cause: RunCause,
  more: Pick<NewRun, "causeRunId" | "guard"> = {},
): Promise<string> {
  const id = newId();
  await enqueueRun(db, { id, catalogId, sourceId: null, kind: "render", cause, ...more });
  return id;
}

export type Lease = { readonly owner: string; readonly leaseMs: number };
export type ClaimedRun = Run & {
  readonly kind: JobKind;
  readonly attempts: number;
  /** How many items the catalog had. */
  readonly catalogItems: number;
};

/**
 * A run that was claimed this often, retries included, is failed when its worker dies: the run itself may kill workers.
 */
export const MAX_ATTEMPTS = 3;

/** Upper limits of a lease and of a retry delay. A later time was written before the clock was set back. */
const MAX_LEASE_S = 60;
const MAX_RETRY_DELAY_S = 600;

export const hasExpired = (until: Sql): Sql =>
  sql`(${until} < clock_timestamp() or ${until} > clock_timestamp() + make_interval(secs => ${MAX_LEASE_S}))`;

export const isDue = (at: Sql): Sql =>
  sql`(${at} <= clock_timestamp() or ${at} > clock_timestamp() + make_interval(secs => ${MAX_RETRY_DELAY_S}))`;

/** `callerWaitMs`: how long a caller has waited for the sync that follows this one; null if no caller waits. */
export type ExtendedLease = { readonly callerWaitMs: number | null };

/** The heartbeat: extends the lease and stores the statistics so far. Undefined if the lease is lost. */
export async function extendLease(
  db: Queries,
  runId: string,
  { owner, leaseMs, stats }: Lease & { readonly stats: object },
): Promise<ExtendedLease | undefined> {
  return db.first<ExtendedLease>(sql`
    update runs r set lease_until = clock_timestamp() + make_interval(secs => ${leaseMs / 1000}),
                      stats = ${storableJson(stats)}
     where id = ${runId} and owner = ${owner} and state = 'running'
    returning (select extract(epoch from clock_timestamp() - min(w.created_at))::float * 1000 from runs w
                where w.source_id = r.source_id and w.kind = 'sync' and w.state = 'queued'
                  and w.cause in ('request', 'command')) as caller_wait_ms`);
}

export type AbandonedRun = Run & { readonly error: RunError; readonly finishedAt: Date };

/** Fails runs whose worker died and that were claimed too often; part of maintenance. */
export async function failAbandonedRuns(db: Queries): Promise<readonly AbandonedRun[]> {
  const error: RunError = {
    code: "interrupted",
    message: `The worker stopped in the middle of this run. It had been tried at least ${MAX_ATTEMPTS} times, so it was failed. Nothing was changed; the log of the last worker may say why.`,
  };
  const isAbandoned = sql`state = 'running' and ${hasExpired(sql`lease_until`)} and attempts >= ${MAX_ATTEMPTS}`;
  return failRuns(db, isAbandoned, error);
}

async function failRuns(db: Queries, which: Sql, error: RunError): Promise<readonly AbandonedRun[]> {
  const failed = await db.query<AbandonedRun>(sql`
    update runs set state = 'failed', error = ${storableJson(error)}, finished_at = clock_timestamp(), owner = null
     where id in (select id from runs where ${which} order by id for update)
    returning ${COLUMNS}`);
  for (const { id } of failed) await notify(db, { about: "finished", id });
  return failed;
}

const IS_OPEN = sql`state in ('queued', 'running')`;

/** Fails the open syncs of a source that is being removed, and their dry runs; their workers lose the lease. */
export async function failOpenSyncs(db: Queries, sourceId: string, error: RunError): Promise<void> {
  await failRuns(db, sql`source_id = ${sourceId} and kind in ('sync', 'sync_plan') and ${IS_OPEN}`, error);
}

/**
 * Of a restored copy: the open syncs of sources, their dry runs and searches for proposals, all of which call others.
 * Pushes stay in the queue: their items are in the database.
 */
export async function failOpenReads(db: Queries, error: RunError): Promise<void> {
  const callsOthers = sql`(kind = 'sync' and cause <> 'push' or kind in ('sync_plan', 'proposals'))`;
  await failRuns(db, sql`${callsOthers} and ${IS_OPEN}`, error);
}

export async function failOpenRuns(db: Queries, catalogId: string, error: RunError): Promise<void> {
  await failRuns(db, sql`catalog_id = ${catalogId} and ${IS_OPEN}`, error);
}

/**
 * Puts a run back into its place in the queue: for a worker that stops. It is due at once; `due_at` is set so that new
 * requests do not share this run (`SHARED_SYNC`).
 */
export async function releaseRun(db: Queries, runId: string, owner: string): Promise<void> {
  await requeue(
    db,
    runId,
    sql`
    update runs set state = 'queued', owner = null, lease_until = null, attempts = attempts - 1,
                    due_at = created_at
     where id = ${runId} and owner = ${owner} and state = 'running'`,
  );
}

/** Of some kinds only one run waits at a time: one that waits already does the work of this one, too. */
async function requeue(db: Queries, runId: string, update: Sql): Promise<void> {
  try {
    await db.execute(update);
    await notify(db, { about: "work" });
  } catch (error) {
    if (!isUniqueViolation(error, "one_waiting_enrichment")) throw error;
    const message = "This run stopped before it was finished. Another one that was waiting does its work.";
    await failRuns(db, sql`id = ${runId} and state = 'running'`, { code: "interrupted", message });
  }
}

/** Puts a run back into the queue with a retry delay, after an internal failure. The attempt counts. */
export async function retryRun(
  db: Queries,
  { id, owner }: { id: string; owner: string },
  { delayMs, error }: { readonly delayMs: number; readonly error: RunError },
): Promise<void> {
  await requeue(
    db,
    id,
    sql`
    update runs set state = 'queued', owner = null, lease_until = null, error = ${storableJson(error)},
                    due_at = clock_timestamp() + make_interval(secs => ${delayMs / 1000})
     where id = ${id} and owner = ${owner} and state = 'running'`,
  );
}

export type RunEnd =
  | { readonly state: "succeeded"; readonly stats: object }
  | { readonly state: "failed"; readonly error: RunError; readonly stats?: object };

/** Finishes a run and returns when. Undefined if the lease is lost: the caller must then roll back. */
export async function finishRun(
  db: Queries,
  { id, owner }: { id: string; owner: string },
  end: RunEnd,
): Promise<Date | undefined> {
  const error = end.state === "failed" ? storableJson(end.error) : null;
  const finished = await db.first<{ finishedAt: Date }>(sql`
    with finished as (
      update runs set state = ${end.state}, stats = ${storableJson(end.stats ?? {})}, error = ${error},
                      finished_at = clock_timestamp(), owner = null, lease_until = null
       where id = ${id} and owner = ${owner} and state = 'running'
      returning finished_at)
    select finished_at, ${sendNotice({ about: "finished", id })} from finished`);
  return finished?.finishedAt;
}

export type AuditRun = {
  readonly id: string;
  readonly catalogId: string;
  readonly renderRunId: string;
  readonly startedAt: Date;
  readonly end: RunEnd;
};

export function insertAuditRun({ id, catalogId, renderRunId, startedAt, end }: AuditRun): Sql {
  const error = end.state === "failed" ? storableJson(end.error) : null;
  return sql`
    insert into runs (id, catalog_id, kind, state, cause, cause_run_id, stats, error, started_at, finished_at)
    values (${id}, ${catalogId}, 'audit', ${end.state}, 'render', ${renderRunId},
            ${storableJson(end.stats ?? {})}, ${error}, ${startedAt}, clock_timestamp())`;
}

export async function findRun(db: Queries, id: string): Promise<Run | undefined> {
  return db.first<Run>(sql`select ${COLUMNS} from runs where id = ${id}`);
}

/** By id. */
export async function findRuns(db: Queries, ids: readonly string[]): Promise<ReadonlyMap<string, Run>> {
  const runs = await db.query<Run>(sql`select ${COLUMNS} from runs where id = any (${ids}::uuid[])`);
  return new Map(runs.map((run) => [run.id, run]));
}

/** The render after a sync or push, or the audit of a render. Pushes may share a render. */
export async function findRunCausedBy(db: Queries, runId: string): Promise<Run | undefined> {
  return (await findRunsCausedBy(db, [runId])).get(runId);
}

/** By the run that caused them. */
export async function findRunsCausedBy(
  db: Queries,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, Run>> {
  const rows = await db.query<Run & { readonly causing: string }>(sql`
    select ${COLUMNS}, causing
      from unnest(${runIds}::uuid[]) as c (causing)
      join runs on id = coalesce((select o.render_run_id from runs o where o.id = causing),
                                 (select o.id from runs o where o.cause_run_id = causing limit 1))`);
  return new Map(rows.map(({ causing, ...run }) => [causing, run]));
}

export type RunFilter = { readonly kind?: RunKind; readonly limit: number };

export async function listRuns(db: Queries, catalogId: string, filter: RunFilter): Promise<readonly Run[]> {
  const { kind = null, limit } = filter;
  return db.query<Run>(sql`
    select ${COLUMNS} from runs
     where catalog_id = ${catalogId} and kind = coalesce(${kind}, kind)
     order by created_at desc, id desc
     limit ${limit}`);
}
