/** A run in a few words, and as data: how it ended, when, and why it failed. */
import { withSnakeCase } from "../lib/snake-case.ts";
import type { RunDetail } from "../store/run-history.ts";
import type { Run } from "../store/runs.ts";
import type { SourceRow } from "../store/sources.ts";

/** A run, with what became of it where that was read, too. */
type ShownRun = Run & Partial<RunDetail>;

export function runData(run: ShownRun) {
  const { id, sourceId, kind, state, shownCause: cause = run.cause, stats, error } = run;
  const outcome = run.renderState === undefined ? {} : { renderState: run.renderState };
  const { createdAt, startedAt, finishedAt } = run;
  const times = { createdAt, startedAt, finishedAt };
  return {
    ...withSnakeCase({ runId: id, sourceId, kind, state, ...outcome, cause, error, ...times }),
    stats,
  };
}

/** Of a render whose files were not published, what became of them. */
const stateText = ({ state, renderState = null }: ShownRun): string =>
  renderState === null || renderState === "published" ? state : renderState;

/** `failed 5m ago`, `running for 12s`, `never`. */
export function resultText(run: ShownRun | undefined, now: Date = new Date()): string {
  if (run === undefined) return "never";
  const { state, createdAt, startedAt, finishedAt } = run;
  if (finishedAt !== null) return `${stateText(run)} ${ageText(finishedAt, now)}`;
  const since = startedAt ?? createdAt;
  return `${state} for ${spanText(now.getTime() - since.getTime())}`;
}

/** The reason of a failed run, with its code. */
export const failureText = ({ error }: Run): string =>
  error === null ? "no reason is recorded" : `${error.message} (${error.code})`;

export function ageText(at: Date, now: Date = new Date()): string {
  const ms = now.getTime() - at.getTime();
  return ms >= 0 ? `${spanText(ms)} ago` : `in ${spanText(-ms)}`;
}

/** When the next sync of a source is due: `in 5h`, or `now` if it only waits for a worker. */
export function nextSyncText(
  { enabled, nextSyncAt: at }: Pick<SourceRow, "enabled" | "nextSyncAt">,
  now: Date = new Date(),
): string {
  if (!enabled) return "never: it is switched off";
  if (at === null) return "none until shelfwire resume";
  return at <= now ? "now" : ageText(at, now);
}

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
] as const;

/** The two largest units: `3d 4h`, `12m`, `8s`. */
export function spanText(ms: number): string {
  const parts: string[] = [];
  let rest = Math.max(0, ms);
  for (const [name, size] of UNITS) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count}${name}`);
  }
  return parts.slice(0, 2).join(" ") || `${Math.floor(rest / 1000)}s`;
}
