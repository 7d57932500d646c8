/**
 * Writes finished deliveries in batches: a commit costs about the same for one as for sixty-four. While the database is
 * away they are kept and retried until their leases expire; after that they are sent again.
 */
import { sleep } from "../lib/async.ts";
import type { Log } from "../lib/log.ts";
import type { Db, Queries } from "../store/db.ts";
import { isAway } from "../store/db.ts";
import { finishAndAnnounce } from "./dead.sql.ts";
import { finishDeliveries } from "./finish.sql.ts";
import type { Finish } from "./finish.sql.ts";

/** `lost`: the lease had expired or the endpoint was deleted, or the result could not be written at all. */
export type WriteResult = "finished" | "lost";
export type FinishWriter = (finish: Finish, leaseEndsMs: number) => Promise<WriteResult>;

export type FinishWriterOptions = { readonly batchMs: number; readonly batchSize: number };
type WriterDeps = {
  readonly db: Queries & Pick<Db, "tx">;
  readonly log: Log;
  readonly monotonicMs: () => number;
  /** After it aborts, each batch is tried once more and then given up. */
  readonly signal: AbortSignal;
};
type PendingFinish = {
  readonly finish: Finish;
  readonly leaseEndsMs: number;
  readonly resolve: (result: WriteResult) => void;
};

const RETRY_MS = 250;
/** How long a batch waits for the one that is being written. */
const MAX_WAIT_MS = 50;

export function createFinishWriter(
  deps: WriterDeps,
  { batchMs, batchSize }: FinishWriterOptions,
): FinishWriter {
  const waiting: PendingFinish[] = [];
  let timer: NodeJS.Timeout | undefined;
  let writing = 0;

  // While one batch is written the next one fills. Only a full batch is written at once; but none waits long: the
  // first may wait for a lock, such as that of an endpoint that is being deleted.
  const schedule = () => {
    if (waiting.length > 0) timer ??= setTimeout(flush, writing === 0 ? batchMs : MAX_WAIT_MS);
  };
  const clear = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  const flush = () => {
    clear();
    const batch = waiting.splice(0, batchSize);
    writing += 1;
    void writeBatch(deps, batch).finally(() => {
      writing -= 1;
      clear();
      schedule();
    });
  };
  return async (finish, leaseEndsMs) => {
    const { promise, resolve } = Promise.withResolvers<WriteResult>();
    waiting.push({ finish, leaseEndsMs, resolve });
    if (waiting.length >= batchSize) flush();
    else schedule();
    return promise;
  };
}

const writeFinishes = async (db: WriterDeps["db"], finishes: readonly Finish[]) =>
  finishes.some(({ state }) => state === "dead")
    ? db.tx(async (tx) => finishAndAnnounce(tx, finishes))
    : finishDeliveries(db, finishes);

async function writeBatch(deps: WriterDeps, batch: readonly PendingFinish[]): Promise<void> {
  const { db, log, monotonicMs, signal } = deps;
  let left = batch;
  while (left.length > 0) {
    const isLastTry = signal.aborted;
    try {
      const finished = await writeFinishes(
        db,
        left.map(({ finish }) => finish),
      );
      for (const { finish, resolve } of left) resolve(finished.has(finish.id) ? "finished" : "lost");
      return;
    } catch (error) {
      log.error({ err: error, deliveries: left.length }, "finished deliveries could not be written yet");
      if (!isAway(error) && left.length > 1) {
        // One of the results causes the error; if they are written one by one, the others succeed.
        await Promise.all(left.map(async (one) => writeBatch(deps, [one])));
        return;
      }
      if (!isLastTry) await sleep(RETRY_MS, signal);
      left = left.filter(({ leaseEndsMs, resolve }) => {
        const isOver = isLastTry || !isAway(error) || leaseEndsMs <= monotonicMs();
        if (isOver) resolve("lost");
        return !isOver;
      });
    }
  }
}
