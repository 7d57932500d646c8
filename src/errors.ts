/**
 * Every failure code, in one closed list. A failure has a code that never changes, a message for people, and optional
 * data. HTTP statuses and exit codes are assigned in `http/errors.ts` and `cli/exit.ts`, which do not compile while a
 * code is missing.
 */
export const ERROR_CODES = {
  // the caller
  invalid_request: "The request is malformed or a field is invalid.",
  unauthorized: "The API key is missing, unknown, expired or revoked.",
  insufficient_scope: "The API key lacks the scope this call needs.",
  not_found: "There is nothing at this address.",
  method_not_allowed: "The address exists but does not take this method.",
  unsupported_media_type: "The request body has a content type this call does not take.",
  body_too_large: "The request body is larger than this call takes.",
  body_malformed: "The pushed body breaks the rules of its own format.",
  body_incomplete: "The pushed body ended before it was complete.",
  idempotency_conflict: "The Idempotency-Key was used for another request.",
  rate_limited: "The API key made more calls than its limit allows.",
  conflict: "The request conflicts with the current state.",
  stopping: "The server is stopping; queued runs continue after its restart.",
  // syncs and renders
  unknown_source: "The source does not exist in this catalog.",
  sync_in_progress: "The source is being synced, or the catalog pushed to, already.",
  catalog_collapsed: "The pull or push would remove too large a share of the items.",
  ledger_mismatch: "The run's numbers do not add up, so nothing was changed.",
  interrupted: "The worker that ran this stopped before it was finished.",
  canceled: "The run was canceled before it was finished.",
  worker_unavailable: "No worker is running, or none is free, to do this.",
  run_timeout: "The run took longer than a run may take.",
  render_failed: "The feeds could not be rendered; the last good files stay up.",
  feed_missing: "The feed's file is missing on the server; it is being rendered again.",
  // sources
  source_settings_invalid: "The source's settings are incomplete or invalid.",
  source_unauthorized: "The source refused our credentials.",
  source_not_found: "The source answered that there is nothing at its address.",
  source_unavailable: "The source answered with an error.",
  source_unreachable: "The source could not be reached.",
  source_timeout: "The source took longer than the time allowed.",
  source_too_large: "The source sent more than the limits allow.",
  source_incomplete: "The source's answer ended before it was complete.",
  source_not_a_feed: "The source's answer is not a product feed.",
  source_malformed: "The source's answer breaks the rules of its own format.",
  source_all_rejected: "Every row of the source was rejected, so the feeds would be empty.",
  target_forbidden: "The address is private, local or otherwise not allowed as a target.",
  // the installation
  config_invalid: "The settings are incomplete or invalid.",
  already_running: "Another server runs on the same data folder.",
  database_unavailable: "The database cannot be reached.",
  schema_too_new: "The database was migrated by a newer version of the program.",
  embedded_database_failed: "The embedded database could not be started.",
  disk_full: "The disk is full, or the program may not write to it.",
  internal: "Something unexpected went wrong; the log has the details.",
} as const satisfies Record<string, string>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** One field that is wrong, by JSON pointer (or by setting name on the command line). */
export type FieldProblem = { readonly pointer: string; readonly detail: string };

export type ErrorExtras = {
  readonly cause?: unknown;
  /** Seconds after which the same call may work. */
  readonly retryAfterS?: number;
  readonly runId?: string;
  readonly fields?: readonly FieldProblem[];
};

export class AppError extends Error {
  override readonly name = "AppError";
  readonly code: ErrorCode;
  readonly retryAfterS: number | undefined;
  readonly runId: string | undefined;
  readonly fields: readonly FieldProblem[];

  constructor(code: ErrorCode, message: string, extras: ErrorExtras = {}) {
    super(message, extras.cause === undefined ? undefined : { cause: extras.cause });
    this.code = code;
    this.retryAfterS = extras.retryAfterS;
    this.runId = extras.runId;
    this.fields = extras.fields ?? [];
  }
}

/** Anything thrown becomes an AppError; an unknown error becomes `internal` without details. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  if (isDiskFull(thrown)) {
    const message = "There is no disk space left. Free some under DATA_DIR; the failed work is retried.";
    return new AppError("disk_full", message, { cause: thrown, retryAfterS: 60 });
  }
  return new AppError("internal", ERROR_CODES.internal, { cause: thrown });
}

/** No space left, a quota reached, or a file system that went read-only: by Node.js, or by PostgreSQL (53100). */
const DISK_FULL: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT", "EROFS", "53100"]);

function isDiskFull(thrown: unknown): boolean {
  return thrown instanceof Error && "code" in thrown && DISK_FULL.has(thrown.code);
}

export function isErrorCode(code: string | undefined): code is ErrorCode {
  return code !== undefined && Object.hasOwn(ERROR_CODES, code);
}
