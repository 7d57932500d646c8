/**
 * The database for who delivers: connections of their own, so that no sync keeps a delivery waiting for one, and a
 * planner that goes from row to row by an index and never through a whole table. The queue is empty most of the time
 * and may hold a hundred thousand deliveries a moment later; a plan that was made for the first and kept for the second
 * took eleven seconds for a claim that takes three milliseconds.
 */
import { openDb } from "../db.ts";
import type { Db, DbTarget } from "../db.ts";

const BY_INDEX_ONLY = {
  enable_seqscan: "off",
  enable_bitmapscan: "off",
  // One plan for all: with no other way to go there is nothing to find out by trying.
  plan_cache_mode: "force_generic_plan",
};

/** A claim, a group that is being written down and the next; the others are for groups that wait for somebody's lock. */
const CONNECTIONS = 6;

/** All are short. One that is not has no database behind it, or waits for a lock; then it is tried again. */
const STATEMENT_MS = 10_000;

export function openQueueDb(target: DbTarget, name: string): Db {
  return openDb(target, { max: CONNECTIONS, name, statementMs: STATEMENT_MS, settings: BY_INDEX_ONLY });
}
