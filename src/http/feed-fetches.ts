/**
 * Records who fetches the hosted files. Fetches are collected in memory and written in batches, at most one a minute: a
 * feed never waits for it, and a failed write is repeated with the next batch.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { IncomingMessage } from "node:http";
import type { Log } from "../lib/log.ts";
import { memoize } from "../lib/memoize.ts";
import type { Db } from "../store/db.ts";
import { recordFeedFetches } from "../store/feed-fetches.ts";
import type { FeedFetch } from "../store/feed-fetches.ts";
import type { PublishedFile } from "./published-feeds.ts";
import { isFromConsole } from "./auth.ts";
import { consumerOf } from "./feed-consumers.ts";

export type FetchRecorder = {
  readonly record: (fetch: FeedFetch) => void;
  /** Writes what is left and stops. */
  readonly close: () => Promise<void>;
};

/** The first fetch after a quiet minute is written with those of the next second. */
const FIRST_DELAY_MS = 1_000;
const BATCH_INTERVAL_MS = 60_000;
/** How long a stopping server waits for its last batch. */
const LAST_BATCH_MS = 1_000;

export function fetchRecorder(
  { db, log }: { readonly db: Db; readonly log: Log },
  intervalMs = BATCH_INTERVAL_MS,
): FetchRecorder {
  /** The newest of each file: as large as the number of files. */
  let pending = new Map<string, FeedFetch>();
  let timer: NodeJS.Timeout | undefined;
  let lastWriteAt = Number.NEGATIVE_INFINITY;
  let isClosed = false;

  const write = async () => {
    timer = undefined;
    lastWriteAt = performance.now();
    const batch = pending;
    pending = new Map();
    if (batch.size === 0) return;
    try {
      await recordFeedFetches(db, [...batch.values()]);
    } catch (error) {
      log.warn({ err: error }, "feed fetches not recorded; they are written with the next batch");
      pending = new Map([...batch, ...pending]);
      schedule();
    }
  };
  const schedule = () => {
    if (isClosed) return;
    const delayMs = Math.max(FIRST_DELAY_MS, lastWriteAt + intervalMs - performance.now());
    timer ??= setTimeout(() => void write(), Math.min(delayMs, intervalMs)).unref();
  };

  return {
    record: (fetch) => {
      pending.set(`${fetch.catalogId} ${fetch.file}`, fetch);
      schedule();
    },
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      await Promise.race([write(), delay(LAST_BATCH_MS, undefined, { ref: false })]);
    },
  };
}

const FETCHED: readonly number[] = [200, 206, 304];
const consumerBy = memoize(100, consumerOf);

/** Undefined if it does not count: an error, or the console's preview. */
export function fetchOf(
  request: IncomingMessage,
  { catalogId, file }: PublishedFile,
  status: number,
): FeedFetch | undefined {
  if (!FETCHED.includes(status) || isFromConsole(request)) return undefined;
  return { catalogId, file, at: new Date(), by: consumerBy(request.headers["user-agent"] ?? ""), status };
}
