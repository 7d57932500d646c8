/**
 * Requests a test of a source, or a preview of an upload, and waits for the result. The server process never reads a
 * feed itself: a large one would delay other requests. Request and result go through the database, since workers may be
 * on other machines.
 */
import { AppError } from "../../errors.ts";
import { wakeSignal } from "../../lib/async.ts";
import { newId } from "../../lib/id.ts";
import type { Encryption } from "../../lib/encryption.ts";
import type { Db } from "../../store/db.ts";
import type { Notices } from "../../store/notices.ts";
import { awaitSourceTest, dropSourceTest, insertSourceTest } from "../../store/source-tests.ts";
import type { Sampled } from "../sync/sample.ts";
import { openAnswer, packRequest } from "./message.ts";
import type { RequestedTest } from "./message.ts";

export type TestCaller = { readonly db: Db; readonly notices: Notices; readonly encryption: Encryption };

export type TestRequest = {
  readonly catalogId: string;
  readonly test: RequestedTest;
  readonly signal: AbortSignal;
  /** How long a test may wait for a worker. */
  readonly claimMs?: number;
};

const CLAIM_MS = 30_000;
/** How often the caller polls and extends its own lease. */
const POLL_MS = 1_000;
/** A caller that does not extend its lease for so long is gone. */
const WANTED_MS = 10_000;

/** Aborting the signal cancels the test. */
export async function requestSourceTest(
  { db, notices, encryption }: TestCaller,
  { catalogId, test, signal, claimMs = CLAIM_MS }: TestRequest,
): Promise<Sampled> {
  const id = newId();
  const request = await packRequest(encryption, test);
  const wake = wakeSignal();
  const stopListening = notices.on((notice) => {
    if (notice.about === "source test answered" && notice.id === id) wake.notify();
  });
  try {
    signal.throwIfAborted();
    await insertSourceTest(db, { id, catalogId, request, wantedMs: WANTED_MS });
    for (let unclaimedSince = performance.now(); ; ) {
      // Not at once: a worker that claims the new row would skip it while this caller updates it.
      await wake.wait(POLL_MS, signal);
      signal.throwIfAborted();
      const state = await awaitSourceTest(db, id, WANTED_MS);
      if (!state) throw new AppError("not_found", "The catalog was removed in the meantime.");
      if (state.answer) return openAnswer(encryption, state.answer);
      if (state.isAbandoned) throw workerStopped();
      if (state.isClaimed) unclaimedSince = performance.now();
      else if (performance.now() - unclaimedSince > claimMs) throw noWorker(claimMs);
    }
  } finally {
    stopListening();
    // If this fails too, the caller's lease expires, and the worker deletes the row.
    await dropSourceTest(db, id).catch(() => undefined);
  }
}

const workerStopped = (): AppError =>
  new AppError(
    "interrupted",
    "The worker stopped before it finished reading. Nothing was changed; try again.",
  );

const noWorker = (claimMs: number): AppError =>
  new AppError(
    "worker_unavailable",
    `No worker began to read within ${Math.round(claimMs / 1000)} s. Check that a worker is running (shelfwire worker; serve starts one) and is not overloaded, then try again.`,
    { retryAfterS: 5 },
  );
