/** The checks of sources, and of pushes: failures, age, being switched off, and rejected rows. */
import type { Action, Attention } from "../../contract/status.ts";
import { plural } from "../../lib/counted.ts";
import { spanWords } from "../../lib/span-words.ts";
import type { OriginFacts } from "../../store/status.ts";
import { ago, amount, figure, isOlder, openRun } from "./problem.ts";
import type { AttentionCandidate, StatusFacts } from "./problem.ts";

/** Items of sources with short intervals are old after this time at the earliest: one slow sync is not a failure. */
const MIN_STALE_MS = 3_600_000;
/** A few broken rows are usual in any shop and are listed in the run. */
const NOTABLE_REJECTED = 0.01;

export function checkOrigins({ origins }: StatusFacts, now: Date): readonly AttentionCandidate[] {
  return origins.flatMap((origin) => {
    if (!origin.enabled) return origin.itemCount > 0 ? [switchedOff(origin)] : [];
    return [
      ...(origin.failures > 0 && !isRefusedBody(origin, now)
        ? [failed(origin, now)]
        : isStale(origin, now)
          ? [stale(origin, now)]
          : []),
      ...(origin.rejected > 0 && origin.rejected >= NOTABLE_REJECTED * origin.seen ? [rejected(origin)] : []),
    ];
  });
}

/** Items are old after two intervals: one missed sync is repaired by the next one. */
const staleMs = ({ intervalS }: OriginFacts): number => Math.max(2_000 * (intervalS ?? 0), MIN_STALE_MS);

function isStale(origin: OriginFacts, now: Date): boolean {
  const { sourceId, isOpen, lastSuccessAt, createdAt } = origin;
  return sourceId !== null && !isOpen && isOlder(lastSuccessAt ?? createdAt, staleMs(origin), now);
}

const quoted = ({ name }: OriginFacts): string => `"${name ?? ""}"`;

/** Failures that other settings repair; the others are explained by their run. */
const SETTINGS_FAILURES: readonly string[] = [
  "source_unauthorized",
  "source_settings_invalid",
  "source_not_found",
  "target_forbidden",
];

function failed(origin: OriginFacts, now: Date): AttentionCandidate {
  const { sourceId, runId, error, failures, failingSince, itemCount } = origin;
  const code = error?.code ?? "internal";
  const since = sinceFirst(origin, now);
  const common = {
    detail: error?.message ?? null,
    count: failures,
    since: failingSince,
    weight: itemCount,
    action: openRun(runId),
  };
  if (sourceId === null) {
    const headline = `${lastOnes(failures, "push", "pushes")} failed${since} (${code}).`;
    return { ...common, code: "push_failed", headline };
  }
  const severity: Attention["severity"] = hasOldItems(origin, now) ? "failing" : "attention";
  const which = `${lastOnes(failures, "sync")} of ${quoted(origin)}`;
  if (code === "catalog_collapsed") {
    const headline = `${which} ${plural(failures, "was", "were")} refused because too many items would be removed${since}.`;
    return { ...common, code: "sync_refused", severity, headline };
  }
  const problem = { ...common, severity, headline: `${which} failed${since} (${code}).` };
  const repair: Action = { kind: "open_source", target: sourceId };
  return { code: "source_failing", ...problem, ...(SETTINGS_FAILURES.includes(code) && { action: repair }) };
}

/** Failures of a push that are errors of its sender: nothing was changed, and the sender was told so. */
const BODY_FAILURES: readonly string[] = [
  "body_malformed",
  "body_incomplete",
  "body_too_large",
  "invalid_request",
];
const BODY_PATIENCE_MS = 86_400_000;

/**
 * A body that cannot be read is no failure of the catalog. It becomes one if pushes used to succeed and none has for a
 * day: then items are old because of a program that is not monitored.
 */
function isRefusedBody(origin: OriginFacts, now: Date): boolean {
  const { sourceId, error, lastSuccessAt, failingSince } = origin;
  if (sourceId !== null || !BODY_FAILURES.includes(error?.code ?? "")) return false;
  return lastSuccessAt === null || failingSince === null || !isOlder(failingSince, BODY_PATIENCE_MS, now);
}

const sinceFirst = ({ failingSince, failures }: OriginFacts, now: Date): string =>
  failingSince === null || failures === 1 ? "" : `, the first ${ago(failingSince, now)}`;

const lastOnes = (count: number, one: string, many = `${one}s`): string =>
  count === 1 ? `The last ${one}` : `The last ${figure(count)} ${many}`;

/** Or none, because no sync has ever succeeded. */
function hasOldItems(origin: OriginFacts, now: Date): boolean {
  const { lastSuccessAt, itemCount, failingSince } = origin;
  // The last success of a source with items may be older than what is recorded.
  const updatedAt = lastSuccessAt ?? (itemCount > 0 ? failingSince : null);
  return updatedAt === null || isOlder(updatedAt, staleMs(origin), now);
}

function stale(origin: OriginFacts, now: Date): AttentionCandidate {
  const { sourceId, lastSuccessAt, createdAt, intervalS, itemCount } = origin;
  const every = spanWords(1_000 * (intervalS ?? 0));
  const headline =
    lastSuccessAt === null
      ? `${quoted(origin)} was added ${ago(createdAt, now)} and has never been synced.`
      : `${quoted(origin)} was last synced ${ago(lastSuccessAt, now)} although its interval is ${every}.`;
  return {
    code: "source_stale",
    severity: "failing",
    headline,
    since: lastSuccessAt ?? createdAt,
    action: { kind: "sync_source", target: sourceId },
    weight: itemCount,
  };
}

/** A source without items that is switched off changes nothing in the feeds. */
const switchedOff = (origin: OriginFacts): AttentionCandidate => ({
  code: "source_disabled",
  headline: `${quoted(origin)} is switched off: its ${amount(origin.itemCount, "item")} ${plural(origin.itemCount, "is", "are")} not updated.`,
  count: origin.itemCount,
  action: { kind: "open_source", target: origin.sourceId },
  weight: origin.itemCount,
});

function rejected(origin: OriginFacts): AttentionCandidate {
  const { sourceId, seen, rejected: count, lastSuccessAt, successRunId } = origin;
  const run = sourceId === null ? "the last push" : `the last sync of ${quoted(origin)}`;
  return {
    code: "rows_rejected",
    headline: `${figure(count)} of ${amount(seen, "row")} of ${run} ${plural(count, "was", "were")} rejected.`,
    count,
    since: lastSuccessAt,
    action: openRun(successRunId),
    weight: count,
  };
}
