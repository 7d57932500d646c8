/** The states of finished renders. Only `pipeline/publication/` changes them. */
import type { Exceeded } from "../contract/publish-guard.ts";
import type { Queries } from "./db.ts";
import { storableJson } from "./json.ts";
import type { RunError } from "./runs.ts";
import { sql } from "./sql.ts";

/**
 * `published`: the feed URLs serve the render's files. `held`: the render waits for a decision. `discarded`: a person
 * decided against the render. `superseded`: a newer render has taken its place, after it was served (`publishedAt`) or
 * while it was held.
 */
export type RenderState = "published" | "held" | "discarded" | "superseded";

/** The person who decided about a held render. */
export type Decider = { readonly name: string; readonly keyId: string | null };

export type RenderRecord = {
  readonly runId: string;
  readonly catalogId: string;
  readonly folder: string;
  readonly state: RenderState;
  /** When the render's files were first served; null if they never were. */
  readonly publishedAt: Date | null;
  readonly exceeded: readonly Exceeded[];
  readonly heldSince: Date | null;
  readonly decidedAt: Date | null;
  readonly decidedBy: string | null;
  readonly decidedKeyId: string | null;
  readonly reason: string | null;
  /** For a rollback: the render whose files it restored. */
  readonly restores: string | null;
  /** The time since which the render's files are not kept any more. */
  readonly removedAt: Date | null;
  readonly createdAt: Date;
};

const COLUMNS = sql`
  run_id, catalog_id, folder, state, published_at, exceeded, held_since, decided_at, decided_by,
  decided_key_id, reason, restores, removed_at, created_at`;

export type RecordedRender = Pick<RenderRecord, "runId" | "catalogId" | "folder" | "exceeded"> & {
  readonly state: Exclude<RenderState, "superseded">;
  /** The decision of a person, or the decision about an earlier render with the same files that was discarded. */
  readonly decision?: Pick<RenderRecord, "decidedAt" | "decidedBy" | "decidedKeyId" | "reason">;
  readonly restores?: string | null;
};

const UNDECIDED = { decidedAt: null, decidedBy: null, decidedKeyId: null, reason: null };

/**
 * Records a new state of a render. If a render was held until now, it is superseded; if the new state is `published`,
 * the render that was published before is superseded too. The caller has the catalog's lock and has checked that the
 * state may change.
 */
export async function recordRender(tx: Queries, render: RecordedRender): Promise<RenderRecord> {
  const isPublished = render.state === "published";
  const replaced = await tx.query<Pick<RenderRecord, "heldSince" | "exceeded"> & { wasHeld: boolean }>(sql`
    with replaced as (
      select run_id, state = 'held' as was_held from renders
       where catalog_id = ${render.catalogId} and run_id <> ${render.runId}
         and (state = 'held' or (state = 'published' and ${isPublished})))
    update renders e set state = 'superseded' from replaced r where e.run_id = r.run_id
    returning e.held_since, e.exceeded, r.was_held`);
  const earlier = replaced.find((one) => one.wasHeld && haveSameReason(one, render));
  const heldSince = earlier?.heldSince ?? null;
  const { decidedAt, decidedBy, decidedKeyId, reason } = render.decision ?? UNDECIDED;
  const recorded = await tx.first<RenderRecord>(sql`
    insert into renders (run_id, catalog_id, folder, state, published_at, exceeded, held_since, decided_at,
                         decided_by, decided_key_id, reason, restores)
    values (${render.runId}, ${render.catalogId}, ${render.folder}, ${render.state},
            case when ${isPublished} then clock_timestamp() end,
            ${storableJson(render.exceeded)},
            case when ${render.state === "held"} then coalesce(${heldSince}::timestamptz, clock_timestamp()) end,
            ${decidedAt}, ${decidedBy}, ${decidedKeyId}, ${reason}, ${render.restores ?? null})
    on conflict (run_id) do update
       set state = excluded.state, published_at = coalesce(renders.published_at, excluded.published_at),
           decided_at = excluded.decided_at, decided_by = excluded.decided_by,
           decided_key_id = excluded.decided_key_id, reason = excluded.reason
    returning ${COLUMNS}`);
  if (!recorded) throw new Error("a render was not recorded");
  return recorded;
}

type Held = Pick<RenderRecord, "exceeded">;

