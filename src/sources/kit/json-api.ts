/**
 * A shop's JSON API: one call, one parsed answer, or one failure that a person can act on. Retries, broken connections,
 * truncated bodies and HTML in place of data are handled here; the connector judges what an answer means. Addresses and
 * headers contain credentials, so no message repeats them.
 */
import { plainText } from "../../catalog/text.ts";
import { AppError } from "../../errors.ts";
import type { HttpAnswer, HttpClient, HttpLimits } from "../../lib/outbound/http-client.ts";
import { type FailureRule, ruleFailure, type SourceFailure, statusFailure } from "./failure.ts";
import { type TryResult, type RetryPolicy, withRetries } from "./retry.ts";

export type ApiCall = {
  readonly method?: "GET" | "POST" | "DELETE";
  readonly url: string;
  /** Added to the address. */
  readonly query?: Readonly<Record<string, string | number>> | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Sent as the body of a POST request, instead of `body`. */
  readonly json?: unknown;
};

export type ApiAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed. Null if there was no body, or if the answer was a failure whose body is not JSON. */
  readonly body: unknown;
  /** The text before the JSON: PHP prints warnings there if the shop is misconfigured. Empty otherwise. */
  readonly leadingText: string;
};

/** What an answer means to the connector: usable, or a failure. Null: its status decides. */
export type Judge = (answer: ApiAnswer) => "usable" | SourceFailure | null;

/** How a body is read into a value. */
export type JsonReader<T> = {
  /** The failure of an answer with an error status. */
  readonly refuse: (answer: ApiAnswer) => SourceFailure | null;
  /** Null if the body is JSON of another shape. */
  readonly parse: (body: unknown) => T | null;
  readonly malformed: FailureRule;
  /** A status that the shop sends by mistake now and then: the first one is retried. */
  readonly retryOnce?: number;
  /** For status 204, an answer without a body. */
  readonly none: T;
};

export type JsonApi = ReturnType<typeof jsonApi>;

/** Waits between requests, for shops that state how much of a quota is left. */
export type Pacing = {
  /** The wait after an answer with these headers. */
  readonly pauseMs: (headers: ApiAnswer["headers"]) => number;
  readonly maxPauseMs: number;
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
};

