/**
 * What keeps a request from being answered. Its sentence may be shown to the person who typed the address: it names
 * their host and nothing that we found behind it.
 */
import { errors } from "undici";
import { AppError } from "../../errors.ts";

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

/** What a request that was not answered failed of. A bug of ours comes back as it is. */
export function failureOf(error: unknown, host: string): unknown {
  if (error instanceof AppError) return new HttpFailure("forbidden", error.message, error);
  // Something the caller passed cannot be sent, such as a line break in a header: a bug, not the other side's failure.
  if (error instanceof errors.InvalidArgumentError) return error;
  return new HttpFailure("unreachable", `${host} ${whatHappened(error)}.`, error);
}

/** It answered, but not so that anyone could read it; it hung up; or there was nobody to be reached. */
function whatHappened(error: unknown): string {
  const isUnreadable =
    error instanceof errors.HTTPParserError ||
    error instanceof errors.HeadersOverflowError ||
    error instanceof errors.ResponseContentLengthMismatchError;
  if (isUnreadable) return "answered with something that is not proper HTTP";
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "UND_ERR_SOCKET") return "broke the connection before it had answered";
  return typeof code === "string" ? `could not be reached (${code})` : "could not be reached";
}
