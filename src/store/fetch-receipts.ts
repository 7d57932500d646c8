/**
 * Fetches from the feed URLs: when, by whom, and which render the consumer got. Fetches are summed by day, so that
 * storage is bounded.
 */
import type { FeedFileName } from "../contract/feeds.ts";
import type { Db, Queries } from "./db.ts";
import { recordFeedFetches } from "./feed-fetches.ts";
import { type Sql, sql } from "./sql.ts";

/** Fetches of one file by one consumer with the same status, on one day. */
export type FetchTally = {
  readonly catalogId: string;
  readonly file: FeedFileName;
  /** The render that was published, and the hash of its file. */
  readonly runId: string;
  readonly etag: string;
  /** Null if the request did not name a consumer. */
  readonly consumer: string | null;
  readonly isKnown: boolean;
  readonly status: number;
  /** 0 if the consumer only asked for the headers. */
  readonly fetches: number;
  readonly bytes: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
};

/** Stands for consumers of requests that name none. */
const UNNAMED = "unnamed";

export async function recordFetches(db: Db, tallies: readonly FetchTally[]): Promise<void> {
  await db.tx(async (tx) => {
    await recordFeedFetches(
      tx,
      newestOfEach(tallies, ({ catalogId, file }) => `${catalogId} ${file}`),
    );
    const got = tallies.filter(({ fetches }) => fetches > 0);
    if (got.length === 0) return;
    await addReceipts(tx, got);
    await updateConsumers(tx, got);
  });
}

function newestOfEach(tallies: readonly FetchTally[], key: (tally: FetchTally) => string) {
  return [...Map.groupBy(tallies, key).values()].flatMap((own) => {
    const [newest] = own.toSorted((a, b) => b.lastAt.getTime() - a.lastAt.getTime());
    if (newest === undefined) return [];
    const { catalogId, file, consumer, status, lastAt } = newest;
    return [{ catalogId, file, at: lastAt, by: consumer, status }];
  });
}

/** Makes rows of the tallies with their catalogs; tallies of removed catalogs are omitted. */
function rowsOf(tallies: readonly FetchTally[]): Sql {
  const column = <Key extends keyof FetchTally>(key: Key) => tallies.map((tally) => tally[key]);
  const consumers = tallies.map(({ consumer }) => consumer ?? UNNAMED);
  return sql`
    select n.* from unnest(${column("catalogId")}::uuid[], ${column("file")}::text[], ${consumers}::text[],
                           ${column("isKnown")}::boolean[], ${column("runId")}::uuid[], ${column("etag")}::text[],
                           ${column("status")}::smallint[], ${column("fetches")}::bigint[], ${column("bytes")}::bigint[],
                           ${column("firstAt")}::timestamptz[], ${column("lastAt")}::timestamptz[])
                      as n (catalog_id, file, consumer, is_known, run_id, etag, status, fetches, bytes, first_at, last_at)
      join catalogs c on c.id = n.catalog_id`;
}

/** Adds the tallies. They are sorted, so that two batches cannot deadlock. */
async function addReceipts(tx: Queries, tallies: readonly FetchTally[]): Promise<void> {
  await tx.execute(sql`
    insert into fetch_receipts as r
           (catalog_id, day, file, consumer, run_id, status, fetches, bytes, first_at, last_at)
    select catalog_id, (first_at at time zone 'UTC')::date, file, consumer, run_id, status, sum(fetches), sum(bytes),
           min(first_at), max(last_at)
      from (${rowsOf(tallies)}) n
     group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6
    on conflict (catalog_id, day, file, consumer, run_id, status) do update
       set fetches = r.fetches + excluded.fetches, bytes = r.bytes + excluded.bytes,
           first_at = least(r.first_at, excluded.first_at), last_at = greatest(r.last_at, excluded.last_at)`);
}

const MAX_GAP_S = 7 * 86_400;

