/** What is done to the source items of a catalog: its rules, category mappings and approved values. */
import { dependenciesOf } from "../../enrich/rules/dependencies.ts";
import type { RuleSet } from "../../contract/rules.ts";
import type { Effects } from "../../enrich/effective.ts";
import { type CompiledRules, compileRules } from "../../enrich/rules/compile.ts";
import { AppError } from "../../errors.ts";
import { dayOf } from "../../lib/day.ts";
import { type Catalog, findCatalog, findEffectsVersion } from "../../store/catalogs.ts";
import type { Queries } from "../../store/db.ts";
import { findRuleSet, listCategoryMappings } from "../../store/rules.ts";
import { listSources } from "../../store/sources.ts";
import type { CatalogEffects } from "./compute.ts";

/**
 * Undefined if nothing has ever been done to them. Rules, mappings and version are those of the same moment: they may be changed
 * meanwhile, and what is computed must be what its version says. The catalog was just read.
 */
export async function effectsOf(db: Queries, catalog: Catalog): Promise<CatalogEffects | undefined> {
  if (catalog.effects.version === 0) return undefined;
  const effects = await loadEffects(db, catalog);
  if ((await findEffectsVersion(db, catalog.id)) === catalog.effects.version) return { catalog, effects };
  const changed = await findCatalog(db, catalog.id);
  return changed && effectsOf(db, changed);
}

export async function loadEffects(
  db: Queries,
  { id, settings }: Pick<Catalog, "id" | "settings">,
): Promise<Effects> {
  const stored = await findRuleSet(db, id);
  const mappings = await listCategoryMappings(db, id);
  const sources = await listSources(db, id);
  return {
    rules: storedRules(stored?.rules, settings),
    ...dependenciesOf(stored?.rules ?? ""),
    today: dayOf(new Date()),
    ruleSetVersion: stored?.version ?? 0,
    categories: new Map(
      mappings.flatMap(({ path, category }) => (category === null ? [] : [[path, category]])),
    ),
    uncategorized: new Set(mappings.flatMap(({ path, category }) => (category === null ? [path] : []))),
    settings,
    sourceNames: new Map(sources.map((source) => [source.id, source.name])),
  };
}

/** A rule that an earlier version accepted and this one refuses is left out; GET /rules reports it. */
function storedRules(text: string | undefined, settings: Catalog["settings"]): CompiledRules {
  const { rules } = text === undefined ? { rules: [] } : (JSON.parse(text) as RuleSet);
  const first = compileRules({ rules }, { settings });
  if (first.kind === "compiled") return first.compiled;
  const refused = new Set(first.problems.map(({ rule }) => rule));
  const rest = compileRules({ rules: rules.filter((_, at) => !refused.has(at)) }, { settings });
  if (rest.kind === "compiled") return rest.compiled;
  throw new AppError("internal", "The stored rules cannot be read.");
}
