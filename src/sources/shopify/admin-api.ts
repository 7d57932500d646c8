/**
 * One question to the Admin API, one answer. The token, the pace, the retries and what a refusal means are dealt
 * with here; a 401 is answered by a new token once, where there can be one. The version that answered is remembered:
 * Shopify serves a newer one without a word when ours has been retired.
 */
import { sleep } from "../../lib/async.ts";
import { type ApiAnswer, type JsonApi, jsonApi } from "../kit/json-api.ts";
import type { ReadContext } from "../source.ts";
import { judgeAdmin, refusalOf } from "./failures.ts";
import { isJsonObject, type JsonObject, objectIn } from "../kit/json.ts";
import type { ShopifyLimits } from "./limits.ts";
import { costOf, type Points, waitForPoints } from "./pace.ts";
import { API_VERSION } from "./queries.ts";
import type { ShopifySettings } from "./settings.ts";
import { type TokenProvider, tokenProvider } from "./token.ts";

export type Question = {
  readonly query: string;
  readonly variables: JsonObject;
  /** Error codes that the caller deals with; they come back as `refusal`. */
  readonly handles?: readonly string[];
};

export type Reply = { readonly data: JsonObject; readonly refusal: string | null };

export type AdminApi = {
  readonly ask: (question: Question) => Promise<Reply>;
  /** Null until something was answered. */
  readonly versionServed: () => string | null;
};

export function adminApi(
  { origin, credentials }: Pick<ShopifySettings, "origin" | "credentials">,
  { http, signal }: Pick<ReadContext, "http" | "signal">,
  limits: Pick<ShopifyLimits, "http" | "retries">,
): AdminApi {
  const api = jsonApi({ http, signal, retries: limits.retries, limits: limits.http });
  const tokens = tokenProvider(credentials, origin, api);
  const pace = pacer(signal);
  let version: string | null = null;

  return {
    versionServed: () => version,
    ask: async (question) => {
      await pace.before(question.query);
      const answer = await send(question, { api, tokens, origin });
      pace.after(question.query, answer);
      version = answer.headers["x-shopify-api-version"] ?? version;
      const body = isJsonObject(answer.body) ? answer.body : {};
      return { data: objectIn(body, "data"), refusal: refusalOf(body) };
    },
  };
}

type Line = { readonly api: JsonApi; readonly tokens: TokenProvider; readonly origin: string };

async function send(question: Question, line: Line): Promise<ApiAnswer> {
  const { tokens } = line;
  const first = await sendOnce(question, line, tokens.isRenewable);
  if (first.status !== 401) return first;
  tokens.forget();
  return sendOnce(question, line, false);
}

/** `letsThrough401`: the caller has a new token to try. */
async function sendOnce(
  { query, variables, handles = [] }: Question,
  { api, tokens, origin }: Line,
  letsThrough401: boolean,
): Promise<ApiAnswer> {
  return api.call(
    {
      method: "POST",
      url: `${origin}/admin/api/${API_VERSION}/graphql.json`,
      headers: {
        "content-type": "application/json",
        accept: "application/json",
        "x-shopify-access-token": await tokens.token(),
      },
      body: JSON.stringify({ query, variables }),
    },
    (answer) =>
      letsThrough401 && answer.status === 401 ? "usable" : judgeAdmin(answer, handles, tokens.kind),
  );
}

type Pacer = {
  readonly before: (query: string) => Promise<void>;
  readonly after: (query: string, answer: ApiAnswer) => void;
};

function pacer(signal: AbortSignal): Pacer {
  const prices = new Map<string, number>();
  let last: { readonly points: Points; readonly at: number } | null = null;
  return {
    before: async (query) => {
      const price = prices.get(query);
      if (last === null || price === undefined) return;
      const waitMs = waitForPoints(price, last.points, performance.now() - last.at);
      if (waitMs > 0) await sleep(waitMs, signal);
      signal.throwIfAborted();
    },
    after: (query, { body }) => {
      const cost = costOf(body);
      if (cost === null) return;
      prices.set(query, cost.asked);
      last = { points: cost.points, at: performance.now() };
    },
  };
}
