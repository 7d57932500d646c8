/**
 * Looks for values to propose: reads the catalog twice, once to learn what it has (such as its brands), once to let every
 * extractor see every group. Memory is constant. Proposals that are no longer made become stale.
 */
import type { AuditContext } from "../../audit/audit-context.ts";
import { decodeItem, type ItemGroup } from "../../catalog/item.ts";
import { CategoryPaths } from "../../enrich/categories/category-paths.ts";
import { CatalogFactsCollector } from "../../enrich/extractors/catalog-facts.ts";
import type { ExtractorContext } from "../../enrich/extractors/extractor.ts";
import { EXTRACTORS } from "../../enrich/extractors/registry.ts";
import { PROMPT_HASH } from "../../enrich/model/prompt.ts";
import { AppError } from "../../errors.ts";
import { type Catalog, findCatalog } from "../../store/catalogs.ts";
import type { Db, Session } from "../../store/db.ts";
import { findSourceItems } from "../../store/items.ts";
import { deleteLostQuestions } from "../../store/model-questions.ts";
import { markStale, saveProposals } from "../../store/proposals.ts";
import { saveCategoryPaths } from "../../store/rules.ts";
import { findVerdicts } from "../../store/verdicts.ts";
import { loadGroup } from "../audit/item-view.ts";
import { auditContext } from "../audit/pass.ts";
import type { Job, JobDeps } from "../job.ts";
import { storedGroups } from "../render/item-groups.ts";
import { askModel, type ModelStats, OpenItems } from "./ask-model.ts";
import { categorySuggester } from "./category-suggestions.ts";
import type { ModelSettings } from "./model-client.ts";
import { type Found, newProposal } from "./new-proposal.ts";
import { markOutdated } from "./outdated.ts";

export type ProposalStats = {
  readonly items: number;
  readonly proposed: number;
  readonly stale: number;
  /** Only if there is a model. */
  readonly model?: ModelStats;
};

const EXTRACTOR_IDS = EXTRACTORS.map(({ id }) => id);

/** How many proposals are stored together. */
const BATCH = 500;

export async function proposeValues({ db, http, model }: JobDeps, job: Job): Promise<ProposalStats> {
  const catalog = await findCatalog(db, job.run.catalogId);
  if (!catalog) throw new AppError("not_found", "The catalog was removed before this run began.");
  const audit = await auditContext(db, catalog, new Date());
  const open = model && new OpenItems(db, catalog.id, model);
  const pass = new Pass({ db, catalog, audit, runId: job.run.id, ...(open && { open }) });
  job.progress(() => ({ items: pass.items }), "reading");
  const categories = await db.session(async (session) =>
    session.snapshot(async () => {
      const { context, suggester } = await learn(session, catalog, job.signal);
      for await (const groups of storedGroups(session, catalog.id)) {
        job.signal.throwIfAborted();
        for (const { group } of groups) await pass.add(group, context);
      }
      return suggester;
    }),
  );
  await pass.flush();
  const asked = open && (await askAbout(open, pass, { db, http, job, catalog, settings: model }));
  const outdated = await markOutdated(db, catalog.id, job.signal);
  const categoryPaths = categories.listPaths();
  return db.tx(async (tx) => {
    const stale = await markStale(tx, { catalogId: catalog.id, runId: job.run.id }, EXTRACTOR_IDS);
    await saveCategoryPaths(tx, catalog.id, categoryPaths);
    await deleteLostQuestions(tx, catalog.id);
    const stats = {
      items: pass.items,
      proposed: pass.proposed,
      stale: stale + outdated,
      ...(asked && { model: asked }),
    };
    await job.finish(tx, { state: "succeeded", stats });
    return stats;
  });
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
  pass: Pass,
  { db, http, job, catalog, settings }: Asking,
): Promise<ModelStats> {
  const { signal, run } = job;
  const catalogId = catalog.id;
  return askModel({ db, http, signal }, { catalogId, settings, open }, async (proposals, items) => {
    for (const { item, draft, isGenerated } of proposals) {
      const group = await loadGroup(db, catalogId, item);
      pass.keep({ item, draft, group, by: { isGenerated, promptHash: PROMPT_HASH } });
    }
    await pass.flush();
    const ids = items.map(({ id }) => id);
    await markStale(db, { catalogId, runId: run.id, itemIds: ids }, [`model:${settings.name}`]);
  });
}

/** What extractors need to know about the whole catalog. */
async function learn(session: Session, { id, settings }: Catalog, signal: AbortSignal) {
  const paths = new CategoryPaths();
  const collector = new CatalogFactsCollector();
  for await (const groups of storedGroups(session, id)) {
    signal.throwIfAborted();
    for (const { group } of groups) {
      collector.add(group);
      paths.add(group);
    }
  }
  const facts = collector.facts();
  const suggester = categorySuggester({ settings, facts, paths });
  const context: ExtractorContext = { settings, facts, suggestCategory: suggester.suggestCategory };
  return { context, suggester };
}

type PassOptions = {
  readonly db: Db;
  readonly catalog: Catalog;
  readonly audit: AuditContext;
  readonly runId: string;
  /** Collects what a model is asked about. */
  readonly open?: OpenItems;
};

class Pass {
  items = 0;
  proposed = 0;
  private readonly options: PassOptions;
  private found: Found[] = [];

  constructor(options: PassOptions) {
    this.options = options;
  }

  async add(group: ItemGroup, context: ExtractorContext): Promise<void> {
    this.items += group.items.length;
    const byId = new Map(group.items.map((item) => [item.id, { item, fields: new Set<string>() }]));
    for (const extractor of EXTRACTORS) {
      for (const draft of extractor.propose(group, context)) {
        const known = byId.get(draft.itemId);
        if (!known) continue;
        known.fields.add(draft.field);
        this.keep({ draft, item: known.item, group });
      }
    }
    if (this.options.open)
      for (const { item, fields } of byId.values()) await this.options.open.add(item, fields);
    if (this.found.length >= BATCH) await this.flush();
  }

  keep(found: Found): void {
    this.found.push(found);
  }

  async flush(): Promise<void> {
    const { db, catalog, runId } = this.options;
    const batch = this.found;
    this.found = [];
    if (batch.length === 0) return;
    const ids = [...new Set(batch.map(({ item }) => item.id))];
    const sources = new Map(
      (await findSourceItems(db, catalog.id, ids)).map(({ id, body }) => [id, decodeItem(body)]),
    );
    const verdicts = await findVerdicts(db, catalog.id, ids);
    const proposals = batch.flatMap((found) => {
      const source = sources.get(found.item.id);
      return source
        ? (newProposal(found, { source, verdict: verdicts.get(source.id) }, this.options) ?? [])
        : [];
    });
    this.proposed += proposals.length;
    for (let at = 0; at < proposals.length; at += BATCH)
      await saveProposals(db, { catalogId: catalog.id, runId }, proposals.slice(at, at + BATCH));
  }
}
