/**
 * A shop's API as the connectors see it: one call, one parsed answer, or one failure a person can act on. Trying
 * again, broken connections, bodies that end early and web pages where data should be are dealt with here; what an
 * answer means is the connector's to judge. Addresses and headers hold credentials, so no message repeats them.
 */
import { AppError } from "../errors.ts";
import { type HttpAnswer, type HttpClient, HttpFailure, type HttpLimits } from "../lib/http-client.ts";
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
  /** For every call that brings none of its own. */
  readonly judge?: Judge;
};

/** A page of a list, not a whole shop: what is larger than this is a mistake. */
const API_LIMITS: Partial<HttpLimits> = { totalMs: 120_000, maxBytes: 64_000_000 };

export function jsonApi({ http, signal, retries, limits = {}, judge: usual }: JsonApiOptions): JsonApi {
  return {
    call: (call, judge = usual) =>
      withRetries(retries, signal, async () => {
        try {
          const answer = await http.request({ ...call, signal, limits: { ...API_LIMITS, ...limits } });
          return attemptOf(answer, parse(await readText(answer)), judge);
        } catch (error) {
          if (error instanceof HttpFailure) return { kind: "failed", failure: requestFailure(error) };
          throw error;
        }
      }),
  };
}

function attemptOf(http: HttpAnswer, parsed: Parsed, judge: Judge | undefined): Attempt<ApiAnswer> {
  const { status, headers } = http;
  const answer: ApiAnswer = { status, headers, body: parsed.body, noise: parsed.noise };
  const verdict = judge?.(answer) ?? null;
  if (verdict === "usable") return { kind: "done", value: answer };
  if (verdict !== null) return { kind: "failed", failure: verdict };
  if (status < 200 || status > 299) return { kind: "failed", failure: statusFailure(http, new Date()) };
  if (!parsed.isJson) return { kind: "failed", failure: notJson(http) };
  return { kind: "done", value: answer };
}

function notJson({ url, headers }: HttpAnswer): SourceFailure {
  const host = URL.parse(url)?.host ?? "The shop";
  const type = headers["content-type"]?.split(";")[0] ?? "no stated type";
  const message = `${host} answered with ${type} where its API should have answered with JSON. A security plugin, a maintenance page or a wrong address may stand in front of the API.`;
  return { error: new AppError("source_unavailable", message), retry: "now" };
}

type Parsed = { readonly isJson: boolean; readonly body: unknown; readonly noise: string };

function parse(text: string): Parsed {
  const whole = tryParse(text);
  if (whole !== undefined) return { isJson: true, body: whole, noise: "" };
  const start = text.search(/[[{]/);
  const rest = start > 0 ? tryParse(text.slice(start)) : undefined;
  if (rest === undefined) return { isJson: false, body: null, noise: "" };
  return { isJson: true, body: rest, noise: text.slice(0, start).trim() };
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
