/** The one place where a failure is given an exit status: 1 general, 2 usage, 3 access, 4 settings, 5 outside world. */
import type { ErrorCode } from "../errors.ts";

export const EXIT_STATUS: Record<ErrorCode, number> = {
  invalid_request: 2,
  unauthorized: 3,
  insufficient_scope: 3,
  not_found: 2,
  method_not_allowed: 2,
  unsupported_media_type: 2,
  body_too_large: 2,
  body_malformed: 2,
  body_incomplete: 2,
  idempotency_conflict: 2,
  rate_limited: 5,
  conflict: 1,
  stopping: 1,
  unknown_source: 2,
  sync_in_progress: 1,
  catalog_collapsed: 1,
  ledger_mismatch: 1,
  interrupted: 1,
  canceled: 1,
  worker_unavailable: 1,
  run_timeout: 1,
  render_failed: 1,
  feed_missing: 5,
  source_settings_invalid: 4,
  source_unauthorized: 3,
  source_not_found: 5,
  source_unavailable: 5,
  source_unreachable: 5,
  source_timeout: 5,
  source_too_large: 5,
  source_incomplete: 5,
  source_not_a_feed: 5,
  source_malformed: 5,
  source_all_rejected: 5,
  target_forbidden: 4,
  config_invalid: 4,
  already_running: 1,
  database_unavailable: 5,
  schema_too_new: 4,
  embedded_database_failed: 4,
  disk_full: 5,
  internal: 1,
};

/** A command that checks something did so, and found enough amiss to fail. */
export const FINDINGS = 6;

/** Commander's own: an unknown command, a missing option. */
export const USAGE = 2;

/** 128 and the number of SIGPIPE: whoever read the output has stopped reading. */
export const CLOSED_PIPE = 141;
