/** The checks of sources, and of pushes: failures, age, being switched off, and rejected rows. */
import type { Action, Attention, CatalogState } from "../../contract/status.ts";
import { plural } from "../../lib/counted.ts";
import { spanWords } from "../../lib/span-words.ts";
import type { OriginFacts } from "../../store/troubled-origins.ts";
import { ago, amount, figure, isOlder, openRun } from "./problem.ts";
import type { AttentionCandidate, StatusFacts } from "./problem.ts";

/** Items of sources with short intervals are old after this time at the earliest: one slow sync is not a failure. */
const MIN_STALE_MS = 3_600_000;
/** A few broken rows are usual in any shop and are listed in the run. */
const NOTABLE_REJECTED = 0.01;
/** After this time a removal, or a push that was not repeated, is history: it is in the list of runs. */
const REMEMBERED_MS = 3 * 86_400_000;

export const checkOrigins = ({ origins }: StatusFacts, now: Date): readonly AttentionCandidate[] =>
  origins.flatMap((origin) => checkOrigin(origin, now));

function checkOrigin(origin: OriginFacts, now: Date): readonly AttentionCandidate[] {
  if (!origin.enabled) return origin.itemCount > 0 ? [switchedOff(origin)] : [];
  return [
    ...(origin.failures > 0 && !isRefusedBody(origin, now) && !isPastPush(origin, now)
      ? [failed(origin, now)]
      : isStale(origin, now)
        ? [stale(origin, now)]
        : []),
    ...(origin.rejected > 0 && origin.rejected >= NOTABLE_REJECTED * origin.seen ? [rejected(origin)] : []),
    ...uncertainEncoding(origin),
    ...largeRemoval(origin, now),
  ];
}

export type OriginState = { readonly state: CatalogState; readonly reason: string | null };

/** Of one source, by the same checks as that of its catalog. */
export function originState(origin: OriginFacts, now: Date): OriginState {
  const found = checkOrigin(origin, now);
  const worst = found.find(({ severity }) => severity === "failing") ?? found[0];
  return {
    state: worst === undefined ? "ok" : (worst.severity ?? "attention"),
    reason: worst?.headline ?? null,
  };
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
  const streak = streakOf(origin, now);
  const common = {
    detail: error?.message ?? null,
    count: failures,
    since: failingSince,
    weight: itemCount,
    action: openRun(runId),
    subject: sourceId,
  };
  if (sourceId === null) {
    const headline = `The last push or upload failed (${code})${streak}.`;
    return { ...common, code: "push_failed", headline };
  }
  const severity: Attention["severity"] = hasOldItems(origin, now) ? "failing" : "attention";
  const which = `The last sync of ${quoted(origin)}`;
  if (code === "catalog_collapsed") {
    const headline = `${which} was refused because too many items would be removed${streak}.`;
    return { ...common, code: "sync_refused", severity, headline };
  }
  const problem = { ...common, severity, headline: `${which} failed (${code})${streak}.` };
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

/** A person who uploaded a file once does not come back to it; a program that pushes does, and fails again. */
const isPastPush = ({ sourceId, finishedAt }: OriginFacts, now: Date): boolean =>
  sourceId === null && finishedAt !== null && isOlder(finishedAt, REMEMBERED_MS, now);

/** The reason of a failure is that of the last one; those before may have had others. */
function streakOf({ sourceId, failingSince, failures }: OriginFacts, now: Date): string {
  if (failingSince === null || failures === 1) return "";
  const what = sourceId === null ? "pushes" : "syncs";
  return `; ${figure(failures)} ${what} in a row have failed, the first ${ago(failingSince, now)}`;
}

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
    subject: sourceId,
    weight: itemCount,
  };
}

/** A source without items that is switched off changes nothing in the feeds. */
const switchedOff = (origin: OriginFacts): AttentionCandidate => ({
  code: "source_disabled",
  headline: `${quoted(origin)} is switched off: its ${amount(origin.itemCount, "item")} ${plural(origin.itemCount, "is", "are")} not updated.`,
  count: origin.itemCount,
  action: { kind: "open_source", target: origin.sourceId },
  subject: origin.sourceId,
  weight: origin.itemCount,
});

function rejected(origin: OriginFacts): AttentionCandidate {
  const { sourceId, seen, rejected: count, failures, lastSuccessAt, successRunId } = origin;
  const last = failures > 0 ? "the last successful" : "the last";
  const run = sourceId === null ? `${last} push or upload` : `${last} sync of ${quoted(origin)}`;
  return {
    code: "rows_rejected",
    headline: `${figure(count)} of ${amount(seen, "row")} of ${run} ${plural(count, "was", "were")} rejected.`,
    count,
    since: lastSuccessAt,
    action: openRun(successRunId),
    subject: sourceId,
    weight: count,
  };
}

/** Both readings are in the detail: only a person who knows the language can tell which one is right. */
function uncertainEncoding(origin: OriginFacts): readonly AttentionCandidate[] {
  const { sourceId, encodingNote, lastSuccessAt, successRunId } = origin;
  if (encodingNote === null) return [];
  const file = sourceId === null ? "the last uploaded file" : `the file of ${quoted(origin)}`;
  return [
    {
      code: "encoding_uncertain",
      headline: `The encoding of ${file} is uncertain: letters may be wrong.`,
      detail: encodingNote,
      since: lastSuccessAt,
      action: sourceId === null ? openRun(successRunId) : { kind: "open_source", target: sourceId },
      subject: sourceId,
    },
  ];
}

/** Within the limit, so that the sync succeeded: nothing else says that destinations have fewer items. */
function largeRemoval(origin: OriginFacts, now: Date): readonly AttentionCandidate[] {
  if (origin.largeRemoval === null) return [];
  const { run_id: runId, removed, left } = origin.largeRemoval;
  const at = new Date(origin.largeRemoval.at);
  if (isOlder(at, REMEMBERED_MS, now)) return [];
  return [
    {
      code: "items_removed",
      headline: `A sync of ${quoted(origin)} removed ${amount(removed, "item")} ${ago(at, now)}; ${figure(left)} ${plural(left, "was", "were")} left.`,
      detail:
        "Check that the shop still sells them. If it does, its export was incomplete; otherwise nothing has to be done.",
      count: removed,
      since: at,
      action: openRun(runId),
      subject: runId,
      weight: removed,
    },
  ];
}
