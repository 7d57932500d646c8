/** When each hosted file was last fetched, and by whom. */
import type { FeedFileName } from "../contract/feeds.ts";
import type { Queries } from "./db.ts";
import { sql } from "./sql.ts";

export type FeedFetch = {
  readonly catalogId: string;
  readonly file: FeedFileName;
  readonly at: Date;
  readonly by: string | null;
  readonly status: number;
};

/**
 * Saves fetches. Several servers write the same rows, and the newest fetch wins. The rows are sorted, so that two
 * batches cannot deadlock.
 */
export async function recordFeedFetches(db: Queries, fetches: readonly FeedFetch[]): Promise<void> {
  const column = <Key extends keyof FeedFetch>(key: Key) => fetches.map((fetch) => fetch[key]);
  await db.execute(sql`
    insert into feed_fetches as f (catalog_id, file, fetched_at, fetched_by, status)
    select n.* from unnest(${column("catalogId")}::uuid[], ${column("file")}::text[], ${column("at")}::timestamptz[],
                           ${column("by")}::text[], ${column("status")}::integer[])
                      as n (catalog_id, file, fetched_at, fetched_by, status)
      join catalogs c on c.id = n.catalog_id
     order by n.catalog_id, n.file
    on conflict (catalog_id, file) do update
       set fetched_at = excluded.fetched_at, fetched_by = excluded.fetched_by, status = excluded.status
     where f.fetched_at < excluded.fetched_at`);
}
