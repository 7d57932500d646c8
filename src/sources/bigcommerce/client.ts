/**
 * Calls to one store: token, limits, rate limit, and what a refusal means to a merchant. A missing permission is named
 * as in the control panel. No message repeats an address, a token or anything the shop sent.
 */
import { isJsonObject, type JsonObject } from "../../lib/json-object.ts";
import { sleep } from "../../lib/async.ts";
import {
  type FailureRule,
  failureRule,
  platformRules,
  ruleFailure,
  type SourceFailure,
} from "../kit/failure.ts";
import { numberIn, objectIn } from "../kit/json.ts";
import { type ApiAnswer, type ApiCall, headerNumber, jsonApi, quotaPauseMs } from "../kit/json-api.ts";
import type { ListPage } from "../kit/pages.ts";
import { SHOP_RETRIES } from "../kit/retry.ts";
import type { ReadContext } from "../source.ts";
import type { ShopSettings } from "./settings.ts";

export const BIGCOMMERCE_LIMITS = {
  http: { totalMs: 120_000, maxBytes: 32_000_000 },
  retries: SHOP_RETRIES,
  /** Waits for a new quota. */
  pause: sleep,
  maxPauseMs: 60_000,
  firstPageProducts: 100,
  /** BigCommerce refuses more. */
  maxPageProducts: 250,
  /** About how many variants a page has: this bounds the memory of a read. */
  pageVariants: 2_500,
  /** A list of variants this long may have been truncated by the platform, so it is counted. */
  countFromVariants: 10,
  /** Of brands, and of categories. */
  maxCached: 20_000,
  sampleProducts: 50,
  /** If more products changed, a complete read needs hardly more requests. */
  maxChanged: 1_000,
};
export type BigCommerceLimits = Readonly<typeof BIGCOMMERCE_LIMITS>;

/** A permission of an API account: its name in the control panel, and its name in the API. */
export type Permission = { readonly label: string; readonly scope: string };

export const PERMISSIONS = {
  products: { label: "Products", scope: "store_v2_products_read_only" },
  information: { label: "Information & Settings", scope: "store_v2_information_read_only" },
  sites: { label: "Sites & Routes", scope: "store_sites_read_only" },
  channels: { label: "Channel Settings", scope: "store_channel_settings_read_only" },
} as const satisfies Record<string, Permission>;

const { internal, broken, busy, throttled, malformed } = platformRules(
  "BigCommerce",
  "status.bigcommerce.com",
);
const LOCKED =
  "The shop is locked for the moment, by an import or a change of its plan. Nothing needs to be done: the next sync tries again";
const DOWN =
  "The shop is down for maintenance, being upgraded, or suspended by BigCommerce. Look into your control panel; the next sync tries again";
const UNKNOWN_TOKEN =
  "BigCommerce does not know the access token: it is mistyped, or its API account was deleted. Create a store-level API account and put its access token into the source";
const UNKNOWN_STORE =
  "BigCommerce knows no store with this store hash. Compare store_hash with the API path of your API account";

export const STATUS_RULES: Readonly<Record<number, FailureRule>> = {
  ...Object.fromEntries([400, 405, 406, 413, 415, 422].map((status) => [status, internal])),
  401: failureRule("source_unauthorized", "never", UNKNOWN_TOKEN),
  404: failureRule("source_not_found", "never", UNKNOWN_STORE),
  409: failureRule("source_unavailable", "later", LOCKED),
  423: failureRule("source_unavailable", "later", LOCKED),
  503: failureRule("source_unavailable", "now", DOWN),
};

/** The first call of every read and test. Only here a 404 means that there is no such store. */
export const STORE_PATH = "v2/store";

export type ShopCall = Pick<ApiCall, "query" | "json" | "method"> & {
  /** Below the store's address, without a slash at either end: BigCommerce refuses one at the end. */
  readonly path: string;
  readonly needs: Permission;
};