async function updateConsumers(tx: Queries, tallies: readonly FetchTally[]): Promise<void> {
  const isLater = sql`excluded.last_at > f.last_at`;
  const isNewDay = sql`(excluded.last_at at time zone 'UTC')::date > (f.last_at at time zone 'UTC')::date`;
  // Batches of several servers can overlap. In that case there was no gap.
  const gap = sql`extract(epoch from excluded.first_at - f.last_at)::bigint`;
  await tx.execute(sql`
    insert into feed_consumers as f
           (catalog_id, file, consumer, is_known, first_at, last_at, last_status, last_run_id, last_etag)
    select catalog_id, file, consumer, bool_or(is_known), min(first_at), max(last_at),
           (array_agg(status order by last_at desc))[1], (array_agg(run_id order by last_at desc))[1],
           (array_agg(etag order by last_at desc))[1]
      from (${rowsOf(tallies)}) n
     group by 1, 2, 3 order by 1, 2, 3
    on conflict (catalog_id, file, consumer) do update
       set first_at = least(f.first_at, excluded.first_at), last_at = greatest(f.last_at, excluded.last_at),
           last_status = case when ${isLater} then excluded.last_status else f.last_status end,
           last_run_id = case when ${isLater} then excluded.last_run_id else f.last_run_id end,
           last_etag = case when ${isLater} then excluded.last_etag else f.last_etag end,
           active_days = f.active_days + (${isNewDay})::integer,
           usual_gap_s = greatest(least(${gap}, ${MAX_GAP_S}),
                                  case when ${isNewDay} then f.usual_gap_s * 9 / 10 else f.usual_gap_s end)`);
}

export type ConsumerRow = {
  readonly file: FeedFileName;
  readonly consumer: string;
  readonly isKnown: boolean;
  readonly firstFetchedAt: Date;
  readonly lastFetchedAt: Date;
  readonly lastStatus: number;
  readonly renderRunId: string;
  /** Null if the run is no longer kept. */
  readonly renderedAt: Date | null;
  readonly activeDays: number;
  readonly usualGapS: number;
  /**
   * How many renders have changed the file since the consumer's last fetch; 0 if the consumer has the published file.
   */
  readonly rendersBehind: number;
};

/** Counts the renders that changed the published file `p` since the render that the consumer `f` got. */
const RENDERS_BEHIND = sql`
  case when p.etag is null or p.etag = f.last_etag then 0 else
    greatest(1, (select count(*) from runs r join feed_files g on g.run_id = r.id
                  where r.catalog_id = f.catalog_id and r.kind = 'render' and r.state = 'succeeded'
                    and r.id > f.last_run_id and g.file = f.file and g.changed)) end`;

export async function listConsumers(db: Queries, catalogId: string): Promise<readonly ConsumerRow[]> {
  return db.query<ConsumerRow>(sql`
    select f.file, f.consumer, f.is_known, f.first_at as first_fetched_at, f.last_at as last_fetched_at, f.last_status,
           f.last_run_id as render_run_id, got.finished_at as rendered_at, ${RENDERS_BEHIND} as renders_behind,
           f.active_days, f.usual_gap_s
      from feed_consumers f
      join catalogs c on c.id = f.catalog_id
      left join feed_files p on p.run_id = c.published_run_id and p.file = f.file
      left join runs got on got.id = f.last_run_id
     where f.catalog_id = ${catalogId}
     order by f.file, f.last_at desc, f.consumer`);
}

/** A consumer that has stopped fetching a file. */
export type SilentConsumer = {
  readonly catalogId: string;
  readonly file: FeedFileName;
  readonly consumer: string;
  readonly lastAt: Date;
  readonly usualGapS: number;
  readonly rendersBehind: number;
};

export type Silence = {
  /** With fewer days of fetches the usual interval is unknown. */
  readonly minDays: number;
  /** A shorter silence is ignored, whatever the usual interval is. */
  readonly minS: number;
  /** A consumer that was silent for longer does not use the file any more. */
  readonly maxS: number;
};

