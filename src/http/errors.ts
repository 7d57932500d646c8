/** Assigns an HTTP status to every failure code. A new code does not compile until it has one. */
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { PROBLEM_TYPE } from "../contract/problem.ts";
import { AppError, ERROR_CODES, toAppError } from "../errors.ts";
import type { ErrorCode } from "../errors.ts";
import type { Log } from "../lib/log.ts";
import { validationError } from "./validation.ts";

export const STATUS: Record<ErrorCode, number> = {
  invalid_request: 400,
  unauthorized: 401,
  insufficient_scope: 403,
  not_found: 404,
  method_not_allowed: 405,
  unsupported_media_type: 415,
  body_too_large: 413,
  body_malformed: 400,
  body_incomplete: 400,
  idempotency_conflict: 422,
  rate_limited: 429,
  conflict: 409,
  stopping: 503,
  unknown_source: 422,
  sync_in_progress: 409,
  catalog_collapsed: 422,
  ledger_mismatch: 422,
  interrupted: 422,
  canceled: 422,
  worker_unavailable: 503,
  run_timeout: 422,
  render_failed: 422,
  feed_missing: 503,
  source_settings_invalid: 422,
  source_unauthorized: 422,
  source_not_found: 422,
  source_unavailable: 422,
  source_unreachable: 422,
  source_timeout: 422,
  source_too_large: 422,
  source_incomplete: 422,
  source_not_a_feed: 422,
  source_malformed: 422,
  source_all_rejected: 422,
  target_forbidden: 422,
  config_invalid: 500,
  already_running: 500,
  database_unavailable: 503,
  schema_too_new: 503,
  embedded_database_failed: 503,
  disk_full: 503,
  internal: 500,
};

/** Errors of Fastify itself, with our codes and messages. */
const FRAMEWORK: Readonly<Record<string, { code: ErrorCode; detail: string }>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: "unsupported_media_type",
    detail: "Send the body as JSON, with Content-Type: application/json.",
  },
  FST_ERR_CTP_BODY_TOO_LARGE: { code: "body_too_large", detail: "The request body is too large." },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    code: "invalid_request",
    detail: "The body's length is not what Content-Length says.",
  },
  FST_ERR_CTP_INVALID_JSON_BODY: { code: "invalid_request", detail: "The request body is not valid JSON." },
  FST_ERR_BAD_URL: { code: "invalid_request", detail: "The address has a % that encodes no character." },
  // Longer than any valid token: not found, like any other wrong token.
  FST_ERR_MAX_PARAM_LENGTH: { code: "not_found", detail: ERROR_CODES.not_found },
};

/** Headers of a file that could not be sent; they are removed from the problem response. */
const OF_THE_FILE = ["etag", "last-modified", "accept-ranges", "content-encoding", "content-range"] as const;

export function sendProblem(request: FastifyRequest, reply: FastifyReply, error: AppError): FastifyReply {
  const status = statusOf(error);
  for (const name of OF_THE_FILE) reply.removeHeader(name);
  if (error.retryAfterS !== undefined) reply.header("retry-after", Math.ceil(error.retryAfterS));
  if (status === 401) reply.header("www-authenticate", 'Bearer realm="shelfwire"');
  return reply
    .code(status)
    .type(PROBLEM_TYPE)
    .header("x-request-id", request.id)
    .header("cache-control", "no-store")
    .send({
      type: `urn:shelfwire:problem:${error.code}`,
      title: ERROR_CODES[error.code],
      status,
      // The message of a bug may contain secrets; the log has it under the same request id.
      detail: error.code === "internal" ? ERROR_CODES.internal : error.message,
      ...instanceOf(request),
      code: error.code,
      request_id: request.id,
      ...(error.fields.length > 0 && { errors: error.fields }),
      ...(error.runId !== undefined && { run_id: error.runId }),
    });
}

/** A failed sync or render is always 422 (interface, section 7). */
function statusOf({ code, runId }: AppError): number {
  const status = STATUS[code];
  return runId !== undefined && status >= 500 ? 422 : status;
}

/** A feed URL contains its token, so it is never repeated. */
function instanceOf({ url }: FastifyRequest): { instance?: string } {
  return url.startsWith("/api/") ? { instance: url.split("?")[0] ?? url } : {};
}

export function errorHandler(log: Log) {
  return (thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const error = fromFramework(thrown) ?? toAppError(thrown);
    // A stopping server or a disconnected caller is not an error.
    if (statusOf(error) >= 500 && error.code !== "stopping") {
      log.error({ err: thrown, request_id: request.id, code: error.code }, "request failed");
    }
    return sendProblem(request, reply, error);
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
