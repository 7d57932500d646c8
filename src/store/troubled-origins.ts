/** Sources, and the pushes of a catalog, that may need attention, with what their last syncs left. */
import type { Queries } from "./db.ts";
import type { RunError } from "./runs.ts";
import { sql } from "./sql.ts";

/** As it is stored. */
export type LargeRemoval = {
  readonly run_id: string;
  readonly at: string;
  readonly removed: number;
  readonly left: number;
};

/** A source, or the pushes of a catalog, with how its syncs went. */
export type OriginFacts = {
  readonly catalogId: string;
  /** Null for pushes, as the name and the interval. */
  readonly sourceId: string | null;
  readonly name: string | null;
  readonly intervalS: number | null;
  readonly enabled: boolean;
  readonly itemCount: number;
  readonly createdAt: Date;
  /** The newest sync; null before the first. */
  readonly runId: string | null;
  readonly error: RunError | null;
  readonly failures: number;
  readonly failingSince: Date | null;
  readonly successRunId: string | null;
  readonly lastSuccessAt: Date | null;
  /** When the newest sync ended; null before the first. */
  readonly finishedAt: Date | null;
  readonly seen: number;
  readonly rejected: number;
  /** What the last success said about an encoding that could not be told; null if it could. */
  readonly encodingNote: string | null;
  /** The newest sync that removed many items within the limit, until they are back. */
  readonly largeRemoval: LargeRemoval | null;
  /** A sync of it runs or waits. */
  readonly isOpen: boolean;
};

/** Origins that may need attention: those that are in order are not returned. */
export async function listTroubledOrigins(
  db: Queries,
  ids: readonly string[],
  now: Date,
): Promise<readonly OriginFacts[]> {
  return db.query<OriginFacts>(sql`
    select o.catalog_id, o.source_id, o.name, o.interval_s, o.enabled, o.item_count, o.created_at, h.run_id, h.error,
           coalesce(h.failures, 0) as failures, h.failing_since, h.success_run_id, h.last_success_at, h.finished_at,
           h.large_removal, coalesce(h.seen, 0) as seen, coalesce(h.rejected, 0) as rejected, w.note as encoding_note,
           exists (select 1 from runs r where r.source_id = o.source_id and r.kind = 'sync'
                      and r.state in ('queued', 'running')) as is_open
      from (select id, catalog_id, id as source_id, name, interval_s, enabled, item_count, created_at from sources
             where catalog_id = any (${ids}::uuid[])
            union all
            select id, id, null, null, null, true, 0, created_at from catalogs where id = any (${ids}::uuid[])) o
      left join sync_health h on h.origin_id = o.id
      left join lateral (
        select warning ->> 'message' as note
          from runs ok, jsonb_array_elements(ok.stats -> 'warning_examples') warning
         where ok.id = h.success_run_id and ok.stats -> 'warning_codes' ? 'encoding_uncertain'
           and warning ->> 'code' = 'encoding_uncertain'
         limit 1) w on true
     where not o.enabled or h.failures > 0 or h.rejected > 0 or h.large_removal is not null or w.note is not null
        or (o.source_id is not null
            and coalesce(h.last_success_at, o.created_at) < ${now}::timestamptz - make_interval(secs => 2 * o.interval_s))`);
}
