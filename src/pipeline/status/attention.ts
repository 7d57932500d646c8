/**
 * Decides what needs attention in a catalog. Pure: the same facts at the same time have the same result. The state of a
 * catalog is that of its most severe entry. An entry is `failing` if destinations get old items or none; everything
 * else that should be fixed is `attention`. What a merchant cannot act on, or what is usual in a shop of that size, is
 * no entry: a list that is never empty is not read.
 */
import { ATTENTION_CODES } from "../../contract/status.ts";
import type { Action, Attention, AttentionCode, CatalogState } from "../../contract/status.ts";
import { plural } from "../../lib/counted.ts";
import { spanWords } from "../../lib/span-words.ts";
import type { CatalogFacts, FileFacts, OriginFacts } from "../../store/status.ts";
import type { FailingEndpoint } from "../../webhooks/endpoints.sql.ts";

export type StatusFacts = {
  readonly catalog: CatalogFacts;
  readonly origins: readonly OriginFacts[];
  readonly files: readonly FileFacts[];
  readonly endpoints: readonly FailingEndpoint[];
  /** Whether the token of the feed URLs can be decrypted. */
  readonly isTokenReadable: boolean;
};

export type Assessment = {
  readonly state: CatalogState;
  readonly reason: string;
  readonly action: Action | null;
  readonly attention: readonly Attention[];
};

const MINUTE = 60_000;
const DAY = 86_400_000;

/** A sync that was due this long ago should have begun, and a change of the items should be rendered. */
export const OVERDUE_MS = 15 * MINUTE;
/** Items of sources with short intervals are old after this time at the earliest: one slow sync is no failure. */
const MIN_STALE_MS = 60 * MINUTE;
/** A file that was fetched within this time is used by a destination. */
const USED_MS = 30 * DAY;
/** A few broken rows are usual in any shop and are listed in the run. */
const NOTABLE_REJECTED = 0.01;
/** Destinations differ in what they require, so that some items are left out of some file in almost every catalog. */
const NOTABLE_LEFT_OUT = 0.05;
/** Smaller changes of the score come with every new product. */
const NOTABLE_DROP = 5;
/** Scores of this time are compared. */
export const DROP_DAYS = 7;

type Problem = {
  readonly code: AttentionCode;
  readonly severity?: Attention["severity"];
  /** One sentence. */
  readonly headline: string;
  readonly detail?: string | null;
  readonly count?: number | null;
  readonly since?: Date | null;
  readonly action?: Action | null;
  /** Items concerned: of two entries with the same code, the larger one comes first. */
  readonly weight?: number;
};

type Check = (facts: StatusFacts, now: Date) => readonly Problem[];

const CHECKS: readonly Check[] = [
  checkToken,
  checkRender,
  checkFiles,
  checkOrigins,
  checkItems,
  checkSchedule,
  checkAudit,
  checkWebhooks,
];

export function assess(facts: StatusFacts, now: Date): Assessment {
  const problems = CHECKS.flatMap((check) => check(facts, now)).sort(byConsequence);
  const [first] = problems;
  return {
    state: first === undefined ? "ok" : severityOf(first),
    reason: first?.headline ?? calmReason(facts.catalog, now),
    action: first?.action ?? null,
    attention: problems.map(attentionOf),
  };
}

const severityOf = ({ severity = "attention" }: Problem): Attention["severity"] => severity;

function byConsequence(a: Problem, b: Problem): number {
  const severity = Number(severityOf(b) === "failing") - Number(severityOf(a) === "failing");
  const code = ATTENTION_CODES.indexOf(a.code) - ATTENTION_CODES.indexOf(b.code);
  return severity || code || (b.weight ?? 0) - (a.weight ?? 0);
}

function attentionOf(problem: Problem): Attention {
  const { code, headline, detail, count = null, since, action = null } = problem;
  return {
    code,
    severity: severityOf(problem),
    message: detail ? `${headline} ${detail}` : headline,
    count,
    since: since?.toISOString() ?? null,
    action,
  };
}

function calmReason({ itemCount, openSyncs, lastSuccessAt }: CatalogFacts, now: Date): string {
  if (itemCount === 0) return openSyncs > 0 ? "The first sync is running." : "The first sync begins soon.";
  const synced = lastSuccessAt === null ? "" : `, last synced ${ago(lastSuccessAt, now)}`;
  return `All right: ${amount(itemCount, "item")}${synced}.`;
}

const ago = (at: Date, now: Date): string => `${spanWords(now.getTime() - at.getTime())} ago`;
const isOlder = (at: Date, ms: number, now: Date): boolean => now.getTime() - at.getTime() > ms;
const figure = (count: number): string => count.toLocaleString("en");
const amount = (count: number, noun: string): string => `${figure(count)} ${plural(count, noun)}`;
const openRun = (id: string | null): Action | null => (id === null ? null : { kind: "open_run", target: id });

