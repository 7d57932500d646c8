/** Answers every failure with a problem document (RFC 9457). */
import { setTimeout as delay } from "node:timers/promises";
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { PROBLEM_TYPE } from "../contract/problem.ts";
import { AppError, ERRORS, toAppError } from "../errors.ts";
import type { ErrorCode } from "../errors.ts";
import type { Log } from "../lib/log.ts";
import { validationError } from "./validation.ts";

/** Errors of Fastify itself, with our codes and messages. */
const FRAMEWORK: Readonly<Record<string, { code: ErrorCode; detail: string }>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: "unsupported_media_type",
    detail: "Send the body as JSON, with Content-Type: application/json.",
  },
  FST_ERR_CTP_BODY_TOO_LARGE: { code: "body_too_large", detail: "The request body is too large." },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    code: "invalid_request",
    detail: "The body's length differs from Content-Length.",
  },
  FST_ERR_CTP_INVALID_JSON_BODY: { code: "invalid_request", detail: "The request body is not valid JSON." },
  FST_ERR_BAD_URL: {
    code: "invalid_request",
    detail: "The address has a % that is not followed by two hexadecimal digits of UTF-8.",
  },
  // Longer than any valid token: not found, like any other wrong token.
  FST_ERR_MAX_PARAM_LENGTH: { code: "not_found", detail: ERRORS.not_found.title },
};

/** Headers of a file that could not be sent; they are removed from the problem response. */
const FILE_HEADERS = ["etag", "last-modified", "accept-ranges", "content-encoding", "content-range"] as const;

export function sendProblem(request: FastifyRequest, reply: FastifyReply, error: AppError): FastifyReply {
  const status = statusOf(error);
  for (const name of FILE_HEADERS) reply.removeHeader(name);
  if (error.retryAfterS !== undefined) reply.header("retry-after", Math.ceil(error.retryAfterS));
  if (status === 401) reply.header("www-authenticate", 'Bearer realm="shelfwire"');
  return reply
    .code(status)
    .type(PROBLEM_TYPE)
    .header("x-request-id", request.id)
    .header("cache-control", "no-store")
    .send({
      type: `urn:shelfwire:problem:${error.code}`,
      title: ERRORS[error.code].title,
      status,
      // The message of a bug may contain secrets; the log has it under the same request id.
      detail: error.code === "internal" ? ERRORS.internal.title : error.message,
      ...instanceOf(request),
      code: error.code,
      request_id: request.id,
      ...(error.fields.length > 0 && { errors: error.fields }),
      ...(error.runId !== undefined && { run_id: error.runId }),
      ...(error.suggestedSettings && { suggested_settings: error.suggestedSettings }),
      ...(error.exceeded && { exceeded: error.exceeded }),
    });
}

/** A failed sync or render is always 422. */
function statusOf({ code, runId }: AppError): number {
  const { status } = ERRORS[code];
  return runId !== undefined && status >= 500 ? 422 : status;
}

/** A feed URL contains its token, so it is never repeated. */
function instanceOf({ url }: FastifyRequest): { instance?: string } {
  return url.startsWith("/api/") ? { instance: url.split("?")[0] ?? url } : {};
}

/** How long a refused caller waits for its 429: one that retries at once must not keep the server busy. */
const REFUSAL_DELAY_MS = 1_000;

export function errorHandler(log: Log, refusalDelayMs = REFUSAL_DELAY_MS) {
  return (
    thrown: unknown,
    request: FastifyRequest,
    reply: FastifyReply,
  ): FastifyReply | Promise<FastifyReply> => {
    const error = fromFramework(thrown) ?? toAppError(thrown);
    // A stopping server or a disconnected caller is not an error.
    if (statusOf(error) >= 500 && error.code !== "stopping") {
      log.error({ err: thrown, request_id: request.id, code: error.code }, "request failed");
    }
    if (statusOf(error) !== 429) return sendProblem(request, reply, error);
    const gone = new AbortController();
    reply.raw.once("close", () => gone.abort());
    return delay(refusalDelayMs, undefined, { signal: gone.signal })
      .catch(() => undefined)
      .then(() => sendProblem(request, reply, error));
  };
}

function fromFramework(thrown: unknown): AppError | undefined {
  if (!(thrown instanceof Error) || thrown instanceof AppError) return undefined;
  const { code, validation, validationContext, statusCode } = thrown as FastifyError;
  if (validation) return validationError(validation, validationContext);
  const known = FRAMEWORK[code];
  if (known) return new AppError(known.code, known.detail, { cause: thrown });
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new AppError("invalid_request", "The request is malformed.", { cause: thrown });
  }
  return undefined;
}
