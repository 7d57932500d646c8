/** Starts a push: one at a time per catalog, and once per idempotency key (docs/adr/0007). */
import { AppError } from "../../errors.ts";
import { newId } from "../../lib/id.ts";
import type { Db, Queries } from "../../store/db.ts";
import { findOpenPush, openPush, prunePushes } from "../../store/pushes.ts";
import { findKey, pruneKeys, reclaimKey, claimKey } from "../../store/push-keys.ts";
import type { PushKey, UsedKey } from "../../store/push-keys.ts";
import { findRun } from "../../store/runs.ts";
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

/** Receives a push and queues it. The same key with the same request returns the first run. */
export async function requestPush(
  db: Db,
  request: PushRequest,
  limits: PushLimits = PUSH_LIMITS,
): Promise<RequestedPush> {
  const [runId, owner] = [newId(), newId()];
  const { leaseMs } = limits;
  const used = await db.tx(async (tx) => open(tx, request, { runId, owner, leaseMs }));
  if (used) return repeated(request, used, limits);
  await receivePush(db, request, { runId, owner }, limits);
  return { runId, isRepeated: false, stats: null };
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
  throw inProgress("Another push to this catalog is running", await findOpenPush(tx, catalogId));
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
    throw inProgress("The push with this Idempotency-Key is running", runId);
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

const inProgress = (what: string, runId: string | undefined): AppError =>
  new AppError("sync_in_progress", `${what}; wait for that run to finish.`, {
    retryAfterS: 5,
    ...(runId !== undefined && { runId }),
  });

export async function prunePushData(db: Db): Promise<void> {
  await prunePushes(db);
  await pruneKeys(db);
}
