/**
 * When something in a queue is due, as SQL. The clock of the database is the only one that decides: the clocks of several
 * machines differ, and each of them can be set.
 */
import type { Queries } from "./db.ts";
import { type Sql, sql } from "./sql.ts";

/** This many seconds from now, by the clock of the database. */
export const inSeconds = (seconds: number | null): Sql =>
  sql`(now() + make_interval(secs => ${seconds}::double precision))`;

/**
 * True for a time that has come. A time that is further ahead than the queue ever schedules was written before the clock
 * was set back, and counts as due too: otherwise the row would wait until the clock is there again.
 */
export const isDue = (at: Sql, maxAheadS: number): Sql =>
  sql`(${at} <= now() or ${at} > ${inSeconds(maxAheadS)})`;

/** A statement may see a time that another one wrote after it began. */
const MARGIN_S = 60;

/** True for a time of the last so many seconds. A time in the future was written before the clock was set back, and is not recent. */
export const isRecent = (at: Sql, seconds: number): Sql =>
  sql`(${at} > now() - make_interval(secs => ${seconds}) and ${at} < ${inSeconds(MARGIN_S)})`;

/** The time of the database. */
export async function databaseTime(db: Queries): Promise<Date> {
  const row = await db.first<{ now: Date }>(sql`select clock_timestamp() as now`);
  return row?.now ?? new Date();
}
