/**
 * What a WooCommerce answer that is no data means: one table by WordPress' own error code, one by status for what
 * stands in front of WordPress. Every text is for the merchant: a sentence that says what is wrong, and one that says
 * what to do. The shop's own words are not repeated: they may be in any language and may echo what we sent.
 */
import { AppError, type ErrorCode } from "../../errors.ts";
import { retryAfterSeconds, type SourceFailure } from "../kit/failure.ts";
import type { ApiAnswer } from "../kit/json-api.ts";
import { isRow, textIn } from "./wire.ts";

export type Meaning = {
  readonly code: ErrorCode;
  readonly retry: SourceFailure["retry"];
  readonly says: string;
};

const REST_API_PAGE = "WooCommerce → Settings → Advanced → REST API";

/** Where the shop does not say which of the two it is. */
const REFUSED_KEY: Meaning = {
  code: "source_unauthorized",
  retry: "never",
  says: `refused the consumer key or its secret: one of them is mistyped, the key was deleted, or its permission is Write only. Enter both again, or make a new key with the permission Read in ${REST_API_PAGE}`,
};
const WRONG_KEY: Meaning = {
  code: "source_unauthorized",
  retry: "never",
  says: `does not know the consumer key: it is mistyped or was deleted. Enter it again, or make a new key in ${REST_API_PAGE}`,
};
const WRONG_SECRET: Meaning = {
  code: "source_unauthorized",
  retry: "never",
  says: `knows the consumer key, but the consumer secret is not the one that belongs to it. Enter the secret again, or make a new key in ${REST_API_PAGE}`,
};
const WRITE_ONLY: Meaning = {
  code: "source_unauthorized",
  retry: "never",
  says: `knows the consumer key and its secret, but the key may only write. Set its permission to Read in ${REST_API_PAGE}`,
};
const PLAIN_LINKS: Meaning = {
  code: "source_unauthorized",
  retry: "never",
  says: "takes no consumer key at this address: WordPress is set to plain permalinks, with which WooCommerce does not look for keys. Choose another structure in Settings → Permalinks of WordPress, or leave key and secret empty",
};
const WRONG_CLOCK: Meaning = {
  code: "source_unauthorized",
  retry: "never",
  says: "refused the time on our signed request: the clock of this machine or of the shop's is wrong by more than 15 minutes. Set the clock that is wrong",
};
const UNSEEN_KEY: Meaning = {
  code: "source_unauthorized",
  retry: "never",
  says: `does not recognize the consumer key: it was deleted, or the shop's web server hides it from WooCommerce. Make a new key in ${REST_API_PAGE}, or ask the shop's host to pass on the Authorization header`,
};
const NO_PERMISSION: Meaning = {
  code: "source_unauthorized",
  retry: "never",
  says: `accepts the consumer key, but the user it belongs to may not read products. Make a new key for a shop manager or administrator in ${REST_API_PAGE}`,
};
const CLOSED_API: Meaning = {
  code: "source_unauthorized",
  retry: "never",
  says: "closes its REST API to us: a security plugin or a coming-soon mode of the shop asks for a login. Allow the routes that begin with wc/ there, or take the shop out of coming-soon mode",
};
const NO_WOOCOMMERCE: Meaning = {
  code: "source_not_found",
  retry: "never",
  says: "has a WordPress, but no WooCommerce answers in it. Check that the WooCommerce plugin is active and that the address is the shop's, with its folder if it has one",
};
const WEB_PASSWORD: Meaning = {
  code: "source_unauthorized",
  retry: "never",
  says: "asks for a user name and password before WordPress is even reached, as staging sites do. Take that protection off for the addresses under /wp-json/, or use the live shop",
};
const BLOCKED: Meaning = {
  code: "source_unavailable",
  retry: "later",
  says: "blocks our requests before WordPress sees them: a firewall (Cloudflare, Wordfence or the host's own) takes us for a robot, and the consumer key is not the problem. Allow the addresses under /wp-json/ there",
};
const NOTHING_HERE: Meaning = {
  code: "source_not_found",
  retry: "never",
  says: "has no WordPress REST API at this address. Enter the address of the shop itself, with its folder if it has one, and not that of one of its pages",
};
const THROTTLED: Meaning = {
  code: "source_unavailable",
  retry: "throttled",
  says: "asks for fewer requests. This is a limit of the shop's host; the next sync tries again",
};
const MAINTENANCE: Meaning = {
  code: "source_unavailable",
  retry: "now",
  says: "is in maintenance or overloaded. Nothing is wrong with the settings; the next sync tries again",
};
const OVERLOADED: Meaning = {
  code: "source_unavailable",
  retry: "now",
  says: "failed while it put its answer together, even a small one: PHP ran out of memory or time, or a plugin crashed. WooCommerce → Status → Logs (fatal-errors) names the culprit",
};
const BAD_REQUEST: Meaning = {
  code: "source_unavailable",
  retry: "later",
  says: "does not take a request that WooCommerce knows. Update WooCommerce, and check for plugins that change its REST API",
};
const NOT_A_LIST: Meaning = {
  code: "source_malformed",
  retry: "now",
  says: "answered with something else where a list was due. A plugin may change the answers of its REST API",
};

