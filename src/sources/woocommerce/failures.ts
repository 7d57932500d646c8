/**
 * What an answer with an error status means to a merchant: by the error code of WordPress, or by the status if
 * something in front of WordPress answers. The shop's own text is not repeated: it may be in any language, and may
 * contain what we sent. Messages follow the name of the host.
 */
import { type FailureRule, failureRules, retryAfterSeconds, ruleFailure } from "../kit/failure.ts";
import type { SourceFailure } from "../kit/failure.ts";
import { textIn, toObject } from "../kit/json.ts";
import type { ApiAnswer } from "../kit/json-api.ts";
import { ownValue } from "../../lib/own-value.ts";

const REST_API_PAGE = "WooCommerce → Settings → Advanced → REST API";

export const RULES = {
  ...failureRules("source_unauthorized", "never", {
    /** If the shop does not say which of the two is wrong. */
    refusedKey: `refused the consumer key or its secret: one of them is mistyped, the key was deleted, or its permission is Write only. Enter both again, or create a new key with the permission Read in ${REST_API_PAGE}`,
    wrongKey: `does not know the consumer key: it is mistyped or was deleted. Enter it again, or create a new key in ${REST_API_PAGE}`,
    wrongSecret: `knows the consumer key, but the consumer secret is not the one that belongs to it. Enter the secret again, or create a new key in ${REST_API_PAGE}`,
    writeOnly: `knows the consumer key and its secret, but the key may only write. Set its permission to Read in ${REST_API_PAGE}`,
    unseenKey: `does not recognize the consumer key: it was deleted, or the shop's web server hides it from WooCommerce. Create a new key in ${REST_API_PAGE}, or ask the shop's host to pass on the Authorization header`,
    noPermission: `accepts the consumer key, but the user it belongs to may not read products. Create a new key for a shop manager or administrator in ${REST_API_PAGE}`,
    plainPermalinks:
      "accepts no consumer key at this address: WordPress is set to plain permalinks, with which WooCommerce does not look for keys. Choose another structure in Settings → Permalinks of WordPress, or leave key and secret empty",
    wrongClock:
      "refused the time on our signed request: the clock of this machine or of the shop's is wrong by more than 15 minutes. Set the clock that is wrong",
    closedApi:
      "closes its REST API to us: a security plugin or a coming-soon mode of the shop requires a login. Allow the routes that begin with wc/ there, or take the shop out of coming-soon mode",
    webPassword:
      "asks for a user name and password before WordPress is even reached, as staging sites do. Remove that protection for the addresses under /wp-json/, or use the live shop",
  }),
  ...failureRules("source_not_found", "never", {
    noWooCommerce:
      "has a WordPress, but no WooCommerce answers in it. Check that the WooCommerce plugin is active and that the address is the shop's, with its folder if it has one",
    noApi:
      "has no WordPress REST API at this address. Enter the address of the shop itself, with its folder if it has one, and not that of one of its pages",
  }),
  ...failureRules("source_unavailable", "later", {
    blocked:
      "blocks our requests before WordPress sees them: a firewall (Cloudflare, Wordfence or the host's own) mistakes us for a bot, and the consumer key is not the problem. Allow the addresses under /wp-json/ there",
    badRequest:
      "refuses a request that WooCommerce supports. Update WooCommerce, and check for plugins that change its REST API",
  }),
  ...failureRules("source_unavailable", "throttled", {
    throttled: "asks for fewer requests. This is a limit of the shop's host; the next sync tries again",
  }),
  ...failureRules("source_unavailable", "now", {
    maintenance:
      "is in maintenance or overloaded. Nothing is wrong with the settings; the next sync tries again",
    crashed:
      "failed while it built its answer, even a small one: PHP ran out of memory or time, or a plugin crashed. WooCommerce → Status → Logs (fatal-errors) names the cause",
  }),
  ...failureRules("source_malformed", "now", {
    notAList: "did not answer with a list. A plugin may change the answers of its REST API",
  }),
};

/**
 * WooCommerce has one code for every key that it refuses, and only the message tells which problem it is. The messages
 * are known in English; in any other language the failure stays as general as its code.
 */
const KEY_MESSAGES: readonly (readonly [RegExp, FailureRule])[] = [
  [/^consumer key is invalid/i, RULES.wrongKey],
  [/^consumer secret is invalid/i, RULES.wrongSecret],
  [/^invalid timestamp/i, RULES.wrongClock],
  // WC_REST_Authentication::check_permissions
  [/does not have read permissions/i, RULES.writeOnly],
];

/** By the `code` of a WordPress error. Codes that depend on the status are in `refusalRule`. */
const CODES: Readonly<Record<string, FailureRule>> = {
  rest_no_route: RULES.noWooCommerce,
  rest_invalid_param: RULES.badRequest,
  rest_invalid_json: RULES.badRequest,
};

/** Without a WordPress error: something in front of WordPress answers. */
const STATUSES: readonly (readonly [rule: FailureRule, ...statuses: number[]])[] = [
  [RULES.webPassword, 401],
  [RULES.blocked, 403, 405, 406],
  [RULES.noApi, 404, 410],
  [RULES.throttled, 429],
  [RULES.crashed, 500, 502, 504, 524],
  // 508: the account has used up its share of a shared host. 520 to 523: Cloudflare gets no answer from the shop.
  [RULES.maintenance, 503, 508, 520, 521, 522, 523],
];

/** The failure of an answer; null if it is usable, or if its status says everything. */
export function wooFailure(answer: ApiAnswer, host: string): SourceFailure | null {
  if (answer.status >= 200 && answer.status <= 299) return null;
  const rule = ruleOf(answer);
  return rule === null ? null : failureOf(rule, host, answer);
}

function ruleOf({ status, headers, body }: ApiAnswer): FailureRule | null {
  if (headers["cf-mitigated"] === "challenge") return RULES.blocked;
  const error = toObject(body);
  const code = textIn(error, "code");
  if (code === undefined || status >= 429) {
    return STATUSES.find(([, ...statuses]) => statuses.includes(status))?.[0] ?? null;
  }
  if (code === "woocommerce_rest_authentication_error") return keyRule(textIn(error, "message") ?? "");
  return ownValue(CODES, code) ?? refusalRule(status, code);
}

function keyRule(message: string): FailureRule {
  return KEY_MESSAGES.find(([pattern]) => pattern.test(message))?.[1] ?? RULES.refusedKey;
}

/** WordPress answers 401 without a user and 403 to a user without the permission (rest_authorization_required_code). */
function refusalRule(status: number, code: string): FailureRule | null {
  if (status !== 401 && status !== 403) return null;
  if (!code.startsWith("woocommerce_rest_cannot_")) return RULES.closedApi;
  return status === 401 ? RULES.unseenKey : RULES.noPermission;
}

export function failureOf(
  rule: FailureRule,
  host: string,
  answer?: Pick<ApiAnswer, "status" | "headers">,
): SourceFailure {
  const { status, headers = {} } = answer ?? {};
  // The second header is the Store API's.
  const header = headers["retry-after"] ?? headers["ratelimit-retry-after"];
  const retryAfterS = retryAfterSeconds(header, new Date());
  const retry = retryAfterS !== null && rule.retry === "now" ? "throttled" : rule.retry;
  return ruleFailure({ ...rule, retry, message: `${host} ${rule.message}` }, { status, retryAfterS });
}
