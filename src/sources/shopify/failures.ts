/**
 * What refusals of Shopify mean: what is wrong, what to do, and whether a retry helps. A status of 200 does not mean
 * success, and `errors` is a text in some answers and a list in others. Answers without a rule here (500 and above,
 * broken connections, web pages) are judged by the kit.
 */
import { isJsonObject, type JsonObject } from "../../lib/json-object.ts";
import {
  type FailureRule,
  failureRule,
  platformRules,
  retryAfterSeconds,
  ruleFailure,
  type SourceFailure,
} from "../kit/failure.ts";
import type { ApiAnswer } from "../kit/json-api.ts";
import { objectIn, objectsIn, textIn, toObject } from "../kit/json.ts";
import { API_VERSION } from "./queries.ts";
import { costOf, waitForPoints } from "./query-cost.ts";
import type { ShopifyCredentials } from "./settings.ts";
import { ownValue } from "../../lib/own-value.ts";

type Rules<Key extends string | number> = Readonly<Record<Key, FailureRule>>;

const unauthorized = (message: string): FailureRule => failureRule("source_unauthorized", "never", message);
const unavailable = (retry: SourceFailure["retry"], message: string): FailureRule =>
  failureRule("source_unavailable", retry, message);

const THROTTLED = unavailable(
  "throttled",
  "Shopify asks for fewer requests, for longer than we wait. The same app may be in use elsewhere; the next sync tries again",
);

export const STATUS_FAILURES: Rules<number> = {
  401: unauthorized(
    "Shopify does not know the access token: it is mistyped, was revoked, or the app was uninstalled. Copy the token again or install the app again, and enter it in the source's settings",
  ),
  402: unavailable(
    "later",
    "The shop is frozen because of an unpaid Shopify bill. Once the bill is paid, the next sync reads it again",
  ),
  403: unauthorized(
    "Shopify refuses the app access to this shop. Check that the app is installed on this shop and has the scope read_products",
  ),
  404: failureRule(
    "source_not_found",
    "never",
    "There is no shop of this name at Shopify. Check the setting shop: it is the name under myshopify.com, not the domain customers see",
  ),
  423: unavailable(
    "later",
    "Shopify has locked the shop, after too many requests or for a review. Ask Shopify's support; the next sync tries again",
  ),
  429: THROTTLED,
  430: unavailable(
    "never",
    "Shopify's protection refused the request as suspicious. Ask Shopify's support whether this server's address is blocked",
  ),
};

export const GRAPHQL_FAILURES: Rules<string> = {
  THROTTLED,
  ACCESS_DENIED: unauthorized(
    "The app lacks the scope {scope}. Add this scope to its configuration, release the new version, and approve or install it again on the shop",
  ),
  SHOP_INACTIVE: unavailable(
    "later",
    "The shop is closed or paused at Shopify. Once it is open again, the next sync reads it",
  ),
  MAX_COST_EXCEEDED: unavailable(
    "never",
    "Shopify finds even the smallest query for a product too costly. List fewer metafields in the source's settings",
  ),
  INTERNAL_SERVER_ERROR: platformRules("Shopify", "shopifystatus.com").broken,
  TIMEOUT: unavailable("now", "Shopify took too long to answer. The next sync tries again"),
};

/** Refusals of the token request, by the code in the answer. */
export const GRANT_FAILURES: Rules<string> = {
  invalid_client: unauthorized(
    "Shopify does not know this client id and secret. Copy both again from the app's settings in the Dev Dashboard",
  ),
  application_cannot_be_found: unauthorized(
    "Shopify knows no app with this client id. Copy it again from the app's settings in the Dev Dashboard",
  ),
  shop_not_permitted: unauthorized(
    "The app may not request tokens for this shop: app and shop must belong to the same organization. Create the app in the organization that owns the shop and install it there",
  ),
  app_not_installed: unauthorized(
    "The app is not installed on this shop. Install it from the Dev Dashboard, then try again",
  ),
};

/** Failures without a code. */
export const OTHER_FAILURES = {
  /** A token that was just granted is refused: the settings have no access token to enter again. */
  app_revoked: unauthorized(
    "Shopify gives a token for the client id and secret, but does not accept it on this shop: the app was uninstalled from the shop, or its access was revoked. Install the app again from the Dev Dashboard; if its client secret was rotated, enter the new one in client_secret",
  ),
  /** Errors without a known code: the query itself was not understood. */
  not_understood: failureRule(
    "source_malformed",
    "never",
    `Shopify did not understand our query, which is written for API version ${API_VERSION}; it answered with version {version}. Update this program, or report it to us`,
  ),
  no_data: failureRule(
    "source_malformed",
    "now",
    "Shopify answered without data and without an error. The next sync tries again; if a proxy is in between, check the setting base_url",
  ),
  grant_refused: unauthorized(
    "Shopify gave no token for the client id and secret. Check both, and that the app is installed on this shop and belongs to the same organization",
  ),
} as const satisfies Rules<string>;

