/**
 * The door for webhooks: posts something short and keeps the beginning of the answer. Where a post may go is decided by
 * the guard that watches over every request, anew for every new connection; and it has to be TLS, but for targets that
 * the operator has opened by name. One deadline covers name, connection, TLS, head and body. A redirect is an answer
 * like any other. The head decides: once it is there, whatever ends the body ends it, and nothing has failed. Failures
 * are `HttpFailure`s; the caller's own abort comes back as its own reason.
 */
import type { Dispatcher } from "undici";
import { type AllowList, parseAllowList } from "./allow-list.ts";
import { onAbort } from "../async.ts";
import { failureOf, HttpFailure } from "./http-failure.ts";
import type { Lookup } from "./name-lookup.ts";
import { needsTls, parseTarget, type Target } from "./net-guard.ts";
import { type Connection, type OutboundAgent, outboundAgent } from "./agent.ts";
import { memoize } from "../memoize.ts";

export type Post = {
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly deadlineMs: number;
  /** Of the answer's body. Once there are so many the rest is not waited for, and the connection is given up. */
  readonly keepBytes: number;
  readonly signal: AbortSignal;
  /** Called with the notes on the connection, which go on being written. */
  readonly onConnection: (connection: Connection) => void;
};

export type PostAnswer = {
  readonly status: number;
  readonly location: string | null;
  /** When the head had come, on the clock of `performance.now()`. */
  readonly headAt: number;
  readonly firstBytes: Buffer;
};

export type WebhookHttpClient = {
  readonly post: (post: Post) => Promise<PostAnswer>;
  /** Breaks what is still running and lets go of every connection. */
  readonly close: () => Promise<void>;
};

export type WebhookHttpClientOptions = {
  /** Entries of ALLOW_PRIVATE_TARGETS. */
  readonly allowPrivate: readonly string[];
  /** The machine's name servers are asked unless given. */
  readonly lookup?: Lookup;
};

/** More than a sender meets in a while. What the guard says of an address itself never changes; a name's does. */
const REMEMBERED_TARGETS = 1_000;

export function webhookHttpClient({ allowPrivate, lookup }: WebhookHttpClientOptions): WebhookHttpClient {
  const allow = parseAllowList(allowPrivate);
  const agent = outboundAgent({ allow, lookup });
  const targetOf = memoize(REMEMBERED_TARGETS, (url) => postTarget(url, allow));
  return {
    post: async (post) => {
      post.signal.throwIfAborted();
      return exchange(agent, targetOf(post.url), post);
    },
    close: agent.close,
  };
}

type PostTarget = { readonly origin: string; readonly path: string; readonly host: string };

function postTarget(text: string, allow: AllowList): PostTarget {
  const { url, host } = allowedTarget(text, allow);
  if (needsTls(text, allow)) {
    throw new HttpFailure(
      "forbidden",
      `${text} is plain http, which only targets in ALLOW_PRIVATE_TARGETS may be. Register an https address.`,
    );
  }
  return { origin: url.origin, path: url.pathname + url.search, host };
}

function allowedTarget(text: string, allow: AllowList): Target {
  try {
    return parseTarget(text, allow);
  } catch (error) {
    throw failureOf(error, text);
  }
}

function exchange(agent: OutboundAgent, { origin, path, host }: PostTarget, post: Post): Promise<PostAnswer> {
  const { headers, body, deadlineMs, keepBytes, signal, onConnection } = post;
  const { promise, resolve, reject } = Promise.withResolvers<PostAnswer>();
  const firstBytes: Uint8Array[] = [];
  let head: Omit<PostAnswer, "firstBytes"> | undefined;
  let controller: Dispatcher.DispatchController | undefined;
  let giveUpConnection: (() => void) | undefined;
  let bytes = 0;
  let isOver = false;

  const end = (failure?: unknown) => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    stopListening();
    if (head === undefined) reject(failure);
    else resolve({ ...head, firstBytes: Buffer.concat(firstBytes).subarray(0, keepBytes) });
  };
  const hangUp = (reason?: unknown) => {
    end(reason);
    if (controller) controller.abort(HUNG_UP);
    // undici can be stopped only once it has a connection.
    else giveUpConnection?.();
  };
  const timer = setTimeout(() => {
    hangUp(new HttpFailure("timeout", `${host} took longer than ${deadlineMs / 1_000} s in all.`));
  }, deadlineMs).unref();
  const stopListening = onAbort(signal, () => hangUp(signal.reason));

  giveUpConnection = agent.dispatch(
    { origin, path, method: "POST", headers, body },
    {
      onRequestStart: (started) => {
        controller = started;
        if (isOver) started.abort(HUNG_UP);
      },
      onResponseStart: (_controller, status, { location }) => {
        if (status < 200) return;
        head = { status, location: location?.toString() ?? null, headAt: performance.now() };
      },
      onResponseData: (_controller, chunk) => {
        firstBytes.push(chunk);
        bytes += chunk.length;
        if (bytes >= keepBytes) hangUp();
      },
      onResponseEnd: () => end(),
      onResponseError: (_controller, error) => end(failureOf(error, host)),
    },
    onConnection,
  );
  return promise;
}

const HUNG_UP = new Error("The other side was hung up on.");