function checkToken({ isTokenReadable }: StatusFacts): readonly Problem[] {
  if (isTokenReadable) return [];
  const headline = "The token of the feed URLs cannot be decrypted, so that the feeds cannot be rendered.";
  const detail = "Set SECRET_KEY to the key that it was encrypted with, or rotate the feed URLs.";
  return [{ code: "secret_unreadable", severity: "failing", headline, detail }];
}

function checkRender({ catalog }: StatusFacts, now: Date): readonly Problem[] {
  const { failedRenderId, failedRenderAt, failedRenderError, renderFinishedAt } = catalog;
  if (failedRenderId === null) return isOutdated(catalog, now) ? [outdated(catalog, now)] : [];
  const served =
    renderFinishedAt === null
      ? "no file is published yet"
      : `their URLs serve files of ${ago(renderFinishedAt, now)}`;
  return [
    {
      code: "render_failed",
      severity: "failing",
      headline: `The feeds could not be rendered (${failedRenderError?.code ?? "internal"}): ${served}.`,
      detail: failedRenderError?.message ?? null,
      since: failedRenderAt,
      action: openRun(failedRenderId),
    },
  ];
}

/** The items changed a while ago, and no render has seen the change. */
function isOutdated({ itemCount, snapshotAt, renderStartedAt }: CatalogFacts, now: Date): boolean {
  const isMissing = renderStartedAt === null ? itemCount > 0 : renderStartedAt < snapshotAt;
  return isMissing && isOlder(snapshotAt, OVERDUE_MS, now);
}

const outdated = ({ snapshotAt, isRenderOpen }: CatalogFacts, now: Date): Problem => ({
  code: "feeds_outdated",
  headline: `The items changed ${ago(snapshotAt, now)}, and the feeds do not have the change yet.`,
  detail: isRenderOpen ? "A render is waiting or running." : null,
  since: snapshotAt,
  action: isRenderOpen ? null : { kind: "render_feeds", target: null },
});

/** Files of one channel have the same items, so that they are one entry. */
function checkFiles({ files }: StatusFacts, now: Date): readonly Problem[] {
  const isAllEmpty = files.every(({ written }) => written === 0);
  const channels = Map.groupBy(files, ({ file, written }) => `${file.replace(/\..*$/, "")} ${written}`);
  return [...channels.values()].flatMap((own): readonly Problem[] => {
    const [first] = own;
    if (first === undefined || first.excluded === 0) return [];
    const { file, written, excluded } = first;
    const names = own.map((one) => one.file).join(" and ");
    const common = {
      count: excluded,
      weight: excluded,
      action: { kind: "open_feed", target: file },
    } as const;
    if (written === 0) {
      const severity = isAllEmpty || isUsed(own, now) ? "failing" : "attention";
      const verb = own.length === 1 ? "has" : "have";
      const headline = `${names} ${verb} no items: all ${figure(excluded)} are left out.`;
      return [{ code: "feed_empty", severity, headline, ...common }];
    }
    const total = written + excluded;
    if (excluded < NOTABLE_LEFT_OUT * total) return [];
    const headline = `${figure(excluded)} of ${amount(total, "item")} ${plural(excluded, "is", "are")} not in ${names}.`;
    return [{ code: "items_left_out", headline, ...common }];
  });
}

const isUsed = (files: readonly FileFacts[], now: Date): boolean =>
  files.some(({ fetchedAt }) => fetchedAt !== null && !isOlder(fetchedAt, USED_MS, now));

