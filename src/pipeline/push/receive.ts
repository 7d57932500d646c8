/**
 * Receives a pushed body without parsing it. A small one that arrives at once is kept in memory until it is queued. Any
 * other is stored in the database as it arrives, in compressed chunks: the receiver holds a lease on the run, and the
 * transaction that completes the body puts the run into the queue.
 */
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { constants, zstdCompress } from "node:zlib";
import { AppError, toAppError } from "../../errors.ts";
import { withIdleTimeout } from "../../lib/idle-timeout.ts";
import { toBodyError } from "../../sources/push/read.ts";
import type { Db } from "../../store/db.ts";
import { addChunk, completePush, dropPushes, type Push } from "../../store/pushes.ts";
import { saveRequestHash } from "../../store/push-keys.ts";
import { extendLease, findRun, finishRun, releaseRun } from "../../store/runs.ts";
import { startHeartbeat } from "../lease.ts";
import { announceFailedRun } from "../run-failed.ts";
import { type Coding, type PushLimits, receivedBytes, shortLines } from "./received-bytes.ts";

export type PushSettings = Pick<Push, "mode" | "format" | "file" | "maxRemovedRatio">;

export type PushBody = PushSettings & {
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly coding: Coding;
  readonly signal: AbortSignal;
};

/**
 * A small body that has arrived, or the chunks of one that arrives, from its beginning. Disposing of it stops
 * receiving.
 */
export type Arrival = Disposable &
  (
    | { readonly whole: Buffer; readonly chunks: null }
    | { readonly whole: null; readonly chunks: AsyncIterable<Uint8Array> }
  );

/**
 * Receives the beginning of a body. A body that is not complete after `smallMs`, or has more than `smallBytes`, is left
 * to arrive, and so is one that is empty or fails: its run says why.
 */
export async function receiveSmall(body: ArrivingBody, limits: PushLimits): Promise<Arrival> {
  const source = arriving(body, limits);
  const received: Uint8Array[] = [];
  let size = 0;
  const late = Promise.withResolvers<"late">();
  const timer = setTimeout(() => late.resolve("late"), limits.smallMs);
  // Not awaited: a sender may keep it waiting.
  const close = { [Symbol.dispose]: () => void source.return().catch(() => undefined) };
  try {
    while (size <= limits.smallBytes) {
      const next = source.next();
      const step = await Promise.race([next, late.promise]).catch(() => "failed" as const);
      if (typeof step === "string")
        return { ...close, whole: null, chunks: continued(received, source, next) };
      if (step.done === true) {
        if (size > 0) return { ...close, whole: Buffer.concat(received), chunks: null };
        break;
      }
      received.push(step.value);
      size += step.value.length;
    }
    return { ...close, whole: null, chunks: continued(received, source) };
  } finally {
    clearTimeout(timer);
  }
}

/** What was received, then the rest. A failure is thrown in its place. */
async function* continued(
  received: readonly Uint8Array[],
  source: AsyncGenerator<Uint8Array, void, void>,
  next?: Promise<IteratorResult<Uint8Array, void>>,
): AsyncGenerator<Uint8Array, void, void> {
  yield* received;
  const step = await next;
  if (step?.done === true) return;
  if (step) yield step.value;
  yield* source;
}

export type Reception = {
  readonly runId: string;
  readonly owner: string;
  /** Ends the reception when the lease is lost. */
  readonly lost: AbortController;
};

/** Receives the body and queues the run. If that fails, the run is failed with the same error. */
export async function receivePush(
  db: Db,
  body: PushBody & { readonly chunks: AsyncIterable<Uint8Array> },
  { runId, owner, lost }: Reception,
  limits: PushLimits,
): Promise<void> {
  const { leaseMs, heartbeatMs } = limits;
  const stopHeartbeat = startHeartbeat({
    everyMs: heartbeatMs,
    extend: async () => (await extendLease(db, runId, { owner, leaseMs, stats: {} })) !== undefined,
    onLost: () => lost.abort(incomplete("It arrived too slowly for the server to keep up.")),
  });
  try {
    const { parts, hash } = await store(db, body, runId, limits);
    await db.tx(async (tx) => {
      await completePush(tx, runId, parts);
      await saveRequestHash(tx, runId, hash);
      await releaseRun(tx, runId, owner);
    });
  } catch (error) {
    const failure = failureOf(error);
    await failReception(db, { runId, owner }, failure);
    const { code, message, retryAfterS } = failure;
    throw new AppError(code, message, {
      // With a run id the response would be 422; a body that cannot be stored is a server error.
      ...(code !== "disk_full" && { runId }),
      cause: error,
      ...(retryAfterS !== undefined && { retryAfterS }),
    });
  } finally {
    stopHeartbeat();
  }
}

