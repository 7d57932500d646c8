/**
 * Items that rules change for single channels, or leave out of some: each channel judges the item that it publishes. The outcome of a
 * rule is the worst in any channel; `spared` has a bit for every format that would refuse the item by these outcomes, but does not.
 */
import { channelView } from "../catalog/channel-view.ts";
import { withDefaults } from "../catalog/defaults.ts";
import type { Item } from "../catalog/item.ts";
import type { CatalogSettings } from "../catalog/settings.ts";
import type { AuditScope } from "./audit-scope.ts";
import { FAIL, type Outcome } from "./outcome.ts";
import { ALL_FORMATS, bitsOf, evaluateRule, FORMATS, type ItemRule, type RuleContext } from "./rule.ts";
import { ITEM_RULES } from "./ruleset.ts";

export type ChannelOutcomes = {
  /** In the order of `ITEM_RULES`. */
  readonly outcomes: readonly Outcome[];
  /** Formats as bits. */
  readonly spared: number;
  /** The formats that rules leave the item out of, as bits. */
  readonly excluded: number;
  /** The items that are published, for the times at which their verdicts change. */
  readonly views: readonly Item[];
  /** What a rule says about the view with the worst outcome. */
  readonly messageAt: (at: number) => string;
};

/** Null if all channels publish the item as it is. `context` is the item's, and its facts about the item alone are replaced. */
export function channelOutcomes(
  item: Item,
  context: RuleContext,
  { settings, scope }: { readonly settings: CatalogSettings; readonly scope: AuditScope },
): ChannelOutcomes | null {
  const { feed } = item;
  if (feed === undefined || (feed.values ?? feed.excluded ?? feed.id) === undefined) return null;
  const published = ALL_FORMATS.map((format) => {
    const { channel } = FORMATS[format];
    const view = withDefaults(channelView(item, channel), settings);
    return { format, view: feed.excluded?.[channel] === undefined ? view : null };
  });
  const worst: { view: Item; outcome: Outcome }[] = ITEM_RULES.map((rule) => ({
    view: item,
    outcome: published.some(({ format, view }) => view !== null && rule.formats.includes(format))
      ? Number.POSITIVE_INFINITY
      : evaluateRule(rule, item, context),
  }));
  let refused = 0;
  for (const { format, view } of published) {
    if (view === null) continue;
    scope.fillFacts(view);
    for (const [at, rule] of ITEM_RULES.entries()) {
      const found = worst[at];
      if (found === undefined || !rule.formats.includes(format)) continue;
      const outcome = evaluateRule(rule, view, context);
      if (outcome === FAIL && rule.blocks.includes(format)) refused |= bitsOf([format]);
      if (isWorse(outcome, found.outcome)) worst[at] = { view, outcome };
    }
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

/** An outcome that was evaluated is worse than one that was not: those are negative. */
function isWorse(outcome: Outcome, than: Outcome): boolean {
  if (than === Number.POSITIVE_INFINITY) return true;
  return outcome >= 0 && (than < 0 || outcome < than);
}
