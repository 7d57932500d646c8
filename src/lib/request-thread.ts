/** A thread that answers requests in their order. Its program (`thread-program.ts`) calls `answerRequests`. */
import { parentPort, type Transferable, Worker } from "node:worker_threads";

export type RequestThread<Request, Answer> = AsyncDisposable & {
  /** Rejects if the thread fails: all that it has not answered, and all that it is asked later. */
  readonly ask: (request: Request) => Promise<Answer>;
};

/** A megabyte or two of garbage a batch: a larger young generation only costs memory. */
const YOUNG_GENERATION_MB = 8;

export function openRequestThread<Request, Answer>(
  program: URL,
  workerData: unknown,
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
  worker.on("message", (answer: Answer) => waiting.shift()?.resolve(answer));
  worker.on("error", fail);
  worker.on("exit", () => fail(new Error("the thread has ended")));
  return {
    ask: async (request) => {
      if (failure !== null) throw failure;
      const answer = Promise.withResolvers<Answer>();
      waiting.push(answer);
      worker.postMessage(request, []);
      return answer.promise;
    },
    [Symbol.asyncDispose]: async () => void (await worker.terminate()),
  };
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
