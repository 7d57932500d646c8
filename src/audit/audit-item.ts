/**
 * The audit of one item: the outcome of every rule with a message. Rules that need the whole catalog take their outcome
 * from the stored verdict; without a verdict their outcome is unknown.
 */
import { withDefaults } from "../catalog/defaults.ts";
import type { Item } from "../catalog/item.ts";
import { type AuditScope, groupScope } from "./audit-scope.ts";
import { channelOutcomes } from "./channel-views.ts";
import { FAIL, NOT_APPLICABLE, type Outcome, PASS, TWELFTHS, UNKNOWN } from "./outcome.ts";
import {
  bitsOf,
  evaluateRule,
  type AuditFormat,
  type ItemRule,
  type AuditRuleContext,
  severityOf,
  infoOf,
} from "./rule.ts";
import { ITEM_RULES, ruleByNumber } from "./ruleset.ts";
import type { AuditContext } from "./audit-context.ts";
import type { Grade } from "../contract/audits.ts";
import { gradeOf } from "./grades.ts";
import { decodeVerdict, lossesOf, scoreOf, type Verdict } from "./verdict.ts";

export type ItemRuleReport = ReturnType<typeof infoOf> & {
  readonly field: ItemRule["field"];
  readonly outcome: "passed" | "failed" | "partial" | "unknown" | "not_applicable";
  /** "4/12" of the points; null if the rule was not evaluated. */
  readonly earned: string | null;
  /** Points of the item's score lost by this rule, with two decimals. */
  readonly lost: number;
  /** The formats that refuse the item because of this rule. */
  readonly blocks: readonly AuditFormat[];
  readonly message: string | null;
};

export type ItemReport = {
  readonly item_id: string;
  readonly score: number;
  readonly grade: Grade;
  /** The points of the rules that were evaluated, out of 100. */
  readonly stake: number;
  /** The formats that refuse the item. */
  readonly blocks: readonly AuditFormat[];
  /** The most expensive first. */
  readonly rules: readonly ItemRuleReport[];
};

export type ItemAuditOptions = {
  /** All items of its group in catalog order, with or without the item itself. */
  readonly siblings?: readonly Item[];
  /** The stored verdict of the last audit; null if that audit had no findings. */
  readonly verdict?: Uint8Array | null;
};

export function auditItem(stored: Item, audit: AuditContext, options: ItemAuditOptions = {}): ItemReport {
  const evaluated = evaluateItem(stored, audit, options);
  const { item, results } = evaluated;
  const found = verdictIn(evaluated);
  const { stake } = found;
  const score = scoreOf(found);
  const losses = lossesOf(found);
  const rules = results.map((result) => ruleReport(result, { ...evaluated, losses }));
  return {
    item_id: item.id,
    score,
    grade: gradeOf(score),
    stake,
    blocks: [...new Set(rules.flatMap(({ blocks }) => blocks))],
    rules: rules.sort((a, b) => b.lost - a.lost || a.number - b.number),
  };
}

type RuleOutcome = { readonly rule: ItemRule; readonly outcome: Outcome };

function evaluateItem(
  stored: Item,
  audit: AuditContext,
  { siblings: storedSiblings, verdict }: ItemAuditOptions,
) {
  const item = withDefaults(stored, audit.settings);
  const siblings = storedSiblings?.map((sibling) => withDefaults(sibling, audit.settings));
  const scope = groupScope(audit, siblings !== undefined);
  const context = contextOf(item, scope, siblings);
  const storedOutcome = outcomesIn(verdict);
  const channels = channelOutcomes(item, context, { settings: audit.settings, scope });
  const results = ITEM_RULES.map((rule, at): RuleOutcome => {
    const outcome = channels?.outcomes[at] ?? evaluateRule(rule, item, context);
    const isOutOfScope = outcome === UNKNOWN && rule.scope !== "item";
    return { rule, outcome: isOutOfScope ? (storedOutcome?.(rule) ?? UNKNOWN) : outcome };
  });
  const messageAt =
    channels?.messageAt ?? ((at: number): string => ITEM_RULES[at]?.message(item, context) ?? "");
  return { item, results, spared: channels?.spared ?? 0, messageAt };
}