/** Requests with the same hash are the same request. */
export async function hashPush(
  body: PushSettings,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<Buffer> {
  const hash = hashOf(body);
  try {
    for await (const bytes of chunks) hash.update(bytes);
  } catch (error) {
    throw failureOf(error);
  }
  return hash.digest();
}

const pack = promisify(zstdCompress);
const PACKING = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

async function store(
  db: Db,
  body: PushSettings & { readonly chunks: AsyncIterable<Uint8Array> },
  runId: string,
  limits: PushLimits,
): Promise<{ readonly parts: number; readonly hash: Buffer }> {
  const hash = hashOf(body);
  let parts = 0;
  let waiting: Uint8Array[] = [];
  let size = 0;
  const flush = async (): Promise<void> => {
    const chunk = Buffer.concat(waiting);
    waiting = [];
    size = 0;
    await addChunk(db, runId, parts, await pack(chunk, PACKING));
    parts += 1;
  };
  for await (const bytes of body.chunks) {
    hash.update(bytes);
    waiting.push(bytes);
    size += bytes.length;
    if (size >= limits.chunkBytes) await flush();
  }
  if (size > 0) await flush();
  if (parts > 0) return { parts, hash: hash.digest() };
  throw emptyBody();
}

const emptyBody = (): AppError =>
  new AppError(
    "body_malformed",
    "The body is empty. Send a list of products, or a file of them; an empty list is [], sent as application/json, and empties the catalog with PUT.",
  );

export type BodyStart = { readonly bytes: Buffer; readonly isWhole: boolean };

/** Receives a body up to `maxBytes`, unpacked from its Content-Encoding, and leaves the rest. */
export async function receiveStart(
  body: ArrivingBody,
  limits: PushLimits,
  maxBytes: number,
): Promise<BodyStart> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of arriving(body, limits)) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxBytes) break;
    }
  } catch (error) {
    throw failureOf(error);
  }
  if (size === 0) throw emptyBody();
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), isWhole: size <= maxBytes };
}

type ArrivingBody = Pick<PushBody, "bytes" | "format" | "coding" | "signal">;

function arriving({ bytes, format, coding, signal }: ArrivingBody, limits: PushLimits) {
  const { idleMs, maxLineBytes } = limits;
  const onTimeout = () => incomplete(`Nothing was sent for ${idleMs / 1000} seconds.`);
  const paced = withMinRate(withIdleTimeout(bytes, { signal, idleMs, onTimeout }), limits);
  const received = receivedBytes(paced, coding, limits);
  return format === "json_lines" ? shortLines(received, maxLineBytes) : received;
}

/** Counts only the time that we wait for the sender. */
async function* withMinRate(
  bytes: AsyncIterable<Uint8Array>,
  { graceMs, minBytesPerS }: Pick<PushLimits, "graceMs" | "minBytesPerS">,
): AsyncGenerator<Uint8Array, void, void> {
  let [waitedMs, received, asked] = [0, 0, performance.now()];
  for await (const chunk of bytes) {
    waitedMs += performance.now() - asked;
    received += chunk.length;
    if (received < ((waitedMs - graceMs) / 1000) * minBytesPerS)
      throw incomplete(`It arrived at less than ${minBytesPerS} bytes a second.`);
    yield chunk;
    asked = performance.now();
  }
}

function hashOf({ mode, format, file, maxRemovedRatio }: PushSettings) {
  const settings = Object.entries(file?.settings ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const how = file === null ? "" : ` ${JSON.stringify([file.charset, settings])}`;
  return createHash("sha256").update(`${mode} ${format} ${maxRemovedRatio}${how}\n`);
}

const incomplete = (why: string): AppError =>
  new AppError("body_incomplete", `The body is incomplete. ${why} Nothing was changed; send it again.`);

/** Any other error comes from the connection: the sender is gone. */
function failureOf(thrown: unknown): AppError {
  const ours = toAppError(thrown);
  if (ours.code === "disk_full") return noSpace(ours);
  const error = toBodyError(thrown);
  return error instanceof AppError ? error : incomplete("The connection ended before the body did.");
}

const noSpace = (cause: AppError): AppError =>
  new AppError(
    "disk_full",
    "The server has no disk space left to store the body. Nothing was changed; free space under DATA_DIR and send it again.",
    { cause, retryAfterS: 60 },
  );

async function failReception(
  db: Db,
  { runId, owner }: Omit<Reception, "lost">,
  failure: AppError,
): Promise<void> {
  // `stopping` is for the caller; in the history the body is incomplete.
  const { code, message } =
    failure.code === "stopping" ? incomplete("The caller disconnected, or the server stopped.") : failure;
  try {
    await db.tx(async (tx) => {
      const error = { code, message };
      const finishedAt = await finishRun(tx, { id: runId, owner }, { state: "failed", error });
      const run = finishedAt && (await findRun(tx, runId));
      if (run) await announceFailedRun(tx, { ...run, error, finishedAt });
    });
    await dropPushes(db, [runId]);
  } catch {
    // The database is down: the lease expires, and a worker fails the run.
  }
}
