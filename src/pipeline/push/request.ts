/** Starts a push: one after the other per catalog, and once per idempotency key (docs/adr/0007). */
import { AppError } from "../../errors.ts";
import { newId } from "../../lib/id.ts";
import type { Db, Queries } from "../../store/db.ts";
import { findOpenPush, openPush, prunePushes } from "../../store/pushes.ts";
import { findKey, pruneKeys, reclaimKey, claimKey } from "../../store/push-keys.ts";
import type { PushKey, UsedKey } from "../../store/push-keys.ts";
import { findRun } from "../../store/runs.ts";
import { waitForEnd, type WaitContext } from "../requests.ts";
import { PUSH_LIMITS, type PushLimits } from "./received-bytes.ts";
import { hashPush, type PushBody, receivePush } from "./receive.ts";

export type PushRequest = PushBody & {
  readonly catalogId: string;
  /** The idempotency key: a request that is sent twice runs once. */
  readonly key: string | null;
  /** Called in the transaction that opens the run. */
  readonly onOpen?: (tx: Queries, runId: string) => Promise<void>;
};

export type RequestedPush = {
  readonly runId: string;
  /** The request is a repetition; the run is that of the first one. */
  readonly isRepeated: boolean;
  /** Statistics of a repeated push that succeeded: its run may no longer be in the history. */
  readonly stats: Readonly<Record<string, unknown>> | null;
};

/**
 * Receives a push and queues it. While another push to the catalog is open, this one waits for it, and its body is not read
 * yet. The same key with the same request returns the first run.
 */
export async function requestPush(
  deps: Omit<WaitContext, "signal">,
  request: PushRequest,
  limits: PushLimits = PUSH_LIMITS,
): Promise<RequestedPush> {
  const [runId, owner] = [newId(), newId()];
  const opening = { runId, owner, leaseMs: limits.leaseMs };
  const used = await inTurn(request.catalogId, async () => openWhenFree(deps, request, opening));
  if (used) return repeated(request, used, limits);
  await receivePush(deps.db, request, { runId, owner }, limits);
  return { runId, isRepeated: false, stats: null };
}

/** By catalog: the last push that waits in this process to be opened. */
const turns = new Map<string, Promise<unknown>>();

/** Pushes that wait for each other are opened in the order in which they came. */
async function inTurn<Result>(catalogId: string, work: () => Promise<Result>): Promise<Result> {
  const own = turns.get(catalogId)?.then(work, work) ?? work();
  turns.set(catalogId, own);
  try {
    return await own;
  } finally {
    if (turns.get(catalogId) === own) turns.delete(catalogId);
  }
}

/** Another push has to end first. Thrown, so that the transaction leaves no trace. */
class PushIsOpen extends Error {
  readonly runId: string | undefined;

  constructor(runId: string | undefined) {
    super("another push is open");
    this.runId = runId;
  }
}

async function openWhenFree(
  deps: Omit<WaitContext, "signal">,
  request: PushRequest,
  opening: Opening,
): Promise<UsedKey | undefined> {
  while (true) {
    try {
      return await deps.db.tx(async (tx) => open(tx, request, opening));
    } catch (error) {
      if (!(error instanceof PushIsOpen)) throw error;
      if (error.runId !== undefined) await waitForEnd({ ...deps, signal: request.signal }, error.runId);
      request.signal.throwIfAborted();
    }
  }
}

type Opening = { readonly runId: string; readonly owner: string; readonly leaseMs: number };

async function open(
  tx: Queries,
  { catalogId, key, mode, format, file, maxRemovedRatio, onOpen }: PushRequest,
  { runId, owner, leaseMs }: Opening,
): Promise<UsedKey | undefined> {
  if (key !== null) {
    const used = await claimOrFindKey(tx, { catalogId, key }, runId);
    if (used) return used;
  }
  const push = { runId, catalogId, mode, format, file, maxRemovedRatio };
  if (await openPush(tx, push, { owner, leaseMs })) {
    await onOpen?.(tx, runId);
    return undefined;
  }
  throw new PushIsOpen(await findOpenPush(tx, catalogId));
}

async function claimOrFindKey(tx: Queries, key: PushKey, runId: string): Promise<UsedKey | undefined> {
  if (await claimKey(tx, key, runId)) return undefined;
  const used = await findKey(tx, key);
  if (used && (await hasAnswer(tx, used))) return used;
  await reclaimKey(tx, key, runId);
  return undefined;
}

/** Whether the key has a result. A key whose body never arrived completely can be used again. */
async function hasAnswer(tx: Queries, { runId, requestHash, stats, isExpired }: UsedKey): Promise<boolean> {
  const run = await findRun(tx, runId);
  if (run?.state === "queued" || run?.state === "running") {
    throw new PushIsOpen(runId);
  }
  return requestHash !== null && !isExpired && (run !== undefined || stats !== null);
}

async function repeated(
  request: PushRequest,
  { runId, requestHash, stats }: UsedKey,
  limits: PushLimits,
): Promise<RequestedPush> {
  const hash = await hashPush(request, limits);
  if (requestHash?.equals(hash)) return { runId, isRepeated: true, stats };
  throw new AppError(
    "idempotency_conflict",
    "This Idempotency-Key was used for a push with another method, body or limit. Use a new key for a new push.",
    { runId },
  );
}

export async function prunePushData(db: Db): Promise<void> {
  await prunePushes(db);
  await pruneKeys(db);
}
