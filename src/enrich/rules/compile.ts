/** Compiles a rule set, or says for every rule what is wrong with it. */
import { MAX_RULES, type Rule, type RuleProblem, type RuleSet } from "../../contract/rules.ts";
import { CHANNEL_NAMES, type ChannelName } from "../../catalog/item.ts";
import { type CompiledAction, compileAction } from "./actions.ts";
import type { Matches } from "./condition.ts";
import { compileWhen, type RuleContext } from "./conditions.ts";
import { checkCategories } from "./google-categories.ts";
import { fold } from "./fold.ts";
import { type Problem, RuleError } from "./problem.ts";

export type CompiledRule = {
  readonly name: string;
  /** Undefined: all, and the item itself. */
  readonly channels: readonly ChannelName[] | undefined;
  readonly matches: Matches;
  readonly action: CompiledAction;
};

/** Enabled rules in their order. */
export type CompiledRules = { readonly rules: readonly CompiledRule[] };

export type Compilation =
  | { readonly kind: "compiled"; readonly compiled: CompiledRules }
  | { readonly kind: "refused"; readonly problems: readonly RuleProblem[] };

/** Disabled rules are checked like all others, so that they can be enabled at any time. */
export function compileRules(ruleSet: RuleSet, context: RuleContext): Compilation {
  const problems: RuleProblem[] = [];
  const rules: CompiledRule[] = [];
  const names = new Map<string, number>();
  for (const [index, rule] of ruleSet.rules.entries()) {
    const report = ({ code, pointer, message }: Problem): void => {
      problems.push({ rule: index, name: rule.name, pointer: `/rules/${index}${pointer}`, code, message });
    };
    if (index >= MAX_RULES) {
      const message = `The rule set has ${ruleSet.rules.length} rules; the limit is ${MAX_RULES}.`;
      report({ code: "too_many_rules", pointer: "", message });
      break;
    }
    const first = names.get(fold(rule.name));
    if (first === undefined) names.set(fold(rule.name), index);
    else
      report({
        code: "duplicate_name",
        pointer: "/name",
        message: `Rule ${first + 1} has the same name. Rename one of them.`,
      });
    const compiled = compileRule(rule, context, report);
    if (compiled !== undefined && rule.enabled !== false) rules.push(compiled);
  }
  return problems.length === 0 ? { kind: "compiled", compiled: { rules } } : { kind: "refused", problems };
}

function compileRule(
  rule: Rule,
  context: RuleContext,
  report: (problem: Problem) => void,
): CompiledRule | undefined {
  const channels = channelsOf(rule.channel);
  const matches = attempt(() => compileWhen(rule.when, context), report);
  const action = attempt(() => {
    const one = compileAction(rule.action, context.settings, channels === undefined);
    if (context.checksCategories === true) checkCategories(rule.action);
    return one;
  }, report);
  if (matches === undefined || action === undefined) return undefined;
  return { name: rule.name, channels, matches, action };
}

function channelsOf(channel: Rule["channel"]): readonly ChannelName[] | undefined {
  if (channel === undefined) return undefined;
  const named: readonly string[] = typeof channel === "string" ? [channel] : channel;
  return CHANNEL_NAMES.filter((name) => named.includes(name));
}

/** Each rule is reported with its first problem in the conditions and in the action. */
function attempt<T>(compile: () => T, report: (problem: Problem) => void): T | undefined {
  try {
    return compile();
  } catch (error) {
    if (!(error instanceof RuleError)) throw error;
    report(error.problem);
    return undefined;
  }
}
