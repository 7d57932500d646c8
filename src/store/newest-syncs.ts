/** The newest sync of each source of a catalog, and the newest push that replaced the pushed items. */
import type { Queries } from "./db.ts";
import { COLUMNS } from "./runs.ts";
import type { Run, RunState } from "./runs.ts";
import { type Sql, sql } from "./sql.ts";

/** Finds the newest sync of one source, in any state or in the given state. */
export async function newestSync(db: Queries, sourceId: string, state?: RunState): Promise<Run | undefined> {
  return db.first<Run>(newestSyncOf(sql`${sourceId}`, state));
}

/** Lists the newest sync of each source of a catalog, in the order of the sources' ids. */
export async function newestSyncs(db: Queries, catalogId: string): Promise<readonly Run[]> {
  return db.query<Run>(sql`
    select newest.* from sources s cross join lateral (${newestSyncOf(sql`s.id`)}) newest
     where s.catalog_id = ${catalogId}
     order by s.id`);
}

const newestSyncOf = (sourceId: Sql, state?: RunState): Sql => sql`
  select ${COLUMNS} from runs
   where runs.source_id = ${sourceId} and kind = 'sync' and ${state ? sql`state = ${state}` : sql`true`}
   order by runs.created_at desc, runs.id desc limit 1`;

/** A source with its newest successful sync, if there is one. */
export type SyncedSource = {
  readonly isEnabled: boolean;
  readonly intervalS: number;
  readonly lastSyncAt: Date | null;
  readonly stats: Run["stats"] | null;
};

/** Lists sources in the order of their ids. */
export async function syncedSources(db: Queries, catalogId: string): Promise<readonly SyncedSource[]> {
  return db.query<SyncedSource>(sql`
    select s.enabled as is_enabled, s.interval_s, newest.finished_at as last_sync_at, newest.stats
      from sources s left join lateral (${newestSyncOf(sql`s.id`, "succeeded")}) newest on true
     where s.catalog_id = ${catalogId}
     order by s.id`);
}

/** Finds the newest push that replaced the pushed items, and whether another push succeeded after it. */
export async function findReplacement(
  db: Queries,
  catalogId: string,
): Promise<(Run & { readonly isFollowed: boolean }) | undefined> {
  return db.first<Run & { readonly isFollowed: boolean }>(sql`
    select ${COLUMNS}, exists (select 1 from sync_health h
                                where h.origin_id = ${catalogId} and h.success_run_id <> runs.id) as is_followed
      from runs where id = (select replaced_run_id from catalogs c where c.id = ${catalogId})`);
}
