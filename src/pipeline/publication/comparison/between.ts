/** What happened between two renders. */
import type { Between } from "../../../contract/comparisons.ts";
import type { Rule, RuleSet } from "../../../contract/rules.ts";
import { dayOf } from "../../../lib/day.ts";
import { snakeCase } from "../../../lib/snake-case.ts";
import type { Queries } from "../../../store/db.ts";
import {
  countDecisions,
  type EffectSpan,
  hasMappingsBetween,
  hasUndoneSince,
  listChangingRuns,
  listMappingVersions,
  listRuleVersions,
} from "../../../store/render-facts.ts";
import { findRuleSet, findRuleSetBefore } from "../../../store/rules.ts";
import { dependenciesOf } from "../../../enrich/rules/dependencies.ts";
import type { IndexInfo } from "../../render/render-index.ts";
import type { BetweenFacts, RulesVersionChange } from "./causes.ts";
import { fieldsChanged, fieldsSetBy, withDependents } from "./rule-changes.ts";

/**
 * More runs than this in between are too many to tell which one changed an item. Hundreds of small pushes may share a
 * render.
 */
const MAX_RUNS = 1_000;
const MAX_LISTED = 100;

export type TwoRenders = { readonly before: IndexInfo; readonly after: IndexInfo };

/** In order of time: the earlier one, then the later one. */
export function inOrderOfTime({ before, after }: TwoRenders): readonly [IndexInfo, IndexInfo] {
  return before.as_of <= after.as_of ? [before, after] : [after, before];
}

export async function loadBetween(
  db: Queries,
  catalogId: string,
  renders: TwoRenders,
): Promise<{ readonly between: Between; readonly facts: BetweenFacts }> {
  const [earlier, later] = inOrderOfTime(renders);
  const times = { from: new Date(earlier.as_of), until: new Date(later.as_of) };
  const effects = { after: earlier.effects, upTo: later.effects };
  const runs = await listChangingRuns(db, catalogId, times, MAX_RUNS);
  const { ruleChanges, rules } = await loadRuleChanges(db, catalogId, effects);
  const ruleVersions = ruleChanges.map(({ version }) => version);
  const mappingVersions = await listMappingVersions(db, catalogId, effects);
  const isRepeated = isUnexplained([earlier, later], [...ruleVersions, ...mappingVersions]);
  // Earlier versions of Shelfwire did not record in which version a mapping changed.
  const haveMappingsChanged =
    mappingVersions.length > 0 || (isRepeated && (await hasMappingsBetween(db, catalogId, times)));
  const facts: BetweenFacts = {
    until: later.as_of,
    isReversed: earlier !== renders.before,
    runs,
    areRunsComplete: runs.length < MAX_RUNS,
    ruleChanges,
    mappedFields: haveMappingsChanged ? withDependents(["google_category"], rules) : null,
    dayFields: isOtherDay(earlier, later)
      ? fieldsSetBy((rule) => dependenciesOf(JSON.stringify(rule)).usesDay, rules)
      : new Set(),
    variantFields: fieldsSetBy((rule) => dependenciesOf(JSON.stringify(rule)).usesVariants, rules),
    isRepeated,
    hasUndone: await hasUndoneSince(db, catalogId, effects),
    changedSettings: changedSettings(earlier, later),
    isOtherRenderer: rendererOf(earlier) !== rendererOf(later),
  };
  return {
    facts,
    between: {
      runs: runs.slice(0, MAX_LISTED).map(({ id, kind, sourceId, finishedAt }) => ({
        run_id: id,
        kind,
        source_id: sourceId,
        finished_at: finishedAt.toISOString(),
      })),
      rule_versions: ruleVersions,
      category_mappings: haveMappingsChanged,
      decisions: await countDecisions(db, catalogId, effects),
      settings: facts.changedSettings,
      renderer: facts.isOtherRenderer,
    },
  };
}

/** Rules count days in UTC. */
const isOtherDay = (earlier: IndexInfo, later: IndexInfo): boolean =>
  dayOf(new Date(earlier.as_of)) !== dayOf(new Date(later.as_of));

/** What each version of the rules can have changed, and all rules that were in force. */
async function loadRuleChanges(
  db: Queries,
  catalogId: string,
  effects: EffectSpan,
): Promise<{ readonly ruleChanges: readonly RulesVersionChange[]; readonly rules: readonly Rule[] }> {
  const ruleChanges: RulesVersionChange[] = [];
  let before = ruleSetOf(await findRuleSetBefore(db, catalogId, effects.after));
  const all = new Map(before.rules.map((rule) => [JSON.stringify(rule), rule]));
  for (const version of await listRuleVersions(db, catalogId, effects)) {
    const after = ruleSetOf(await findRuleSet(db, catalogId, version));
    ruleChanges.push({ version, fields: fieldsChanged(before, after) });
    for (const rule of after.rules) all.set(JSON.stringify(rule), rule);
    before = after;
  }
  return { ruleChanges, rules: [...all.values()] };
}

const ruleSetOf = (row: { readonly rules: string } | undefined): RuleSet =>
  row ? (JSON.parse(row.rules) as RuleSet) : { rules: [] };

/**
 * Whether the rules were applied again although neither they nor the mappings changed: other settings, or other
 * sources.
 */
function isUnexplained(
  [earlier, later]: readonly [IndexInfo, IndexInfo],
  versions: readonly number[],
): boolean {
  const [was, is] = [earlier.context.rules_version, later.context.rules_version];
  return was !== null && is !== null && was !== is && !versions.includes(is);
}

/** The last part of the base: see `baseOf`. */
const rendererOf = ({ base }: IndexInfo): string => base.split(".").slice(2).join(".");

function changedSettings({ context: before }: IndexInfo, { context: after }: IndexInfo): readonly string[] {
  const [was, is] = [before.settings, after.settings].map((settings) => new Map(Object.entries(settings)));
  if (!was || !is) return [];
  const names = [...new Set([...was.keys(), ...is.keys()])];
  const changed = names.filter((name) => JSON.stringify(was.get(name)) !== JSON.stringify(is.get(name)));
  const own = (["name", "slug"] as const).filter((name) => before[name] !== after[name]);
  return [...own, ...changed.map(snakeCase)];
}