/** Judges an answer of the Admin API. `handled`: the error codes that the caller handles itself. */
export function judgeAdmin(
  answer: ApiAnswer,
  handled: readonly string[],
  credentials: ShopifyCredentials["kind"] = "token",
): "usable" | SourceFailure | null {
  const { status, body } = answer;
  const isAppRefused = status === 401 && credentials === "app";
  const rule = isAppRefused ? OTHER_FAILURES.app_revoked : STATUS_FAILURES[status];
  if (rule !== undefined) return failed(rule, answer);
  if (status < 200 || status > 299 || !isJsonObject(body)) return null;
  const errors = errorsOf(body);
  if (errors.length > 0) return judgeErrors(errors, answer, handled);
  return isJsonObject(body["data"]) ? "usable" : failed(OTHER_FAILURES.no_data, answer);
}

function judgeErrors(
  errors: readonly JsonObject[],
  answer: ApiAnswer,
  handled: readonly string[],
): "usable" | SourceFailure {
  const codes = errors.map(errorCode);
  if (codes.some((code) => handled.includes(code))) return "usable";
  const code = codes.find((candidate) => candidate !== NOT_UNDERSTOOD) ?? NOT_UNDERSTOOD;
  return failed(GRAPHQL_FAILURES[code] ?? OTHER_FAILURES.not_understood, answer, errors[codes.indexOf(code)]);
}

/** Statuses that mean the same for the token request; all others there are about the client id and secret. */
const SHARED_STATUSES: ReadonlySet<number> = new Set([402, 404, 423, 429, 430]);

/** Judges the answer to a token request. */
export function judgeGrant(answer: ApiAnswer): "usable" | SourceFailure | null {
  const { status, body } = answer;
  if (status >= 500 || status === 408) return null;
  if (status >= 400) {
    const shared = SHARED_STATUSES.has(status) ? STATUS_FAILURES[status] : undefined;
    const rule = ownValue(GRANT_FAILURES, textIn(toObject(body), "error") ?? "") ?? shared;
    return failed(rule ?? OTHER_FAILURES.grant_refused, answer);
  }
  if (!isJsonObject(body)) return null;
  return textIn(body, "access_token") === undefined ? failed(OTHER_FAILURES.grant_refused, answer) : "usable";
}

/** Stands for every code by which Shopify refuses a query that names something unknown. */
export const NOT_UNDERSTOOD = "NOT_UNDERSTOOD";

/** The code of the first error of an answer; null if it has none. */
export function refusalOf(body: JsonObject): string | null {
  const [error] = errorsOf(body);
  return error === undefined ? null : errorCode(error);
}

function errorCode(error: JsonObject): string {
  const code = textIn(objectIn(error, "extensions"), "code") ?? "";
  return Object.hasOwn(GRAPHQL_FAILURES, code) ? code : NOT_UNDERSTOOD;
}

function errorsOf(body: JsonObject): readonly JsonObject[] {
  const { errors } = body;
  if (typeof errors === "string") return [{ message: errors }];
  return isJsonObject(errors) ? [errors] : objectsIn(body, "errors");
}

/** Fills in `{scope}` and `{version}`. The wait is in a header, or follows from the points that are missing. */
function failed(rule: FailureRule, { headers, body }: ApiAnswer, error: JsonObject = {}): SourceFailure {
  const message = rule.message
    .replace("{scope}", scopeOf(error))
    .replace("{version}", headers["x-shopify-api-version"] ?? "an unknown one");
  const cost = costOf(body);
  const waitMs = cost === null ? 0 : waitForPoints(cost.requested, cost.points, 0);
  const retryAfterS =
    retryAfterSeconds(headers["retry-after"], new Date()) ?? (waitMs > 0 ? waitMs / 1_000 : null);
  return ruleFailure({ ...rule, message }, { retryAfterS });
}

/** The scope that is missing: Shopify names it in one of two places. */
function scopeOf(error: JsonObject): string {
  const access = textIn(objectIn(error, "extensions"), "requiredAccess") ?? "";
  const scope = /\b(?:read|write)_[a-z_]+\b/.exec(`${access} ${textIn(error, "message") ?? ""}`);
  return scope?.[0] ?? "read_products";
}
