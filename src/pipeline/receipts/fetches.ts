/** Who fetches the files of a catalog, how often, and whether they have what is published. */
import type { FeedConsumer } from "../../contract/feed-fetches.ts";
import type { Queries } from "../../store/db.ts";
import { type ConsumerRow, type DayRow, listConsumers, listFetchDays } from "../../store/fetch-receipts.ts";
import { REGULAR_DAYS } from "../status/consumers.ts";

export async function consumersOf(
  db: Queries,
  catalogId: string,
  days: number,
): Promise<readonly FeedConsumer[]> {
  const sums = Map.groupBy(await listFetchDays(db, catalogId, days), keyOf);
  return (await listConsumers(db, catalogId)).map((row) => consumerBody(row, sums.get(keyOf(row)) ?? []));
}

const keyOf = ({ file, consumer }: Pick<DayRow, "file" | "consumer">): string => `${file} ${consumer}`;

function consumerBody(row: ConsumerRow, days: readonly DayRow[]): FeedConsumer {
  return {
    file: row.file,
    consumer: row.consumer,
    is_known: row.isKnown,
    first_fetched_at: row.firstAt.toISOString(),
    last_fetched_at: row.lastAt.toISOString(),
    last_status: row.lastStatus,
    render_run_id: row.lastRunId,
    rendered_at: row.renderedAt?.toISOString() ?? null,
    renders_behind: row.rendersBehind,
    usual_interval_s: row.activeDays >= REGULAR_DAYS ? row.usualGapS : null,
    fetches: days.reduce((sum, { fetches }) => sum + fetches, 0),
    days: days.map(({ day, fetches, notModified, bytes }) => ({
      day,
      fetches,
      not_modified: notModified,
      bytes,
    })),
  };
}
