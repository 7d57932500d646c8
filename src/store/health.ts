/** Numbers about the whole installation. Large tables are estimated from a random sample of `SAMPLED_PAGES` pages. */
import { IS_READ_ONLY, type Queries, readOnly } from "./db.ts";
import { sql, type Sql } from "./sql.ts";

export type Health = {
  readonly catalogs: number;
  readonly items: number;
  readonly latenessS: number;
  /** How long the most overdue webhook delivery has been waiting for its attempt; 0 if no delivery is overdue. */
  readonly deliveryLatenessS: number;
  readonly deliveries: readonly { readonly state: string; readonly count: number }[];
  readonly runs: readonly { readonly kind: string; readonly state: string; readonly count: number }[];
  /** How long the most overdue delivery of files to a destination has been waiting; 0 if no delivery is overdue. */
  readonly uploadLatenessS: number;
  readonly uploads: readonly { readonly state: string; readonly count: number }[];
  /** The number of renders for each decision of the publish guard. */
  readonly guard: readonly { readonly decision: string; readonly count: number }[];
};

/** 16 MB, some 100,000 rows: counted in about 20 ms. */
const SAMPLED_PAGES = 2_000;

/**
 * Throws `database_unavailable` if the database does not respond, and `database_read_only` if it cannot be written to.
 */
export async function pingDatabase(db: Queries): Promise<void> {
  const row = await db.first<{ isReadOnly: boolean }>({
    text: `select ${IS_READ_ONLY} as is_read_only`,
    values: [],
  });
  if (row?.isReadOnly) throw readOnly();
}

export async function countHealth(db: Queries, sampledPages = SAMPLED_PAGES): Promise<Health> {
  // The head of a lane is its oldest delivery, except for those in flight.
  const row = await db.first<Omit<Health, keyof typeof COUNTED>>(sql`
    select (select count(*) from catalogs) as catalogs,
           (select coalesce(sum(item_count), 0)::bigint from catalogs) as items,
           (select coalesce(greatest(0, extract(epoch from now() - min(next_sync_at))), 0)::float8
              from sources where enabled) as lateness_s,
           (select coalesce(greatest(0, extract(epoch from now() - min(head.due_at))), 0)::float8
              from webhook_endpoints e
             cross join (values (false), (true)) lane (is_retry)
             cross join lateral (
               select q.due_at from webhook_queue q
                where q.endpoint_id = e.id and q.is_retry = lane.is_retry
                  and (q.lease_until is null or q.lease_until <= now())
                order by q.turn limit 1) head) as delivery_lateness_s,
           (select coalesce(greatest(0, extract(epoch from now() - min(d.next_attempt_at))), 0)::float8
              from destinations t join destination_deliveries d on d.destination_id = t.id
             where d.state in ('pending', 'sending') and t.enabled) as upload_lateness_s`);
  const none = { catalogs: 0, items: 0, latenessS: 0, deliveryLatenessS: 0, uploadLatenessS: 0 };
  return {
    ...none,
    ...row,
    deliveries: await sampled(db, COUNTED.deliveries, sampledPages),
    runs: await sampled(db, COUNTED.runs, sampledPages),
    uploads: await sampled(db, COUNTED.uploads, sampledPages),
    guard: await sampled(db, COUNTED.guard, sampledPages),
  };
}

/** A rollback is not a decision of the guard, but it publishes files that passed the guard before. */
const DECISION = sql`
  case when published_at is null then state
       when held_since is not null then 'promoted'
       when exceeded <> '[]' then 'published_over_limits'
       else 'passed' end`;

type CountedTable = { readonly table: Sql; readonly columns: Sql; readonly groups: Sql };

/** Tables whose rows are counted by these columns. */
const COUNTED = {
  deliveries: { table: sql`webhook_deliveries`, columns: sql`state`, groups: sql`1` },
  runs: {
    table: sql`runs`,
    columns: sql`kind, state`,
    groups: sql`1, 2`,
  },
  uploads: { table: sql`destination_deliveries`, columns: sql`state`, groups: sql`1` },
  guard: { table: sql`renders`, columns: sql`${DECISION} as decision`, groups: sql`1` },
} as const satisfies Record<string, CountedTable>;

export type FeedAge = { readonly catalog: string; readonly ageS: number };

/**
 * Returns how long ago the served files of each catalog were rendered, the oldest first. After a rollback, the age of
 * the restored files counts.
 */
export async function feedAges(db: Queries, limit: number): Promise<readonly FeedAge[]> {
  return db.query<FeedAge>(sql`
    select c.slug as catalog, extract(epoch from now() - r.finished_at)::float8 as age_s
      from catalogs c left join renders e on e.run_id = c.published_run_id
      join runs r on r.id = coalesce(e.restores, c.published_run_id)
     where r.finished_at is not null and c.id not in (select catalog_id from removed_catalogs)
     order by r.finished_at limit ${limit}`);
}

async function sampled<Row extends { readonly count: number }>(
  db: Queries,
  { table, columns, groups }: CountedTable,
  sampledPages: number,
): Promise<readonly Row[]> {
  const size = await db.first<{ pages: number }>(sql`
    select pg_relation_size(${table.text}::regclass) / current_setting('block_size')::int as pages`);
  const share = Math.min(1, sampledPages / Math.max(1, size?.pages ?? 0));
  const rows = await db.query<Row>(sql`
    select ${columns}, count(*) as count from ${table} tablesample system (${100 * share}) group by ${groups}`);
  return rows.map((row) => ({ ...row, count: Math.round(row.count / share) }));
}

export async function countRetries(
  db: Queries,
): Promise<readonly { readonly code: string; readonly count: number }[]> {
  return db.query(sql`
    select error->>'code' as code, count(*) as count from runs
     where state in ('queued', 'running') and error is not null group by 1`);
}

export type ArchiveFacts = {
  readonly isOn: boolean;
  readonly failing: string | null;
  readonly lastAt: Date | null;
};

/** Reports the state of the archive of the write-ahead log. `failing` is the segment that could not be archived. */
export async function archiveFacts(db: Queries): Promise<ArchiveFacts | undefined> {
  return db.first<ArchiveFacts>(sql`
    select current_setting('archive_mode') <> 'off' as is_on, last_archived_time as last_at,
           case when last_failed_time > coalesce(last_archived_time, '-infinity') then last_failed_wal end as failing
      from pg_stat_archiver`);
}

export type ServerFacts = { readonly version: string; readonly schema: number; readonly now: Date };

export async function serverFacts(db: Queries): Promise<ServerFacts | undefined> {
  return db.first<ServerFacts>(sql`
    select current_setting('server_version') as version, clock_timestamp() as now,
           (select max(version) from schema_migrations) as schema`);
}
