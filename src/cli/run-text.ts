/** A run in a few words, and as data: how it ended, when, and why it failed. */
import { withSnakeCase } from "../lib/snake-case.ts";
import type { Run } from "../store/runs.ts";

export function runData(run: Run) {
  const { id, sourceId, kind, state, cause, stats, error, createdAt, startedAt, finishedAt } = run;
  const times = { createdAt, startedAt, finishedAt };
  return { ...withSnakeCase({ runId: id, sourceId, kind, state, cause, error, ...times }), stats };
}

/** `failed 5m ago`, `running for 12s`, `never`. */
export function resultText(run: Run | undefined, now: Date = new Date()): string {
  if (run === undefined) return "never";
  const { state, createdAt, startedAt, finishedAt } = run;
  if (finishedAt !== null) return `${state} ${ageText(finishedAt, now)}`;
  const since = startedAt ?? createdAt;
  return `${state} for ${spanText(now.getTime() - since.getTime())}`;
}

/** The reason of a failed run, with its code. */
export const failureText = ({ error }: Run): string =>
  error === null ? "no reason is recorded" : `${withOptionNames(error.message)} (${error.code})`;

/** Messages have the parameter of the API, which is an option on the command line. */
export const withOptionNames = (message: string): string =>
  message.replaceAll("(max_removed_ratio=1)", "(--max-removed-ratio 1)");

export function ageText(at: Date, now: Date = new Date()): string {
  const ms = now.getTime() - at.getTime();
  return ms >= 0 ? `${spanText(ms)} ago` : `in ${spanText(-ms)}`;
}

/** When something is due: `in 5h`, or `now` for what only waits for a worker. */
export const dueText = (at: Date, now: Date = new Date()): string => (at <= now ? "now" : ageText(at, now));

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
