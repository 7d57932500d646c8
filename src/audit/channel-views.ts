/**
 * Audits items that rules change for single channels, or leave out of some channels: each channel judges the item that
 * it publishes. The outcome of a rule is the worst outcome in any channel. `spared` has a bit for every format that
 * would refuse the item by these outcomes, but publishes other values and accepts it.
 */
import { channelView } from "../catalog/channel-view.ts";
import { withDefaults } from "../catalog/defaults.ts";
import type { Item } from "../catalog/item.ts";
import type { CatalogSettings } from "../catalog/settings.ts";
import type { AuditScope } from "./audit-scope.ts";
import { FAIL, type Outcome } from "./outcome.ts";
import {
  ALL_FORMATS,
  bitsOf,
  evaluateRule,
  type AuditFormat,
  FORMATS,
  type ItemRule,
  type AuditRuleContext,
} from "./rule.ts";
import { ITEM_RULES } from "./ruleset.ts";

export type ChannelOutcomes = {
  /** One outcome per rule, in the order of `ITEM_RULES`. */
  readonly outcomes: readonly Outcome[];
  /** Formats as bits; see above. */
  readonly spared: number;
  /** The formats that rules leave the item out of, as bits. */
  readonly excluded: number;
  /** The items as they are published. The audit needs them to know when their verdicts change. */
  readonly views: readonly Item[];
  /** Returns what a rule says about the view with the worst outcome. */
  readonly messageAt: (at: number) => string;
};

type EvaluationSettings = { readonly settings: CatalogSettings; readonly scope: AuditScope };

/** What a format publishes of an item; null: rules leave the item out of the format. */
type FormatView = { readonly format: AuditFormat; readonly view: Item | null };

/** The worst outcome of a rule, and the view that it was found in. */
type WorstOutcome = { readonly view: Item; readonly outcome: Outcome };

/**
 * Returns null if all channels publish the item as it is. `context` is the item's context; its facts about the item are
 * replaced by the facts about the views.
 */
export function channelOutcomes(
  item: Item,
  context: AuditRuleContext,
  { settings, scope }: EvaluationSettings,
): ChannelOutcomes | null {
  const { feed } = item;
  if (feed === undefined || (feed.values ?? feed.excluded ?? feed.id) === undefined) return null;
  const published = formatViews(item, settings);
  const worst = outcomesOutsideViews(item, context, published);
  let refused = 0;
  for (const { format, view } of published) {
    if (view === null) continue;
    scope.fillFacts(view);
    if (addOutcomes(worst, format, { view, context })) refused |= bitsOf([format]);
  }
  const blocks = (rule: ItemRule, at: number): number =>
    worst[at]?.outcome === FAIL ? bitsOf(rule.blocks) : 0;
  return {
    outcomes: worst.map(({ outcome }) => outcome),
    spared: ITEM_RULES.reduce((bits, rule, at) => bits | blocks(rule, at), 0) & ~refused,
    excluded: bitsOf(published.filter(({ view }) => view === null).map(({ format }) => format)),
    views: published.flatMap(({ view }) => view ?? []),
    messageAt: (at) => {
      const view = worst[at]?.view ?? item;
      scope.fillFacts(view);
      return ITEM_RULES[at]?.message(view, context) ?? "";
    },
  };
}

function formatViews(item: Item, settings: CatalogSettings): readonly FormatView[] {
  return ALL_FORMATS.map((format) => {
    const { channel } = FORMATS[format];
    const isExcluded = item.feed?.excluded?.[channel] !== undefined;
    return { format, view: isExcluded ? null : withDefaults(channelView(item, channel), settings) };
  });
}

/**
 * The outcomes of the rules that concern no view are those of the item. The other rules have an infinite outcome until
 * they are evaluated.
 */
function outcomesOutsideViews(
  item: Item,
  context: AuditRuleContext,
  published: readonly FormatView[],
): WorstOutcome[] {
  return ITEM_RULES.map((rule) => {
    const isPublished = published.some(({ format, view }) => view !== null && rule.formats.includes(format));
    return {
      view: item,
      outcome: isPublished ? Number.POSITIVE_INFINITY : evaluateRule(rule, item, context),
    };
  });
}

/**
 * Evaluates the rules of a format for its view and keeps the worse outcomes. Returns whether the format refuses the
 * view.
 */
function addOutcomes(
  worst: WorstOutcome[],
  format: AuditFormat,
  { view, context }: { readonly view: Item; readonly context: AuditRuleContext },
): boolean {
  let isRefused = false;
  for (const [at, rule] of ITEM_RULES.entries()) {
    const found = worst[at];
    if (found === undefined || !rule.formats.includes(format)) continue;
    const outcome = evaluateRule(rule, view, context);
    if (outcome === FAIL && rule.blocks.includes(format)) isRefused = true;
    if (isWorse(outcome, found.outcome)) worst[at] = { view, outcome };
  }
  return isRefused;
}

/** An outcome of a rule that was evaluated is worse than an outcome of a rule that was not; the latter are negative. */
function isWorse(outcome: Outcome, than: Outcome): boolean {
  if (than === Number.POSITIVE_INFINITY) return true;
  return outcome >= 0 && (than < 0 || outcome < than);
}
