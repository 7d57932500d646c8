/** Numbers about the whole installation. Large tables are estimated from a random sample of `SAMPLED_PAGES` pages. */
import type { Queries } from "./db.ts";
import { sql, type Sql } from "./sql.ts";

export type Health = {
  readonly catalogs: number;
  readonly items: number;
  readonly latenessS: number;
  /** How long the most overdue webhook delivery has been waiting for its attempt; 0 if none is. */
  readonly deliveryLatenessS: number;
  readonly deliveries: readonly { readonly state: string; readonly count: number }[];
  readonly runs: readonly { readonly kind: string; readonly state: string; readonly count: number }[];
};

/** 16 MB, some 100,000 rows: counted in about 20 ms. */
const SAMPLED_PAGES = 2_000;

/** Throws `database_unavailable` if the database does not respond. */
export async function pingDatabase(db: Queries): Promise<void> {
  await db.query(sql`select 1 as one`);
}

export async function countHealth(db: Queries, sampledPages = SAMPLED_PAGES): Promise<Health> {
  // The head of a lane is its oldest delivery, except for those in flight.
  const row = await db.first<
    Omit<Health, "runs" | "deliveries"> & { readonly deliveryPages: number; readonly runPages: number }
  >(sql`
    select (select count(*) from catalogs) as catalogs,
           (select coalesce(sum(item_count), 0)::bigint from catalogs) as items,
           (select coalesce(greatest(0, extract(epoch from now() - min(next_sync_at))), 0)::float8
              from sources where enabled) as "latenessS",
           (select coalesce(greatest(0, extract(epoch from now() - min(head.due_at))), 0)::float8
              from webhook_endpoints e
             cross join (values (false), (true)) lane (is_retry)
             cross join lateral (
               select q.due_at from webhook_queue q
                where q.endpoint_id = e.id and q.is_retry = lane.is_retry
                  and (q.lease_until is null or q.lease_until <= now())
                order by q.turn limit 1) head) as "deliveryLatenessS",
           pg_relation_size('webhook_deliveries') / current_setting('block_size')::int as "deliveryPages",
           pg_relation_size('runs') / current_setting('block_size')::int as "runPages"`);
  const { deliveryPages = 0, runPages = 0, ...numbers } = row ?? {};
  const deliveries = await sampled<Health["deliveries"][number]>(
    db,
    { pages: deliveryPages, sampledPages },
    (percent) => sql`
      select state, count(*) as count from webhook_deliveries tablesample system (${percent}) group by state`,
  );
  const runs = await sampled<Health["runs"][number]>(
    db,
    { pages: runPages, sampledPages },
    (percent) => sql`
      select kind, state, count(*) as count from runs tablesample system (${percent}) group by kind, state`,
  );
  const none = { catalogs: 0, items: 0, latenessS: 0, deliveryLatenessS: 0 };
  return { ...none, ...numbers, deliveries, runs };
}

type Extent = { readonly pages: number; readonly sampledPages: number };

async function sampled<Row extends { readonly count: number }>(
  db: Queries,
  { pages, sampledPages }: Extent,
  statement: (percent: number) => Sql,
): Promise<readonly Row[]> {
  const share = pages <= sampledPages ? 1 : sampledPages / pages;
  const rows = await db.query<Row>(statement(100 * share));
  return rows.map((row) => ({ ...row, count: Math.round(row.count / share) }));
}

export async function countRetries(
  db: Queries,
): Promise<readonly { readonly code: string; readonly count: number }[]> {
  return db.query(sql`
    select error->>'code' as code, count(*) as count from runs
     where state in ('queued', 'running') and error is not null group by 1`);
}

export type ServerFacts = { readonly version: string; readonly schema: number; readonly now: Date };

export async function serverFacts(db: Queries): Promise<ServerFacts | undefined> {
  return db.first<ServerFacts>(sql`
    select current_setting('server_version') as version, clock_timestamp() as now,
           (select max(version) from schema_migrations) as schema`);
}
