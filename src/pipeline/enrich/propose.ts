/**
 * Looks for values to propose: reads the catalog twice, once to learn what it has (such as its brands), once to let every
 * extractor see every group that has changed since the last pass. Memory is bounded. Proposals that are no longer made
 * become stale.
 */
import { decodeItem } from "../../catalog/item.ts";
import { CategoryPaths } from "../../enrich/categories/category-paths.ts";
import { CatalogFactsCollector } from "../../enrich/extractors/catalog-facts.ts";
import type { ExtractorContext } from "../../enrich/extractors/extractor.ts";
import { PROMPT_HASH } from "../../enrich/model/prompt.ts";
import { withShopTexts } from "../../enrich/shop-texts.ts";
import { AppError } from "../../errors.ts";
import { type Catalog, findCatalog } from "../../store/catalogs.ts";
import type { Db, Session } from "../../store/db.ts";
import { eachItemWithSource } from "../../store/items.ts";
import { deleteLostQuestions } from "../../store/model-questions.ts";
import { listCategoryMappings, saveCategoryPaths } from "../../store/rules.ts";
import { loadGroup } from "../items/item-view.ts";
import { auditContext } from "../audit/pass.ts";
import type { Job, JobDeps } from "../job.ts";
import { GroupBuilder, storedGroups } from "../render/item-groups.ts";
import type { ModelStats, OpenItems } from "./ask-model.ts";
import { categorySuggester } from "./category-suggestions.ts";
import type { ModelSettings } from "./model-client.ts";
import { markLost, markOutdated } from "./outdated.ts";
import { ProposalPass } from "./proposal-pass.ts";
import { contextHash, ReadGroups } from "./read-groups.ts";

export type ProposalStats = {
  readonly items: number;
  /** Of these, items of groups that are as they were in the last pass: their proposals stay. */
  readonly skipped: number;
  readonly proposed: number;
  readonly stale: number;
  /** Items that have changed since they were read: the next pass reads them again. */
  readonly changed: number;
  /** Why suggested categories are few or less sure; null unless their language is the reason. */
  readonly categoryNote: string | null;
  /** Only if there is a model. */
  readonly model?: ModelStats;
};

export async function proposeValues({ db, http, model, log }: JobDeps, job: Job): Promise<ProposalStats> {
  const catalog = await findCatalog(db, job.run.catalogId);
  if (!catalog) throw new AppError("not_found", "The catalog was removed before this run began.");
  const now = new Date();
  const audit = await auditContext(db, catalog, now);
  // Few have a model: its code and the validator of its answers take 9 MB.
  const open = model && new (await import("./ask-model.ts")).OpenItems(db, catalog.id, model);
  const run = { db, catalogId: catalog.id, runId: job.run.id };
  // What does not fit into one pass with a model is asked in the next one. A request reads everything again.
  const isComplete = open !== undefined || job.run.cause === "request";
  const { pass, categories } = await db.session(async (session) =>
    session.snapshot(async () => {
      const { context, suggester, paths } = await learn(session, catalog, job.signal);
      const place = { ...run, context: contextHash(catalog, context, { paths, now }) };
      const readGroups = await ReadGroups.open(place, { isComplete });
      const options = { db, catalog, audit, readGroups, runId: job.run.id };
      const looking = new ProposalPass({ ...options, ...(open && { open }) });
      job.progress(() => ({ items: looking.items }), "reading");
      for await (const groups of storedGroups(session, catalog.id)) {
        job.signal.throwIfAborted();
        await looking.add(groups, context);
      }
      await looking.flush();
      await readGroups.end();
      return { pass: looking, categories: suggester };
    }),
  );
  const asked = open && (await askAbout(open, pass, { db, http, job, catalog, settings: model }));
  if (asked) logAsked(log, job, asked);
  const outdated = await markOutdated(db, catalog.id, job.signal);
  const lost = await markLost(db, catalog.id, job.signal);
  const categoryPaths = categories.listPaths();
  return db.tx(async (tx) => {
    await saveCategoryPaths(tx, catalog.id, categoryPaths);
    await deleteLostQuestions(tx, catalog.id);
    const stats = {
      items: pass.items,
      skipped: pass.skipped,
      proposed: pass.proposed,
      stale: pass.stale + outdated + lost,
      changed: pass.changed,
      categoryNote: categories.note,
      ...(asked && { model: asked }),
    };
    await job.finish(tx, { state: "succeeded", stats });
    return stats;
  });
}

/** Calls and tokens cost money, and a run succeeds without its model. */
function logAsked(log: JobDeps["log"], { run }: Job, asked: ModelStats): void {
  const fields = { run_id: run.id, catalog_id: run.catalogId, model: asked };
  const reason = asked.failure ?? asked.stopped;
  if (asked.failed > 0) log.warn(fields, `model failed: ${reason}`);
  else log.info(fields, reason === null ? "model asked" : `model asked: ${reason}`);
}

type Asking = {
  readonly db: Db;
  readonly http: JobDeps["http"];
  readonly job: Job;
  readonly catalog: Catalog;
  readonly settings: ModelSettings;
};

async function askAbout(
  open: OpenItems,
  pass: ProposalPass,
  { db, http, job, catalog, settings }: Asking,
): Promise<ModelStats> {
  const { signal } = job;
  const catalogId = catalog.id;
  const { askModel } = await import("./ask-model.ts");
  return askModel({ db, http, signal }, { catalogId, settings, open }, async (proposals, asked) => {
    const fingerprints = new Map(asked.map(({ item, fingerprint }) => [item.id, fingerprint]));
    const found = [];
    for (const { item, draft, isGenerated } of proposals) {
      const group = await loadGroup(db, catalogId, item);
      found.push({ item, draft, group, fingerprints, by: { isGenerated, promptHash: PROMPT_HASH } });
    }
    const itemIds = asked.map(({ item }) => item.id);
    return pass.store({ itemIds, extractors: [`model:${settings.name}`], found });
  });
}

/** What extractors need to know about the whole catalog. */
async function learn(session: Session, { id, settings }: Catalog, signal: AbortSignal) {
  const paths = new CategoryPaths();
  const collector = new CatalogFactsCollector();
  const groups = new GroupBuilder();
  for await (const rows of eachItemWithSource(session, id)) {
    signal.throwIfAborted();
    const items = rows.map(({ body, source }) => {
      const item = decodeItem(body);
      paths.add(source === null ? item : decodeItem(source));
      return withShopTexts(item);
    });
    for (const group of groups.add(items)) collector.add(group);
  }
  for (const group of groups.end()) collector.add(group);
  const facts = collector.facts();
  const suggester = categorySuggester({ settings, facts, paths });
  const mappings = await listCategoryMappings(session, id);
  const context: ExtractorContext = {
    settings,
    facts,
    suggestCategory: suggester.suggestCategory,
    uncategorized: new Set(mappings.flatMap(({ path, category }) => (category === null ? [path] : []))),
  };
  return { context, suggester, paths };
}
