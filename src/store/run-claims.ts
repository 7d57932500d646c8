/** Claims runs from the queue: fair between catalogs, at a cost that does not depend on the length of the queue. */
import { isUniqueViolation, type Queries } from "./db.ts";
import { COLUMNS, hasExpired, isDue, JOB_KINDS, MAX_ATTEMPTS } from "./runs.ts";
import type { ClaimedRun, JobKind, Lease } from "./runs.ts";
import { prepared, sql, type Sql } from "./sql.ts";

/** Concurrency limit for the syncs of one catalog: its slow shops must not delay other catalogs. */
const MAX_SYNCS_PER_CATALOG = 3;
/**
 * Extra syncs that a catalog may run while other syncs wait for silent shops: shops that do not answer must not delay
 * the healthy ones of their catalog. All of them together leave slots of a worker to other catalogs.
 */
const MAX_SILENT_SYNCS = 2;
const SILENT_AFTER_S = 10;

export type ClaimFilter = {
  readonly kinds?: readonly JobKind[];
  /** Only this run, runs it caused, and those that it waits for. */
  readonly only?: string;
};

/**
 * Claims a queued run, or one whose lease expired: the oldest of the catalog with the fewest running. The claim reads
 * only a few runs of each catalog, through the index `runs_waiting`.
 */
export async function claimRun(
  db: Queries,
  lease: Lease,
  filter: ClaimFilter = {},
): Promise<ClaimedRun | undefined> {
  const { owner, leaseMs } = lease;
  const { kinds = JOB_KINDS, only } = filter;
  const candidates = only === undefined ? waitingRuns(kinds) : causedRuns(kinds, only);
  if (!(await isAnyOpen(db, kinds))) return undefined;
  const claim = sql`
    update runs
       set state = 'running', owner = ${owner}, attempts = attempts + 1,
           lease_until = clock_timestamp() + make_interval(secs => ${leaseMs / 1000}),
           started_at = coalesce(started_at, clock_timestamp())
     where id = (${candidates})
    returning ${COLUMNS}, attempts, (select item_count from catalogs c where c.id = catalog_id) as catalog_items`;
  try {
    return await db.first<ClaimedRun>(only === undefined ? prepared(claim, "claim_run") : claim);
  } catch (error) {
    // Two workers claimed two renders of one catalog, or two syncs of one source, at once; the unique index let one
    // through. Another run may be waiting.
    if (
      isUniqueViolation(error, "one_render_per_catalog") ||
      isUniqueViolation(error, "one_running_sync_per_source")
    )
      return claimRun(db, lease, filter);
    throw error;
  }
}

/** Most claims find nothing. This takes a tenth of the time in which PostgreSQL plans the whole claim. */
async function isAnyOpen(db: Queries, kinds: readonly JobKind[]): Promise<boolean> {
  const statement = sql`
    select exists (select from runs where kind = any(${kinds}::text[]) and state = 'queued')
        or exists (select from runs where kind = any(${kinds}::text[]) and state = 'running'
                      and ${hasExpired(sql`lease_until`)}) as is_open`;
  const found = await db.first<{ isOpen: boolean }>(prepared(statement, "any_open_run"));
  return found?.isOpen === true;
}

/** Concurrency limit of a catalog, by kind. */
const CAPACITY = sql`case kind when 'sync' then ${MAX_SYNCS_PER_CATALOG}::bigint else 1 end`;
/** A `case`, so that the planner uses no index on the state: the runs were found by id. */
const IS_OPEN = sql`
  case r.state
    when 'queued' then r.due_at is null or ${isDue(sql`r.due_at`)}
    when 'running' then ${hasExpired(sql`r.lease_until`)} and r.attempts < ${MAX_ATTEMPTS}
    else false end`;

/** The expression of the index `runs_waiting`, so that the planner uses this index even without statistics. */
const QUEUED_CATALOG = sql`(case when state = 'queued' then catalog_id end)`;
/** How long the render after a push waits for pushes that are about to be applied. */
const MAX_RENDER_DELAY_S = 0.5;
/**
 * The render after a push waits a moment while a small push is being applied or is next: they share the render. The end
 * of that push wakes the workers.
 */
const showsMorePushes = (render: Sql): Sql => sql`
  (${render}.cause = 'sync' and ${render}.state = 'queued'
   and ${render}.created_at > clock_timestamp() - make_interval(secs => ${MAX_RENDER_DELAY_S})
   and exists (select from runs push where push.id = ${render}.cause_run_id and push.cause = 'push')
   and coalesce((select p.body is not null and o.due_at is null from runs o join pushes p on p.run_id = o.id
                  where o.catalog_id = ${render}.catalog_id and o.cause = 'push' and o.state in ('queued', 'running')
                  order by o.created_at, o.id limit 1), false))`;
/** How old a render may be that a push waits for. Renders after small pushes take less. */
const MAX_PUSH_DELAY_S = 2;
/**
 * A small push waits while its catalog is being rendered: it could not be published before the end of that render, and
 * pushes that arrive meanwhile are applied together with it. The end of the render wakes the workers.
 */
const waitsForRender = (run: Sql): Sql => sql`
  (exists (select from pushes p where p.run_id = ${run}.id and p.body is not null)
   and exists (select from runs render where render.catalog_id = ${run}.catalog_id
                  and render.kind = 'render' and render.state = 'running' and not ${hasExpired(sql`render.lease_until`)}
                  and render.started_at > clock_timestamp() - make_interval(secs => ${MAX_PUSH_DELAY_S})))`;