/**
 * Lists known consumers that have been silent for more than twice their usual interval and do not have the published
 * file.
 */
export async function listSilentConsumers(
  db: Queries,
  ids: readonly string[],
  { now, minDays, minS, maxS }: Silence & { readonly now: Date },
): Promise<readonly SilentConsumer[]> {
  return db.query<SilentConsumer>(sql`
    select f.catalog_id, f.file, f.consumer, f.last_at, f.usual_gap_s,
           ${RENDERS_BEHIND} as renders_behind
      from feed_consumers f
      join catalogs c on c.id = f.catalog_id
      join feed_files p on p.run_id = c.published_run_id and p.file = f.file
     where f.catalog_id = any (${ids}::uuid[]) and f.is_known and f.active_days >= ${minDays}
       and p.etag <> f.last_etag
       and f.last_at < ${now}::timestamptz - make_interval(secs => greatest(2 * f.usual_gap_s, ${minS}))
       and f.last_at > ${now}::timestamptz - make_interval(secs => ${maxS})
     order by f.last_at, f.file, f.consumer`);
}

export type DayRow = {
  readonly file: FeedFileName;
  readonly consumer: string;
  /** `2026-11-16`. */
  readonly day: string;
  readonly fetches: number;
  readonly notModified: number;
  readonly bytes: number;
};

/** The sums of the last days, newest first. */
export async function listFetchDays(
  db: Queries,
  catalogId: string,
  days: number,
): Promise<readonly DayRow[]> {
  return db.query<DayRow>(sql`
    select file, consumer, to_char(day, 'YYYY-MM-DD') as day, sum(fetches)::bigint as fetches,
           coalesce(sum(fetches) filter (where status = 304), 0)::bigint as not_modified, sum(bytes)::bigint as bytes
      from fetch_receipts
     where catalog_id = ${catalogId} and day > (now() at time zone 'UTC')::date - ${days}::integer
     group by file, consumer, fetch_receipts.day order by fetch_receipts.day desc`);
}

export type ReceiptRow = Omit<DayRow, "notModified"> & {
  readonly renderRunId: string;
  readonly status: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
};

export type ReceiptFilter = {
  readonly file?: string | undefined;
  readonly consumer?: string | undefined;
  readonly runId?: string | undefined;
};

const wanted = (column: Sql, value: string | undefined): Sql =>
  value === undefined ? sql`true` : sql`${column} = ${value}`;

/** Newest first. */
export async function listReceipts(
  db: Queries,
  catalogId: string,
  {
    file,
    consumer,
    runId,
    limit,
    offset,
  }: ReceiptFilter & { readonly limit: number; readonly offset: number },
): Promise<readonly ReceiptRow[]> {
  return db.query<ReceiptRow>(sql`
    select file, consumer, to_char(day, 'YYYY-MM-DD') as day, fetches, bytes, run_id as render_run_id,
           status, first_at, last_at
      from fetch_receipts
     where catalog_id = ${catalogId} and ${wanted(sql`file`, file)} and ${wanted(sql`consumer`, consumer)}
       and ${wanted(sql`run_id`, runId)}
     order by fetch_receipts.day desc, last_at desc, file, consumer, run_id, status
     limit ${limit} offset ${offset}`);
}

const PRUNED = 10_000;

/** Deletes old receipts, and forgets consumers that were not seen since then. */
export async function pruneReceipts(db: Queries, before: Date): Promise<void> {
  for (let deleted = PRUNED; deleted === PRUNED; )
    deleted = await db.execute(sql`
      delete from fetch_receipts where ctid = any (array(
        select ctid from fetch_receipts where day < (${before}::timestamptz at time zone 'UTC')::date limit ${PRUNED}))`);
  await db.execute(sql`delete from feed_consumers where last_at < ${before}`);
}
