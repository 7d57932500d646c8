/** A catalog's rules: saving them, trying them, and applying them to the items. */
import type { RuleSet } from "../../contract/rules.ts";
import { type CompiledRules, compileRules } from "../../enrich/rules/compile.ts";
import { AppError } from "../../errors.ts";
import { counted } from "../../lib/counted.ts";
import { newId } from "../../lib/id.ts";
import { advanceEffects, type Catalog, findCatalog, lockCatalog, lockItems } from "../../store/catalogs.ts";
import type { Db, Queries } from "../../store/db.ts";
import {
  deleteCategoryMappings,
  findRuleSet,
  insertRuleSet,
  saveCategoryMappings,
} from "../../store/rules.ts";
import { enqueueRender, enqueueRun, type RunCause } from "../../store/runs.ts";
import { findOpenRun } from "../../store/run-history.ts";
import type { Job, JobDeps } from "../job.ts";
import { type Computed, computeDecided, type OnItems, tryEffects } from "./compute.ts";
import { effectsOf, loadEffects } from "./effects.ts";

export type SavedRules = {
  readonly ruleSet: RuleSet;
  readonly note: string | null;
  /** Who saves them; null for the command line. */
  readonly keyId: string | null;
  /** The version that the caller has read; 0 for none. Undefined: whatever it is. */
  readonly expected?: number | undefined;
};

export type QueuedChange = { readonly version: number; readonly runId: string };

/** Stores a new version of the rules and queues the run that applies it. */
export async function saveRules(
  db: Db,
  catalogId: string,
  { ruleSet, note, keyId, expected }: SavedRules,
): Promise<QueuedChange> {
  return db.tx(async (tx) => {
    const catalog = await lockedCatalog(tx, catalogId);
    compiledRules(catalog, ruleSet);
    const stored = await findRuleSet(tx, catalogId);
    if (expected !== undefined && expected !== (stored?.version ?? 0))
      throw new AppError(
        "conflict",
        `The rules were changed meanwhile: version ${stored?.version ?? 0} is in force, not ${expected}. Read them again.`,
      );
    const version = await advanceEffects(tx, catalogId, "rules");
    await insertRuleSet(tx, catalogId, { version, rules: JSON.stringify(ruleSet), note, keyId });
    return { version, runId: await queueEffects(tx, catalogId, "rules") };
  });
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
  if (catalog) compiledRules(catalog, ruleSet);
}

/** The compiled rules; throws if a rule cannot be used. */
function compiledRules({ settings }: Catalog, ruleSet: RuleSet): CompiledRules {
  const compiled = compileRules(ruleSet, { settings });
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

/** Decides which of Google's categories paths mean; null: none. Undefined takes a decision back. */
export async function saveMappings(
  db: Db,
  catalogId: string,
  { mappings, keyId }: { mappings: ReadonlyMap<string, string | null | undefined>; keyId: string | null },
): Promise<QueuedChange> {
  return db.tx(async (tx) => {
    await lockedCatalog(tx, catalogId);
    const decided = new Map<string, string | null>();
    const undone: string[] = [];
    for (const [path, category] of mappings)
      if (category === undefined) undone.push(path);
      else decided.set(path, category);
    await saveCategoryMappings(tx, catalogId, { mappings: decided, keyId });
    await deleteCategoryMappings(tx, catalogId, undone);
    const version = await advanceEffects(tx, catalogId, "rules");
    return { version, runId: await queueEffects(tx, catalogId, "rules") };
  });
}

/** What the rules would do, in a transaction that is rolled back. */
export async function tryRules(
  tx: Queries,
  catalog: Catalog,
  ruleSet: RuleSet,
  onItems?: OnItems,
): Promise<Computed> {
  const effects = { ...(await loadEffects(tx, catalog)), rules: compiledRules(catalog, ruleSet) };
  const { version, applied } = catalog.effects;
  return tryEffects(
    tx,
    {
      catalog: { id: catalog.id, effects: { version: version + 1, rules: version + 1, applied } },
      effects,
    },
    onItems,
  );
}

export type EffectStats = Pick<Computed, "changed" | "refused" | "refusals"> & {
  /** How many were computed. */
  readonly items: number;
};

/** Settings of the catalog or the name of a source have changed: the same rules may do something else. */
async function repeatRules(db: Db, catalogId: string): Promise<void> {
  await db.tx(async (tx) => {
    const { effects } = await lockedCatalog(tx, catalogId);
    if (effects.version > 0) await advanceEffects(tx, catalogId, "rules");
  });
}

/** The run: computes what rules and approved values make of the items. The feeds change with the next render. */
export async function applyEffects({ db }: JobDeps, job: Job): Promise<EffectStats> {
  let items = 0;
  const { catalogId } = job.run;
  job.progress(() => ({ items }), "computing");
  // In a transaction of its own, because it locks the catalog's row.
  if (job.run.cause === "settings") await repeatRules(db, catalogId);
  return db.tx(async (tx) => {
    if (!(await lockItems(tx, catalogId))) throw new AppError("not_found", "The catalog was removed.");
    const of = await effectsOf(tx, catalogId);
    const onItems = (more: number): void => {
      job.signal.throwIfAborted();
      items += more;
    };
    const computed = of ? await computeDecided(tx, of, onItems) : { changed: 0, refused: 0, refusals: [] };
    const { changed, refused, refusals } = computed;
    const stats = { items, changed, refused, refusals };
    await job.finish(tx, { state: "succeeded", stats });
    // The render of new settings may have run before.
    if (job.run.cause === "settings" && changed > 0)
      await enqueueRender(tx, catalogId, "settings", job.run.id);
    return stats;
  });
}
