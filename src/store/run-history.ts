/** Single runs of a catalog, pages of its renders, and canceling. */
import type { FeedFileRow } from "./feed-files.ts";
import type { Queries } from "./db.ts";
import { storableJson } from "./json.ts";
import { notify } from "./notices.ts";
import type { RenderState } from "./renders.ts";
import { COLUMNS } from "./runs.ts";
import type { JobKind, Run, RunError, RunKind, RunState } from "./runs.ts";
import { type Sql, sql } from "./sql.ts";

export type RunDetail = Run & {
  readonly causeRunId: string | null;
  /** `push` instead of `sync` for what follows a push: a push is stored as a sync. */
  readonly shownCause: Run["cause"];
  /**
   * What became of a finished render, `published` also if it was served and another one is now; null for other runs.
   */
  readonly renderState: RenderState | null;
};

const DETAIL = sql`${COLUMNS}, cause_run_id,
  case when cause = 'sync'
       then coalesce((select 'push' from runs p where p.id = runs.cause_run_id and p.cause = 'push'), 'sync')
       else cause end as shown_cause,
  (select case when e.published_at is null then e.state else 'published' end
     from renders e where e.run_id = runs.id) as render_state`;

/** A run of this catalog, of one kind or of any. */
export async function findRunOf(
  db: Queries,
  {
    catalogId,
    id,
    kind = null,
  }: { readonly catalogId: string; readonly id: string; readonly kind?: RunKind | null },
): Promise<RunDetail | undefined> {
  const rows = await db.query<RunDetail>(sql`
    select ${DETAIL} from runs
     where id = ${id} and catalog_id = ${catalogId} and kind = coalesce(${kind}, kind)`);
  return rows[0];
}

type RunCursor = { readonly at: Date; readonly id: string };

/** Older than the last run of the previous page. JavaScript times have milliseconds; the id breaks ties. */
const isOlder = (before: RunCursor | null): Sql =>
  before
    ? sql`(date_trunc('milliseconds', created_at), id) < (${before.at}::timestamptz, ${before.id}::uuid)
          and created_at < ${before.at}::timestamptz + interval '1 millisecond'`
    : sql`true`;

export type RunsFilter = {
  readonly kind?: RunKind | undefined;
  readonly states: readonly RunState[];
  /** Null: pushes. */
  readonly sourceId?: string | null | undefined;
};

/** Runs of a catalog, newest first. */
export async function pageRuns(
  db: Queries,
  catalogId: string,
  { kind, states, sourceId }: RunsFilter,
  { before, limit }: { readonly before: RunCursor | null; readonly limit: number },
): Promise<readonly RunDetail[]> {
  const isOfSource =
    sourceId === undefined
      ? sql`true`
      : sql`kind = 'sync' and source_id is not distinct from ${sourceId}::uuid`;
  return db.query<RunDetail>(sql`
    select ${DETAIL} from runs
     where catalog_id = ${catalogId} and kind = coalesce(${kind ?? null}, kind) and state = any(${states})
       and ${isOfSource} and ${isOlder(before)}
     order by created_at desc, id desc limit ${limit}`);
}

export type RenderRow = RunDetail & {
  readonly files: readonly Pick<
    FeedFileRow,
    "file" | "written" | "excluded" | "refused" | "bytes" | "etag" | "changed"
  >[];
};

/** The renders of a catalog, newest first; run ids are ordered by time. */
export async function listRenders(
  db: Queries,
  catalogId: string,
  { before, limit }: { readonly before: RunCursor | null; readonly limit: number },
): Promise<readonly RenderRow[]> {
  return db.query<RenderRow>(sql`
    select r.*, coalesce(f.files, '[]') as files
      from (select ${DETAIL} from runs
             where catalog_id = ${catalogId} and kind = 'render' and ${isOlder(before)}
             order by created_at desc, id desc limit ${limit}) r
      left join lateral (
        select json_agg(json_build_object('file', file, 'written', written, 'excluded', excluded, 'refused', refused,
                                          'bytes', bytes, 'etag', etag, 'changed', changed) order by file) as files
          from feed_files where run_id = r.id) f on true
     order by r.created_at desc, r.id desc`);
}

/**
 * Fails an open sync, which then changes nothing: its worker loses the lease and cannot finish the run. False if the
 * run is not open.
 */
export async function cancelSync(
  tx: Queries,
  { catalogId, id, error }: { readonly catalogId: string; readonly id: string; readonly error: RunError },
): Promise<boolean> {
  const canceled = await tx.execute(sql`
    update runs set state = 'failed', error = ${storableJson(error)}, finished_at = clock_timestamp(), owner = null,
                    lease_until = null
     where id = ${id} and catalog_id = ${catalogId} and kind = 'sync' and state in ('queued', 'running')`);
  if (canceled === 0) return false;
  await notify(tx, { about: "finished", id });
  return true;
}

/** The run that waits, or else the one that runs. */
export async function findOpenRun(
  db: Queries,
  catalogId: string,
  kind: JobKind,
): Promise<string | undefined> {
  const row = await db.first<{ id: string }>(sql`
    select id from runs where catalog_id = ${catalogId} and kind = ${kind} and state in ('queued', 'running')
     order by state, created_at limit 1`);
  return row?.id;
}

/** A rollback is a render that used the files of an earlier one. It is never queued. */
export async function recordRollbackRun(
  tx: Queries,
  {
    id,
    catalogId,
    stats,
    at,
  }: { readonly id: string; readonly catalogId: string; readonly stats: object; readonly at: Date },
): Promise<void> {
  await tx.execute(sql`
    insert into runs (id, catalog_id, kind, state, cause, stats, created_at, started_at, finished_at)
    values (${id}, ${catalogId}, 'render', 'succeeded', 'rollback', ${storableJson(stats)}, ${at}, ${at}, ${at})`);
}

/** Returns true if the render follows a sync or push for which a person has allowed any removal. */
export async function isRemovalAccepted(db: Queries, renderRunId: string): Promise<boolean> {
  const accepted = await db.first(sql`
    select 1 from runs render
      join runs cause on cause.id = render.cause_run_id
     where render.id = ${renderRunId} and cause.max_removed_ratio = 1`);
  return accepted !== undefined;
}
