/**
 * Writes finished deliveries down, several in one statement: a commit costs about the same for one as for sixty-four.
 * While the database is away they are kept, and written when it is back, as long as their lease lasts; after that they
 * are no longer ours, and will be sent again.
 */
import { sleep } from "../../lib/async.ts";
import type { Log } from "../../lib/log.ts";
import type { Queries } from "../../store/db.ts";
import { finishDeliveries } from "../../store/webhooks/finish.ts";
import { isAway } from "../../store/wait-for-db.ts";
import type { Finish } from "../../store/webhooks/finish.ts";

/** Whether the delivery was still ours when it was written, or could not be written at all. */
export type Written = "finished" | "lost";
export type DeliveryWriter = (finish: Finish, leaseUntil: Date) => Promise<Written>;

export type WriterOptions = { readonly groupMs: number; readonly groupSize: number };
type WriterDeps = {
  readonly db: Queries;
  readonly log: Log;
  readonly now: () => Date;
  /** Once it aborts everything is tried to be written once more, and then given up. */
  readonly signal: AbortSignal;
};
type Waiting = {
  readonly finish: Finish;
  readonly leaseUntil: Date;
  readonly resolve: (written: Written) => void;
};

const AGAIN_MS = 250;
const PATIENCE_MS = 50;

export function deliveryWriter(deps: WriterDeps, { groupMs, groupSize }: WriterOptions): DeliveryWriter {
  const waiting: Waiting[] = [];
  let timer: NodeJS.Timeout | undefined;
  let writing = 0;

  // While one group is being written the next one gathers. Only a full one does not wait for it; and none waits long:
  // what the first one waits for, such as an endpoint that is being deleted, is nothing to the others.
  const gather = () => {
    if (waiting.length > 0) timer ??= setTimeout(flush, writing === 0 ? groupMs : PATIENCE_MS);
  };
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    const group = waiting.splice(0, groupSize);
    writing += 1;
    void writeGroup(deps, group).finally(() => {
      writing -= 1;
      clearTimeout(timer);
      timer = undefined;
      gather();
    });
  };
  return async (finish, leaseUntil) => {
    const { promise, resolve } = Promise.withResolvers<Written>();
    waiting.push({ finish, leaseUntil, resolve });
    if (waiting.length >= groupSize) flush();
    else gather();
    return promise;
  };
}

async function writeGroup(deps: WriterDeps, group: readonly Waiting[]): Promise<void> {
  const { db, log, now, signal } = deps;
  let left = group;
  while (left.length > 0) {
    const isLastTry = signal.aborted;
    try {
      const ours = await finishDeliveries(
        db,
        left.map(({ finish }) => finish),
      );
      for (const { finish, resolve } of left) resolve(ours.has(finish.id) ? "finished" : "lost");
      return;
    } catch (error) {
      log.error({ err: error, deliveries: left.length }, "finished deliveries could not be written yet");
      if (!isAway(error) && left.length > 1) {
        // One of them is to blame; the others must not suffer for it.
        await Promise.all(left.map(async (one) => writeGroup(deps, [one])));
        return;
      }
      if (!isLastTry) await sleep(AGAIN_MS, signal);
      left = left.filter(({ leaseUntil, resolve }) => {
        const isOver = isLastTry || !isAway(error) || leaseUntil <= now();
        if (isOver) resolve("lost");
        return !isOver;
      });
    }
  }
}
