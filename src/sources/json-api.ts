/**
 * A shop's API as the connectors see it: one call, one parsed answer, or one failure a person can act on. Trying
 * again, broken connections, bodies that end early and web pages where data should be are dealt with here; what an
 * answer means is the connector's to judge. Addresses and headers hold credentials, so no message repeats them.
 */
import { plainText } from "../catalog/text.ts";
import { AppError } from "../errors.ts";
import type { HttpAnswer, HttpClient, HttpLimits } from "../lib/outbound/http-client.ts";
import { HttpFailure } from "../lib/outbound/http-failure.ts";
import { requestFailure, type SourceFailure, statusFailure } from "./failure.ts";
import { type Attempt, type RetryPolicy, withRetries } from "./retry.ts";

export type ApiCall = {
  readonly method?: "GET" | "POST";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

export type ApiAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed; null where there was none, or none that is JSON, and the status was a failure anyway. */
  readonly body: unknown;
  /** The text before the JSON began: badly set up shops print warnings there. Empty otherwise. */
  readonly noise: string;
};

/** What the connector makes of an answer: usable, or a failure. Null leaves the verdict to the status alone. */
export type Judge = (answer: ApiAnswer) => "usable" | SourceFailure | null;

export type JsonApi = { readonly call: (call: ApiCall, judge?: Judge) => Promise<ApiAnswer> };

export type JsonApiOptions = {
  readonly http: HttpClient;
  readonly signal: AbortSignal;
  readonly retries: RetryPolicy;
  readonly limits?: Partial<HttpLimits>;
};

/** A page of a list, not a whole shop: what is larger than this is a mistake. */
const API_LIMITS: Partial<HttpLimits> = { totalMs: 120_000, maxBytes: 64_000_000 };

export function jsonApi({ http, signal, retries, limits = {} }: JsonApiOptions): JsonApi {
  return {
    call: (call, judge) =>
      withRetries(retries, signal, async () => {
        try {
          const answer = await http.request({ ...call, signal, limits: { ...API_LIMITS, ...limits } });
          return attemptOf(answer, await readText(answer), judge);
        } catch (error) {
          if (error instanceof HttpFailure) return { kind: "failed", failure: requestFailure(error) };
          throw error;
        }
      }),
  };
}

function attemptOf(http: HttpAnswer, text: string, judge: Judge | undefined): Attempt<ApiAnswer> {
  const { status, headers } = http;
  const parsed = parse(text);
  const answer: ApiAnswer = { status, headers, body: parsed.body, noise: parsed.noise };
  const verdict = judge?.(answer) ?? null;
  if (verdict === "usable") return { kind: "done", value: answer };
  if (verdict !== null) return { kind: "failed", failure: verdict };
  if (status < 200 || status > 299) return { kind: "failed", failure: statusFailure(http, new Date()) };
  if (!parsed.isJson) return { kind: "failed", failure: notJson(http, text) };
  return { kind: "done", value: answer };
}

function notJson({ url, headers }: HttpAnswer, text: string): SourceFailure {
  const host = URL.parse(url)?.host ?? "The shop";
  const type = headers["content-type"]?.split(";")[0] ?? "no stated type";
  const hint = type.endsWith("json")
    ? "A plugin of the shop, or PHP itself, may print into the answers of its API: its error log tells which."
    : "A security plugin, a maintenance page or a wrong address may stand in front of the API.";
  const message = `${host} answered with ${type} that is no JSON: ${beginningOf(text)}. ${hint}`;
  return { error: new AppError("source_unavailable", message), retry: "now" };
}

/** Answers may echo what they were asked with: the query of an address and whatever is as long as a key is not shown. */
function beginningOf(text: string): string {
  const seen = plainText(text.slice(0, 2_000))
    .replace(/\?\S+/g, "?…")
    .replace(/[\w-]{16,}/g, "…");
  return seen === "" ? "there is nothing to read in it" : `it begins with "${seen.slice(0, 80)}"`;
}

type Parsed = { readonly isJson: boolean; readonly body: unknown; readonly noise: string };

const NOT_JSON: Parsed = { isJson: false, body: null, noise: "" };

/** Data that does not parse is broken: to look for a beginning inside of it would find one row and call it all. */
const LIKE_DATA = /^\[?\s*\{\s*"/;

/** The whole text, or else what is left of it behind messages that PHP printed. These may have brackets of their own. */
function parse(text: string): Parsed {
  const whole = tryParse(text);
  if (whole !== undefined) return { isJson: true, body: whole, noise: "" };
  for (const start of beginningsIn(text)) {
    const body = tryParse(text.slice(start));
    if (body !== undefined) return { isJson: true, body, noise: text.slice(0, start).trim() };
    if (LIKE_DATA.test(text.slice(start, start + 100))) break;
  }
  return NOT_JSON;
}

/** More than the lines of any dump we have seen in front of data; each look costs little, for noise is no JSON. */
const MOST_LOOKS = 200;

/** Where data may begin: at the beginning of a line or behind a tag, and if not there, at the first bracket of all. */
function* beginningsIn(text: string): Generator<number, void, void> {
  let looks = 0;
  // Spaces, but no line breaks: a run of those would be gone through once for each of them.
  for (const match of text.matchAll(/(?:^|[\n\r>])[^\S\n\r]*[[{]/g)) {
    yield match.index + match[0].length - 1;
    looks += 1;
    if (looks === MOST_LOOKS) return;
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
