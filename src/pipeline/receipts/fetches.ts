/** Who fetches the files of a catalog, how often, and whether they have what is published. */
import type { FeedConsumer } from "../../contract/feed-fetches.ts";
import { withSnakeCase } from "../../lib/snake-case.ts";
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
  const { activeDays, usualGapS, ...consumer } = row;
  return {
    ...withSnakeCase(consumer),
    usual_interval_s: activeDays >= REGULAR_DAYS ? usualGapS : null,
    fetches: days.reduce((sum, { fetches }) => sum + fetches, 0),
    days: days.map(({ file: _file, consumer: _consumer, ...day }) => withSnakeCase(day)),
  };
}
