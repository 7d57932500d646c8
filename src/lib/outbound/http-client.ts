/**
 * The door to shops: for answers of any size. Where a request may go is decided by the
 * guard, anew for every redirect and every new connection; how long it may take is one deadline over name, connection,
 * TLS, headers and body, with a limit for each phase inside it. Bodies come raw, at the reader's pace, and never
 * silently short. Every failure is an `HttpFailure` whose sentence may be shown to the person who typed the address:
 * it names their host and nothing that we found behind it. The caller's own abort comes back as its own reason.
 */
import { counted } from "../counted.ts";
import { AppError } from "../../errors.ts";
import { type AllowList, parseAllowList } from "./allow-list.ts";
import { type Deadline, deadline } from "../deadline.ts";
import { failureOf, HttpFailure, portOf } from "./http-failure.ts";
import type { Lookup } from "./name-lookup.ts";
import { parseTarget } from "./net-guard.ts";
import { type OutboundAgent, outboundAgent, type Response } from "./agent.ts";
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
  /** GET unless said otherwise. */
  readonly method?: "GET" | "POST";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal: AbortSignal;
  readonly limits?: Partial<HttpLimits>;
  /** At most five are followed, unless they are refused. */
  readonly redirects?: "follow" | "refuse";
};

export type HttpAnswer = {
  readonly status: number;
  /** Names in lower case; repeated ones joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /** The address that answered, after redirects. */
  readonly url: string;
  /** To be read once. Leaving the loop early ends the connection. */
  readonly body: AsyncIterable<Uint8Array>;
  /** For who wants the status only: ends the connection. An answer neither read nor discarded ends after `idleMs`. */
  readonly discard: () => void;
};

export type HttpClient = {
  readonly request: (request: HttpRequest) => Promise<HttpAnswer>;
  /** Breaks what is still running and lets go of every connection. */
  readonly close: () => Promise<void>;
};

export type HttpClientOptions = {
  /** Entries of ALLOW_PRIVATE_TARGETS. */
  readonly allowPrivate: readonly string[];
  readonly userAgent: string;
  /** The machine's name servers are asked unless given. */
  readonly lookup?: Lookup;
};

/** Generated feeds are slow to begin and large; these suit them. */
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

export function httpClient({ allowPrivate, userAgent, lookup }: HttpClientOptions): HttpClient {
  const allow = parseAllowList(allowPrivate);
  const agent = outboundAgent({ allow, lookup });

  return {
    async request(request) {
      request.signal.throwIfAborted();
      const typed = URL.parse(request.url);
      const host = typed?.hostname ?? "The target";
      const limits = { ...DEFAULT_LIMITS, ...request.limits };
      const clock = deadline({
        signal: request.signal,
        totalMs: limits.totalMs,
        expired: (phase, ms) =>
          new HttpFailure("timeout", `${host} took longer than ${ms / 1_000} s ${phase}.`),
      });
      const exchange = { agent, allow, host, port: portOf(typed), limits, clock };
      try {
        return await followRedirects(request, firstHop(request, userAgent), exchange);
      } catch (error) {
        clock.release();
        throw error;
      }
    },
    close: agent.close,
  };
}

/** What one request carries along through all its redirects. `host` and `port` are those the user typed. */
type Exchange = {
  readonly agent: OutboundAgent;
  readonly allow: AllowList;
  readonly host: string;
  readonly port: string | null;
  readonly limits: HttpLimits;
  readonly clock: Deadline;
};

async function followRedirects(request: HttpRequest, first: Hop, exchange: Exchange): Promise<HttpAnswer> {
  let hop = first;
  for (let followed = 0; ; followed++) {
    const response = await send(hop, exchange).catch((error: unknown) => {
      throw toFailure(error, exchange, followed > 0);
    });
    // A body that is given up says so in an error event, and there may be no reader to hear it.
    response.body.on("error", ignore);
    const headers = flatten(response.headers);
    const location = headers["location"];
    if (!isRedirect(response.statusCode, location)) return answer(hop.url, headers, response, exchange);

    response.body.destroy();
    const mayFollow = request.redirects !== "refuse" && followed < MAX_REDIRECTS;
    const next = mayFollow
      ? nextHop(hop, response.statusCode, location)
      : { refusal: `with status ${response.statusCode}, after ${followed} redirects that were followed` };
    if ("refusal" in next) throw new HttpFailure("redirect", `${exchange.host} redirects ${next.refusal}.`);
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

async function send(hop: Hop, { agent, allow, port, limits, clock }: Exchange): Promise<Response> {
  clock.signal.throwIfAborted();
  const { url } = parseTarget(hop.url, allow);
  const options = {
    origin: url.origin,
    path: url.pathname + url.search,
    method: hop.method,
    headers: hop.headers,
    body: hop.body,
    signal: clock.signal,
    // Ours are exact and count only while we wait for the other side.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  clock.enter(`to connect${port === null ? "" : ` on port ${port}`}`, limits.connectMs);
  const response = agent.request(options, () => clock.enter("to answer", limits.headersMs));
  // undici heeds the signal only once it has a connection.
  return Promise.race([response, aborted(clock.signal)]);
}

function answer(
  url: string,
  headers: HttpAnswer["headers"],
  { statusCode, body }: Response,
  exchange: Exchange,
): HttpAnswer {
  const { limits, clock } = exchange;
  const discard = () => {
    clock.release();
    body.destroy();
  };
  // A 304 has the length of what it does not send (RFC 9110, 8.6).
  if (statusCode !== 304 && Number(headers["content-length"] ?? 0) > limits.maxBytes) {
    discard();
    throw tooLarge(exchange);
  }
  clock.enter("to go on with its answer", limits.idleMs);
  return { status: statusCode, headers, url, body: readBody(body, exchange), discard };
}

async function* readBody(
  body: AsyncIterable<Uint8Array>,
  exchange: Exchange,
): AsyncGenerator<Uint8Array, void, void> {
  const { host, limits, clock } = exchange;
  let began = 0;
  const awaitNext = () => {
    began = performance.now();
    clock.enter("to go on with its answer", limits.idleMs);
  };
  let bytes = 0;
  /** For the other side only: a reader that takes its time is not the sender's fault. */
  let waitedMs = 0;
  try {
    awaitNext();
    for await (const chunk of body) {
      clock.pause();
      bytes += chunk.length;
      waitedMs += performance.now() - began;
      if (bytes > limits.maxBytes) throw tooLarge(exchange);
      // A server that drips would hold a slot of the worker for as long as a run may take.
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

function tooLarge({ host, limits }: Exchange): HttpFailure {
  return new HttpFailure("too_large", `The answer of ${host} is larger than ${limits.maxBytes} bytes.`);
}

function toFailure(error: unknown, { host, port, clock }: Exchange, isRedirected: boolean): unknown {
  if (clock.signal.aborted) return clock.signal.reason;
  // Where the other side points is not what the user typed, and not ours to tell.
  const elsewhere = `${host} redirects to a target that is not allowed (see ALLOW_PRIVATE_TARGETS).`;
  if (error instanceof AppError && isRedirected) return new HttpFailure("forbidden", elsewhere, error);
  return failureOf(error, host, port);
}

function flatten(headers: Response["headers"]): HttpAnswer["headers"] {
  const present = Object.entries(headers).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present.map(([name, value]) => [name, [value].flat().join(", ")]));
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

function ignore(): void {}
