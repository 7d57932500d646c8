/**
 * Why a request failed. The message may be shown to users: it names the host they typed, and not what it resolved to.
 */
import { errors } from "undici";
import { AppError } from "../../errors.ts";
import { type Deadline, deadline } from "../deadline.ts";

export type HttpFailureKind =
  | "forbidden"
  | "unreachable"
  | "timeout"
  | "too_large"
  | "redirect"
  | "incomplete";

export class HttpFailure extends Error {
  override readonly name = "HttpFailure";
  readonly kind: HttpFailureKind;

  constructor(kind: HttpFailureKind, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
  }
}

/** `port` is the one the user typed, or that of the scheme. A bug of ours is returned as it is. */
export function failureOf(error: unknown, host: string, port: string | null = null): unknown {
  if (error instanceof AppError) return new HttpFailure("forbidden", error.message, error);
  // Something the caller passed cannot be sent, such as a line break in a header: a bug, not the other side's failure.
  if (error instanceof errors.InvalidArgumentError) return error;
  return new HttpFailure("unreachable", `${host} ${whatHappened(error, port)}.`, error);
}

function whatHappened(error: unknown, port: string | null): string {
  const isUnreadable =
    error instanceof errors.HTTPParserError ||
    error instanceof errors.HeadersOverflowError ||
    error instanceof errors.ResponseContentLengthMismatchError;
  if (isUnreadable) return "answered with something that is not valid HTTP";
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "UND_ERR_SOCKET") return "closed the connection before it answered";
  if (typeof code !== "string") return "could not be reached";
  // A name that is not found has no port yet.
  const where = port === null || DNS_CODES.has(code) ? "" : ` on port ${port}`;
  return `could not be reached${where} (${code})`;
}

/** Codes of Node's DNS: the name was not resolved. */
const DNS_CODES: ReadonlySet<string> = new Set([
  "ENOTFOUND",
  "ENODATA",
  "ESERVFAIL",
  "EREFUSED",
  "ETIMEOUT",
  "EAI_AGAIN",
]);

export function portOf(url: URL | null): string | null {
  if (url === null) return null;
  return url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port;
}

export function requestDeadline(host: string, signal: AbortSignal, totalMs: number): Deadline {
  const expired = (phase: string, ms: number) =>
    new HttpFailure("timeout", `${host} took longer than ${ms / 1_000} s ${phase}.`);
  return deadline({ signal, totalMs, expired });
}
