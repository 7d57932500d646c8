/**
 * Pushes and their bodies. A small body is stored with its push, and the run is queued at once. A large one is stored
 * in chunks: while it arrives its run is `running` under the receiver's lease, so a receiver that dies is handled like
 * a worker that dies; when the body is complete, the run is queued. Pushes of a catalog are applied in the order in
 * which they were opened or queued.
 */
import type { Queries } from "./db.ts";
import { storableJson } from "./json.ts";
import { notify } from "./notices.ts";
import { type ClaimedRun, COLUMNS, enqueueRender, type Lease, type Run, type RunGuard } from "./runs.ts";
import { sql } from "./sql.ts";

export type PushMode = "replace" | "update";

export type PushFile = {
  readonly charset: string | null;
  /** `format`, `store_url`, `decimal_mark`, `columns` and `link_template`, like the settings of a feed URL. */
  readonly settings: Readonly<Record<string, string>>;
};

export type Push = {
  readonly runId: string;
  readonly mode: PushMode;
  /** `file`: any format that a feed URL may have, recognized by its content. */
  readonly format: "json" | "json_lines" | "file";
  /** Null unless the format is `file`. */
  readonly file: PushFile | null;
  readonly maxRemovedRatio: number;
  /** Null for a large body. */
  readonly body: Buffer | null;
  /** How many chunks a large body has; null until all of it has arrived. */
  readonly parts: number | null;
};

export type NewPush = Omit<Push, "parts" | "body"> & { readonly guard: RunGuard };
type StoredPush = NewPush & Pick<Push, "body">;
export type SmallPush = NewPush & { readonly body: Buffer };

/**
 * Serializes the pushes that are opened and queued, so that they become visible in the order of `created_at`. Without
 * this lock a push could be claimed before an earlier push is visible.
 */
export async function lockPushes(tx: Queries, catalogId: string): Promise<void> {
  await tx.execute(
    sql`select pg_advisory_xact_lock(hashtextextended(current_schema() || ':pushes:' || ${catalogId}::text, 0))`,
  );
}

/**
 * Opens a large push for its receiver. The caller has the lock of the pushes and has found no other large push that is
 * open (`findOpenPush`): the database has one large body of a catalog at a time.
 */
export async function openPush(
  tx: Queries,
  catalogId: string,
  push: NewPush,
  { owner, leaseMs }: Lease,
): Promise<void> {
  // The push has the state of a run that was claimed once, so that releasing the run queues it with no attempts.
  await tx.execute(sql`
    insert into runs (id, catalog_id, kind, state, cause, guard, started_at, owner, attempts, lease_until, max_removed_ratio)
    values (${push.runId}, ${catalogId}, 'sync', 'running', 'push', ${push.guard}, clock_timestamp(), ${owner}, 1,
            clock_timestamp() + make_interval(secs => ${leaseMs / 1000}), ${allowedRemoval(push)})`);
  await insertPushes(tx, [{ ...push, body: null }]);
}

/** Queues small pushes, in their order. The caller has the lock of the pushes. */
export async function queuePushes(
  tx: Queries,
  catalogId: string,
  pushes: readonly SmallPush[],
): Promise<void> {
  await tx.execute(sql`
    insert into runs (id, catalog_id, kind, state, cause, guard, max_removed_ratio)
    select id, ${catalogId}, 'sync', 'queued', 'push', guard, ratio
      from unnest(${pushes.map(({ runId }) => runId)}::uuid[], ${pushes.map(({ guard }) => guard)}::text[],
                  ${pushes.map(allowedRemoval)}::float8[]) as p (id, guard, ratio)`);
  await insertPushes(tx, pushes);
  await notify(tx, { about: "work" });
}

/** The body is deleted before the render, which has to know that any removal was allowed. */
const allowedRemoval = ({ maxRemovedRatio }: NewPush): number | null => (maxRemovedRatio === 1 ? 1 : null);