/**
 * Two syncs of one source never run at once, and they run in the order of their requests: the next one waits. Nor do
 * two pushes of one catalog; a push whose body is still arriving keeps its place.
 */
const isItsTurn = (run: Sql): Sql => sql`
  case when ${run}.cause = 'push' then not ${waitsForRender(run)} and not exists (
     select from runs o where o.catalog_id = ${run}.catalog_id and o.cause = 'push' and o.state in ('queued', 'running')
        and (o.created_at, o.id) < (${run}.created_at, ${run}.id))
  when ${run}.kind = 'render' then not ${showsMorePushes(run)}
  else ${run}.source_id is null or ${run}.kind <> 'sync' or not exists (
     select from runs o where o.source_id = ${run}.source_id and o.source_id is not null and o.kind = 'sync' and o.id <> ${run}.id
        and (o.state = 'running'
             or o.state = 'queued' and o.due_at is null and (o.created_at, o.id) < (${run}.created_at, ${run}.id))) end`;
/** More than the number of concurrent claims. */
const MAX_CONSIDERED = 64;

/**
 * `JOB_KINDS` as constant rows. PostgreSQL would expect more rows from an array in a parameter than from one that it
 * knows, so it would take the generic plan for the more expensive one and plan every claim anew.
 */
const ALL_KINDS = sql`
  (values ('sync'), ('render'), ('removal'), ('rules'), ('proposals'), ('plan'), ('sync_plan')) k (kind)`;

/** The best run of all catalogs. Several candidates per catalog: some may be locked by another claim. */
function waitingRuns(kinds: readonly JobKind[]): Sql {
  return sql`
    with recursive waiting (kind, catalog_id) as (
      select k.kind, first.catalog_id
        from ${ALL_KINDS} cross join lateral (
          select ${QUEUED_CATALOG} as catalog_id from runs
           where kind = k.kind and state = 'queued' order by ${QUEUED_CATALOG} limit 1) first
       where k.kind = any(${kinds}::text[])
      union all
      select w.kind, next.catalog_id
        from waiting w cross join lateral (
          select ${QUEUED_CATALOG} as catalog_id from runs
           where kind = w.kind and state = 'queued' and ${QUEUED_CATALOG} > w.catalog_id
           order by ${QUEUED_CATALOG} limit 1) next),
    leased as materialized (
      select id, kind, catalog_id, created_at, not ${hasExpired(sql`lease_until`)} as is_alive, attempts,
             kind = 'sync' and started_at < clock_timestamp() - make_interval(secs => ${SILENT_AFTER_S})
               and coalesce(stats->>'seen', '0') = '0' as is_silent
        from runs where kind = any(${kinds}::text[]) and state = 'running'),
    -- A render whose worker died counts too: only that run may be claimed again.
    busy as (
      select kind, catalog_id,
             count(*) filter (where is_alive or kind = 'render')
               - least(${MAX_SILENT_SYNCS}::bigint, count(*) filter (where is_alive and is_silent)) as running
        from leased group by kind, catalog_id),
    candidate as (
      select head.id, coalesce(b.running, 0) as running, head.ready_at
        from waiting w left join busy b using (kind, catalog_id) cross join lateral (
          select id, coalesce(due_at, created_at) as ready_at from runs
           where kind = w.kind and state = 'queued' and ${QUEUED_CATALOG} = w.catalog_id
             and (due_at is null or ${isDue(sql`due_at`)}) and ${isItsTurn(sql`runs`)}
           order by coalesce(due_at, created_at), id
           limit greatest(0, (select ${CAPACITY} from (select w.kind) one) - coalesce(b.running, 0))) head
      union all
      select id, coalesce((select running from busy b
                            where b.kind = 'sync' and l.kind = 'sync' and b.catalog_id = l.catalog_id), 0), created_at
        from leased l where not is_alive and attempts < ${MAX_ATTEMPTS}
         and (l.kind <> 'sync' or coalesce((select running from busy b
                            where b.kind = 'sync' and b.catalog_id = l.catalog_id), 0) < ${MAX_SYNCS_PER_CATALOG})),
    best as materialized (
      select array(select id from candidate order by running, ready_at, id limit ${MAX_CONSIDERED}) as ids)
    select r.id from best join runs r on r.id = any(best.ids)
     where ${IS_OPEN}
     order by array_position(best.ids, r.id)
     limit 1
       for update of r skip locked`;
}

/**
 * This run, its render, or what comes before it: syncs of the same source, or pushes of the same catalog. Within the
 * concurrency limit of the catalog.
 */
function causedRuns(kinds: readonly JobKind[], only: string): Sql {
  return sql`
    select r.id from runs r
     where (r.id = ${only}::uuid or r.cause_run_id = ${only}::uuid
            or r.id = (select render_run_id from runs where id = ${only}::uuid)
            or r.kind = 'sync' and r.state in ('queued', 'running')
               and exists (select from runs o where o.id = ${only}::uuid and o.kind = 'sync'
                              and (o.source_id = r.source_id
                                   or o.cause = 'push' and r.cause = 'push' and o.catalog_id = r.catalog_id)
                              and (r.created_at, r.id) < (o.created_at, o.id)))
       and r.kind = any(${kinds}::text[]) and ${IS_OPEN}
       and (select count(*) from runs o
             where o.catalog_id = r.catalog_id and o.kind = r.kind and o.state = 'running' and o.id <> r.id
               and (o.kind = 'render' or not ${hasExpired(sql`o.lease_until`)}))
           < (select ${CAPACITY} from (select r.kind) one)
       and ${isItsTurn(sql`r`)}
     order by r.created_at
     limit 1
       for update skip locked`;
}
