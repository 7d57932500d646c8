/**
 * Calls to one shop, signed and judged. Which routes there are, and what comes back from them, is for the readers to
 * know; here an answer is either data or a failure in the merchant's words.
 */
import type { HttpClient } from "../../lib/outbound/http-client.ts";
import { type ApiAnswer, type JsonApi, jsonApi, type Judge } from "../kit/json-api.ts";
import { type Access, withAccess } from "./access.ts";
import { type Query, type Root, routeUrl } from "./address.ts";
import { failureOf, HeavyAnswer, MEANINGS, wooFailure } from "./failures.ts";
import type { WooLimits } from "./limits.ts";

export type List = {
  readonly route: string;
  readonly query: Query;
  /** What it lists, for messages: `products`. */
  readonly what: string;
};

export type Page = {
  readonly rows: readonly unknown[];
  /** The shop's own count of the whole list; null where a proxy has dropped the header. */
  readonly total: number | null;
};

export type WooApi = {
  readonly host: string;
  readonly get: (route: string, query: Query, judge?: Judge) => Promise<ApiAnswer>;
  /** For what we can do without: one try, and a short one. */
  readonly getOnce: (route: string, query: Query) => Promise<ApiAnswer>;
  /** A part of a list. `isLeast`: nothing smaller will be asked for, so a failing host is tried as often as usual. */
  readonly page: (
    list: List,
    at: { readonly offset: number; readonly size: number; readonly isLeast: boolean },
  ) => Promise<Page>;
  /** How many answers had messages of PHP's in front of the data. */
  readonly noisyAnswers: () => number;
};

export type ApiOptions = {
  readonly http: HttpClient;
  readonly signal: AbortSignal;
  readonly limits: WooLimits;
  readonly root: Root;
  readonly access: Access;
};

export function wooApi({ http, signal, limits, root, access }: ApiOptions): WooApi {
  const { host } = new URL(root.site);
  const usual: Judge = (answer) => wooFailure(answer, host);
  const calls = { http: withAccess(http, access), signal };
  const patient = jsonApi({ ...calls, limits: limits.http, retries: limits.retries });
  const brief = jsonApi({
    ...calls,
    limits: { ...limits.http, totalMs: limits.courtesyMs },
    retries: { ...limits.retries, waitsMs: [] },
  });
  let noisy = 0;

  const getBy =
    (api: JsonApi): WooApi["get"] =>
    async (route, query, judge = usual) => {
      const url = routeUrl(root, route, query);
      const answer = await api.call({ url, headers: { accept: "application/json" } }, judge);
      if (answer.noise !== "") noisy += 1;
      return answer;
    };
  const get = getBy(patient);

  return {
    host,
    get,
    getOnce: getBy(brief),
    page: async ({ route, query }, { offset, size, isLeast }) => {
      const asked = { ...query, per_page: String(size), offset: String(offset) };
      const answer = await get(route, asked, pageJudge(host, isLeast));
      return { rows: answer.body as readonly unknown[], total: totalOf(answer) };
    },
    noisyAnswers: () => noisy,
  };
}

/** A page that is too much for the host is tried twice, for hosts stumble, and then given back to be made smaller. */
function pageJudge(host: string, isLeast: boolean): Judge {
  let tries = 0;
  return (answer) => {
    tries += 1;
    const failure = wooFailure(answer, host);
    const isTooMuch = failure?.error instanceof HeavyAnswer && !isLeast && tries > 1;
    if (failure !== null) return isTooMuch ? { ...failure, retry: "never" } : failure;
    const isOther = answer.status === 200 && answer.body !== null && !Array.isArray(answer.body);
    return isOther ? failureOf(MEANINGS.NOT_A_LIST, host) : null;
  };
}

export function totalOf({ headers }: Pick<ApiAnswer, "headers">): number | null {
  const text = headers["x-wp-total"] ?? "";
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}
