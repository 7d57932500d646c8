/** Decides which renders and runs are kept. */
import type { Queries } from "./db.ts";
import { sql } from "./sql.ts";

/** Lists folders that are needed, whatever else is kept. */
export async function neededFolders(db: Queries, catalogId: string): Promise<ReadonlySet<string>> {
  // A held render may be promoted; the next render starts from the render with the newest audit, whose verdicts are
  // stored. A delivery compares the published files with the files that its destination has.
  const rows = await db.query<{ folder: string }>(sql`
    select f.folder
      from (select published_run_id as run_id from catalogs where id = ${catalogId}
            union select run_id from renders where catalog_id = ${catalogId} and state = 'held'
            union select (select e.run_id from destination_deliveries e
                           where e.destination_id = d.id and e.state = 'delivered' order by e.id desc limit 1)
                    from destinations d where d.catalog_id = ${catalogId} and d.vanished_days > 0) needed
      join feed_files f on f.run_id = needed.run_id
    union select a.folder from catalogs c join audits a on a.run_id = c.audit_run_id
     where c.id = ${catalogId} and a.folder is not null`);
  return new Set(rows.map(({ folder }) => folder));
}

/**
 * Lists the folders of renders that are or were published, the newest first. Several renders may have used the same
 * folder.
 */
export async function listPublishedFolders(
  db: Queries,
  catalogId: string,
  limit: number,
): Promise<readonly string[]> {
  const rows = await db.query<{ folder: string }>(sql`
    select folder from renders
     where catalog_id = ${catalogId} and published_at is not null and removed_at is null
     group by folder order by max(created_at) desc limit ${limit}`);
  return rows.map(({ folder }) => folder);
}

/** Records which renders are not kept. The caller has the catalog's lock, and deletes the files afterwards. */
export async function markRemoved(tx: Queries, catalogId: string, kept: ReadonlySet<string>): Promise<void> {
  await tx.execute(sql`
    update renders set removed_at = clock_timestamp()
     where catalog_id = ${catalogId} and removed_at is null and folder <> all (${[...kept]}::uuid[])`);
}

/** True for a render that wrote files which are kept, because later renders may use these files. */
const WROTE_KEPT_FILES = sql`
  exists (select 1 from renders w
           where w.run_id = ranked.id and w.removed_at is null
             and not exists (select 1 from renders o
                              where o.catalog_id = w.catalog_id and o.folder = w.folder and o.created_at < w.created_at))`;

/** True for a render that a destination has, because the next delivery is compared with it. */
const IS_AT_DESTINATION = sql`
  exists (select 1 from destinations d
           where d.catalog_id = ranked.catalog_id
             and ranked.id = (select e.run_id from destination_deliveries e
                               where e.destination_id = d.id and e.state = 'delivered' order by e.id desc limit 1))`;

/**
 * Keeps the newest `keep` finished runs of each catalog, the newest search for proposals, the runs that the catalog
 * refers to, and renders whose files are kept or are at a destination.
 */
export async function pruneRuns(db: Queries, keep: number): Promise<number> {
  return db.execute(sql`
    delete from runs where id in (
      select id from (
        select r.id, r.catalog_id, row_number() over (partition by r.catalog_id order by r.created_at desc) as rank,
               (r.id in (c.published_run_id, c.audit_run_id, c.replaced_run_id)) is true
                 or (r.kind = 'proposals' and row_number() over (partition by r.catalog_id, r.kind, r.state order by r.created_at desc) = 1)
                 as is_needed
          from runs r join catalogs c on c.id = r.catalog_id
         where r.state in ('succeeded', 'failed')) ranked
       where rank > ${keep} and not is_needed and not ${WROTE_KEPT_FILES} and not ${IS_AT_DESTINATION})`);
}
