/** A catalog's rules: saving them, trying them, and applying them to the items. */
import { dependenciesOf } from "../../enrich/rules/dependencies.ts";
import type { RuleProblem, RuleSet } from "../../contract/rules.ts";
import { type CompiledRules, compileRules } from "../../enrich/rules/compile.ts";
import type { RuleContext } from "../../enrich/rules/conditions.ts";
import { AppError } from "../../errors.ts";
import { counted } from "../../lib/counted.ts";
import { newId } from "../../lib/id.ts";
import { advanceEffects, type Catalog, findCatalog, lockCatalog, lockItems } from "../../store/catalogs.ts";
import type { Db, Queries } from "../../store/db.ts";
import { insertDecision } from "../../store/decisions.ts";
import { findLargeGroup } from "../../store/effective-items.ts";
import {
  deleteCategoryMappings,
  findRuleSet,
  insertRuleSet,
  keepCategoryMappings,
  saveCategoryMappings,
} from "../../store/rules.ts";
import { listSources } from "../../store/sources.ts";
import { enqueueRender, enqueueRun, type RunCause } from "../../store/runs.ts";
import { findOpenRun } from "../../store/run-history.ts";
import type { Job, JobDeps } from "../job.ts";
import { type Computed, computeDecided, type OnItems } from "./compute.ts";
import { effectsOf, loadEffects } from "./effects.ts";
import { MAX_VARIANTS } from "./variants.ts";

/** A decision about a category path: an id of Google's taxonomy; null: none of them. Without it, a decision is taken back. */
export type PathDecision = { readonly path: string; readonly category?: string | null | undefined };

export type MappingChange = {
  readonly decisions: readonly PathDecision[];
  /** Decisions about all other paths are taken back. */
  readonly isComplete?: boolean;
};

/** What is not given stays as it is. */
export type EffectsChange = {
  readonly ruleSet?: RuleSet | undefined;
  readonly mappings?: MappingChange | undefined;
};

type SavedChange = EffectsChange & {
  readonly note?: string | null;
  /** Who saves it; null for the command line. */
  readonly keyId: string | null;
  /** The version of the rules that the caller has read; 0 for none. Undefined: whatever it is. */
  readonly expected?: number | undefined;
};

export type QueuedChange = { readonly version: number; readonly runId: string };

/** Stores a new version of the rules and decisions about category paths, both or nothing, and queues the run that applies them. */
export async function saveEffects(
  db: Db,
  catalogId: string,
  { ruleSet, mappings, note = null, keyId, expected }: SavedChange,
): Promise<QueuedChange> {
  return db.tx(async (tx) => {
    const catalog = await lockedCatalog(tx, catalogId);
    if (ruleSet) await compiledRules(tx, catalog, ruleSet);
    if (expected !== undefined) await checkVersion(tx, catalogId, expected);
    const version = await advanceEffects(tx, catalogId, "rules");
    if (ruleSet) {
      await insertRuleSet(tx, catalogId, { version, rules: JSON.stringify(ruleSet), note, keyId });
      await insertDecision(tx, catalogId, { id: newId(), action: "rules", changes: 1, version });
    }
    if (mappings) {
      const changes = await saveMappings(tx, catalogId, mappings, keyId);
      await insertDecision(tx, catalogId, { id: newId(), action: "categories", changes, version });
    }
    return { version, runId: await queueEffects(tx, catalogId, "rules") };
  });
}

async function checkVersion(tx: Queries, catalogId: string, expected: number): Promise<void> {
  const stored = await findRuleSet(tx, catalogId);
  if (expected === (stored?.version ?? 0)) return;
  throw new AppError(
    "conflict",
    `The rules were changed meanwhile: version ${stored?.version ?? 0} is in force, not ${expected}. Read them again.`,
  );
}

/** Returns how many paths it concerns. */
async function saveMappings(
  tx: Queries,
  catalogId: string,
  { decisions, isComplete = false }: MappingChange,
  keyId: string | null,
): Promise<number> {
  const decided = new Map<string, string | null>();
  const undone: string[] = [];
  for (const [path, category] of new Map(decisions.map((one) => [one.path, one.category])))
    if (category === undefined) undone.push(path);
    else decided.set(path, category);
  await saveCategoryMappings(tx, catalogId, { mappings: decided, keyId });
  await deleteCategoryMappings(tx, catalogId, undone);
  const others = isComplete ? await keepCategoryMappings(tx, catalogId, [...decided.keys()]) : 0;
  return decided.size + undone.length + others;
}

export async function lockedCatalog(tx: Queries, catalogId: string): Promise<Catalog> {
  await lockCatalog(tx, catalogId);
  const catalog = await findCatalog(tx, catalogId);
  if (!catalog) throw new AppError("not_found", "The catalog was removed.");
  return catalog;
}

/** Throws if a rule cannot be used. */
export async function checkRules(db: Queries, catalogId: string, ruleSet: RuleSet): Promise<void> {
  const catalog = await findCatalog(db, catalogId);
  if (catalog) await compiledRules(db, catalog, ruleSet);
}

