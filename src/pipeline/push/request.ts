/**
 * Starts a push, once per idempotency key (docs/adr/0007). Bodies arrive at the same time. Small ones of a catalog are
 * queued in batches, in the order in which they arrived; large ones one after the other (docs/adr/0042).
 */
import { AppError } from "../../errors.ts";
import { newId } from "../../lib/id.ts";
import { type Db, isAway, type Queries } from "../../store/db.ts";
import { findOpenPush, lockPushes, openPush, prunePushes, queuePushes } from "../../store/pushes.ts";
import { claimKey, findKey, pruneKeys } from "../../store/push-keys.ts";
import type { UsedKey } from "../../store/push-keys.ts";
import { findRun, type RunGuard } from "../../store/runs.ts";
import { waitForEnd, type WaitContext } from "../requests.ts";
import { PUSH_LIMITS, type PushLimits } from "./received-bytes.ts";
import { hashPush, type PushBody, receivePush, receiveSmall } from "./receive.ts";

export type PushRequest = PushBody & {
  readonly catalogId: string;
  /** The idempotency key: a request that is sent twice runs once. */
  readonly key: string | null;
  /** For the render after it; `hold` by default. */
  readonly guard?: RunGuard;
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

type RequestDeps = Omit<WaitContext, "signal">;

/** Receives a push and queues it. The same key with the same request returns the first run. */
export async function requestPush(
  deps: RequestDeps,
  request: PushRequest,
  limits: PushLimits = PUSH_LIMITS,
): Promise<RequestedPush> {
  const runId = newId();
  const lost = new AbortController();
  const signal = AbortSignal.any([request.signal, lost.signal]);
  using arrival = await receiveSmall({ ...request, signal }, limits);
  const { whole, chunks } = arrival;
  if (whole !== null) {
    const hash = await hashPush(request, [whole]);
    const used = await untilOpened(deps, request, async () =>
      queueInBatch(deps.db, { request, runId, body: whole, hash }),
    );
    return used ? repeated(used, hash) : { runId, isRepeated: false, stats: null };
  }
  const opening = { runId, owner: newId(), leaseMs: limits.leaseMs };
  const used = await inTurn(request.catalogId, async () =>
    untilOpened(deps, request, async () => deps.db.tx(async (tx) => openLarge(tx, request, opening))),
  );
  if (used) return repeated(used, await hashPush(request, chunks));
  await receivePush(deps.db, { ...request, chunks }, { ...opening, lost }, limits);
  return { runId, isRepeated: false, stats: null };
}

/** What became of an attempt to open a push. `after`: the run that has to end first. */
type Opened =
  | { readonly kind: "opened" }
  | { readonly kind: "used"; readonly key: UsedKey }
  | { readonly kind: "waits"; readonly after: string };

const OPENED: Opened = { kind: "opened" };

/** Returns the key if the request is a repetition. */
async function untilOpened(
  deps: RequestDeps,
  { signal }: PushRequest,
  open: () => Promise<Opened>,
): Promise<UsedKey | undefined> {
  while (true) {
    const opened = await open();
    if (opened.kind !== "waits") return opened.kind === "used" ? opened.key : undefined;
    await waitForEnd({ ...deps, signal }, opened.after);
    signal.throwIfAborted();
  }
}

/** By catalog: the last large push that waits in this process to be opened. */
const turns = new Map<string, Promise<unknown>>();

/** Large pushes that wait for each other are opened in the order in which they came. */
async function inTurn<Result>(catalogId: string, work: () => Promise<Result>): Promise<Result> {
  const own = turns.get(catalogId)?.then(work, work) ?? work();
  turns.set(catalogId, own);
  try {
    return await own;
  } finally {
    if (turns.get(catalogId) === own) turns.delete(catalogId);
  }
}

type Opening = { readonly runId: string; readonly owner: string; readonly leaseMs: number };

async function openLarge(tx: Queries, request: PushRequest, { runId, ...lease }: Opening): Promise<Opened> {
  const { catalogId, key, mode, format, file, maxRemovedRatio, guard = "hold", onOpen } = request;
  await lockPushes(tx, catalogId);
  const use = await findUse(tx, request);
  if (use.kind !== "opened") return use;
  const before = await findOpenPush(tx, catalogId);
  if (before !== undefined) return { kind: "waits", after: before };
  await openPush(tx, catalogId, { runId, mode, format, file, maxRemovedRatio, guard }, lease);
  if (key !== null) await claimKey(tx, { catalogId, key }, { runId });
  await onOpen?.(tx, runId);
  return OPENED;
}

type Small = {
  readonly request: PushRequest;
  readonly runId: string;
  readonly body: Buffer;
  readonly hash: Buffer;
};

type WaitingPush = Small & PromiseWithResolvers<Opened>;

/** By catalog: the small pushes that wait in this process for the batch before them. */
const batches = new Map<string, WaitingPush[]>();
const MAX_BATCH = 100;

/**
 * Queues a small push with all others that wait for the same moment: a transaction costs about the same for one as for
 * many.
 */
async function queueInBatch(db: Db, small: Small): Promise<Opened> {
  const { catalogId } = small.request;
  const waiting = { ...small, ...Promise.withResolvers<Opened>() };
  const batch = batches.get(catalogId);
  if (batch) batch.push(waiting);
  else {
    const all = [waiting];
    batches.set(catalogId, all);
    void queueAll(db, catalogId, all);
  }
  return waiting.promise;
}

async function queueAll(db: Db, catalogId: string, waiting: WaitingPush[]): Promise<void> {
  while (waiting.length > 0) {
    const batch = waiting.splice(0, MAX_BATCH);
    try {
      await queueBatch(db, catalogId, batch);
    } catch (error) {
      for (const one of batch) {
        // One of them may be the reason: each is tried alone and gets its own error.
        if (isAway(error) || batch.length === 1) one.reject(error);
        else await queueBatch(db, catalogId, [one]).catch(one.reject);
      }
    }
  }
  batches.delete(catalogId);
}

async function queueBatch(db: Db, catalogId: string, batch: readonly WaitingPush[]): Promise<void> {
  const opened = await db.tx(async (tx) => {
    await lockPushes(tx, catalogId);
    const uses: Opened[] = [];
    const byKey = new Map<string, string>();
    for (const { request, runId } of batch) {
      const { key } = request;
      const before = key === null ? undefined : byKey.get(key);
      const use: Opened =
        before === undefined ? await findUse(tx, request) : { kind: "waits", after: before };
      if (key !== null && use.kind === "opened") byKey.set(key, runId);
      uses.push(use);
    }
    await queueFresh(
      tx,
      catalogId,
      batch.filter((_, i) => uses[i]?.kind === "opened"),
    );
    return uses;
  });
  for (const [i, { resolve }] of batch.entries()) resolve(opened[i] ?? OPENED);
}

async function queueFresh(tx: Queries, catalogId: string, fresh: readonly Small[]): Promise<void> {
  if (fresh.length === 0) return;
  const pushes = fresh.map(({ request, runId, body }) => {
    const { mode, format, file, maxRemovedRatio, guard = "hold" } = request;
    return { runId, mode, format, file, maxRemovedRatio, guard, body };
  });
  await queuePushes(tx, catalogId, pushes);
  for (const { request, runId, hash } of fresh) {
    const { key, onOpen } = request;
    if (key !== null) await claimKey(tx, { catalogId, key }, { runId, hash });
    await onOpen?.(tx, runId);
  }
}

/** Whether the key of a request is in use. The caller has the lock of the pushes. */
async function findUse(tx: Queries, { catalogId, key }: PushRequest): Promise<Opened> {
  const used = key === null ? undefined : await findKey(tx, { catalogId, key });
  if (!used) return OPENED;
  const run = await findRun(tx, used.runId);
  if (run?.state === "queued" || run?.state === "running") return { kind: "waits", after: run.id };
  return hasAnswer(used, run !== undefined) ? { kind: "used", key: used } : OPENED;
}

/** Whether the key has a result. A key whose body never arrived completely can be used again. */
function hasAnswer({ requestHash, stats, isExpired }: UsedKey, hasRun: boolean): boolean {
  return requestHash !== null && !isExpired && (hasRun || stats !== null);
}

function repeated({ runId, requestHash, stats }: UsedKey, hash: Buffer): RequestedPush {
  if (requestHash?.equals(hash) === true) return { runId, isRepeated: true, stats };
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