/** Returns whether both renders exceed a common limit. A render that is held for other reasons is held from now on. */
const haveSameReason = (one: Held, other: Held): boolean =>
  one.exceeded.some(({ signal }) => other.exceeded.some((limit) => limit.signal === signal));

export async function findRender(db: Queries, runId: string): Promise<RenderRecord | undefined> {
  return db.first<RenderRecord>(sql`select ${COLUMNS} from renders where run_id = ${runId}`);
}

export async function findRenders(
  db: Queries,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, RenderRecord>> {
  const rows = await db.query<RenderRecord>(sql`
    select ${COLUMNS} from renders where run_id = any (${runIds}::uuid[])`);
  return new Map(rows.map((row) => [row.runId, row]));
}

/** How the render after a sync ended. */
export type RenderEnd = Pick<RenderRecord, "reason"> & {
  /** The error of the run. */
  readonly error: RunError | null;
  /** Null if the run has no files. */
  readonly state: RenderState | null;
  readonly publishedAt: Date | null;
  /** The limits of the publish guard that the render exceeds. */
  readonly exceeded: readonly Exceeded[];
};

/** Finds, for each sync, how the render after it ended. */
export async function findRenderEnds(
  db: Queries,
  syncRunIds: readonly string[],
): Promise<ReadonlyMap<string, RenderEnd>> {
  const rows = await db.query<RenderEnd & { syncRunId: string }>(sql`
    select s.id as sync_run_id, r.error, e.state, e.published_at, e.reason, coalesce(e.exceeded, '[]') as exceeded
      from unnest(${syncRunIds}::uuid[]) as s (id)
      join runs r on r.id = coalesce((select render_run_id from runs where id = s.id),
                                     (select id from runs where cause_run_id = s.id and kind = 'render' limit 1))
      left join renders e on e.run_id = r.id
     where r.state in ('succeeded', 'failed')`);
  return new Map(rows.map(({ syncRunId, ...end }) => [syncRunId, end]));
}

export async function findHeldRender(db: Queries, catalogId: string): Promise<RenderRecord | undefined> {
  return db.first<RenderRecord>(sql`
    select ${COLUMNS} from renders where catalog_id = ${catalogId} and state = 'held'`);
}

/** Finds the render that was discarded last, unless another render was published after it. */
export async function findDiscardedRender(db: Queries, catalogId: string): Promise<RenderRecord | undefined> {
  const newest = await db.first<RenderRecord>(sql`
    select ${COLUMNS} from renders
     where catalog_id = ${catalogId} and (published_at is not null or state = 'discarded')
     order by created_at desc limit 1`);
  return newest?.state === "discarded" ? newest : undefined;
}

/** What a person decided about a render, and who the person is. */
export type RenderDecision = { readonly reason: string; readonly by: Decider };

/**
 * Marks the renders of a restored copy, which has no files of earlier renders, so that no render can be rolled back to
 * or promoted. Returns the slugs of the catalogs whose newest files were not published because they were held or
 * publication was paused.
 */
export async function markFilesMissing(tx: Queries): Promise<readonly string[]> {
  const undecided = await tx.query<{ slug: string }>(sql`
    select slug from catalogs c
     where publication_paused_at is not null
        or exists (select 1 from renders where catalog_id = c.id and state = 'held')
     order by slug`);
  await tx.execute(sql`update catalogs set published_run_id = null`);
  await tx.execute(sql`
    update renders set removed_at = coalesce(removed_at, now()),
                       state = case when state in ('held', 'published') then 'superseded' else state end
     where removed_at is null or state in ('held', 'published')`);
  return undecided.map(({ slug }) => slug);
}

export type UncheckedRender = Pick<RenderRecord, "catalogId" | "runId">;

/**
 * Claims a published render whose files were not compared with what was written for `everyS` seconds. The render counts
 * as compared from now on.
 */
export async function claimUnchecked(db: Queries, everyS: number): Promise<UncheckedRender | undefined> {
  return db.first<UncheckedRender>(sql`
    update renders set checked_at = now()
     where run_id = (select run_id from renders
                      where state = 'published' and coalesce(checked_at, published_at) < now() - ${everyS} * interval '1 second'
                      order by coalesce(checked_at, published_at) limit 1 for update skip locked)
    returning run_id, catalog_id`);
}
