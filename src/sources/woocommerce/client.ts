/** Calls to one shop: the addresses of routes, the credentials, limits, and lists. */
import { isJsonObject, type JsonObject } from "../../lib/json-object.ts";
import { randomUUID } from "node:crypto";
import type { HttpLimits, HttpRequest } from "../../lib/outbound/http-client.ts";
import { withQuery } from "../kit/draft.ts";
import { orNull } from "../kit/failure.ts";
import { type ApiAnswer, type ApiCall, headerNumber, jsonApi, type Judge } from "../kit/json-api.ts";
import { signedUrl } from "../kit/oauth1.ts";
import { offsetPages } from "../kit/offset-pages.ts";
import { isTooLarge, type ListPage } from "../kit/pages.ts";
import { pauseBeforeRetry, SHOP_RETRIES } from "../kit/retry.ts";
import type { ReadContext } from "../source.ts";
import { failureOf, RULES, wooFailure } from "./failures.ts";
import type { WoocommerceCredentials } from "./settings.ts";

export const WOO_LIMITS = {
  http: {} as Partial<HttpLimits>,
  retries: SHOP_RETRIES,
  /** WooCommerce refuses more. */
  pageSize: 100,
  /** For a host that runs out of memory or time. */
  minPageSize: 10,
  /** If more products changed, a complete read needs fewer requests: each product with variations needs its own. */
  maxChanged: 200,
  /** Products of a sample. */
  sampleSize: 30,
  /** If there is no list of all variations, so many products are asked for theirs at the same time. */
  concurrency: 4,
  /** Variations that products name and no list has. They are requested one by one. */
  maxSingles: 1_000,
  /** For a request whose answer is not needed: one try, at most this long. */
  optionalMs: 10_000,
};
export type WooLimits = Readonly<typeof WOO_LIMITS>;

/** WordPress serves its API under `/wp-json/`, or by `?rest_route=` if it has plain permalinks. */
export type Root = { readonly kind: "pretty" | "plain"; readonly site: string };

export type QueryParameters = NonNullable<ApiCall["query"]>;

/** `route` has no slash at either end. It is empty for the index. */
export function routeCall(
  { kind, site }: Root,
  route: string,
  query: QueryParameters,
): Pick<ApiCall, "url" | "query"> {
  return kind === "pretty"
    ? { url: `${site}/wp-json/${route}`, query }
    : { url: `${site}/`, query: { rest_route: `/${route}`, ...query } };
}

/** How requests prove who sends them. A retry needs a new signature: WooCommerce refuses a nonce that it has seen. */
export type Access = {
  readonly kind: "public" | "basic" | "query" | "oauth";
  readonly authorize: (request: HttpRequest) => HttpRequest;
};

export const PUBLIC: Access = { kind: "public", authorize: (request) => request };

/** What may be tried, in this order. Without TLS, the secret is never sent. */
export function accessMethods(
  { key, secret }: WoocommerceCredentials,
  site: string,
  home = site,
): readonly Access[] {
  const authorization = `Basic ${Buffer.from(`${key}:${secret}`).toString("base64")}`;
  const basic: Access = {
    kind: "basic",
    authorize: (request) => ({ ...request, headers: { ...request.headers, authorization } }),
  };
  // For hosts that remove the Authorization header.
  const query: Access = {
    kind: "query",
    authorize: (request) => {
      const url = withQuery(withQuery(request.url, "consumer_key", key), "consumer_secret", secret);
      return { ...request, url };
    },
  };
  // A server that gets a TLS request and does not know it signs its address as http.
  const origin = new URL(home).origin.replace(/^https:/, "http:");
  const oauth: Access = {
    kind: "oauth",
    authorize: (request) => {
      const [nonce, timestampS] = [randomUUID(), Math.floor(Date.now() / 1_000)];
      const signing = { key, secret, origin, nonce, timestampS, method: request.method ?? "GET" };
      return { ...request, url: signedUrl(request.url, signing) };
    },
  };
  return site.startsWith("https:") ? [basic, query, oauth] : [oauth];
}

