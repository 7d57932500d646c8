/**
 * Decides what needs attention in a catalog. Pure: the same facts at the same time have the same result. The state of a
 * catalog is that of its most severe entry. An entry is `failing` if destinations get old items or none; everything
 * else that should be fixed is `attention`. What a merchant cannot act on, or what is usual in a shop of that size, is
 * no entry: a list that is never empty is not read.
 */
import { ATTENTION_CODES } from "../../contract/status.ts";
import type { Action, Attention, CatalogState } from "../../contract/status.ts";
import { BANDS } from "../../audit/grades.ts";
import { plural } from "../../lib/counted.ts";
import type { CatalogStatusFacts, FileFacts } from "../../store/status.ts";
import { checkDiscarded, checkHeld, checkPublishedLimits } from "./held.ts";
import { checkConsumers } from "./consumers.ts";
import { checkOrigins } from "./origins.ts";
import { checkAge, checkReceivers } from "./receivers.ts";
import { ago, amount, DROP_DAYS, figure, isOlder, openRun, OVERDUE_MS } from "./problem.ts";
import type { StatusCheck, AttentionCandidate, StatusFacts } from "./problem.ts";

export type Assessment = {
  readonly state: CatalogState;
  readonly reason: string;
  readonly action: Action | null;
  readonly attention: readonly Attention[];
  /** What each entry of `attention` is about; empty for the whole catalog. */
  readonly subjects: readonly string[];
};

/** A file that was fetched within this time is used by a destination. */
const USED_MS = 30 * 86_400_000;
/** Destinations differ in what they require, so that in almost every catalog some destination refuses some items. */
const NOTABLE_REFUSED = 0.05;
const CHECKS: readonly StatusCheck[] = [
  checkRestored,
  checkToken,
  checkHeld,
  checkPublishedLimits,
  checkRender,
  checkFiles,
  checkOrigins,
  checkItems,
  checkSchedule,
  checkAudit,
  checkAge,
  checkReceivers,
  checkConsumers,
];

export function assess(facts: StatusFacts, now: Date): Assessment {
  const problems = CHECKS.flatMap((check) => check(facts, now)).sort(byConsequence);
  const [first] = problems;
  return {
    state: first === undefined ? "ok" : severityOf(first),
    reason: first?.headline ?? calmReason(facts.catalog, now),
    action: first?.action ?? null,
    attention: problems.map(attentionOf),
    subjects: problems.map(({ subject }) => subject ?? ""),
  };
}

const severityOf = ({ severity = "attention" }: AttentionCandidate): Attention["severity"] => severity;

function byConsequence(a: AttentionCandidate, b: AttentionCandidate): number {
  const severity = Number(severityOf(b) === "failing") - Number(severityOf(a) === "failing");
  const code = ATTENTION_CODES.indexOf(a.code) - ATTENTION_CODES.indexOf(b.code);
  return severity || code || (b.weight ?? 0) - (a.weight ?? 0);
}

