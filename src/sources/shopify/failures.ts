/**
 * What Shopify's refusals mean, each in one row: whose fault it is, what to do, and whether asking again helps.
 * A status of 200 does not mean success, and `errors` is a text in some answers and a list in others. What has no
 * row here (500 and above, broken connections, web pages) is judged for all sources alike.
 */
import { type FailureRule, retryAfterSeconds, ruleFailure, type SourceFailure } from "../kit/failure.ts";
import type { ApiAnswer } from "../kit/json-api.ts";
import { isJsonObject, type JsonObject, objectIn, objectsIn, numberIn, textIn } from "../kit/json.ts";
import { API_VERSION } from "./queries.ts";
import type { Credentials } from "./settings.ts";

export const STATUS_FAILURES: Readonly<Record<number, FailureRule>> = {
  401: {
    code: "source_unauthorized",
    retry: "never",
    message:
      "Shopify does not know the access token: it is mistyped, was taken back, or the app was uninstalled. Copy the token again or install the app again, and enter it in the source's settings",
  },
  402: {
    code: "source_unavailable",
    retry: "later",
    message:
      "The shop is frozen because of an unpaid Shopify bill. Once the bill is paid, the next sync reads it again",
  },
  403: {
    code: "source_unauthorized",
    retry: "never",
    message:
      "Shopify refuses the app access to this shop. Check that the app is installed on this very shop and has the scope read_products",
  },
  404: {
    code: "source_not_found",
    retry: "never",
    message:
      "There is no shop of this name at Shopify. Check the setting shop: it is the name under myshopify.com, not the domain customers see",
  },
  423: {
    code: "source_unavailable",
    retry: "later",
    message:
      "Shopify has locked the shop, after too many requests or for a review. Ask Shopify's support; the next sync tries again",
  },
  429: {
    code: "source_unavailable",
    retry: "throttled",
    message:
      "Shopify asks for fewer requests, for longer than we wait. The same app may be in use elsewhere; the next sync tries again",
  },
  430: {
    code: "source_unavailable",
    retry: "never",
    message:
      "Shopify's protection refused the request as suspicious. Ask Shopify's support whether this server's address is blocked",
  },
};

export const GRAPHQL_FAILURES: Readonly<Record<string, FailureRule>> = {
  THROTTLED: {
    code: "source_unavailable",
    retry: "throttled",
    message:
      "Shopify asks for fewer requests, for longer than we wait. The same app may be in use elsewhere; the next sync tries again",
  },
  ACCESS_DENIED: {
    code: "source_unauthorized",
    retry: "never",
    message:
      "The app lacks the scope {scope}. Give it this scope in its configuration, release the new version, and approve or install it again on the shop",
  },
  SHOP_INACTIVE: {
    code: "source_unavailable",
    retry: "later",
    message: "The shop is closed or paused at Shopify. Once it is open again, the next sync reads it",
  },
  MAX_COST_EXCEEDED: {
    code: "source_unavailable",
    retry: "never",
    message:
      "Shopify finds even the smallest question about a product too costly. Name fewer metafields in the source's settings",
  },
  INTERNAL_SERVER_ERROR: {
    code: "source_unavailable",
    retry: "now",
    message: "Shopify has a problem of its own. The next sync tries again",
  },
  TIMEOUT: {
    code: "source_unavailable",
    retry: "now",
    message: "Shopify took too long to answer. The next sync tries again",
  },
};

/** What the token request is refused with, by the word in the answer. */
export const GRANT_FAILURES: Readonly<Record<string, FailureRule>> = {
  invalid_client: {
    code: "source_unauthorized",
    retry: "never",
    message:
      "Shopify does not know this client id and secret. Copy both again from the app's settings in the Dev Dashboard",
  },
  application_cannot_be_found: {
    code: "source_unauthorized",
    retry: "never",
    message:
      "Shopify knows no app with this client id. Copy it again from the app's settings in the Dev Dashboard",
  },
  shop_not_permitted: {
    code: "source_unauthorized",
    retry: "never",
    message:
      "The app may not ask for tokens on this shop: app and shop must belong to the same organization. Make the app in the organization that owns the shop and install it there",
  },
  app_not_installed: {
    code: "source_unauthorized",
    retry: "never",
    message: "The app is not installed on this shop. Install it from the Dev Dashboard, then try again",
  },
};

/** What no code names. */
export const OTHER_FAILURES = {
  /** A token that was granted a moment ago is refused: the settings have no access token to enter again. */
  app_revoked: {
    code: "source_unauthorized",
    retry: "never",
    message:
      "Shopify gives a token for the client id and secret, but does not accept it on this shop: the app was uninstalled from the shop, or its access was revoked. Install the app again from the Dev Dashboard; if its client secret was rotated, enter the new one in client_secret",
  },
  /** Errors without a known code: the question itself was not understood. */
  not_understood: {
    code: "source_malformed",
    retry: "never",
    message: `Shopify did not understand our question, which is written for API version ${API_VERSION}; it answered with version {version}. Update this program, or report it to its makers`,
  },
  no_data: {
    code: "source_malformed",
    retry: "now",
    message:
      "Shopify answered without data and without saying why. The next sync tries again; if a proxy stands in between, check the setting base_url",
  },
  grant_refused: {
    code: "source_unauthorized",
    retry: "never",
    message:
      "Shopify gave no token for the client id and secret. Check both, and that the app is installed on this shop and belongs to the same organization",
  },
} as const satisfies Record<string, FailureRule>;

