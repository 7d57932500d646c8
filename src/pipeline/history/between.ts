/** What happened between two renders. */
import type { Between } from "../../contract/comparisons.ts";
import { snakeCase } from "../../lib/snake-case.ts";
import type { Queries } from "../../store/db.ts";
import {
  countDecisions,
  hasMappingsBetween,
  listChangingRuns,
  listRuleVersions,
} from "../../store/render-facts.ts";
import type { IndexInfo } from "../render/render-index.ts";
import type { BetweenFacts } from "./causes.ts";

/** More runs than this in between are too many to tell which one changed an item. */
const MAX_RUNS = 100;

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
  const ruleVersions = await listRuleVersions(db, catalogId, effects);
  const facts: BetweenFacts = {
    until: later.as_of,
    isReversed: earlier !== renders.before,
    runs,
    areRunsComplete: runs.length < MAX_RUNS,
    ruleVersions,
    ...changedRules([earlier, later], ruleVersions, await hasMappingsBetween(db, catalogId, times)),
    changedSettings: changedSettings(earlier, later),
    isOtherRenderer: rendererOf(earlier) !== rendererOf(later),
  };
  return {
    facts,
    between: {
      runs: runs.map(({ id, kind, sourceId, finishedAt }) => ({
        run_id: id,
        kind,
        source_id: sourceId,
        finished_at: finishedAt.toISOString(),
      })),
      rule_versions: ruleVersions,
      category_mappings: facts.haveMappingsChanged,
      decisions: await countDecisions(db, catalogId, effects),
      settings: facts.changedSettings,
      renderer: facts.isOtherRenderer,
    },
  };
}

/** A mapping that was removed leaves no trace but the version. */
function changedRules(
  [earlier, later]: readonly [IndexInfo, IndexInfo],
  ruleVersions: readonly number[],
  haveMappings: boolean,
): Pick<BetweenFacts, "haveRulesChanged" | "haveMappingsChanged"> {
  const [was, is] = [earlier.context.rules_version, later.context.rules_version];
  if (was === null || is === null)
    return { haveRulesChanged: ruleVersions.length > 0 || haveMappings, haveMappingsChanged: haveMappings };
  const haveRulesChanged = was !== is;
  const haveMappingsChanged = haveRulesChanged && (haveMappings || !ruleVersions.includes(is));
  return { haveRulesChanged, haveMappingsChanged };
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