export type JsonApiOptions = {
  readonly http: HttpClient;
  readonly signal: AbortSignal;
  readonly retries: RetryPolicy;
  readonly limits?: Partial<HttpLimits>;
  /** Sent with every call. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly pacing?: Pacing;
};

/** For one page of a list: a larger answer is a mistake. */
const API_LIMITS: Partial<HttpLimits> = { totalMs: 120_000, maxBytes: 64_000_000 };

export function jsonApi(options: JsonApiOptions) {
  const { http, signal, retries, limits = {}, headers = {}, pacing } = options;
  let pauseMs = 0;

  async function call(apiCall: ApiCall, judge?: Judge): Promise<ApiAnswer> {
    if (pauseMs > 0) await pacing?.pause(Math.min(pauseMs, pacing.maxPauseMs), signal);
    const request = requestOf(apiCall, headers);
    const answer = await withRetries(retries, signal, async () => {
      const received = await http.request({ ...request, signal, limits: { ...API_LIMITS, ...limits } });
      return attemptOf(received, await readText(received), judge);
    });
    pauseMs = pacing?.pauseMs(answer.headers) ?? 0;
    return answer;
  }

  return {
    call,
    read: async <T>(apiCall: ApiCall, reader: JsonReader<T>): Promise<T> => {
      const { refuse, parse, malformed, none, retryOnce } = reader;
      let mistakes = 0;
      const { status, body } = await call(apiCall, (answer) => {
        if (answer.status === 204) return "usable";
        if (answer.status < 200 || answer.status > 299) {
          const failure = refuse(answer);
          if (failure === null || answer.status !== retryOnce) return failure;
          mistakes += 1;
          return mistakes === 1 ? { ...failure, retry: "now" } : failure;
        }
        // A body that is not JSON at all is reported by `call`.
        return answer.body === null || parse(answer.body) !== null ? null : ruleFailure(malformed);
      });
      const value = status === 204 ? none : parse(body);
      if (value === null) throw ruleFailure(malformed).error;
      return value;
    },
  };
}

/** A header that is an integer from zero up; null for any other. */
export function headerNumber(headers: ApiAnswer["headers"], name: string): number | null {
  const text = headers[name]?.trim() ?? "";
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}

/** Below this share of a quota, the rest is left to the shop's other apps. */
const RESERVE = 0.1;

/** The wait until a new quota, by the names of the headers. Shops without a quota send none: then there is no wait. */
export function quotaPauseMs(
  headers: ApiAnswer["headers"],
  names: { readonly left: string; readonly quota: string; readonly resetMs: string },
): number {
  const left = headerNumber(headers, names.left);
  const quota = headerNumber(headers, names.quota);
  const resetMs = headerNumber(headers, names.resetMs);
  if (left === null || quota === null || resetMs === null) return 0;
  return left < Math.max(1, quota * RESERVE) ? resetMs : 0;
}

function requestOf({ url, query = {}, json, ...call }: ApiCall, headers: Readonly<Record<string, string>>) {
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  const full = search.size === 0 ? url : `${url}?${search.toString()}`;
  const all = { accept: "application/json", ...headers, ...call.headers };
  if (json === undefined) return { ...call, url: full, headers: all };
  const type = { "content-type": "application/json" };
  return { method: "POST", url: full, headers: { ...all, ...type }, body: JSON.stringify(json) } as const;
}

function attemptOf(http: HttpAnswer, text: string, judge: Judge | undefined): TryResult<ApiAnswer> {
  const { status, headers } = http;
  const parsed = parse(text);
  const answer: ApiAnswer = { status, headers, body: parsed.body, leadingText: parsed.leadingText };
  const judgment = judge?.(answer) ?? null;
  if (judgment === "usable") return { kind: "done", value: answer };
  if (judgment !== null) return { kind: "failed", failure: judgment };
  if (status < 200 || status > 299) return { kind: "failed", failure: statusFailure(http, new Date()) };
  if (!parsed.isJson) return { kind: "failed", failure: notJson(http, text) };
  return { kind: "done", value: answer };
}

function notJson({ url, headers }: HttpAnswer, text: string): SourceFailure {
  const host = URL.parse(url)?.host ?? "The shop";
  const type = headers["content-type"]?.split(";")[0] ?? "no stated type";
  const hint = type.endsWith("json")
    ? "A plugin of the shop, or PHP itself, may print into the answers of its API: see its error log."
    : "A security plugin, a maintenance page or a wrong address may be in front of the API.";
  const message = `${host} answered with ${type} that is not JSON: ${excerptOf(text)}. ${hint}`;
  return { error: new AppError("source_unavailable", message), retry: "now" };
}

/** Answers may repeat the request: the query of an address, and anything as long as a key, is not shown. */
function excerptOf(text: string): string {
  const seen = plainText(text.slice(0, 2_000))
    .replace(/\?\S+/g, "?…")
    .replace(/[\w-]{16,}/g, "…");
  return seen === "" ? "there is nothing to read in it" : `it begins with "${seen.slice(0, 80)}"`;
}

type Parsed = { readonly isJson: boolean; readonly body: unknown; readonly leadingText: string };

const NOT_JSON: Parsed = { isJson: false, body: null, leadingText: "" };

/** Data that does not parse is broken. A search inside of it would find one row and take it for the whole answer. */
const LIKE_DATA = /^\[?\s*\{\s*"/;

/** The whole text, or what follows the messages that PHP printed. These may contain brackets. */
function parse(text: string): Parsed {
  const whole = tryParse(text);
  if (whole !== undefined) return { isJson: true, body: whole, leadingText: "" };
  for (const start of startsIn(text)) {
    const body = tryParse(text.slice(start));
    if (body !== undefined) return { isJson: true, body, leadingText: text.slice(0, start).trim() };
    if (LIKE_DATA.test(text.slice(start, start + 100))) break;
  }
  return NOT_JSON;
}

/** More than the lines of any PHP output seen in front of data. A failed attempt is cheap. */
const MAX_STARTS = 200;

/** Where data may begin: at the beginning of a line, after a tag, or else at the first bracket. */
function* startsIn(text: string): Generator<number, void, void> {
  let starts = 0;
  // Spaces, but no line breaks: a run of line breaks would be scanned once for each of them.
  for (const match of text.matchAll(/(?:^|[\n\r>])[^\S\n\r]*[[{]/g)) {
    yield match.index + match[0].length - 1;
    starts += 1;
    if (starts === MAX_STARTS) return;
  }
  const first = text.search(/[[{]/);
  if (first >= 0) yield first;
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

async function readText({ body }: HttpAnswer): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return new TextDecoder().decode(Buffer.concat(chunks));
}
