/**
 * The HTTP client for uploads: sends a body of any size at the receiver's pace and reads the start of the answer. The
 * guard checks every new connection. TLS is required, except for targets that the operator has allowed by name.
 * Redirects are answers like any other. One deadline covers everything, and a receiver that takes no bytes for a while
 * is given up. Failures are `HttpFailure`s.
 */
import { Readable } from "node:stream";
import { AppError } from "../../errors.ts";
import type { Deadline } from "../deadline.ts";
import { type OutboundAgent, type OutboundOptions, outboundAgent } from "./agent.ts";
import { failureOf, requestDeadline } from "./http-failure.ts";
import { needsTls, parseTarget } from "./net-guard.ts";
import { readStart } from "./read-start.ts";

export type UploadLimits = {
  readonly connectMs: number;
  /** Until the receiver takes the next bytes, and until it answers. */
  readonly idleMs: number;
  readonly totalMs: number;
};

export type HttpUpload = {
  readonly method: "PUT" | "POST" | "PATCH" | "OPTIONS";
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array> | null;
  readonly signal: AbortSignal;
  readonly limits?: Partial<UploadLimits> | undefined;
};

export type UploadAnswer = {
  readonly status: number;
  readonly location: string | null;
  readonly firstBytes: Buffer;
};

export type UploadHttpClient = {
  readonly send: (upload: HttpUpload) => Promise<UploadAnswer>;
  readonly close: () => Promise<void>;
};

const LIMITS: UploadLimits = { connectMs: 30_000, idleMs: 60_000, totalMs: 6 * 3_600_000 };
const KEEP_BYTES = 16 * 1_024;

export function uploadHttpClient(options: OutboundOptions): UploadHttpClient {
  const agent = outboundAgent(options);
  return {
    send: async (upload) => {
      upload.signal.throwIfAborted();
      const limits = { ...LIMITS, ...upload.limits };
      const host = URL.parse(upload.url)?.hostname ?? "The target";
      const clock = requestDeadline(host, upload.signal, limits.totalMs);
      try {
        return await exchange(agent, upload, { clock, limits });
      } catch (error) {
        if (clock.signal.aborted) throw clock.signal.reason;
        throw error instanceof SourceError ? error.cause : failureOf(error, host);
      } finally {
        clock.release();
      }
    },
    close: agent.close,
  };
}

type Timing = { readonly clock: Deadline; readonly limits: UploadLimits };

async function exchange(
  agent: OutboundAgent,
  upload: HttpUpload,
  { clock, limits }: Timing,
): Promise<UploadAnswer> {
  const { method, url: text, headers } = upload;
  const { url } = parseTarget(text, agent.allow);
  if (needsTls(text, agent.allow)) {
    const message = `${url.host} is plain http, which only targets in ALLOW_PRIVATE_TARGETS may be. Use an https address.`;
    throw new AppError("target_forbidden", message);
  }
  clock.enter("to connect", limits.connectMs);
  const answer = await agent.exchange({
    origin: url.origin,
    path: url.pathname + url.search,
    method,
    headers,
    body: upload.body && Readable.from(pacedBody(upload.body, { clock, limits }), { objectMode: false }),
    deadline: clock,
    bufferBytes: KEEP_BYTES,
  });
  clock.enter("to go on with its answer", limits.idleMs);
  return {
    status: answer.status,
    location: answer.headers.location ?? null,
    firstBytes: await readStart(answer.body, KEEP_BYTES),
  };
}

/** The time that the source needs does not count. */
async function* pacedBody(
  body: AsyncIterable<Uint8Array>,
  { clock, limits }: Timing,
): AsyncGenerator<Uint8Array> {
  clock.pause();
  try {
    for await (const bytes of body) {
      clock.enter("to take more bytes", limits.idleMs);
      yield bytes;
      clock.pause();
    }
  } catch (error) {
    throw new SourceError(error);
  }
  clock.enter("to answer", limits.idleMs);
}

/** What the body itself threw is not the receiver's failure. */
class SourceError extends Error {
  constructor(cause: unknown) {
    super("The body could not be read.", { cause });
  }
}
