/**
 * Every failure code, in one closed list. A failure has a code that never changes, a message for people, and optional
 * data. Exit statuses of commands: 1 general, 2 usage, 3 access, 4 settings, 5 something outside of Shelfwire.
 */
const error = (status: number, exit: number, title: string) => ({ status, exit, title });

/** The HTTP status, the exit status of a command, and the title of each code. */
export const ERRORS = {
  // the caller
  invalid_request: error(400, 2, "The request is malformed or a field is invalid."),
  unauthorized: error(401, 3, "The API key is missing, unknown, expired or revoked."),
  insufficient_scope: error(403, 3, "The API key lacks the scope that this call needs."),
  not_found: error(404, 2, "There is nothing at this address."),
  method_not_allowed: error(405, 2, "The address exists but does not accept this method."),
  unsupported_media_type: error(
    415,
    2,
    "The request body has a content type that this call does not accept.",
  ),
  body_too_large: error(413, 2, "The request body is larger than this call accepts."),
  body_malformed: error(400, 2, "The pushed body is not valid in its format."),
  body_incomplete: error(400, 2, "The pushed body ended before it was complete."),
  idempotency_conflict: error(422, 2, "The Idempotency-Key was used for another request."),
  rate_limited: error(429, 5, "The API key made more calls than its limit allows."),
  too_many_wrong_keys: error(429, 5, "This address sent too many wrong API keys."),
  conflict: error(409, 1, "The request conflicts with the current state."),
  stopping: error(503, 1, "The server is stopping; queued runs continue after its restart."),
  // syncs and renders
  unknown_source: error(422, 2, "The source does not exist in this catalog."),
  catalog_collapsed: error(422, 1, "The pull or push would remove too large a share of the items."),
  ledger_mismatch: error(422, 1, "The run's numbers do not add up, so nothing was changed."),
  interrupted: error(422, 1, "The worker that ran this stopped before it was finished."),
  canceled: error(422, 1, "The run was canceled before it was finished."),
  worker_unavailable: error(503, 1, "No worker is running, or none is free."),
  run_timeout: error(422, 1, "The run exceeded its time limit."),
  render_failed: error(422, 1, "The feeds could not be rendered; the previous files are still served."),
  render_held: error(
    422,
    1,
    "The new files differ too much from the published ones, which are still served.",
  ),
  render_gone: error(410, 2, "The files of the render are no longer kept, or damaged."),
  feed_missing: error(503, 5, "The feed's file is missing on the server; it is being rendered again."),
  // sources
  source_settings_invalid: error(422, 4, "The source's settings are incomplete or invalid."),
  source_unauthorized: error(422, 3, "The source refused our credentials."),
  source_not_found: error(422, 5, "The source answered that there is nothing at its address."),
  source_unavailable: error(422, 5, "The source answered with an error."),
  source_unreachable: error(422, 5, "The source could not be reached."),
  source_timeout: error(422, 5, "The source exceeded its time limit."),
  source_too_large: error(422, 5, "The source sent more than the limits allow."),
  source_incomplete: error(422, 5, "The source's answer ended before it was complete."),
  source_not_a_feed: error(422, 5, "The source's answer is not a product feed."),
  source_malformed: error(422, 5, "The source's answer is not valid in its format."),
  source_all_rejected: error(422, 5, "Every row was rejected, so that no item could be stored."),
  target_forbidden: error(422, 4, "The address is private, local or otherwise not allowed as a target."),
  // destinations
  destination_settings_invalid: error(422, 4, "The destination's settings are incomplete or invalid."),
  nothing_to_deliver: error(409, 1, "The catalog has no published files yet."),
  // alerts
  mail_not_configured: error(409, 4, "The installation has no mail server."),
  no_recipients: error(409, 2, "The catalog has no recipients of alerts."),
  // the installation
  restored_copy: error(409, 1, "The installation is a restored copy, which sends nothing to others yet."),
  config_invalid: error(500, 4, "The settings are incomplete or invalid."),
  already_running: error(500, 1, "Another server runs on the same data folder."),
  database_unavailable: error(503, 5, "The database cannot be reached."),
  database_read_only: error(503, 5, "The database accepts no changes right now."),
  schema_too_new: error(503, 4, "The database was migrated by a newer version of the program."),
  embedded_database_failed: error(503, 4, "The embedded database could not be started."),
  disk_full: error(503, 5, "The disk is full, or the program may not write to it."),
  internal: error(500, 1, "Something unexpected went wrong; the log has the details."),
} as const;

export type ErrorCode = keyof typeof ERRORS;

/** One field that is wrong, by JSON pointer (or by setting name on the command line). */
export type FieldProblem = { readonly pointer: string; readonly detail: string };

export type ErrorExtras = {
  readonly cause?: unknown;
  /** Seconds after which the same call may work. */
  readonly retryAfterS?: number;
  readonly runId?: string;
  readonly fields?: readonly FieldProblem[];
  readonly suggestedSettings?: Readonly<Record<string, string>>;
  /** The limits of the publish guard that a held render exceeds. */
  readonly exceeded?: readonly object[];
};

export class AppError extends Error {
  override readonly name = "AppError";
  readonly code: ErrorCode;
  readonly retryAfterS: number | undefined;
  readonly runId: string | undefined;
  readonly fields: readonly FieldProblem[];
  /** Settings of the source that may help, by name. */
  readonly suggestedSettings: Readonly<Record<string, string>> | undefined;

  readonly exceeded: readonly object[] | undefined;

  constructor(code: ErrorCode, message: string, extras: ErrorExtras = {}) {
    super(message, extras.cause === undefined ? undefined : { cause: extras.cause });
    this.code = code;
    this.retryAfterS = extras.retryAfterS;
    this.runId = extras.runId;
    this.fields = extras.fields ?? [];
    this.suggestedSettings = extras.suggestedSettings;
    this.exceeded = extras.exceeded;
  }
}

/** With the field at fault, by JSON pointer, if it is about one. */
export function invalidRequest(detail: string, pointer?: string): AppError {
  return new AppError(
    "invalid_request",
    detail,
    pointer === undefined ? {} : { fields: [{ pointer, detail }] },
  );
}

/** The code of a system error, such as `ENOENT`; empty if it has none. */
export function systemCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

/** Anything thrown becomes an AppError; an unknown error becomes `internal` without details. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  if (DISK_FULL.has(systemCode(thrown))) {
    const message = "There is no disk space left. Free some under DATA_DIR; the failed work is retried.";
    return new AppError("disk_full", message, { cause: thrown, retryAfterS: 60 });
  }
  return new AppError("internal", ERRORS.internal.title, { cause: thrown });
}

/** No space left, a quota reached, or a file system that went read-only: by Node.js, or by PostgreSQL (53100). */
const DISK_FULL: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "EROFS", "53100"]);

export function isErrorCode(code: string | undefined): code is ErrorCode {
  return code !== undefined && Object.hasOwn(ERRORS, code);
}