function checkOrigins({ origins }: StatusFacts, now: Date): readonly Problem[] {
  return origins.flatMap((origin) => {
    if (!origin.enabled) return origin.itemCount > 0 ? [paused(origin)] : [];
    return [
      ...(origin.failures > 0 ? [failed(origin, now)] : isStale(origin, now) ? [stale(origin, now)] : []),
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

function failed(origin: OriginFacts, now: Date): Problem {
  const { sourceId, runId, error, failures, failingSince, itemCount } = origin;
  const code = error?.code ?? "internal";
  const common = { detail: error?.message ?? null, count: failures, since: failingSince, weight: itemCount };
  const since = failingSince === null || failures === 1 ? "" : `, the first ${ago(failingSince, now)}`;
  if (sourceId === null) {
    const headline = `${lastOnes(failures, "push", "pushes")} failed${since} (${code}).`;
    return { code: "push_failed", headline, action: openRun(runId), ...common };
  }
  const severity = hasOldItems(origin, now) ? "failing" : "attention";
  const which = `${lastOnes(failures, "sync")} of ${quoted(origin)}`;
  if (code === "catalog_collapsed") {
    const headline = `${which} ${plural(failures, "was", "were")} refused because too many items would be removed${since}.`;
    return { code: "sync_refused", severity, headline, action: openRun(runId), ...common };
  }
  const action: Action | null = SETTINGS_FAILURES.includes(code)
    ? { kind: "open_source", target: sourceId }
    : openRun(runId);
  return {
    code: "source_failing",
    severity,
    headline: `${which} failed${since} (${code}).`,
    action,
    ...common,
  };
}

const lastOnes = (count: number, one: string, many = `${one}s`): string =>
  count === 1 ? `The last ${one}` : `The last ${figure(count)} ${many}`;

/** Or none, because no sync has ever succeeded. */
function hasOldItems(origin: OriginFacts, now: Date): boolean {
  const { lastSuccessAt, itemCount, failingSince } = origin;
  // The last success of a source with items may be older than what is recorded.
  const updatedAt = lastSuccessAt ?? (itemCount > 0 ? failingSince : null);
  return updatedAt === null || isOlder(updatedAt, staleMs(origin), now);
}

function stale(origin: OriginFacts, now: Date): Problem {
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

/** A paused source without items changes nothing in the feeds. */
const paused = (origin: OriginFacts): Problem => ({
  code: "source_disabled",
  headline: `${quoted(origin)} is paused: its ${amount(origin.itemCount, "item")} ${plural(origin.itemCount, "is", "are")} not updated.`,
  count: origin.itemCount,
  action: { kind: "open_source", target: origin.sourceId },
  weight: origin.itemCount,
});

function rejected(origin: OriginFacts): Problem {
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

function checkItems({ catalog, origins, files }: StatusFacts, now: Date): readonly Problem[] {
  const { itemCount, sources, lastSuccessAt, lastSuccessRunId } = catalog;
  if (itemCount > 0) return [];
  const code = "no_items";
  if (sources === 0) {
    const headline = "The catalog has no items: add a source, or push items.";
    return [{ code, headline, action: { kind: "add_source", target: null } }];
  }
  if (lastSuccessAt !== null) {
    const severity = isUsed(files, now) ? "failing" : "attention";
    const headline = "The catalog has no items: the last sync found none.";
    return [{ code, severity, headline, since: lastSuccessAt, action: openRun(lastSuccessRunId) }];
  }
  const disabled = origins.filter(({ enabled }) => !enabled);
  if (disabled.length < sources) return [];
  const headline = "The catalog has no items: its sources are paused.";
  return [{ code, headline, action: { kind: "open_source", target: disabled[0]?.sourceId ?? null } }];
}

function checkSchedule({ catalog: { overdue, overdueSince } }: StatusFacts, now: Date): readonly Problem[] {
  if (overdue === 0 || overdueSince === null) return [];
  const headline =
    overdue === 1
      ? `A sync that was due ${ago(overdueSince, now)} has not begun.`
      : `${figure(overdue)} syncs have not begun, the first was due ${ago(overdueSince, now)}.`;
  const detail = "Check that a worker is running: shelfwire doctor.";
  return [{ code: "sync_overdue", headline, detail, count: overdue, since: overdueSince }];
}

function checkAudit({ catalog }: StatusFacts, now: Date): readonly Problem[] {
  return [failedAudit(catalog, now), dropped(catalog), limited(catalog)].filter((one) => one !== null);
}

function failedAudit(
  { failedAuditId, failedAuditAt, failedAuditError, measuredAt }: CatalogFacts,
  now: Date,
): Problem | null {
  if (failedAuditId === null) return null;
  const score = measuredAt === null ? "there is no score yet" : `the score is of ${ago(measuredAt, now)}`;
  return {
    code: "audit_failed",
    headline: `The audit of the last render failed (${failedAuditError?.code ?? "internal"}): ${score}.`,
    detail: failedAuditError?.message ?? null,
    since: failedAuditAt,
    action: openRun(failedAuditId),
  };
}

const openRule = (id: string | null | undefined): Action | null =>
  id == null ? null : { kind: "open_audit_rule", target: id };

function dropped({ score, bestScore, bestScoreAt, highlights }: CatalogFacts): Problem | null {
  if (score === null || bestScore === null || bestScore - score < NOTABLE_DROP) return null;
  return {
    code: "score_dropped",
    headline: `The score fell from ${bestScore} to ${score} within ${DROP_DAYS} days.`,
    count: bestScore - score,
    since: bestScoreAt,
    action: openRule(highlights?.falling_rule ?? highlights?.first_rule),
  };
}

/** The ceiling lowers the score: no other fix shows before the refused items are fixed. */
function limited({ itemCount, score, highlights, measuredAt }: CatalogFacts): Problem | null {
  if (itemCount === 0 || score === null || highlights === null) return null;
  const { ceiling, raw, reason, refused, refusing_rule } = highlights;
  if (ceiling === null || score >= Math.floor(raw)) return null;
  return {
    code: "score_limited",
    headline: `The score is ${score} instead of ${Math.floor(raw)} because destinations refuse too many items.`,
    detail: reason,
    count: refused,
    since: measuredAt,
    action: openRule(refusing_rule),
  };
}

function checkWebhooks({ endpoints }: StatusFacts, now: Date): readonly Problem[] {
  return endpoints.map(({ id, url, failingSince, lastFailure }) => ({
    code: "webhook_failing",
    headline: `Webhook deliveries to ${hostOf(url)} have failed for ${spanWords(now.getTime() - failingSince.getTime())}.`,
    detail: lastFailure,
    since: failingSince,
    action: { kind: "open_webhook", target: id },
  }));
}

/** The path may contain a secret of the receiver. */
const hostOf = (url: string): string => URL.parse(url)?.host ?? "the endpoint";