/** Problems of rules in force: of rules that this version refuses, or that cannot match any more. */
export async function ruleProblems(
  db: Queries,
  catalogId: string,
  ruleSet: RuleSet,
): Promise<readonly RuleProblem[]> {
  const catalog = await findCatalog(db, catalogId);
  if (!catalog) return [];
  const compiled = compileRules(ruleSet, await ruleContext(db, catalog));
  if (compiled.kind !== "compiled") return compiled.problems;
  return uncomparedVariants(db, catalogId, ruleSet);
}

/** Rules that compare variants have no values for very large products, which nothing else would show. */
async function uncomparedVariants(
  db: Queries,
  catalogId: string,
  { rules }: RuleSet,
): Promise<readonly RuleProblem[]> {
  const comparing = [...rules.entries()].filter(
    ([, rule]) => rule.enabled !== false && dependenciesOf(JSON.stringify(rule)).usesVariants,
  );
  if (comparing.length === 0) return [];
  const group = await findLargeGroup(db, catalogId, MAX_VARIANTS);
  if (group === undefined) return [];
  const message = `The product ${JSON.stringify(group)} has more than ${MAX_VARIANTS.toLocaleString("en")} variants. They are not compared, so the rule finds no value for them. Check in the source whether all of them are variants of one product.`;
  return comparing.map(([at, { name }]) => ({
    rule: at,
    name,
    pointer: `/rules/${at}`,
    code: "group_too_large",
    message,
  }));
}

const ruleContext = async (db: Queries, { id, settings }: Catalog): Promise<RuleContext> => ({
  settings,
  sources: await listSources(db, id),
  checksCategories: true,
});

/** The compiled rules; throws if a rule cannot be used. */
async function compiledRules(db: Queries, catalog: Catalog, ruleSet: RuleSet): Promise<CompiledRules> {
  const compiled = compileRules(ruleSet, await ruleContext(db, catalog));
  if (compiled.kind === "compiled") return compiled.compiled;
  const [first] = compiled.problems;
  const more = compiled.problems.length - 1;
  throw new AppError(
    "invalid_request",
    `The rule "${first?.name ?? ""}" cannot be used: ${first?.message ?? ""}${more > 0 ? ` And ${counted(more, "more problem")}.` : ""} Nothing was stored.`,
    { fields: compiled.problems.map(({ pointer, message }) => ({ pointer, detail: message })) },
  );
}

/** The run that brings the items up to date. One that waits already will do. */
export async function queueEffects(
  tx: Queries,
  catalogId: string,
  cause: Extract<RunCause, "rules" | "approval">,
): Promise<string> {
  const id = newId();
  if (await enqueueRun(tx, { id, catalogId, sourceId: null, kind: "rules", cause })) return id;
  return (await findOpenRun(tx, catalogId, "rules")) ?? id;
}

/** What a change of rules or mappings would do, for a dry run. */
export async function tryRules(
  tx: Queries,
  catalog: Catalog,
  { ruleSet, mappings }: EffectsChange,
  onItems?: OnItems,
): Promise<Computed> {
  const stored = await loadEffects(tx, catalog);
  const effects = {
    ...stored,
    ...(ruleSet && {
      rules: await compiledRules(tx, catalog, ruleSet),
      ...dependenciesOf(JSON.stringify(ruleSet)),
    }),
    ...(mappings && { categories: withDecisions(stored.categories, mappings) }),
  };
  const { version, applied } = catalog.effects;
  return computeDecided(
    tx,
    {
      catalog: { id: catalog.id, effects: { version: version + 1, rules: version + 1, applied } },
      effects,
    },
    onItems,
  );
}

function withDecisions(
  before: ReadonlyMap<string, string>,
  { decisions, isComplete = false }: MappingChange,
): ReadonlyMap<string, string> {
  const categories = new Map(isComplete ? [] : before);
  for (const { path, category } of decisions)
    if (category == null) categories.delete(path);
    else categories.set(path, category);
  return categories;
}

export type EffectStats = Pick<Computed, "changed" | "refused" | "refusals"> & {
  /** How many were computed. */
  readonly items: number;
};

/** The run: computes what rules and approved values make of the items. The feeds change with the next render. */
export async function applyEffects({ db }: JobDeps, job: Job): Promise<EffectStats> {
  let items = 0;
  const { catalogId } = job.run;
  job.progress(() => ({ items }), "computing");
  return db.tx(async (tx) => {
    items = 0;
    await lockItems(tx, catalogId);
    const catalog = await findCatalog(tx, catalogId);
    if (!catalog) throw new AppError("not_found", "The catalog was removed.");
    const of = await effectsOf(tx, catalog);
    const onItems = (more: number): void => {
      job.signal.throwIfAborted();
      items += more;
    };
    const computed = of ? await computeDecided(tx, of, onItems) : { changed: 0, refused: 0, refusals: [] };
    const { changed, refused, refusals } = computed;
    const stats = { items, changed, refused, refusals };
    await job.finish(tx, { state: "succeeded", stats });
    const { cause } = job.run;
    // The render of new settings may have run before, and that of a new day is asked for by none else.
    if ((cause === "settings" || cause === "stale") && changed > 0)
      await enqueueRender(tx, catalogId, cause, { causeRunId: job.run.id });
    return stats;
  });
}
