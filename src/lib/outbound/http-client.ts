/**
 * The HTTP client for shops and feeds, for answers of any size. The guard checks every redirect and every new
 * connection. One deadline covers name, connection, TLS, headers and body, with a limit for each phase. Bodies come
 * raw, at the reader's pace; one that is cut short is an error. Every failure is an `HttpFailure`. An abort rejects
 * with the signal's reason.
 */
import { counted } from "../counted.ts";
import { AppError } from "../../errors.ts";
import type { Deadline } from "../deadline.ts";
import { type OutboundAgent, type OutboundOptions, outboundAgent } from "./agent.ts";
import type { ExchangeAnswer } from "./exchange.ts";
import { failureOf, HttpFailure, portOf, requestDeadline } from "./http-failure.ts";
import { isLoopbackUrl, parseTarget, withoutLoopback } from "./net-guard.ts";
import { type Hop, isRedirect, nextHop } from "./redirect.ts";

export type HttpLimits = {
  /** Name, connection and TLS together. */
  readonly connectMs: number;
  readonly headersMs: number;
  /** Between two pieces of the body, and until the reader asks for the first one. */
  readonly idleMs: number;
  /** Once we have waited this long for pieces of the body, it must have come at `minBytesPerS` or faster. */
  readonly slowMs: number;
  readonly minBytesPerS: number;
  /** Everything, redirects and the reader's own pace included. */
  readonly totalMs: number;
  /** Of the body as sent, before any decoding. */
  readonly maxBytes: number;
};

export type HttpRequest = {
  readonly method?: "GET" | "POST" | "DELETE";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal: AbortSignal;
  readonly limits?: Partial<HttpLimits>;
  /** At most five are followed, unless they are refused. */
  readonly redirects?: "follow" | "refuse";
  /** The address of the server that named `url` in an answer. The request is then guarded like a redirect. */
  readonly namedBy?: string;
};

/** One that is neither read nor discarded ends after `idleMs`. */
export type HttpAnswer = Omit<ExchangeAnswer, "headers" | "headAt"> & {
  /** Names in lower case; repeated ones joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /** The address that answered, after redirects. */
  readonly url: string;
};

export type HttpClient = {
  readonly request: (request: HttpRequest) => Promise<HttpAnswer>;
  /** Aborts what is still running and closes every connection. */
  readonly close: () => Promise<void>;
};

export type HttpClientOptions = OutboundOptions & { readonly userAgent: string };

/** For generated feeds, which are slow to begin and large. */
const DEFAULT_LIMITS: HttpLimits = {
  connectMs: 10_000,
  headersMs: 60_000,
  idleMs: 60_000,
  slowMs: 60_000,
  minBytesPerS: 1_000,
  totalMs: 30 * 60_000,
  maxBytes: 2_000_000_000,
};
const MAX_REDIRECTS = 5;

export function httpClient({ userAgent, ...options }: HttpClientOptions): HttpClient {
  const agent = outboundAgent(options);

  return {
    async request(request) {
      request.signal.throwIfAborted();
      const typed = URL.parse(request.url);
      const host = typed?.hostname ?? "The target";
      const limits = { ...DEFAULT_LIMITS, ...request.limits };
      const clock = requestDeadline(host, request.signal, limits.totalMs);
      const call = { agent, host, port: portOf(typed), limits, clock };
      try {
        return await followRedirects(request, firstHop(request, userAgent), call);
      } catch (error) {
        clock.release();
        throw error;
      }
    },
    close: agent.close,
  };
}

/** `host` and `port` are those the user typed. */
type HttpCall = {
  readonly agent: OutboundAgent;
  readonly host: string;
  readonly port: string | null;
  readonly limits: HttpLimits;
  readonly clock: Deadline;
};

async function followRedirects(request: HttpRequest, first: Hop, call: HttpCall): Promise<HttpAnswer> {
  let hop = first;
  let namedBy = request.namedBy;
  for (let followed = 0; ; followed++) {
    const answer = await send(hop, namedBy, call).catch((error: unknown) => {
      throw toFailure(error, call, followed > 0);
    });
    const headers = flatten(answer.headers);
    const location = headers["location"];
    if (!isRedirect(answer.status, location)) return httpAnswer(hop.url, headers, answer, call);

    answer.discard();
    const mayFollow = request.redirects !== "refuse" && followed < MAX_REDIRECTS;
    const next = mayFollow
      ? nextHop(hop, answer.status, location)
      : { refusal: `with status ${answer.status}, after ${followed} redirects that were followed` };
    if ("refusal" in next) throw new HttpFailure("redirect", `${call.host} redirects ${next.refusal}.`);
    namedBy = hop.url;
    hop = next.hop;
  }
}

