/** What became of finished renders: published, held by the publish guard, promoted or discarded. */
import type { Exceeded } from "../contract/publish-guard.ts";
import type { Queries } from "./db.ts";
import { storableJson } from "./json.ts";
import { notify } from "./notices.ts";
import type { RunError } from "./runs.ts";
import { sql } from "./sql.ts";

export type RenderState = "published" | "held" | "discarded" | "superseded";

/** Who decided about a held render. */
export type Decider = { readonly name: string; readonly keyId: string | null };

export type RenderRecord = {
  readonly runId: string;
  readonly catalogId: string;
  readonly folder: string;
  readonly state: RenderState;
  readonly figures: object | null;
  readonly exceeded: readonly Exceeded[];
  readonly heldSince: Date | null;
  readonly decidedAt: Date | null;
  readonly decidedBy: string | null;
  readonly decidedKeyId: string | null;
  readonly reason: string | null;
  /** Of a rollback: the render whose files it brought back. */
  readonly restores: string | null;
  /** Since when its files are not kept any more. */
  readonly removedAt: Date | null;
  readonly createdAt: Date;
};

const COLUMNS = sql`
  run_id as "runId", catalog_id as "catalogId", folder, state, figures, exceeded, held_since as "heldSince",
  decided_at as "decidedAt", decided_by as "decidedBy", decided_key_id as "decidedKeyId", reason,
  restores, removed_at as "removedAt", created_at as "createdAt"`;

export type NewRender = Pick<RenderRecord, "runId" | "catalogId" | "folder" | "figures" | "exceeded"> & {
  readonly state: "published" | "held" | "discarded";
  /** Of an earlier render with the same files, if this one is discarded with it; of a rollback. */
  readonly decision?: Pick<RenderRecord, "decidedAt" | "decidedBy" | "decidedKeyId" | "reason">;
  readonly restores?: string;
};

const UNDECIDED = { decidedAt: null, decidedBy: null, decidedKeyId: null, reason: null };

/**
 * Records a finished render. It takes the place of one that is held: whether it is published or held itself, the older one is
 * outdated.
 */
export async function recordRender(tx: Queries, render: NewRender): Promise<RenderRecord> {
  const superseded = await tx.first<Pick<RenderRecord, "heldSince" | "exceeded">>(sql`
    update renders set state = 'superseded' where catalog_id = ${render.catalogId} and state = 'held'
    returning held_since as "heldSince", exceeded`);
  const isHeld = render.state === "held";
  const heldSince = superseded && haveSameReason(superseded, render) ? superseded.heldSince : null;
  const { decidedAt, decidedBy, decidedKeyId, reason } = render.decision ?? UNDECIDED;
  const restores = render.restores ?? null;
  const recorded = await tx.first<RenderRecord>(sql`
    insert into renders (run_id, catalog_id, folder, state, figures, exceeded, held_since, decided_at, decided_by,
                         decided_key_id, reason, restores)
    values (${render.runId}, ${render.catalogId}, ${render.folder}, ${render.state},
            ${render.figures === null ? null : storableJson(render.figures)}, ${storableJson(render.exceeded)},
            case when ${isHeld} then coalesce(${heldSince}::timestamptz, clock_timestamp()) end,
            ${decidedAt}, ${decidedBy}, ${decidedKeyId}, ${reason}, ${restores})
    returning ${COLUMNS}`);
  if (!recorded) throw new Error("a render was not recorded");
  return recorded;
}

type Held = Pick<RenderRecord, "exceeded">;

/** Both are outside the same limit; a render that is held for other reasons is held since now. */
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
export type RenderOutcome = {
  readonly error: RunError | null;
  /** The limits of the publish guard that it exceeds. */
  readonly exceeded: readonly Exceeded[];
};

/** By sync: the outcome of the render after it. */
export async function findRenderOutcomes(
  db: Queries,
  syncRunIds: readonly string[],
): Promise<ReadonlyMap<string, RenderOutcome>> {
  const rows = await db.query<RenderOutcome & { syncRunId: string }>(sql`
    select s.id as "syncRunId", r.error, coalesce(e.exceeded, '[]') as exceeded
      from unnest(${syncRunIds}::uuid[]) as s (id)
      join runs r on r.id = coalesce((select render_run_id from runs where id = s.id),
                                     (select id from runs where cause_run_id = s.id and kind = 'render' limit 1))
      left join renders e on e.run_id = r.id
     where r.state in ('succeeded', 'failed')`);
  return new Map(rows.map(({ syncRunId, ...outcome }) => [syncRunId, outcome]));
}

export async function findHeldRender(db: Queries, catalogId: string): Promise<RenderRecord | undefined> {
  return db.first<RenderRecord>(sql`
    select ${COLUMNS} from renders where catalog_id = ${catalogId} and state = 'held'`);
}

/** The render that was discarded last, unless another one was published after it. */
export async function findDiscardedRender(db: Queries, catalogId: string): Promise<RenderRecord | undefined> {
  const newest = await db.first<RenderRecord>(sql`
    select ${COLUMNS} from renders where catalog_id = ${catalogId} and state in ('published', 'discarded')
     order by created_at desc limit 1`);
  return newest?.state === "discarded" ? newest : undefined;
}

export type Decision = { readonly reason: string; readonly by: Decider };

/** The caller has the catalog's lock and has checked the state. */
export async function decideRender(
  tx: Queries,
  runId: string,
  { state, reason, by }: Decision & { readonly state: "published" | "discarded" },
): Promise<boolean> {
  const decided = await tx.execute(sql`
    update renders set state = ${state}, decided_at = clock_timestamp(), decided_by = ${by.name},
                       decided_key_id = ${by.keyId}, reason = ${reason}
     where run_id = ${runId} and state in ('held', 'discarded')`);
  return decided === 1;
}

/**
 * Of a restored copy, which has no files of earlier renders: none can be rolled back to or promoted. Returns the slugs of the catalogs
 * whose newest files were not published because they were held or publication was paused.
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
                       state = case when state = 'held' then 'superseded' else state end
     where removed_at is null or state = 'held'`);
  return undecided.map(({ slug }) => slug);
}

/** A held render ended as a failed run; promoted, it has succeeded. */
export async function markRunPromoted(tx: Queries, runId: string): Promise<void> {
  await tx.execute(
    sql`update runs set state = 'succeeded', error = null where id = ${runId} and state = 'failed'`,
  );
  await notify(tx, { about: "finished", id: runId });
}
