/** A thread that answers requests in their order. Its program (`thread-program.ts`) calls `answerRequests`. */
import { parentPort, type Transferable, Worker } from "node:worker_threads";

export type RequestThread<Request, Answer> = AsyncDisposable & {
  /** Rejects if the thread fails: all that it has not answered, and all that it is asked later. */
  readonly ask: (request: Request) => Promise<Answer>;
};

/** A megabyte or two of garbage a batch: a larger young generation only costs memory. */
const YOUNG_GENERATION_MB = 8;

export type ThreadLimits = {
  /** Ends the thread. */
  readonly signal?: AbortSignal;
  /** A thread that used more processor time than this is ended, even in the middle of a statement. */
  readonly cpu?: { readonly mostMs: number; readonly failure: () => Error };
};

/** How often the processor time is looked at. */
const LOOK_MS = 100;

export function openRequestThread<Request, Answer>(
  program: URL,
  workerData: unknown,
  { signal, cpu }: ThreadLimits = {},
): RequestThread<Request, Answer> {
  const worker = new Worker(program, {
    workerData,
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
  const waiting: PromiseWithResolvers<Answer>[] = [];
  let failure: Error | null = null;
  const fail = (error: Error): void => {
    failure ??= error;
    for (const { reject } of waiting.splice(0)) reject(failure);
  };
  worker.on("error", fail);
  worker.on("exit", () => fail(new Error("the thread has ended")));
  const end = async (error: Error): Promise<void> => {
    fail(error);
    clearInterval(looking);
    signal?.removeEventListener("abort", onAbort);
    await worker.terminate();
  };
  const onAbort = (): void => void end(signal?.reason as Error);
  signal?.addEventListener("abort", onAbort);
  const look = async (): Promise<void> => {
    // The question fails if the thread has ended, which has rejected everything already.
    if (cpu !== undefined && (await hasUsed(worker, cpu.mostMs).catch(() => false))) await end(cpu.failure());
  };
  const looking = cpu && setInterval(() => void look(), LOOK_MS);
  const settle = async (answer: Answer): Promise<void> => {
    if (cpu !== undefined) await look();
    waiting.shift()?.resolve(answer);
  };
  worker.on("message", (answer: Answer) => void settle(answer));
  return {
    ask: async (request) => {
      if (failure !== null) throw failure;
      const answer = Promise.withResolvers<Answer>();
      waiting.push(answer);
      worker.postMessage(request, []);
      return answer.promise;
    },
    [Symbol.asyncDispose]: async () => end(new Error("the thread has ended")),
  };
}

/**
 * Whether a thread has used more processor time. A thread that is not idle may only wait for a processor that others
 * use, which is not time of its own.
 */
async function hasUsed(worker: Worker, mostMs: number): Promise<boolean> {
  if (worker.performance.eventLoopUtilization().active <= mostMs) return false;
  const { user, system } = await worker.cpuUsage();
  return (user + system) / 1_000 > mostMs;
}

/** `transferred`: memory that the answer gives away. */
export function answerRequests<Answer>(
  answerTo: (request: never) => Answer | Promise<Answer>,
  transferred: (answer: Answer) => Transferable[] = () => [],
): void {
  const answerAfter = async (previous: Promise<void>, request: unknown): Promise<void> => {
    await previous;
    const answer = await answerTo(request as never);
    parentPort?.postMessage(answer, transferred(answer));
  };
  // One after the other. An error ends the thread, and is the failure of what it was asked.
  let last = Promise.resolve();
  parentPort?.on("message", (request: unknown) => {
    last = answerAfter(last, request);
  });
}
