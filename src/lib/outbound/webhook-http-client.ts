/**
 * The HTTP client for webhooks: posts a short body and keeps the start of the answer. The guard checks every new
 * connection. TLS is required, except for targets that the operator has allowed by name. One deadline covers
 * everything. A redirect is an answer like any other. Once the status has arrived, the post has not failed. Failures
 * are `HttpFailure`s.
 */
import { AppError } from "../../errors.ts";
import { memoize } from "../memoize.ts";
import { type Connection, type OutboundAgent, type OutboundOptions, outboundAgent } from "./agent.ts";
import type { AllowList } from "./allow-list.ts";
import type { ExchangeAnswer } from "./exchange.ts";
import { failureOf, requestDeadline } from "./http-failure.ts";
import { needsTls, parseTarget } from "./net-guard.ts";
import { readStart } from "./read-start.ts";

export type Post = {
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly deadlineMs: number;
  /** Of the answer's body. After so many bytes the rest is not read, and the connection is closed. */
  readonly keepBytes: number;
  readonly signal: AbortSignal;
  /** Called with the timings of the connection, which are filled in as it is opened. */
  readonly onConnection: (connection: Connection) => void;
};

export type PostAnswer = Pick<ExchangeAnswer, "status" | "headAt"> & {
  readonly location: string | null;
  readonly firstBytes: Buffer;
};

export type WebhookHttpClient = {
  readonly post: (post: Post) => Promise<PostAnswer>;
  /** Aborts what is still running and closes every connection. */
  readonly close: () => Promise<void>;
};

const MAX_MEMOIZED_TARGETS = 1_000;

export function webhookHttpClient(options: OutboundOptions): WebhookHttpClient {
  const agent = outboundAgent(options);
  // The guard's answer for an address never changes; for what a name resolves to it is asked again.
  const targetOf = memoize(MAX_MEMOIZED_TARGETS, (url) => postTarget(url, agent.allow));
  return {
    post: async (post) => {
      post.signal.throwIfAborted();
      return send(agent, targetOf(post.url), post);
    },
    close: agent.close,
  };
}

type PostTarget = { readonly origin: string; readonly path: string; readonly host: string };

function postTarget(text: string, allow: AllowList): PostTarget {
  try {
    const { url, host } = parseTarget(text, allow);
    if (!needsTls(text, allow)) return { origin: url.origin, path: url.pathname + url.search, host };
    throw new AppError(
      "target_forbidden",
      `${text} is plain http, which only targets in ALLOW_PRIVATE_TARGETS may be. Register an https address.`,
    );
  } catch (error) {
    throw failureOf(error, text);
  }
}

async function send(agent: OutboundAgent, { host, ...target }: PostTarget, post: Post): Promise<PostAnswer> {
  const { headers, body, deadlineMs, keepBytes, onConnection } = post;
  const deadline = requestDeadline(host, post.signal, deadlineMs);
  try {
    const request = { ...target, method: "POST", headers, body, deadline, bufferBytes: keepBytes } as const;
    const answer = await agent.exchange(request, onConnection);
    const { status, headAt } = answer;
    const location = answer.headers.location ?? null;
    return { status, location, headAt, firstBytes: await readStart(answer.body, keepBytes) };
  } catch (error) {
    throw deadline.signal.aborted ? deadline.signal.reason : failureOf(error, host);
  } finally {
    deadline.release();
  }
}
