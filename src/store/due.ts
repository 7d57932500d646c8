/**
 * SQL conditions for when something in a queue is due. Only the clock of the database decides: the clocks of several
 * machines differ, and each of them can be set.
 */
import type { Queries } from "./db.ts";
import { type Sql, sql } from "./sql.ts";

/** The time that is this many seconds from now, by the clock of the database. */
export const inSeconds = (seconds: number | null): Sql =>
  sql`(now() + make_interval(secs => ${seconds}::double precision))`;

/**
 * True for a time that has come. A time that is further ahead than the queue ever schedules was written before the
 * clock was set back. Such a row counts as due too, because otherwise it would wait until the clock reaches that time
 * again.
 */
export const isDue = (at: Sql, maxAheadS: number): Sql =>
  sql`(${at} <= now() or ${at} > ${inSeconds(maxAheadS)})`;

/** A statement may see a time that another statement wrote after the first one began. */
const MARGIN_S = 60;

/**
 * True for a time within the last `seconds` seconds. A time in the future was written before the clock was set back,
 * and is not recent.
 */
export const isRecent = (at: Sql, seconds: number): Sql =>
  sql`(${at} > now() - make_interval(secs => ${seconds}) and ${at} < ${inSeconds(MARGIN_S)})`;

/** Returns the time of the database. */
export async function databaseTime(db: Queries): Promise<Date> {
  const row = await db.first<{ now: Date }>(sql`select clock_timestamp() as now`);
  return row?.now ?? new Date();
}
