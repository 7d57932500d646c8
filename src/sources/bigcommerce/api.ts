/**
 * The calls to one shop: address, token, what an answer must look like, and the pace. The quota is shared with the
 * shop's other apps, so that when little of it is left we wait for a new one, instead of taking the rest.
 */
import { type ApiAnswer, type ApiCall, type Judge, jsonApi } from "../json-api.ts";
import type { ReadContext } from "../source.ts";
import { headerNumber, malformed, type Permission, refusal } from "./failures.ts";
import type { BigCommerceLimits } from "./limits.ts";
import type { ShopSettings } from "./settings.ts";
import { asFields, type Fields, numberIn } from "./wire.ts";

export type ShopCall = {
  /** Below the store's address, without a slash at either end: BigCommerce refuses one at the end. */
  readonly path: string;
  readonly params?: Readonly<Record<string, string | number>>;
  /** Sent as JSON. The calls that have one only ask: nothing of the shop is changed. */
  readonly body?: unknown;
  readonly needs: Permission;
};

export type ShopList = {
  readonly rows: readonly unknown[];
  /** How many there are in all, by the shop's own count; null if it does not say. */
  readonly total: number | null;
};

export type ShopApi = {
  readonly list: (call: ShopCall) => Promise<ShopList>;
  /** One thing; null where the shop answers that there is none. */
  readonly one: (call: ShopCall) => Promise<Fields | null>;
  /** As `list`, or the status of a refusal that the caller can live with: no permission, or nothing there. */
  readonly listIfAllowed: (call: ShopCall) => Promise<ShopList | 403 | 404>;
  /** How many such things the shop has. */
  readonly count: (call: ShopCall) => Promise<number>;
};

export function shopApi(
  { apiUrl, token }: ShopSettings,
  { http, signal }: Pick<ReadContext, "http" | "signal">,
  limits: BigCommerceLimits,
): ShopApi {
  const api = jsonApi({ http, signal, retries: limits.retries, limits: limits.http });
  const headers = { "x-auth-token": token, accept: "application/json" };
  let pauseMs = 0;

  async function call({ path, params = {}, body }: ShopCall, judge: Judge): Promise<ApiAnswer> {
    if (pauseMs > 0) await limits.pause(Math.min(pauseMs, limits.maxPauseMs), signal);
    const texts = Object.entries(params).map(([name, value]) => [name, String(value)]);
    const query = texts.length === 0 ? "" : `?${new URLSearchParams(texts).toString()}`;
    const url = `${apiUrl}${path}${query}`;
    const asked = body === undefined ? { url, headers } : posted(url, headers, body);
    const answer = await api.call(asked, oneMoreTry(judge));
    pauseMs = pauseBeforeNext(answer.headers);
    return answer;
  }

  async function list(shopCall: ShopCall): Promise<ShopList> {
    return listOf(await call(shopCall, (answer) => judged(answer, shopCall, isList)));
  }

  return {
    list,
    one: async (shopCall) => thingOf(await call(shopCall, (answer) => judged(answer, shopCall, isThing))),
    listIfAllowed: async (shopCall) => {
      const judge: Judge = (answer) =>
        isTolerable(answer.status) ? "usable" : judged(answer, shopCall, isList);
      const answer = await call(shopCall, judge);
      return isTolerable(answer.status) ? answer.status : listOf(answer);
    },
    count: async (shopCall) => {
      const { total } = await list({ ...shopCall, params: { ...shopCall.params, limit: 1 } });
      if (total === null) throw malformed("a list does not say how long it is").error;
      return total;
    },
  };
}

function posted(url: string, headers: Readonly<Record<string, string>>, body: unknown): ApiCall {
  return {
    method: "POST",
    url,
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(body),
  };
}

/** BigCommerce answers 422 now and then to what it takes a moment later; to what it does not, it says so twice. */
function oneMoreTry(judge: Judge): Judge {
  let refusals = 0;
  return (answer) => {
    const verdict = judge(answer);
    if (answer.status !== 422 || verdict === null || verdict === "usable") return verdict;
    refusals += 1;
    return refusals === 1 ? { ...verdict, retry: "now" } : verdict;
  };
}

function isTolerable(status: number): status is 403 | 404 {
  return status === 403 || status === 404;
}

/** Below this share of the quota, the rest is left to the shop's other apps. */
const RESERVE = 0.1;

/** How long to wait before the next request. Without the headers (some plans have no quota) there is no wait. */
export function pauseBeforeNext(headers: ApiAnswer["headers"]): number {
  const left = headerNumber(headers, "x-rate-limit-requests-left");
  const quota = headerNumber(headers, "x-rate-limit-requests-quota");
  const resetMs = headerNumber(headers, "x-rate-limit-time-reset-ms");
  if (left === null || quota === null || resetMs === null) return 0;
  return left < Math.max(1, quota * RESERVE) ? resetMs : 0;
}

function judged(
  answer: ApiAnswer,
  shopCall: ShopCall,
  isRight: (body: unknown) => boolean,
): ReturnType<Judge> {
  const { status, body } = answer;
  // The second version of the API says "none" by an answer without a body.
  if (status === 204) return "usable";
  if (status < 200 || status > 299) return refusal(answer, shopCall);
  // What is no JSON at all is dealt with where answers are parsed.
  if (body === null) return null;
  return isRight(body) ? "usable" : malformed("a list or an object is missing in it");
}

/** The third version wraps its lists into `data`, the second does not. */
function isList(body: unknown): boolean {
  return Array.isArray(body) || Array.isArray(asFields(body)?.["data"]);
}

function isThing(body: unknown): boolean {
  const fields = asFields(body);
  return fields !== null && (fields["data"] === undefined || asFields(fields["data"]) !== null);
}

function listOf({ status, body }: ApiAnswer): ShopList {
  if (status === 204) return { rows: [], total: 0 };
  if (Array.isArray(body)) return { rows: body as readonly unknown[], total: null };
  const fields = asFields(body);
  const rows = fields?.["data"];
  if (fields === null || !Array.isArray(rows)) throw malformed("a list is missing in it").error;
  return { rows: rows as readonly unknown[], total: totalOf(fields) };
}

/** `total` in most lists, `total_items` in that of the sites. */
function totalOf(fields: Fields): number | null {
  const pagination = asFields(asFields(fields["meta"])?.["pagination"]) ?? {};
  const total = numberIn(pagination, "total") ?? numberIn(pagination, "total_items");
  return total === undefined || total < 0 ? null : total;
}

function thingOf({ status, body }: ApiAnswer): Fields | null {
  if (status === 204) return null;
  const fields = asFields(body);
  if (fields === null) throw malformed("it is empty").error;
  return fields["data"] === undefined ? fields : asFields(fields["data"]);
}
