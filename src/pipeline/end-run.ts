/**
 * Ends a run in the transaction of its last change: its state, its rejections and warnings, and the event of a failure.
 * The statement names the owner of the run, so a worker that has lost its lease ends nothing.
 */
import type { SyncIssue } from "../contract/runs.ts";
import type { SyncStats } from "../contract/syncs.ts";
import { AppError, type ErrorCode } from "../errors.ts";
import type { Queries } from "../store/db.ts";
import { saveIssues } from "../store/run-issues.ts";
import { type ClaimedRun, finishRun, type RunEnd } from "../store/runs.ts";
import { announceFailedRun } from "./run-failed.ts";

/** Internal failures and those of the database: a retry may succeed. */
export const RETRYABLE: ReadonlySet<ErrorCode> = new Set([
  "database_unavailable",
  "database_read_only",
  "disk_full",
  "internal",
]);

export const leaseLost = (): AppError =>
  new AppError("interrupted", "The worker's lease expired and another worker has claimed the run.");

export type EndedRun = {
  readonly run: ClaimedRun;
  readonly owner: string;
  readonly end: RunEnd;
  readonly issues: readonly SyncIssue[];
};

/** Returns when the run ended; undefined if the lease is lost. */
export async function endRun(tx: Queries, { run, owner, end, issues }: EndedRun): Promise<Date | undefined> {
  const finishedAt = await finishRun(tx, { id: run.id, owner }, end);
  if (finishedAt && end.state === "failed")
    await announceFailedRun(tx, { ...run, error: end.error, finishedAt });
  if (finishedAt) await saveMoreIssues(tx, run, { stats: end.stats ?? {}, issues });
  return finishedAt;
}

/** Saves the issues only if the statistics do not already contain all of them. */
export async function saveMoreIssues(
  tx: Queries,
  run: ClaimedRun,
  { stats, issues }: { readonly stats: Partial<SyncStats>; readonly issues: readonly SyncIssue[] },
): Promise<void> {
  const { rejections = [], warning_examples: warnings = [] } = stats;
  if (issues.length > rejections.length + warnings.length) await saveIssues(tx, run, issues);
}
