/** The program of a thread that reads the sample of a file; `sample-threads.ts` starts it. */
import { workerData } from "node:worker_threads";
import { AppError } from "../../errors.ts";
import { answerRequests } from "../../lib/request-thread.ts";
import { toSourceError } from "../kit/failure.ts";
import type { SourceEvent } from "../source.ts";
import { readFetched } from "./read-fetched.ts";
import type { SampleBatch, SampleToRead } from "./sample-threads.ts";

const { file, settings, ...reading } = workerData as SampleToRead;
const batches = readFetched(file, settings, reading);

/**
 * An event that can be passed to another thread. The draft of a row is made when it is read, which has to happen here.
 */
function plain(event: SourceEvent): SourceEvent {
  if (event.kind !== "draft") return event;
  const { kind, position, draft, decimalMark } = event;
  return { kind, position, draft, decimalMark };
}

/** The next events. Errors of the source are answers: one that is thrown would lose its code on the way. */
answerRequests(async (): Promise<SampleBatch> => {
  try {
    const { value, done } = await batches.next();
    return { events: (value ?? []).map(plain), isOver: done === true };
  } catch (error) {
    const failure = toSourceError(error);
    if (!(failure instanceof AppError)) throw failure;
    const { code, message, fields, suggestedSettings } = failure;
    return { failure: { code, message, fields, ...(suggestedSettings && { suggestedSettings }) } };
  }
});
