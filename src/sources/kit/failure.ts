/**
 * Failures of sources: what is wrong, what to do, and whether a retry can help. What applies to every source is here; a
 * connector has a table of `FailureRule` for what its platform answers.
 */
import { AppError, type ErrorCode } from "../../errors.ts";
import { FormatError, type FormatErrorKind } from "../../lib/formats/format-error.ts";
import type { HttpAnswer } from "../../lib/outbound/http-client.ts";
import { HttpFailure, type HttpFailureKind } from "../../lib/outbound/http-failure.ts";

export type SourceFailure = {
  readonly error: AppError;
  /**
   * `now`: the same request may work in a moment. `throttled`: it works after the wait that the shop asks for.
   * `later`: at the next run. `never`: not before someone acts.
   */
  readonly retry: "now" | "throttled" | "later" | "never";
};

/** One row of a table of failures. The message has no full stop at its end: the status may follow. */
export type FailureRule = {
  readonly code: ErrorCode;
  readonly retry: SourceFailure["retry"];
  readonly message: string;
};

export function failureRule(code: ErrorCode, retry: SourceFailure["retry"], message: string): FailureRule {
  return { code, retry, message };
}

/** Rules by name that have code and retry in common. */
export function failureRules<Name extends string>(
  code: ErrorCode,
  retry: SourceFailure["retry"],
  messages: Readonly<Record<Name, string>>,
): Readonly<Record<Name, FailureRule>> {
  const rules = Object.entries<string>(messages).map(([name, message]) => [name, { code, retry, message }]);
  return Object.fromEntries(rules) as Readonly<Record<Name, FailureRule>>;
}

/** Failures that every platform has. `statusPage`: where the platform reports its outages. */
export function platformRules(platform: string, statusPage: string) {
  const unavailable = (retry: SourceFailure["retry"], message: string): FailureRule =>
    failureRule("source_unavailable", retry, message);
  return {
    internal: unavailable(
      "later",
      `${platform} did not accept our request. This is a fault of this program, not of your shop: update it, or report the status`,
    ),
    broken: unavailable(
      "now",
      `${platform} has a problem of its own. See ${statusPage}; the next sync tries again`,
    ),
    busy: unavailable(
      "now",
      `${platform} is overloaded and asks for fewer requests. Nothing needs to be done: the next sync tries again`,
    ),
    throttled: unavailable(
      "throttled",
      "The shop's quota of API requests is used up, by us or by other apps. Nothing needs to be done: the next sync tries again",
    ),
    /** JSON that is not what the API's documentation states. */
    malformed: failureRule(
      "source_malformed",
      "now",
      `${platform}'s answer is not what its API promises: a list, an object or a count is missing in it. If the settings of the source have an address, check it; otherwise the next sync tries again`,
    ),
  };
}

/** The cause of a failure that came with a status, for callers that need to know which. */
export class RefusedStatus extends Error {
  override readonly name = "RefusedStatus";
  readonly status: number;

  constructor(status: number) {
    super(`The shop answered with status ${status}.`);
    this.status = status;
  }
}

export type RuleDetails = {
  /** Shown in the message. */
  readonly status?: number | undefined;
  readonly retryAfterS?: number | null | undefined;
};

export function ruleFailure(
  { code, retry, message }: FailureRule,
  { status, retryAfterS }: RuleDetails = {},
): SourceFailure {
  const error = new AppError(code, `${message}${status === undefined ? "" : ` (status ${status})`}.`, {
    ...(status === undefined ? {} : { cause: new RefusedStatus(status) }),
    ...(retryAfterS === null || retryAfterS === undefined ? {} : { retryAfterS }),
  });
  return { error, retry };
}

/** For an answer that the caller can do without: if the request is refused with one of these statuses, the status. */
export async function orStatus<T, Status extends number>(
  asked: Promise<T>,
  ...statuses: readonly Status[]
): Promise<T | Status> {
  try {
    return await asked;
  } catch (error) {
    const cause = error instanceof AppError ? error.cause : null;
    const status = statuses.find((one) => cause instanceof RefusedStatus && cause.status === one);
    if (status === undefined) throw error;
    return status;
  }
}

/** For an answer that the caller can do without: null if the request fails with one of these codes. */
export async function orNull<T>(asked: Promise<T>, ...codes: readonly ErrorCode[]): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof AppError && codes.includes(error.code)) return null;
    throw error;
  }
}

const UNAUTHORIZED: FailureRule = {
  code: "source_unauthorized",
  retry: "never",
  message: "It refused the request: check the user name, the password and the headers of the source",
};
const MISSING = failureRule(
  "source_not_found",
  "never",
  "There is nothing at this address: check the address of the source",
);
const BUSY = failureRule("source_unavailable", "now", "It asks for fewer requests");
const BROKEN = failureRule("source_unavailable", "now", "It has a problem of its own");
const REFUSED = failureRule("source_unavailable", "later", "It does not serve this request");

const STATUSES: Readonly<Record<number, FailureRule>> = {
  401: UNAUTHORIZED,
  403: UNAUTHORIZED,
  407: UNAUTHORIZED,
  404: MISSING,
  410: MISSING,
  408: BROKEN,
  425: BUSY,
  429: BUSY,
};

/** The failure of an answer whose status the connector has no rule for. */
export function statusFailure({ status, headers, url }: HttpAnswer, now: Date): SourceFailure {
  const rule = STATUSES[status] ?? (status >= 500 ? BROKEN : REFUSED);
  const message = `${hostOf(url)} answered with status ${status}. ${rule.message}`;
  return ruleFailure({ ...rule, message }, { retryAfterS: retryAfterSeconds(headers["retry-after"], now) });
}

const KINDS: Readonly<Record<HttpFailureKind, Pick<FailureRule, "code" | "retry">>> = {
  forbidden: { code: "target_forbidden", retry: "never" },
  unreachable: { code: "source_unreachable", retry: "now" },
  // The request used all the time it may take; the next sync tries again.
  timeout: { code: "source_timeout", retry: "never" },
  too_large: { code: "source_too_large", retry: "never" },
  redirect: { code: "source_unavailable", retry: "never" },
  incomplete: { code: "source_incomplete", retry: "now" },
};

/** The failure of a request that got no usable answer. The client's message is written for users, so it is kept. */
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
 * Seconds to wait, from either form of `Retry-After` (RFC 9110, 10.2.3), and from the fractions that some shops send.
 * Null if there is no usable value.
 */
export function retryAfterSeconds(header: string | undefined, now: Date): number | null {
  const text = header?.trim() ?? "";
  if (/^\d{1,9}(?:\.\d{1,6})?$/.test(text)) return Number(text);
  // An HTTP date has a time of day. Date.parse accepts many texts that are not dates.
  const at = /\d\d:\d\d:\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now.getTime()) / 1_000));
}

function hostOf(url: string): string {
  const address = URL.parse(url);
  if (address === null) return "The source";
  // An address without a host is a file: one of the program's own, or one that the user named.
  return address.host === "" ? url : address.host;
}