/**
 * Returns the points of the item's score that a change gains, and the rule that gains most; null if no rule gains
 * points.
 */
export function pointsGained(
  before: Item,
  after: Item,
  audit: AuditContext,
  options: ItemAuditOptions,
): { readonly points: number; readonly rule: string | null } {
  const [was, is] = [before, after].map((item) =>
    lossesOf(verdictIn(evaluateItem(item, audit, options))),
  ) as [ReadonlyMap<number, number>, ReadonlyMap<number, number>];
  let best: { rule: string | null; gain: number } = { rule: null, gain: 0 };
  for (const [number, lost] of was) {
    const gain = lost - (is.get(number) ?? 0);
    if (gain > best.gain) best = { rule: ruleByNumber(number)?.id ?? null, gain };
  }
  return { points: totalOf(was) - totalOf(is), rule: best.rule };
}

const totalOf = (losses: ReadonlyMap<number, number>): number =>
  [...losses.values()].reduce((sum, loss) => sum + loss, 0);

/**
 * The siblings are read in catalog order, so that the item fails no comparison that it passes in the audit of the whole
 * catalog.
 */
function contextOf(item: Item, scope: AuditScope, siblings: readonly Item[] | undefined): AuditRuleContext {
  const groupId = item.groupId ?? null;
  const isIncluded = siblings?.some(({ id }) => id === item.id) ?? false;
  const items = siblings === undefined ? [item] : isIncluded ? siblings : [...siblings, item];
  scope.startGroup({ groupId, items: groupId === null ? [item] : items, isWhole: true });
  for (const one of items) {
    if (one.id === item.id) break;
    scope.contextOf(one);
  }
  return scope.contextOf(item);
}

function outcomesIn(verdict: Uint8Array | null | undefined): ((rule: ItemRule) => Outcome) | undefined {
  if (verdict === undefined) return undefined;
  const findings = verdict === null ? [] : decodeVerdict(verdict).findings;
  return ({ number }) => findings.find((finding) => finding.number === number)?.earned ?? PASS;
}

function verdictIn({ results, spared }: Evaluated): Verdict {
  const evaluated = results.filter(({ outcome }) => outcome >= 0);
  return {
    ...(spared > 0 && { spared }),
    stake: evaluated.reduce((sum, { rule }) => sum + rule.points, 0),
    findings: evaluated
      .filter(({ outcome }) => outcome !== PASS)
      .map(({ rule, outcome }) => ({ number: rule.number, points: rule.points, earned: outcome })),
  };
}

type Evaluated = Pick<ReturnType<typeof evaluateItem>, "results" | "spared" | "messageAt">;

type ReportInput = Evaluated & { readonly losses: ReadonlyMap<number, number> };

function ruleReport({ rule, outcome }: RuleOutcome, input: ReportInput): ItemRuleReport {
  const { spared, messageAt, losses } = input;
  const isEvaluated = outcome >= 0;
  const isFinding = isEvaluated && outcome !== PASS;
  const lost = losses.get(rule.number) ?? 0;
  return {
    ...infoOf(rule),
    field: rule.field,
    severity: severityOf(rule, outcome),
    outcome: outcomeName(outcome),
    earned: isEvaluated ? `${outcome}/${TWELFTHS}` : null,
    lost: Math.round(100 * lost) / 100,
    blocks: outcome === FAIL ? rule.blocks.filter((format) => (bitsOf([format]) & spared) === 0) : [],
    message: isFinding ? messageAt(ITEM_RULES.indexOf(rule)) : null,
  };
}

function outcomeName(outcome: Outcome): ItemRuleReport["outcome"] {
  if (outcome === NOT_APPLICABLE) return "not_applicable";
  if (outcome === UNKNOWN) return "unknown";
  if (outcome === PASS) return "passed";
  return outcome === FAIL ? "failed" : "partial";
}