function attentionOf(problem: AttentionCandidate): Attention {
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

function calmReason({ itemCount, openSyncs, lastSuccessAt }: CatalogStatusFacts, now: Date): string {
  if (itemCount === 0) return openSyncs > 0 ? "The first sync is running." : "The first sync begins soon.";
  const synced = lastSuccessAt === null ? "" : `, last synced ${ago(lastSuccessAt, now)}`;
  return `All right: ${amount(itemCount, "item")}${synced}.`;
}

function checkRestored({ catalog: { restoredAt } }: StatusFacts, now: Date): readonly AttentionCandidate[] {
  if (restoredAt === null) return [];
  const headline = `This installation was restored from a backup ${ago(restoredAt, now)} and is not live: it sends no files, webhooks or mails and syncs no source by itself.`;
  const detail = "If it replaces the original, make it live: shelfwire resume, or the button in the console.";
  return [{ code: "restored_copy", severity: "failing", headline, detail, since: restoredAt }];
}

function checkToken({ isTokenReadable }: StatusFacts): readonly AttentionCandidate[] {
  if (isTokenReadable) return [];
  const headline = "The token of the feed URLs cannot be decrypted, so that the feeds cannot be rendered.";
  const detail = "Set SECRET_KEY to the key that it was encrypted with, or rotate the feed URLs.";
  return [{ code: "secret_unreadable", severity: "failing", headline, detail }];
}

function checkRender({ catalog }: StatusFacts, now: Date): readonly AttentionCandidate[] {
  const { failedRenderId, failedRenderAt, failedRenderError, renderFinishedAt } = catalog;
  // The feeds are behind the items on purpose.
  if (catalog.heldRunId !== null || catalog.discardedRunId !== null) return checkDiscarded(catalog, now);
  if (failedRenderId === null) return isOutdated(catalog, now) ? [outdated(catalog, now)] : [];
  const served =
    renderFinishedAt === null
      ? "no file is published yet"
      : `their URLs serve files from ${ago(renderFinishedAt, now)}`;
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
function isOutdated(
  { itemCount, snapshotAt, renderStartedAt, pausedAt }: CatalogStatusFacts,
  now: Date,
): boolean {
  // While publication is paused, the feeds are behind the items on purpose.
  if (pausedAt !== null) return false;
  const isMissing = renderStartedAt === null ? itemCount > 0 : renderStartedAt < snapshotAt;
  return isMissing && isOlder(snapshotAt, OVERDUE_MS, now);
}

const outdated = ({ snapshotAt, isRenderOpen }: CatalogStatusFacts, now: Date): AttentionCandidate => ({
  code: "feeds_outdated",
  headline: `The items changed ${ago(snapshotAt, now)}, and the feeds do not have the change yet.`,
  detail: isRenderOpen ? "A render is waiting or running." : null,
  since: snapshotAt,
  action: isRenderOpen ? null : { kind: "render_feeds", target: null },
});

/**
 * Files of one channel have the same items, so that they are one entry. An empty file is worse than an old one: its
 * destination removes every item. Only if rules leave out all items of a file that is not fetched, that is probably
 * wanted.
 */
function checkFiles({ catalog, files }: StatusFacts, now: Date): readonly AttentionCandidate[] {
  const isAllEmpty = files.every(({ written }) => written === 0);
  const channels = Map.groupBy(files, ({ file, written }) => `${file.split(".")[0]} ${written}`);
  return [...channels.values()].flatMap((own): readonly AttentionCandidate[] => {
    const [first] = own;
    if (first === undefined) return [];
    const about = { names: own.map((one) => one.file).join(" and "), isUsed: isUsed(own, now) };
    if (first.written > 0) return refusedEntry(first, about);
    const isStale = catalog.heldRunId !== null || isOutdated(catalog, now);
    const items = first.excluded || (isStale ? catalog.itemCount : 0);
    return items === 0 ? [] : [emptyEntry(first, { ...about, items, isAllEmpty, files: own.length })];
  });
}

function emptyEntry(
  { file, excluded, excludedByRule }: FileFacts,
  about: {
    readonly names: string;
    readonly files: number;
    readonly items: number;
    readonly isUsed: boolean;
    readonly isAllEmpty: boolean;
  },
): AttentionCandidate {
  const { names, items: count } = about;
  const isWanted = excluded > 0 && excluded === excludedByRule && !about.isAllEmpty && !about.isUsed;
  const why = excluded > 0 ? `all ${figure(count)} are left out` : `the catalog has ${figure(count)}`;
  const headline = `${names} ${about.files === 1 ? "has" : "have"} no items: ${why}.`;
  const severity = isWanted ? "attention" : "failing";
  return { code: "feed_empty", severity, headline, count, weight: count, ...aboutFile(file) };
}

const aboutFile = (file: string) => ({ action: { kind: "open_feed", target: file }, subject: file }) as const;

/** The items that the destination of a file will not show. What a rule leaves out is left out on purpose. */
function refusedEntry(
  { file, written, excluded, refused, excludedByRule }: FileFacts,
  about: { readonly names: string; readonly isUsed: boolean },
): readonly AttentionCandidate[] {
  const leftOut = Math.max(0, excluded - excludedByRule);
  const count = leftOut + refused;
  const total = written + leftOut;
  if (count === 0 || count < NOTABLE_REFUSED * total) return [];
  const severity = refused === total && about.isUsed ? "failing" : "attention";
  const share = `${figure(count)} of ${amount(total, "item")}`;
  const headline =
    leftOut === 0
      ? `${share} will be refused by ${destinationOf(file)}.`
      : `${share} ${plural(count, "is", "are")} not in ${about.names}.`;
  const detail =
    excludedByRule === 0 ? null : `Items that a rule leaves out (${figure(excludedByRule)}) are not counted.`;
  return [{ code: "items_refused", severity, headline, detail, count, weight: count, ...aboutFile(file) }];
}

/** The names of the destinations for people. Only these refuse items. */
const destinationOf = (file: string): string => (file.startsWith("gmc.") ? "Google" : "OpenAI");

const isUsed = (files: readonly FileFacts[], now: Date): boolean =>
  files.some(({ fetchedAt }) => fetchedAt !== null && !isOlder(fetchedAt, USED_MS, now));

function checkItems({ catalog, origins, files }: StatusFacts, now: Date): readonly AttentionCandidate[] {
  const { itemCount, sources, lastSuccessAt, lastSuccessRunId } = catalog;
  if (itemCount > 0) return [];
  const code = "no_items";
  const severity = isUsed(files, now) ? "failing" : "attention";
  if (sources === 0) {
    const headline = "The catalog has no items: add a source, or push items.";
    return [{ code, severity, headline, action: { kind: "add_source", target: null } }];
  }
  if (lastSuccessAt !== null) {
    const headline = "The catalog has no items: the last sync found none.";
    return [{ code, severity, headline, since: lastSuccessAt, action: openRun(lastSuccessRunId) }];
  }
  const disabled = origins.filter(({ enabled }) => !enabled);
  if (disabled.length < sources) return [];
  const headline = "The catalog has no items: its sources are switched off.";
  const action: Action = { kind: "open_source", target: disabled[0]?.sourceId ?? null };
  return [{ code, severity, headline, action }];
}

function checkSchedule(
  { catalog: { overdue, overdueSince, restoredAt } }: StatusFacts,
  now: Date,
): readonly AttentionCandidate[] {
  // A restored copy syncs no source by itself.
  if (overdue === 0 || overdueSince === null || restoredAt !== null) return [];
  const headline =
    overdue === 1
      ? `A sync that was due ${ago(overdueSince, now)} has not begun.`
      : `${figure(overdue)} syncs have not begun, the first was due ${ago(overdueSince, now)}.`;
  const detail = "Check that a worker is running: shelfwire doctor.";
  return [{ code: "sync_overdue", headline, detail, count: overdue, since: overdueSince }];
}

function checkAudit({ catalog, alerts }: StatusFacts, now: Date): readonly AttentionCandidate[] {
  return [failedAudit(catalog, now), dropped(catalog, alerts.minScoreDrop), limited(catalog)].filter(
    (one) => one !== null,
  );
}

function failedAudit(
  { failedAuditId, failedAuditAt, failedAuditError, measuredAt }: CatalogStatusFacts,
  now: Date,
): AttentionCandidate | null {
  if (failedAuditId === null) return null;
  const score = measuredAt === null ? "there is no score yet" : `the score is from ${ago(measuredAt, now)}`;
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

function dropped(
  { servedScore: score, servedHighlights: highlights, bestScore, bestScoreAt }: CatalogStatusFacts,
  minDrop: number,
): AttentionCandidate | null {
  if (score === null || bestScore === null || bestScore - score < minDrop) return null;
  return {
    code: "score_dropped",
    headline: `The score fell from ${bestScore} to ${score} within ${DROP_DAYS} days.`,
    count: bestScore - score,
    since: bestScoreAt,
    action: openRule(highlights?.falling_rule ?? highlights?.first_rule),
  };
}

const BEST_GRADE = BANDS[0]?.from ?? 0;

/** The best grade is out of reach until the refused items are fixed. */
function limited({
  itemCount,
  servedScore: score,
  servedHighlights: highlights,
  servedMeasuredAt: measuredAt,
}: CatalogStatusFacts): AttentionCandidate | null {
  if (itemCount === 0 || score === null || highlights === null) return null;
  const { ceiling, refused, refusing_rule } = highlights;
  if (ceiling === null || ceiling.limit >= BEST_GRADE) return null;
  return {
    code: "score_limited",
    headline: `The score can reach at most ${ceiling.limit} because channels refuse items.`,
    detail: ceiling.reason,
    count: refused,
    since: measuredAt,
    action: openRule(refusing_rule),
  };
}
