/**
 * What BigCommerce's refusals mean to a merchant: one table from status to failure. A missing permission is told by
 * its name in the control panel. No sentence repeats an address, a token or anything the shop sent.
 */
import { AppError, type ErrorCode } from "../../errors.ts";
import type { SourceFailure } from "../failure.ts";
import type { ApiAnswer } from "../json-api.ts";

/** A permission of an API account: as the control panel names it, and as the API does. */
export type Permission = { readonly label: string; readonly scope: string };

export const PERMISSIONS = {
  products: { label: "Products", scope: "store_v2_products_read_only" },
  information: { label: "Information & Settings", scope: "store_v2_information_read_only" },
  sites: { label: "Sites & Routes", scope: "store_sites_read_only" },
  channels: { label: "Channel Settings", scope: "store_channel_settings_read_only" },
} as const satisfies Record<string, Permission>;

/** The cause of a failure that came with an answer, for who must tell one status from another. */
export class RefusedAnswer extends Error {
  override readonly name = "RefusedAnswer";
  readonly status: number;

  constructor(status: number) {
    super(`BigCommerce answered with status ${status}.`);
    this.status = status;
  }
}

type Meaning = {
  readonly code: ErrorCode;
  readonly retry: SourceFailure["retry"];
  readonly says: string;
};

const OURS: Meaning = {
  code: "source_unavailable",
  retry: "later",
  says: "BigCommerce did not accept our request. This is a fault of this program, not of your shop: update it, or report the status",
};
const LOCKED: Meaning = {
  code: "source_unavailable",
  retry: "later",
  says: "The shop is locked for the moment, by an import or a change of its plan. Nothing needs to be done: the next sync tries again",
};
const BROKEN: Meaning = {
  code: "source_unavailable",
  retry: "now",
  says: "BigCommerce has a problem of its own. See status.bigcommerce.com; the next sync tries again",
};
const BUSY: Meaning = {
  code: "source_unavailable",
  retry: "now",
  says: "BigCommerce is overloaded and asks for fewer requests. Nothing needs to be done: the next sync tries again",
};

export const STATUS_MEANINGS: Readonly<Record<number, Meaning>> = {
  400: OURS,
  401: {
    code: "source_unauthorized",
    retry: "never",
    says: "BigCommerce does not know the access token: it is mistyped, or its API account was deleted. Create a store-level API account and put its access token into the source",
  },
  404: {
    code: "source_not_found",
    retry: "never",
    says: "BigCommerce knows no store with this store hash. Compare store_hash with the API path of your API account",
  },
  405: OURS,
  406: OURS,
  409: LOCKED,
  413: OURS,
  415: OURS,
  422: OURS,
  423: LOCKED,
  503: {
    code: "source_unavailable",
    retry: "now",
    says: "The shop is down for maintenance, being upgraded, or suspended by BigCommerce. Look into your control panel; the next sync tries again",
  },
};

/** The first call of every read and test: only here a 404 means that there is no such store. */
export const STORE_PATH = "v2/store";

/** What is wrong with an answer that was refused, for a call to this path that needs this permission. */
export function refusal(
  { status, headers }: ApiAnswer,
  { path, needs }: { readonly path: string; readonly needs: Permission },
): SourceFailure {
  if (status === 403) return failure(status, missing(needs));
  if (status === 404 && path !== STORE_PATH) return failure(status, noRoute(path));
  if (status === 429) return tooMany(headers);
  return failure(status, STATUS_MEANINGS[status] ?? (status >= 500 ? BROKEN : OURS));
}

/** The store is there, what was asked for is not. */
function noRoute(path: string): Meaning {
  return {
    code: "source_not_found",
    retry: "never",
    says: `The store hash is right, but BigCommerce has nothing at ${path.replace(/\/\d+/g, "/…")} of this store. If base_url is set, check that it passes this address on; otherwise report it to us`,
  };
}

function missing({ label, scope }: Permission): Meaning {
  return {
    code: "source_unauthorized",
    retry: "never",
    says: `The access token lacks the permission "${label}: read-only" (${scope}), or is of another store than the store hash. Permissions cannot be added later: create a new API account with it and put its access token into the source`,
  };
}

/** With a quota in its headers, the shop says when to come back. Without, the platform is overloaded: ever slower. */
function tooMany(headers: ApiAnswer["headers"]): SourceFailure {
  const waitS = secondsToWait(headers);
  if (waitS === null) return failure(429, BUSY);
  const says =
    "The shop's quota of API requests is used up, by us or by other apps. Nothing needs to be done: the next sync tries again";
  return failure(429, { code: "source_unavailable", retry: "throttled", says }, waitS);
}

function secondsToWait(headers: ApiAnswer["headers"]): number | null {
  const resetMs = headerNumber(headers, "x-rate-limit-time-reset-ms");
  if (resetMs !== null) return Math.ceil(resetMs / 1_000);
  return headerNumber(headers, "x-retry-after") ?? headerNumber(headers, "retry-after");
}

/** A header that holds a whole number from zero up; null for any other. */
export function headerNumber(headers: ApiAnswer["headers"], name: string): number | null {
  const text = headers[name]?.trim() ?? "";
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}

/** For a caller that could have lived without the answer, but not without the permission. */
export function lacking(needed: Permission): AppError {
  return failure(403, missing(needed)).error;
}

function failure(status: number, { code, retry, says }: Meaning, retryAfterS?: number): SourceFailure {
  const cause = new RefusedAnswer(status);
  const message = `${says} (status ${status}).`;
  return {
    error: new AppError(code, message, retryAfterS === undefined ? { cause } : { cause, retryAfterS }),
    retry,
  };
}

/** An answer that is JSON, but not what the API's documents promise. */
export function malformed(what: string): SourceFailure {
  const message = `BigCommerce's answer is not what its API promises: ${what}. If base_url is set, check it; otherwise the next sync tries again.`;
  return { error: new AppError("source_malformed", message), retry: "now" };
}
