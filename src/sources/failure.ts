/**
 * What goes wrong with a source, as failures a person can act on: what to do, and whether trying again can help.
 * Translation happens here once; no connector makes up sentences for a status of its own.
 */
import { AppError, type ErrorCode } from "../errors.ts";
import { FormatError, type FormatErrorKind } from "../lib/formats/format-error.ts";
import type { HttpAnswer } from "../lib/outbound/http-client.ts";
import { HttpFailure, type HttpFailureKind } from "../lib/outbound/http-failure.ts";

export type SourceFailure = {
  readonly error: AppError;
  /**
   * `now`: the same request may work in a moment. `throttled`: it works once we have waited as told. `later`: at the
   * next run. `never`: not before someone acts.
   */
  readonly retry: "now" | "throttled" | "later" | "never";
};

type Meaning = { readonly code: ErrorCode; readonly retry: SourceFailure["retry"]; readonly says: string };

const UNAUTHORIZED: Meaning = {
  code: "source_unauthorized",
  retry: "never",
  says: "It refused the request: check the user name, the password and the headers of the source",
};
const MISSING: Meaning = {
  code: "source_not_found",
  retry: "never",
  says: "There is nothing at this address: check the address of the source",
};
const BUSY: Meaning = {
  code: "source_unavailable",
  retry: "now",
  says: "It asks for fewer requests",
};
const BROKEN: Meaning = { code: "source_unavailable", retry: "now", says: "It has a problem of its own" };
const REFUSED: Meaning = {
  code: "source_unavailable",
  retry: "later",
  says: "It does not serve this request",
};

const STATUSES: Readonly<Record<number, Meaning>> = {
  401: UNAUTHORIZED,
  403: UNAUTHORIZED,
  407: UNAUTHORIZED,
  404: MISSING,
  410: MISSING,
  408: BROKEN,
  425: BUSY,
  429: BUSY,
};

/** The failure of an answer whose status is not one the connector can use. */
export function statusFailure({ status, headers, url }: HttpAnswer, now: Date): SourceFailure {
  const { code, retry, says } = STATUSES[status] ?? (status >= 500 ? BROKEN : REFUSED);
  const retryAfterS = retryAfterSeconds(headers["retry-after"], now);
  const message = `${hostOf(url)} answered with status ${status}. ${says}.`;
  return { error: new AppError(code, message, retryAfterS === null ? {} : { retryAfterS }), retry };
}

const KINDS: Readonly<Record<HttpFailureKind, Pick<Meaning, "code" | "retry">>> = {
  forbidden: { code: "target_forbidden", retry: "never" },
  unreachable: { code: "source_unreachable", retry: "now" },
  // It has had all the time there is; the next sync asks again.
  timeout: { code: "source_timeout", retry: "never" },
  too_large: { code: "source_too_large", retry: "never" },
  redirect: { code: "source_unavailable", retry: "never" },
  incomplete: { code: "source_incomplete", retry: "now" },
};

/** The failure of a request that got no usable answer. The client's sentence is made to be shown, so it is kept. */
export function requestFailure(failure: HttpFailure): SourceFailure {
  const { code, retry } = KINDS[failure.kind];
  return { error: new AppError(code, failure.message, { cause: failure }), retry };
}

const FORMATS: Readonly<Record<FormatErrorKind, ErrorCode>> = {
  too_large: "source_too_large",
  malformed: "source_malformed",
  truncated: "source_incomplete",
  unsupported: "source_not_a_feed",
};

/** The failure of a file that cannot be read to its end. What is already an AppError, or an abort, stays itself. */
export function toSourceError(thrown: unknown): unknown {
  if (thrown instanceof FormatError) {
    return new AppError(FORMATS[thrown.kind], thrown.message, { cause: thrown });
  }
  return thrown instanceof HttpFailure ? requestFailure(thrown).error : thrown;
}

/**
 * Seconds to wait, from either form of `Retry-After` (RFC 9110, 10.2.3), and from the fractions that shops send in
 * spite of it. Null where it says nothing that can be understood.
 */
export function retryAfterSeconds(header: string | undefined, now: Date): number | null {
  const text = header?.trim() ?? "";
  if (/^\d{1,9}(?:\.\d{1,6})?$/.test(text)) return Number(text);
  // Without a time of day it is no date of HTTP's, though Date.parse would make one of many a word and number.
  const at = /\d\d:\d\d:\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now.getTime()) / 1_000));
}

function hostOf(url: string): string {
  const address = URL.parse(url);
  if (address === null) return "The source";
  // An address without a host is a file that ships with the program, or one that the user named.
  return address.host === "" ? url : address.host;
}