/** An answer of the Admin API. `handled` are the codes that the caller deals with itself. */
export function judgeAdmin(
  answer: ApiAnswer,
  handled: readonly string[],
  credentials: Credentials["kind"] = "token",
): "usable" | SourceFailure | null {
  const isAppRefused = answer.status === 401 && credentials === "app";
  const known = isAppRefused ? OTHER_FAILURES.app_revoked : STATUS_FAILURES[answer.status];
  if (known !== undefined) return failed(known, answer);
  if (answer.status < 200 || answer.status > 299 || !isJsonObject(answer.body)) return null;
  const errors = errorsOf(answer.body);
  if (errors.length > 0) return judgeErrors(errors, answer, handled);
  return isJsonObject(answer.body["data"]) ? "usable" : failed(OTHER_FAILURES.no_data, answer);
}

/** Statuses that mean the same where tokens are given; all others there are about the client id and secret. */
const SHARED_STATUSES: ReadonlySet<number> = new Set([402, 404, 423, 429, 430]);

/** An answer of the address that gives tokens. */
export function judgeGrant(answer: ApiAnswer): "usable" | SourceFailure | null {
  const { status } = answer;
  if (status >= 500 || status === 408) return null;
  if (status >= 400) return failed(grantRefusal(answer), answer);
  // A web page in place of a token is judged as everywhere.
  if (!isJsonObject(answer.body)) return null;
  return textIn(answer.body, "access_token") === undefined
    ? failed(OTHER_FAILURES.grant_refused, answer)
    : "usable";
}

function grantRefusal({ status, body }: ApiAnswer): FailureRule {
  const named = isJsonObject(body) ? GRANT_FAILURES[textIn(body, "error") ?? ""] : undefined;
  return (
    named ??
    (SHARED_STATUSES.has(status) ? STATUS_FAILURES[status] : undefined) ??
    OTHER_FAILURES.grant_refused
  );
}

/** Stands for every code by which Shopify says that a question names what it does not know. */
export const NOT_UNDERSTOOD = "NOT_UNDERSTOOD";

/** Why an answer has no data, though it was let through because the caller handles that; null if it has. */
export function refusalOf(body: JsonObject): string | null {
  const [error] = errorsOf(body);
  return error === undefined ? null : refusalCode(error);
}

function refusalCode(error: JsonObject): string {
  const code = textIn(objectIn(error, "extensions"), "code") ?? "";
  return Object.hasOwn(GRAPHQL_FAILURES, code) ? code : NOT_UNDERSTOOD;
}

function judgeErrors(
  errors: readonly JsonObject[],
  answer: ApiAnswer,
  handled: readonly string[],
): "usable" | SourceFailure {
  const codes = errors.map(refusalCode);
  if (codes.some((code) => handled.includes(code))) return "usable";
  const code = codes.find((candidate) => candidate !== NOT_UNDERSTOOD) ?? NOT_UNDERSTOOD;
  return failed(GRAPHQL_FAILURES[code] ?? OTHER_FAILURES.not_understood, answer, errors[codes.indexOf(code)]);
}

/** A list of objects, whichever way they were sent. */
function errorsOf(body: JsonObject): readonly JsonObject[] {
  const { errors } = body;
  if (typeof errors === "string") return [{ message: errors }];
  if (isJsonObject(errors)) return [errors];
  return objectsIn(body, "errors");
}

/** `{scope}` and `{version}` in the message are filled in. */
function failed(rule: FailureRule, answer: ApiAnswer, error: JsonObject = {}): SourceFailure {
  const message = rule.message
    .replace("{scope}", scopeOf(error))
    .replace("{version}", answer.headers["x-shopify-api-version"] ?? "an unknown one");
  return ruleFailure({ ...rule, message }, { retryAfterS: waitOf(answer) });
}

/** The scope that an access error asks for: Shopify names it in one of two places. */
function scopeOf(error: JsonObject): string {
  const named = `${textIn(objectIn(error, "extensions"), "requiredAccess") ?? ""} ${textIn(error, "message") ?? ""}`;
  return /\b(?:read|write)_[a-z_]+\b/.exec(named)?.[0] ?? "read_products";
}

/** Seconds to wait, from the header or from the points that are missing. */
function waitOf({ headers, body }: ApiAnswer): number | null {
  const asked = retryAfterSeconds(headers["retry-after"], new Date());
  if (asked !== null || !isJsonObject(body)) return asked;
  const cost = objectIn(objectIn(body, "extensions"), "cost");
  const status = objectIn(cost, "throttleStatus");
  const restoreRate = numberIn(status, "restoreRate") ?? 0;
  const missing = (numberIn(cost, "requestedQueryCost") ?? 0) - (numberIn(status, "currentlyAvailable") ?? 0);
  return restoreRate > 0 && missing > 0 ? missing / restoreRate : null;
}
