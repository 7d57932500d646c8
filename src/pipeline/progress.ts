/** How far a run is, for those who watch it. */
import type { RunPhase, SyncIssue } from "../contract/runs.ts";
import { notify } from "../store/notices.ts";
import type { ClaimedRun } from "../store/runs.ts";
import type { JobDeps } from "./job.ts";

export type Progress = {
  readonly stats: () => object;
  readonly phase: RunPhase | null;
  readonly issues: () => readonly SyncIssue[];
};

/** Two a second are enough for a person who watches. */
const PROGRESS_MS = 500;

/** Announces how far the run is, for event streams. A lost announcement is replaced by the next. */
export function announceProgress(
  { db }: JobDeps,
  { id, catalogId }: ClaimedRun,
  progress: () => Progress,
): NodeJS.Timeout {
  let last = "";
  return setInterval(() => {
    const { phase, stats } = progress();
    const done = doneIn(stats());
    const now = `${phase} ${done}`;
    if (now === last) return;
    last = now;
    notify(db, { about: "progress", id, catalogId, phase, done }).catch(() => undefined);
  }, PROGRESS_MS);
}

/** Rows read, items written, or rows removed so far. */
export function doneIn(stats: object): number {
  const { seen, items, rows } = stats as Readonly<Record<string, unknown>>;
  const done = seen ?? items ?? rows;
  return typeof done === "number" ? done : 0;
}