function firstHop({ method = "GET", url, headers = {}, body }: HttpRequest, userAgent: string): Hop {
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  // undici takes the TLS server name from a Host header; it has to be the name that was vetted.
  const own = named.filter(([name]) => name !== "host");
  return {
    method,
    url,
    headers: { "user-agent": userAgent, ...Object.fromEntries(own) },
    body: body ?? null,
  };
}

async function send(hop: Hop, namedBy: string | undefined, call: HttpCall): Promise<ExchangeAnswer> {
  const { agent, port, limits, clock } = call;
  if (clock.signal.aborted) throw clock.signal.reason;
  // An address that another server named, by a redirect or in an answer, must not lead to this machine.
  const mayUseLoopback = namedBy === undefined || isLoopbackUrl(namedBy);
  const { url } = parseTarget(hop.url, mayUseLoopback ? agent.allow : withoutLoopback(agent.allow));
  clock.enter(`to connect${port === null ? "" : ` on port ${port}`}`, limits.connectMs);
  return agent.exchange({
    origin: url.origin,
    path: url.pathname + url.search,
    method: hop.method,
    headers: hop.headers,
    body: hop.body,
    deadline: clock,
    onSent: () => clock.enter("to answer", limits.headersMs),
  });
}

function httpAnswer(
  url: string,
  headers: HttpAnswer["headers"],
  answer: ExchangeAnswer,
  call: HttpCall,
): HttpAnswer {
  const { limits, clock } = call;
  const { status, body } = answer;
  const discard = () => {
    clock.release();
    answer.discard();
  };
  // A 304 has the length of what it does not send (RFC 9110, 8.6).
  if (status !== 304 && Number(headers["content-length"] ?? 0) > limits.maxBytes) {
    discard();
    throw tooLarge(call);
  }
  clock.enter("to go on with its answer", limits.idleMs);
  return { status, headers, url, body: readBody(body, call), discard };
}

async function* readBody(
  body: AsyncIterable<Uint8Array>,
  call: HttpCall,
): AsyncGenerator<Uint8Array, void, void> {
  const { host, limits, clock } = call;
  let began = 0;
  const awaitNext = () => {
    began = performance.now();
    clock.enter("to go on with its answer", limits.idleMs);
  };
  let bytes = 0;
  /** For the other side only: the time of a slow reader does not count. */
  let waitedMs = 0;
  try {
    awaitNext();
    for await (const chunk of body) {
      clock.pause();
      bytes += chunk.length;
      waitedMs += performance.now() - began;
      if (bytes > limits.maxBytes) throw tooLarge(call);
      if (waitedMs > limits.slowMs && bytes < (waitedMs / 1_000) * limits.minBytesPerS) {
        throw new HttpFailure("timeout", `${host} sends fewer than ${limits.minBytesPerS} bytes a second.`);
      }
      yield chunk;
      awaitNext();
    }
  } catch (error) {
    if (clock.signal.aborted) throw clock.signal.reason;
    if (error instanceof HttpFailure) throw error;
    throw new HttpFailure(
      "incomplete",
      `The answer of ${host} broke off after ${counted(bytes, "byte")}.`,
      error,
    );
  } finally {
    clock.release();
  }
}

function tooLarge({ host, limits }: HttpCall): HttpFailure {
  return new HttpFailure("too_large", `The answer of ${host} is larger than ${limits.maxBytes} bytes.`);
}

function toFailure(error: unknown, { host, port, clock }: HttpCall, isRedirected: boolean): unknown {
  if (clock.signal.aborted) return clock.signal.reason;
  // The target of the redirect is not what the user typed: the message does not name it.
  const elsewhere = `${host} redirects to a target that is not allowed (see ALLOW_PRIVATE_TARGETS).`;
  if (error instanceof AppError && isRedirected) return new HttpFailure("forbidden", elsewhere, error);
  return failureOf(error, host, port);
}

function flatten(headers: ExchangeAnswer["headers"]): HttpAnswer["headers"] {
  const present = Object.entries(headers).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present.map(([name, value]) => [name, [value].flat().join(", ")]));
}
