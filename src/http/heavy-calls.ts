/**
 * Limits the calls that take much processor time, and passes them to a process of their own. Each has a cost. A key and
 * a catalog may have calls of a certain cost running; further calls of the key wait, and those beyond its queue are
 * refused with 429. Catalogs take turns, and so do the keys of a catalog, so that the queue of one key delays no other
 * key.
 */
import type { FastifyReply, FastifyRequest, preParsingHookHandler } from "fastify";
import { AppError } from "../errors.ts";
import { forward } from "./forward.ts";
import type { HeavyProcess } from "./forward.ts";

/**
 * The cost of each kind. A page takes 5 to 20 ms of processor time; a test reads up to 8 MB, mostly in a worker; a
 * stream takes seconds, and grows with the catalog. A key can run a page beside a stream, so that a person who
 * downloads a table can go on searching.
 */
const COSTS = { page: 1, test: 2, stream: 3 } as const;
export type HeavyKind = keyof typeof COSTS;

export type HeavyLimits = {
  /** Cost of the calls of one key that run at the same time. */
  readonly key: number;
  /** The limit for all keys of one catalog. */
  readonly catalog: number;
  /** The limit for all catalogs, which bounds memory and database connections. */
  readonly total: number;
  /** Cost of the calls of one key that may wait. */
  readonly queue: number;
};

export const HEAVY_LIMITS: HeavyLimits = { key: 4, catalog: 8, total: 32, queue: 40 };

/** Seconds after which a refused call may be made again: some calls of the queue have ended by then. */
const RETRY_AFTER_S = 5;

export type HeavyCall = { readonly keyId: string; readonly catalogId: string; readonly cost: number };
/** Ends the call; the next one may begin. */
export type ReleaseSlot = () => void;

type WaitingCall = { readonly cost: number; readonly start: (release: ReleaseSlot) => void };
type CatalogCalls = {
  running: number;
  /** The waiting calls of each key, in the order of the keys' turns. */
  readonly waiting: Map<string, Set<WaitingCall>>;
};

export class HeavyQueue {
  private readonly limits: HeavyLimits;
  /** Catalogs with calls, in the order of their turns. */
  private readonly catalogs = new Map<string, CatalogCalls>();
  /** The cost of what each key runs, in all catalogs: an operator's key has calls in several. */
  private readonly keys = new Map<string, number>();
  private running = 0;

  constructor(limits: HeavyLimits = HEAVY_LIMITS) {
    this.limits = limits;
  }