/** The failure of an answer with an error status. */
export function refusal(
  { status, headers }: Pick<ApiAnswer, "status" | "headers">,
  { path, needs }: Pick<ShopCall, "path" | "needs">,
): SourceFailure {
  // With a quota in its headers, the shop states when to come back. Without, the platform is overloaded.
  const resetMs = headerNumber(headers, "x-rate-limit-time-reset-ms");
  const waitS = headerNumber(headers, "x-retry-after") ?? headerNumber(headers, "retry-after");
  const retryAfterS = resetMs === null ? waitS : Math.ceil(resetMs / 1_000);
  if (status === 429) return ruleFailure(retryAfterS === null ? busy : throttled, { status, retryAfterS });
  if (status === 403) {
    const message = `The access token lacks the permission "${needs.label}: read-only" (${needs.scope}), or is of another store than the store hash. Permissions cannot be added later: create a new API account with it and put its access token into the source`;
    return ruleFailure(failureRule("source_unauthorized", "never", message), { status });
  }
  if (status === 404 && path !== STORE_PATH) {
    const message = `The store hash is right, but BigCommerce has nothing at ${path.replace(/\/\d+/g, "/…")} of this store. If base_url is set, check that it passes this address on; otherwise report it to us`;
    return ruleFailure(failureRule("source_not_found", "never", message), { status });
  }
  return ruleFailure(STATUS_RULES[status] ?? (status >= 500 ? broken : internal), { status });
}

export function pauseBeforeNext(headers: ApiAnswer["headers"]): number {
  const [left, quota] = ["x-rate-limit-requests-left", "x-rate-limit-requests-quota"];
  return quotaPauseMs(headers, { left, quota, resetMs: "x-rate-limit-time-reset-ms" });
}

export type ShopApi = ReturnType<typeof shopApi>;

export function shopApi(
  { apiUrl, token }: ShopSettings,
  { http, signal }: Pick<ReadContext, "http" | "signal">,
  limits: BigCommerceLimits,
) {
  const headers = { "x-auth-token": token };
  const pacing = { ...limits, pauseMs: pauseBeforeNext };
  const api = jsonApi({ http, signal, retries: limits.retries, limits: limits.http, headers, pacing });

  function read<T>(call: ShopCall, none: T, parse: (body: unknown) => T | null): Promise<T> {
    const { path, query, json, method } = call;
    const refuse = (answer: ApiAnswer) => refusal(answer, call);
    // BigCommerce sometimes answers 422 to a request that it accepts a moment later.
    const reader = { refuse, parse, malformed, none, retryOnce: 422 };
    return api.read({ url: `${apiUrl}${path}`, query, json, ...(method && { method }) }, reader);
  }

  const list = (call: ShopCall): Promise<ListPage> => read(call, { rows: [], total: 0 }, listOf);
  return {
    list,
    /** How many rows a list has. */
    count: async (call: ShopCall): Promise<number> => {
      const { total } = await list({ ...call, query: { ...call.query, limit: 1 } });
      if (total === null) throw ruleFailure(malformed).error;
      return total;
    },
    object: (call: ShopCall): Promise<JsonObject> => read<JsonObject>(call, {}, objectOf),
  };
}

/**
 * V3 of the API wraps lists and objects into `data`, V2 does not. Most lists have `total`, sites have `total_items`.
 */
function listOf(body: unknown): ListPage | null {
  if (Array.isArray(body)) return { rows: body as readonly unknown[], total: null };
  if (!isJsonObject(body) || !Array.isArray(body["data"])) return null;
  const pagination = objectIn(objectIn(body, "meta"), "pagination");
  const total = numberIn(pagination, "total") ?? numberIn(pagination, "total_items") ?? -1;
  return { rows: body["data"] as readonly unknown[], total: total < 0 ? null : total };
}

function objectOf(body: unknown): JsonObject | null {
  const object = isJsonObject(body) && body["data"] !== undefined ? body["data"] : body;
  return isJsonObject(object) ? object : null;
}