/** A list of rows with ids. */
export type List = {
  readonly route: string;
  readonly query: QueryParameters;
  /** What it lists, for messages: `products`. */
  readonly noun: string;
};

export type WoocommerceConnection = Pick<ReadContext, "http" | "signal"> & { readonly limits: WooLimits };

export type WooApi = ReturnType<typeof wooApi>;

type UnnamedList = Omit<List, "noun">;
type RowChange = Pick<ApiCall, "json" | "method">;

export function wooApi({ http, signal, limits }: WoocommerceConnection, root: Root, access: Access) {
  const { host } = new URL(root.site);
  const authorized = { ...http, request: (request: HttpRequest) => http.request(access.authorize(request)) };
  const options = { http: authorized, signal, limits: limits.http, retries: limits.retries };
  const api = jsonApi(options);
  const brief = jsonApi({
    ...options,
    limits: { ...limits.http, totalMs: limits.optionalMs },
    retries: { ...limits.retries, waitsMs: [] },
  });
  const usual: Judge = (answer) => wooFailure(answer, host);
  let hasPhpWarnings = false;

  async function get(route: string, query: QueryParameters, judge = usual, calls = api): Promise<ApiAnswer> {
    const answer = await calls.call(routeCall(root, route, query), judge);
    hasPhpWarnings ||= answer.leadingText !== "";
    return answer;
  }

  async function page(list: UnnamedList, offset: number, size: number, calls = api): Promise<ListPage> {
    const query = { ...list.query, per_page: size, offset };
    const answer = await get(list.route, query, pageJudge(host, size <= limits.minPageSize), calls);
    return { rows: answer.body as readonly unknown[], total: headerNumber(answer.headers, "x-wp-total") };
  }

  return {
    host,
    get,
    /** Creates a row of a list, or deletes one. */
    change: (route: string, query: QueryParameters, change: RowChange): Promise<ApiAnswer> =>
      api.call({ ...routeCall(root, route, query), ...change }, usual),
    /** The first rows of a list. */
    first: (list: UnnamedList, size: number): Promise<ListPage> => page(list, 0, size),
    /** All rows of a list, page by page. */
    pages: (list: List): AsyncGenerator<readonly JsonObject[], void, void> =>
      offsetPages({
        fetch: (offset, size) => page(list, offset, size),
        maxSize: limits.pageSize,
        minSize: limits.minPageSize,
        pause: () => pauseBeforeRetry(limits.retries, signal),
        owner: host,
        noun: list.noun,
        advice: `If this happens again, a plugin of the shop hides ${list.noun} from its REST API.`,
      }),
    /** The rows of a short list; null if the shop refuses it or has none. */
    optionalRows: async (route: string, query: QueryParameters): Promise<readonly JsonObject[] | null> => {
      const answer = await ifAllowed(get(route, query));
      return Array.isArray(answer?.body) ? answer.body.filter(isJsonObject) : null;
    },
    /** How many rows a list has; null if the shop does not state it. `isOptional`: see `optionalMs`. */
    count: async (route: string, query: QueryParameters, isOptional = false): Promise<number | null> => {
      const list = { route, query: { ...query, _fields: "id" } };
      return (await page(list, 0, 1, isOptional ? brief : api)).total;
    },
    /** Whether PHP printed messages in front of an answer. */
    hasPhpWarnings: (): boolean => hasPhpWarnings,
  };
}

/** A page that is too much for the host is tried twice; then a smaller one is requested, if there is a smaller one. */
function pageJudge(host: string, isSmallest: boolean): Judge {
  let tries = 0;
  return (answer) => {
    tries += 1;
    const failure = wooFailure(answer, host);
    if (failure !== null) {
      const mayShrink = tries > 1 && !isSmallest && isTooLarge(failure.error);
      return mayShrink ? { ...failure, retry: "never" } : failure;
    }
    const isOther = answer.status === 200 && answer.body !== null && !Array.isArray(answer.body);
    return isOther ? failureOf(RULES.notAList, host) : null;
  };
}

/** For what the shop need not state: a missing permission or route is not a failure. */
export function ifAllowed<T>(request: Promise<T>): Promise<T | null> {
  return orNull(request, "source_unauthorized", "source_not_found");
}
