/** Renders that the publish guard holds, and files that were published outside its limits. */
import type { Exceeded, GuardSignal } from "../../contract/publish-guard.ts";
import { formatCount, plural } from "../../lib/counted.ts";
import { trimEndOf } from "../../lib/trim-text.ts";
import type { CatalogStatusFacts, PublicationFacts } from "../../store/status.ts";
import { LIMITS, limitsOf } from "../publication/guard/limits.ts";
import { ago } from "./problem.ts";
import type { AttentionCandidate, StatusFacts } from "./problem.ts";

export function checkHeld({ catalog }: StatusFacts, now: Date): readonly AttentionCandidate[] {
  const { heldRunId, heldSince, heldExceeded, renderFinishedAt } = catalog;
  const exceeded = (heldExceeded ?? []).filter(({ signal }) => signal !== "publication_paused");
  const paused = checkPause(catalog, now);
  // A pause alone holds it as well: that needs another decision.
  if (heldRunId === null || (paused.length > 0 && exceeded.length === 0)) return paused;
  const served = renderFinishedAt && `: their URLs serve files from ${ago(renderFinishedAt, now)}`;
  return [
    ...paused,
    {
      code: "render_held",
      severity: "failing",
      headline: `New files of the feeds are held and wait for your decision${served ?? ""}.`,
      detail: `${summaryOf(exceeded)}Promote or discard the render.`,
      count: exceeded.length,
      since: heldSince,
      action: { kind: "open_render", target: heldRunId },
      // A render that is held for another reason is another problem.
      subject: exceeded[0]?.signal ?? null,
    },
  ];
}

/** The entry is shown for a day. */
const SHOWN_MS = 86_400_000;

/**
 * Files that were published although they exceed limits of the publish guard, or have values that are probably wrong.
 */
export function checkPublishedLimits({ catalog }: StatusFacts, now: Date): readonly AttentionCandidate[] {
  const { publishedLimits, publishGuard } = catalog;
  if (publishedLimits === null) return [];
  const since = new Date(publishedLimits.since);
  const limits = limitsOf(publishGuard);
  const exceeded = publishedLimits.exceeded.filter(({ signal }) => limits?.[signal as GuardSignal] != null);
  const [unlikely, changed] = [exceeded.filter(isUnlikely), exceeded.filter((one) => !isUnlikely(one))];
  const isShown = now.getTime() - since.getTime() <= SHOWN_MS;
  const files = { catalog, since };
  return [
    ...limitsEntry(isShown ? changed : [], files, {
      code: "limits_exceeded",
      headline: `The files that were published ${ago(since, now)} differ a lot from the files before them.`,
      detail: `${summaryOf(changed)}If this is not intended, roll back.`,
    }),
    ...limitsEntry(unlikely, files, {
      code: "unlikely_values",
      headline: "The published files have values that are probably wrong.",
      detail: unlikelyDetail(unlikely),
    }),
  ];
}

/** Values that are wrong in themselves, and not only unlike those before. */
const isUnlikely = ({ signal }: Exceeded): boolean => LIMITS[signal as GuardSignal]?.alone !== undefined;

type LimitsText = Pick<AttentionCandidate, "code" | "headline" | "detail">;

/** Returns no entry if nothing is exceeded. */
function limitsEntry(
  exceeded: readonly Exceeded[],
  { catalog, since }: { readonly catalog: CatalogStatusFacts; readonly since: Date },
  text: LimitsText,
): readonly AttentionCandidate[] {
  const [first] = exceeded;
  if (!first) return [];
  const action = { kind: "open_render", target: catalog.publishedRunId } as const;
  return [{ ...text, count: exceeded.length, since, action, subject: first.signal }];
}

function unlikelyDetail(exceeded: readonly Exceeded[]): string {
  const messages = exceeded.map(({ message }) => message).join(" ");
  const signals = exceeded.map(({ signal }) => signal).join(", ");
  return `${messages} If they are right, switch the ${plural(exceeded.length, "limit")} off: ${signals}.`;
}

function summaryOf([first, ...others]: readonly Exceeded[]): string {
  if (!first) return "";
  const more = others.length;
  const rest =
    more > 0 ? `${formatCount(more)} more ${plural(more, "limit is", "limits are")} exceeded. ` : "";
  return `${first.message} ${rest}`;
}

function checkPause({ pausedAt, pauseReason }: CatalogStatusFacts, now: Date): readonly AttentionCandidate[] {
  if (pausedAt === null) return [];
  const reason = pauseReason === null ? "" : `The reason: "${trimEndOf(pauseReason, /\./)}". `;
  return [
    {
      code: "publication_paused",
      headline: `Publication is paused by a rollback ${ago(pausedAt, now)}: new renders are held.`,
      detail: `${reason}Release publication when the cause is corrected.`,
      since: pausedAt,
      action: null,
    },
  ];
}

/**
 * Files that a person decided not to publish: the served ones stay behind the catalog until other files are published.
 */
export function checkDiscarded(catalog: CatalogStatusFacts, now: Date): readonly AttentionCandidate[] {
  const { discardedRunId, discardedAt, discardReason, hasUnpublished, renderFinishedAt, pausedAt } = catalog;
  // A pause says the same about itself.
  if (discardedAt === null || !hasUnpublished || pausedAt !== null) return [];
  const served =
    renderFinishedAt === null ? "the files before them" : `the files from ${ago(renderFinishedAt, now)}`;
  const reason = discardReason === null ? "" : `The reason: "${trimEndOf(discardReason, /\./)}". `;
  return [
    {
      code: "feeds_outdated",
      headline: `New files were discarded ${ago(discardedAt, now)}. The feeds still serve ${served}.`,
      detail: `${reason}Correct the shop or the rule behind the changes, or publish them after all.`,
      since: discardedAt,
      action: { kind: "open_render", target: discardedRunId },
    },
  ];
}

/** Why the served files are behind the catalog; null if they are not, or only until the next render. */
export function behindReason(facts: PublicationFacts): "paused" | "held" | "discarded" | null {
  if (!facts.hasUnpublished) return null;
  if (facts.pausedAt !== null) return "paused";
  if (facts.heldRunId !== null) return "held";
  return facts.discardedRunId === null ? null : "discarded";
}

/** The URLs serve older files than the newest render has made, or was to make. */
export const isBehind = ({
  heldRunId,
  pausedAt,
  discardedRunId,
  failedRenderId,
}: Pick<PublicationFacts, "heldRunId" | "pausedAt" | "discardedRunId" | "failedRenderId">): boolean =>
  heldRunId !== null || pausedAt !== null || discardedRunId !== null || failedRenderId !== null;
