/**
 * One request and its answer, for both HTTP clients. The deadline ends it at any moment, also while the connection is
 * being opened. The body arrives at the reader's pace, with a bounded buffer. Errors are undici's; the clients turn
 * them into failures.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import type { Client, Dispatcher } from "undici";
import type { Deadline } from "../deadline.ts";
import type { Hop } from "./redirect.ts";

export type ExchangeRequest = Omit<Hop, "url" | "method" | "body"> & {
  readonly method: Hop["method"] | "PUT" | "PATCH" | "OPTIONS";
  /** A stream is read at the pace of the connection. */
  readonly body: Hop["body"] | Readable;
  readonly origin: string;
  readonly path: string;
  readonly deadline: Pick<Deadline, "signal" | "onAbort">;
  /** The connection is not read from while this many bytes of the body wait for the reader. */
  readonly bufferBytes?: number;
  /** Called when a connection, new or reused, takes the request. */
  readonly onSent?: () => void;
};

export type ExchangeAnswer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** When the head arrived, on the clock of `performance.now()`. */
  readonly headAt: number;
  /** To be read once. Leaving the loop early closes the connection. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Closes the connection, unless the answer is complete. */
  readonly discard: () => void;
};

const BUFFER_BYTES = 64 * 1_024;
const ABORTED = new Error("The request was aborted.");

/**
 * Resolves when the head is there. `drop` closes a client that has no connection yet: undici cannot abort its request.
 */
export function exchange(
  client: Client,
  request: ExchangeRequest,
  drop: () => void,
): Promise<ExchangeAnswer> {
  const { deadline, bufferBytes = BUFFER_BYTES, onSent, ...options } = request;
  const { promise, resolve, reject } = Promise.withResolvers<ExchangeAnswer>();
  let controller: Dispatcher.DispatchController | undefined;
  let isOver = false;

  const finish = (error: Error | null) => {
    if (isOver) return;
    isOver = true;
    reject(error);
    body.end(error);
  };
  const abort = () => {
    if (isOver) return;
    finish(ABORTED);
    if (controller) controller.abort(ABORTED);
    else drop();
  };
  deadline.onAbort(abort);
  const body = bodyQueue(bufferBytes, { resume: () => controller?.resume(), leave: abort });

  // `onConnection` may have aborted it.
  if (deadline.signal.aborted) abort();
  if (isOver) return promise;
  // The limits of the clients replace undici's: they count only while we wait for the other side.
  client.dispatch(
    { ...options, headersTimeout: 0, bodyTimeout: 0 },
    {
      onRequestStart: (started) => {
        controller = started;
        if (isOver) started.abort(ABORTED);
        else onSent?.();
      },
      onResponseStart: (_controller, status, headers) => {
        if (status < 200) return;
        resolve({ status, headers, headAt: performance.now(), body: body.read(), discard: abort });
      },
      onResponseData: (started, chunk) => void (body.push(chunk) || started.pause()),
      onResponseEnd: () => finish(null),
      onResponseError: (_controller, error) => finish(error),
    },
  );
  return promise;
}

/** Between undici's callbacks and one reader. */
function bodyQueue(maxBytes: number, { resume, leave }: { resume: () => void; leave: () => void }) {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let end: { readonly error: Error | null } | undefined;
  let next = Promise.withResolvers<void>();

  async function* read(): AsyncGenerator<Uint8Array, void, void> {
    try {
      while (true) {
        for (let chunk = chunks.shift(); chunk; chunk = chunks.shift()) {
          bytes -= chunk.length;
          yield chunk;
        }
        if (end?.error) throw end.error;
        if (end) return;
        next = Promise.withResolvers();
        // It may call `push` at once.
        resume();
        await next.promise;
      }
    } finally {
      leave();
    }
  }
  return {
    read,
    /** False if the queue is full. */
    push: (chunk: Uint8Array): boolean => {
      chunks.push(chunk);
      bytes += chunk.length;
      next.resolve();
      return bytes < maxBytes;
    },
    end: (error: Error | null) => {
      end = { error };
      next.resolve();
    },
  };
}