async function insertPushes(tx: Queries, pushes: readonly StoredPush[]): Promise<void> {
  const column = <Value>(of: (push: StoredPush) => Value): Value[] => pushes.map(of);
  await tx.execute(sql`
    insert into pushes (run_id, mode, format, file, max_removed_ratio, body)
    select * from unnest(${column(({ runId }) => runId)}::uuid[], ${column(({ mode }) => mode)}::text[],
                         ${column(({ format }) => format)}::text[],
                         ${column(({ file }) => file && storableJson(file))}::jsonb[],
                         ${column(({ maxRemovedRatio }) => maxRemovedRatio)}::float8[],
                         ${column(({ body }) => body)}::bytea[])`);
}

/** Finds the large push that is open: its body arrives, or it waits or is being applied. */
export async function findOpenPush(db: Queries, catalogId: string): Promise<string | undefined> {
  const row = await db.first<{ id: string }>(sql`
    select r.id from runs r join pushes p on p.run_id = r.id
     where r.catalog_id = ${catalogId} and r.cause = 'push' and r.state in ('queued', 'running') and p.body is null`);
  return row?.id;
}

export async function findPush(db: Queries, runId: string): Promise<Push | undefined> {
  return db.first<Push>(sql`
    select run_id, mode, format, file, max_removed_ratio, body, parts
      from pushes where run_id = ${runId}`);
}

export type Joined = { readonly run: ClaimedRun; readonly push: Push };

export type JoinLimits = { readonly maxPushes: number; readonly maxBytes: number };

/**
 * Locks the small updates that wait directly behind a push that is being applied, in their order and up to the first
 * push that must be applied alone. The caller's transaction ends them (`finishJoined`); if it fails, they are queued as
 * before.
 */
export async function joinWaitingPushes(
  tx: Queries,
  {
    id,
    catalogId,
    guard,
    maxRemovedRatio,
  }: Pick<ClaimedRun, "id" | "catalogId" | "guard" | "maxRemovedRatio">,
  { maxPushes, maxBytes }: JoinLimits,
): Promise<readonly Joined[]> {
  const rows = await tx.query<
    ClaimedRun & { readonly joinedAt: Date; readonly body: Buffer; readonly push: Omit<Push, "body"> }
  >(sql`
    with waiting as (
      select r.id, r.created_at, length(p.body) as bytes,
             coalesce(r.state = 'queued' and r.attempts = 0 and r.due_at is null and r.guard = ${guard}
                      and r.max_removed_ratio is not distinct from ${maxRemovedRatio}
                      and p.mode = 'update' and p.body is not null, false) as joins
        from runs r left join pushes p on p.run_id = r.id
       where r.catalog_id = ${catalogId} and r.cause = 'push' and r.state in ('queued', 'running')
         and (r.created_at, r.id) > (select created_at, id from runs where id = ${id})
       order by r.created_at, r.id
       limit ${maxPushes}),
    next as (
      select id, bool_and(joins) over earlier and sum(bytes) over earlier <= ${maxBytes} as joins
        from waiting window earlier as (order by created_at, id)),
    joined as (
      select ${COLUMNS}, attempts, clock_timestamp() as joined_at from runs
       where id in (select id from next where joins) and state = 'queued'
         for update)
    select j.*, p.body, json_build_object('runId', p.run_id, 'mode', p.mode, 'format', p.format, 'file', p.file,
                                           'maxRemovedRatio', p.max_removed_ratio, 'parts', p.parts) as push
      from joined j join pushes p on p.run_id = j.id
     order by j.created_at, j.id`);
  return rows.map(({ push, body, joinedAt, ...run }) => ({
    run: { ...run, startedAt: joinedAt },
    push: { ...push, body },
  }));
}

/** Claims joined pushes that have failed, so that each push ends like any other run. */
export async function claimJoined(tx: Queries, runIds: readonly string[], owner: string): Promise<void> {
  await tx.execute(sql`
    update runs set state = 'running', owner = ${owner}, attempts = 1, started_at = clock_timestamp()
     where id = any (${runIds}::uuid[]) and state = 'queued'`);
}

export type JoinedEnd = {
  readonly runId: string;
  readonly startedAt: Date | null;
  readonly stats: object;
  /** The items that the push changed or removed. */
  readonly itemIds: readonly string[];
};

/**
 * Finishes pushes that were applied together, and returns when. If the lease of the first push is lost, fewer pushes
 * than given are returned, and the caller must roll back. `renderRunId` is the render that shows the pushes.
 */
