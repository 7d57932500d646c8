/**
 * Records who fetches the hosted files. Fetches are counted in memory and written in batches, at most one a minute: a
 * feed never waits for it, and a failed write is repeated with the next batch. A crash loses what was not written yet.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { IncomingMessage } from "node:http";
import type { Log } from "../lib/log.ts";
import { memoize } from "../lib/memoize.ts";
import type { Db } from "../store/db.ts";
import { recordFetches } from "../store/fetch-receipts.ts";
import type { FetchTally } from "../store/fetch-receipts.ts";
import type { PublishedFile } from "./published-feeds.ts";
import { isFromConsole } from "./auth.ts";
import { consumerOf, isKnownConsumer } from "./feed-consumers.ts";

export type ObservedFetch = {
  readonly consumer: string | null;
  readonly status: number;
  /** Only the headers were sent. */
  readonly isHead: boolean;
  readonly bytes: number;
};

export type FetchRecorder = {
  readonly record: (published: PublishedFile, fetch: ObservedFetch) => void;
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
  const counter = new FetchCounter();
  let timer: NodeJS.Timeout | undefined;
  let lastWriteAt = Number.NEGATIVE_INFINITY;
  let isClosed = false;

  const write = async () => {
    timer = undefined;
    lastWriteAt = performance.now();
    const batch = counter.take();
    if (batch.length === 0) return;
    try {
      await recordFetches(db, batch);
    } catch (error) {
      log.warn({ err: error }, "feed fetches not recorded; they are written with the next batch");
      counter.putBack(batch);
      schedule();
    }
  };
  const schedule = () => {
    if (isClosed) return;
    const delayMs = Math.max(FIRST_DELAY_MS, lastWriteAt + intervalMs - performance.now());
    timer ??= setTimeout(() => void write(), Math.min(delayMs, intervalMs)).unref();
  };

  return {
    record: (published, fetch) => {
      counter.add(published, fetch, Date.now());
      if (timer === undefined) schedule();
    },
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      await Promise.race([write(), delay(LAST_BATCH_MS, undefined, { ref: false })]);
    },
  };
}

type FetchCount = { fetches: number; bytes: number; firstAt: number; lastAt: number };
/** The fetches of one file by one consumer, by status; HEAD requests are counted under the negative status. */
type FetchCounts = Map<number, FetchCount>;

const DAY_MS = 86_400_000;
/** Programs that are not known by name, of one catalog on one day. All others are `other`. */
const MAX_UNKNOWN = 20;
const OTHER = "other";

/** Fetches since the last batch: as many entries as there are files, consumers and statuses. */
export class FetchCounter {
  /** A published file is the same object in every request. */
  private files = new Map<PublishedFile, Map<string | null, FetchCounts>>();
  /** The names of unknown programs, by catalog. */
  private readonly unknown = new Map<string, Set<string>>();
  private waiting = new Map<string, FetchTally>();
  private dayEndsAt = 0;

  /** Is called for every fetch, so it makes no objects for what it has seen before. */
  add(published: PublishedFile, { consumer, status, isHead, bytes }: ObservedFetch, now: number): void {
    if (now >= this.dayEndsAt) this.beginDay(now);
    const counts = this.files.get(published)?.get(consumer) ?? this.countsOf(published, consumer);
    const place = isHead ? -status : status;
    const count = counts.get(place);
    if (count === undefined) {
      counts.set(place, { fetches: 1, bytes, firstAt: now, lastAt: now });
      return;
    }
    count.fetches += 1;
    count.bytes += bytes;
    count.lastAt = now;
  }

  /** Takes the counts, including those that could not be written before. */
  take(): readonly FetchTally[] {
    this.collect();
    const tallies = [...this.waiting.values()];
    this.waiting = new Map();
    return tallies;
  }

  putBack(tallies: readonly FetchTally[]): void {
    for (const tally of tallies) this.keep(tally);
  }

  private beginDay(now: number): void {
    this.collect();
    this.unknown.clear();
    this.dayEndsAt = (Math.floor(now / DAY_MS) + 1) * DAY_MS;
  }

  private countsOf(published: PublishedFile, consumer: string | null): FetchCounts {
    let ofFile = this.files.get(published);
    if (ofFile === undefined) this.files.set(published, (ofFile = new Map()));
    const name = this.boundedName(published.catalogId, consumer);
    let counts = ofFile.get(name);
    if (counts === undefined) ofFile.set(name, (counts = new Map()));
    return counts;
  }

  private boundedName(catalogId: string, consumer: string | null): string | null {
    if (consumer === null || isKnownConsumer(consumer)) return consumer;
    let names = this.unknown.get(catalogId);
    if (names === undefined) this.unknown.set(catalogId, (names = new Set()));
    if (!names.has(consumer) && names.size >= MAX_UNKNOWN) return OTHER;
    names.add(consumer);
    return consumer;
  }

  private collect(): void {
    for (const [published, consumers] of this.files)
      for (const [consumer, counts] of consumers)
        for (const [place, count] of counts) this.keep(tallyOf(published, consumer, place, count));
    this.files = new Map();
  }

  private keep(tally: FetchTally): void {
    const { catalogId, file, runId, consumer, status, fetches, firstAt } = tally;
    const day = Math.floor(firstAt.getTime() / DAY_MS);
    const key = [catalogId, file, runId, consumer, status, fetches > 0, day].join(" ");
    const kept = this.waiting.get(key);
    this.waiting.set(key, kept === undefined ? tally : sumOf(kept, tally));
  }
}

function tallyOf(
  { catalogId, file, runId, etag }: PublishedFile,
  consumer: string | null,
  place: number,
  { fetches, bytes, firstAt, lastAt }: FetchCount,
): FetchTally {
  return {
    catalogId,
    file,
    runId,
    etag,
    consumer,
    isKnown: consumer !== null && isKnownConsumer(consumer),
    status: Math.abs(place),
    fetches: place < 0 ? 0 : fetches,
    bytes,
    firstAt: new Date(firstAt),
    lastAt: new Date(lastAt),
  };
}

function sumOf(a: FetchTally, b: FetchTally): FetchTally {
  return {
    ...a,
    fetches: a.fetches + b.fetches,
    bytes: a.bytes + b.bytes,
    firstAt: a.firstAt < b.firstAt ? a.firstAt : b.firstAt,
    lastAt: a.lastAt > b.lastAt ? a.lastAt : b.lastAt,
  };
}

const consumerBy = memoize(100, consumerOf);

/** Undefined if it does not count: an error, or the console's preview. */
export function fetchOf(request: IncomingMessage, status: number, bytes: number): ObservedFetch | undefined {
  if ((status !== 200 && status !== 304 && status !== 206) || isFromConsole(request)) return undefined;
  const isHead = request.method === "HEAD";
  const consumer = consumerBy(request.headers["user-agent"] ?? "");
  return { consumer, status, isHead, bytes: isHead ? 0 : bytes };
}