/**
 * WooCommerce has one code for every key it refuses, and only its words tell them apart. They are known in English;
 * in any other language the refusal stays as vague as its code.
 */
const BY_REFUSAL: readonly (readonly [RegExp, Meaning])[] = [
  [/^consumer key is invalid/i, WRONG_KEY],
  [/^consumer secret is invalid/i, WRONG_SECRET],
  [/^invalid timestamp/i, WRONG_CLOCK],
  // WC_REST_Authentication::check_permissions
  [/does not have read permissions/i, WRITE_ONLY],
];

/** By the `code` of a WordPress error; those that mean different things by status are in `meaningOf`. */
const BY_CODE: Readonly<Record<string, Meaning>> = {
  rest_no_route: NO_WOOCOMMERCE,
  rest_invalid_param: BAD_REQUEST,
  rest_invalid_json: BAD_REQUEST,
};

/** By status, where no WordPress error was sent: the answer is not WordPress'. */
const BY_STATUS: Readonly<Record<number, Meaning>> = {
  401: WEB_PASSWORD,
  403: BLOCKED,
  404: NOTHING_HERE,
  405: BLOCKED,
  406: BLOCKED,
  410: NOTHING_HERE,
  429: THROTTLED,
  500: OVERLOADED,
  502: OVERLOADED,
  503: MAINTENANCE,
  504: OVERLOADED,
  // Shared hosts: the account has used up its share. Cloudflare: the shop behind it does not answer.
  508: MAINTENANCE,
  520: MAINTENANCE,
  521: MAINTENANCE,
  522: MAINTENANCE,
  523: MAINTENANCE,
  524: OVERLOADED,
};

export const MEANINGS = { UNSEEN_KEY, PLAIN_LINKS, NO_WOOCOMMERCE, NOTHING_HERE, NOT_A_LIST } as const;

/** Every sentence there is; the document for merchants is checked against it. */
export const ALL_MEANINGS: readonly Meaning[] = [
  ...new Set([
    ...Object.values(BY_CODE),
    ...Object.values(BY_STATUS),
    ...Object.values(MEANINGS),
    ...BY_REFUSAL.map(([, meaning]) => meaning),
    REFUSED_KEY,
    NO_PERMISSION,
    CLOSED_API,
  ]),
];

/** The failure of an answer, or null for one that is usable or whose status says all there is. */
export function wooFailure(answer: ApiAnswer, host: string): SourceFailure | null {
  if (answer.status >= 200 && answer.status <= 299) return null;
  const meaning = meaningOf(answer);
  return meaning === null ? null : failureOf(meaning, host, answer);
}

function meaningOf({ status, headers, body }: ApiAnswer): Meaning | null {
  if (headers["cf-mitigated"] === "challenge") return BLOCKED;
  const error = isRow(body) ? body : {};
  const code = textIn(error, "code");
  if (code === undefined || status >= 429) return BY_STATUS[status] ?? null;
  if (code === "woocommerce_rest_authentication_error") return keyMeaning(textIn(error, "message") ?? "");
  return BY_CODE[code] ?? refusalMeaning(status, code);
}

function keyMeaning(words: string): Meaning {
  return BY_REFUSAL.find(([pattern]) => pattern.test(words))?.[1] ?? REFUSED_KEY;
}

/** WordPress says 401 to a stranger and 403 to a user who may not (rest_authorization_required_code). */
function refusalMeaning(status: number, code: string): Meaning | null {
  if (status !== 401 && status !== 403) return null;
  if (!code.startsWith("woocommerce_rest_cannot_")) return CLOSED_API;
  return status === 401 ? UNSEEN_KEY : NO_PERMISSION;
}

export function failureOf(
  { code, retry, says }: Meaning,
  host: string,
  answer?: Pick<ApiAnswer, "status" | "headers">,
): SourceFailure {
  const retryAfterS = answer === undefined ? null : retryAfter(answer.headers);
  const extras = retryAfterS === null ? {} : { retryAfterS };
  const status = answer === undefined ? "" : ` (status ${answer.status})`;
  const error = isHeavy(answer?.status)
    ? new HeavyAnswer(code, `${host} ${says}${status}.`, extras)
    : new AppError(code, `${host} ${says}${status}.`, extras);
  return { error, retry: retryAfterS !== null && retry === "now" ? "throttled" : retry };
}

/** The host may manage a smaller page: these statuses are what PHP out of memory or time looks like. */
export class HeavyAnswer extends AppError {}

function isHeavy(status: number | undefined): boolean {
  return status !== undefined && [500, 502, 504, 524].includes(status);
}

/** From the usual header or the Store API's own. */
function retryAfter(headers: ApiAnswer["headers"]): number | null {
  return retryAfterSeconds(headers["retry-after"] ?? headers["ratelimit-retry-after"], new Date());
}