export async function finishJoined(
  tx: Queries,
  { owner, renderRunId }: { readonly owner: string; readonly renderRunId: string },
  pushes: readonly JoinedEnd[],
): Promise<ReadonlyMap<string, Date>> {
  const rows = await tx.query<{ id: string; finishedAt: Date }>(sql`
    with finished as (
      update runs r
         set state = 'succeeded', stats = p.stats, error = null, attempts = greatest(attempts, 1),
             started_at = coalesce(started_at, p."startedAt"), finished_at = clock_timestamp(),
             owner = null, lease_until = null, render_run_id = ${renderRunId}, item_ids = p."itemIds"
        from jsonb_to_recordset(${storableJson(pushes)}::jsonb)
          as p ("runId" uuid, "startedAt" timestamptz, stats jsonb, "itemIds" jsonb)
       where r.id = p."runId" and (r.state = 'queued' or r.state = 'running' and r.owner = ${owner})
      returning r.id, r.finished_at)
    select id, finished_at,
           pg_notify(current_schema() || '_notices', json_build_object('about', 'finished', 'id', id)::text)
      from finished`);
  return new Map(rows.map(({ id, finishedAt }) => [id, finishedAt]));
}

/**
 * Returns the render that shows a push: the render of an earlier push that has not begun, or a new render. Both pushes
 * have the same guard, and the same permission to remove any number of items. The render that is found cannot begin
 * before the transaction ends.
 */
export async function renderAfterPush(
  tx: Queries,
  { id, catalogId, guard }: Pick<Run, "id" | "catalogId" | "guard">,
): Promise<string> {
  const waiting = await tx.first<{ id: string }>(sql`
    select r.id from runs r join runs push on push.id = r.cause_run_id and push.cause = 'push'
     where r.catalog_id = ${catalogId} and r.kind = 'render' and r.state = 'queued' and r.due_at is null
       and r.cause = 'sync' and r.guard = ${guard}
       and push.max_removed_ratio is not distinct from (select max_removed_ratio from runs where id = ${id})
     order by r.created_at limit 1
       for update of r skip locked`);
  if (!waiting) return enqueueRender(tx, catalogId, "sync", { causeRunId: id, guard });
  // A worker that looked for work meanwhile has skipped the render, so it is notified again.
  await notify(tx, { about: "work" });
  return waiting.id;
}

export async function addChunk(db: Queries, runId: string, part: number, bytes: Uint8Array): Promise<void> {
  await db.execute(sql`
    insert into push_chunks (run_id, part, bytes) values (${runId}, ${part}, ${Buffer.from(bytes)})`);
}

export async function findChunk(db: Queries, runId: string, part: number): Promise<Buffer | undefined> {
  const row = await db.first<{ bytes: Buffer }>(sql`
    select bytes from push_chunks where run_id = ${runId} and part = ${part}`);
  return row?.bytes;
}

export async function completePush(tx: Queries, runId: string, parts: number): Promise<void> {
  await tx.execute(sql`update pushes set parts = ${parts} where run_id = ${runId}`);
}

export async function recordReplacement(tx: Queries, catalogId: string, runId: string): Promise<void> {
  await tx.execute(sql`update catalogs set replaced_run_id = ${runId} where id = ${catalogId}`);
}

export async function dropPushes(db: Queries, runIds: readonly string[]): Promise<void> {
  await db.execute(sql`delete from pushes where run_id = any (${runIds}::uuid[])`);
}

export async function prunePushes(db: Queries): Promise<number> {
  return db.execute(sql`
    delete from pushes p using runs r where r.id = p.run_id and r.state in ('succeeded', 'failed')`);
}

/** Counts the items that no source owns, from the stored counts. */
export async function countPushedItems(db: Queries, catalogId: string): Promise<number> {
  const row = await db.first<{ count: number }>(sql`
    select c.item_count - coalesce((select sum(item_count) from sources where catalog_id = c.id), 0)::bigint
                        - coalesce((select sum(item_count) from removed_sources where catalog_id = c.id), 0)::bigint
             as count
      from catalogs c where c.id = ${catalogId}`);
  return row?.count ?? 0;
}
