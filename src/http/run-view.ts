/** Makes the form of a run of any kind that the API shows. */
import type { Run as RunBody, RunPhase } from "../contract/runs.ts";
import { withSnakeCase } from "../lib/snake-case.ts";
import { doneIn } from "../pipeline/progress.ts";
import type { RunDetail } from "../store/run-history.ts";
import type { Run } from "../store/runs.ts";
import { statusBody } from "./run-answer.ts";

export function runBody(run: RunDetail): RunBody {
  const { id: runId, kind, sourceId, shownCause: cause, causeRunId, renderState, error } = run;
  const progress = { status: statusBody(run.state), phase: phaseOf(run), done: doneIn(run.stats) };
  const times = { queuedAt: run.createdAt, startedAt: run.startedAt, finishedAt: run.finishedAt };
  const reasons = { cause, causeRunId, renderState, error };
  return withSnakeCase({ runId, kind, sourceId, ...progress, ...reasons, ...times });
}

const FIRST_PHASES = {
  sync: "reading",
  render: "rendering",
  audit: "rendering",
  removal: "removing",
  rules: "computing",
  proposals: "reading",
  plan: "computing",
  sync_plan: "reading",
} as const satisfies Record<Run["kind"], RunPhase>;

/** The worker stores the phase together with the current numbers. */
export function phaseOf({ kind, state, stats }: Run): RunPhase | null {
  if (state === "queued") return "queued";
  if (state !== "running") return null;
  return (stats["phase"] as RunPhase | undefined) ?? FIRST_PHASES[kind];
}