  /**
   * Waits for the call's turn. Throws `rate_limited` if the queue of its key is full; aborting the signal leaves the
   * queue.
   */
  async enter(call: HeavyCall, signal: AbortSignal): Promise<ReleaseSlot> {
    signal.throwIfAborted();
    const turn = Promise.withResolvers<ReleaseSlot>();
    const waiting = { cost: call.cost, start: turn.resolve };
    const catalog = this.callsOf(call.catalogId);
    const ofKey = catalog.waiting.get(call.keyId) ?? new Set();
    catalog.waiting.set(call.keyId, ofKey.add(waiting));
    this.startNext();
    const leave = (error: unknown): void => {
      if (this.removeWaiting(call, waiting)) turn.reject(error);
      // A call that did not fit may have been in the way of smaller ones.
      this.startNext();
    };
    if (costOf(ofKey) > this.limits.queue) leave(queueFull());
    const onAbort = (): void => leave(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      return await turn.promise;
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  private startNext(): void {
    for (let call = this.next(); call; call = this.next()) {
      const { catalogId, keyId, cost, waiting } = call;
      // Smaller calls of others wait as well, so that large ones get their turn.
      if (this.running + cost > this.limits.total) return;
      this.addRunning(call, cost);
      this.removeWaiting(call, waiting);
      moveToEnd(this.callsOf(catalogId).waiting, keyId);
      moveToEnd(this.catalogs, catalogId);
      waiting.start(this.releaseOf(call));
    }
  }

  /** The next call by turns whose key and catalog may run another one. */
  private next(): (HeavyCall & { readonly waiting: WaitingCall }) | undefined {
    for (const [catalogId, catalog] of this.catalogs)
      for (const [keyId, [waiting]] of catalog.waiting) {
        if (!waiting) continue;
        const { cost } = waiting;
        const ofKey = (this.keys.get(keyId) ?? 0) + cost;
        if (ofKey <= this.limits.key && catalog.running + cost <= this.limits.catalog)
          return { catalogId, keyId, cost, waiting };
      }
    return undefined;
  }

  private releaseOf(call: HeavyCall): ReleaseSlot {
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.addRunning(call, -call.cost);
      this.startNext();
    };
  }

  private callsOf(catalogId: string): CatalogCalls {
    const known = this.catalogs.get(catalogId) ?? {
      running: 0,
      waiting: new Map<string, Set<WaitingCall>>(),
    };
    this.catalogs.set(catalogId, known);
    return known;
  }

  private addRunning({ catalogId, keyId }: HeavyCall, cost: number): void {
    const ofKey = (this.keys.get(keyId) ?? 0) + cost;
    if (ofKey === 0) this.keys.delete(keyId);
    else this.keys.set(keyId, ofKey);
    this.running += cost;
    this.callsOf(catalogId).running += cost;
    this.dropIdle(catalogId);
  }

  private removeWaiting({ catalogId, keyId }: HeavyCall, waiting: WaitingCall): boolean {
    const catalog = this.callsOf(catalogId);
    const ofKey = catalog.waiting.get(keyId);
    const isRemoved = ofKey?.delete(waiting) ?? false;
    if (ofKey?.size === 0) catalog.waiting.delete(keyId);
    this.dropIdle(catalogId);
    return isRemoved;
  }

  private dropIdle(catalogId: string): void {
    const catalog = this.catalogs.get(catalogId);
    if (catalog?.running === 0 && catalog.waiting.size === 0) this.catalogs.delete(catalogId);
  }
}

/** Moves the entry to the end of the round-robin order. */
function moveToEnd<T>(turns: Map<string, T>, name: string): void {
  const moved = turns.get(name);
  if (moved === undefined) return;
  turns.delete(name);
  turns.set(name, moved);
}

const costOf = (waiting: ReadonlySet<WaitingCall>): number =>
  waiting.values().reduce((sum, { cost }) => sum + cost, 0);

const queueFull = (): AppError =>
  new AppError(
    "rate_limited",
    "This API key has too many searches, explanations, comparisons, tests or downloads waiting. Make the call again when some of them have been answered.",
    { retryAfterS: RETRY_AFTER_S },
  );

export type HeavyHook = (kind: HeavyKind) => preParsingHookHandler;

/** Returns a hook that runs after authentication and before the body is read. */
export function heavyHook(process: HeavyProcess, stopping: AbortSignal, limits?: HeavyLimits): HeavyHook {
  const queue = new HeavyQueue(limits);
  const admit = async (request: FastifyRequest, reply: FastifyReply, cost: number): Promise<void> => {
    const gone = new AbortController();
    reply.raw.once("close", () => gone.abort(new AppError("stopping", "The caller disconnected.")));
    const { caller } = request;
    const call = { keyId: caller?.key.id ?? "", catalogId: caller?.catalogId ?? "", cost };
    // The body is not read while the call waits.
    request.allowLongBody();
    const release = await queue.enter(call, AbortSignal.any([stopping, gone.signal]));
    request.limitBody();
    if (reply.raw.destroyed) release();
    else reply.raw.once("close", release);
  };
  type Done = (error: Error) => void;
  const passOn = async (request: FastifyRequest, reply: FastifyReply, cost: number, done: Done) => {
    try {
      await admit(request, reply, cost);
      await forward(request, reply, process);
    } catch (error) {
      done(error as Error);
    }
  };
  // The hook takes a callback: after an async hook that sends a stream, Fastify would go on to the handler.
  return (kind) => (request, reply, _payload, done) => {
    void passOn(request, reply, COSTS[kind], done);
  };
}
