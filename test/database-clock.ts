/**
 * A database whose clock only the test sets. Queues compare times with the clock of the database, so a test that wants
 * to be an hour later sets this one. Functions named like those of PostgreSQL come before them in the search path.
 */
import type { Db, Queries } from "../src/store/db.ts";
import { sql } from "../src/store/sql.ts";
import { type Disposable, freshDb } from "./fresh.ts";

export type DatabaseClock = {
  /** The time of the database, for parts of the test that need one, too. */
  readonly now: () => Date;
  readonly set: (time: Date) => Promise<Date>;
  readonly advance: (seconds: number) => Promise<Date>;
};

export type ClockedDb = Db & { readonly clock: DatabaseClock };

const CLOCK = [
  "create schema test_clock",
  "create table test_clock.clock (at timestamptz not null)",
  "insert into test_clock.clock values (pg_catalog.now())",
  ...["now", "clock_timestamp"].map(
    (name) =>
      `create function test_clock.${name}() returns timestamptz stable language sql as 'select at from test_clock.clock'`,
  ),
];

export async function clockedDb({
  start = "2026-03-01T12:00:00.000Z",
  isMigrated = true,
}: {
  readonly start?: string;
  readonly isMigrated?: boolean;
} = {}): Promise<Disposable<ClockedDb>> {
  const db = await freshDb({ isMigrated, settings: { search_path: "shelfwire,test_clock,pg_catalog" } });
  for (const text of CLOCK) await db.execute({ text, values: [] });
  const clock = clockOf(db);
  await clock.set(new Date(start));
  return { ...db, clock };
}

function clockOf(db: Queries): DatabaseClock {
  let time = new Date(0);
  const set = async (to: Date) => {
    time = to;
    await db.execute(sql`update test_clock.clock set at = ${to}`);
    return to;
  };
  const now = () => new Date(time);
  return { now, set, advance: async (seconds) => set(new Date(time.getTime() + seconds * 1_000)) };
}
