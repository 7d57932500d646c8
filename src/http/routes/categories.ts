/** /api/v1/categories: the merchant's category paths, and what they mean in Google's taxonomy. */
import { nearestHint, searchCategories } from "../../catalog/category-search.ts";
import {
  type Category,
  categoryPath,
  findCategory,
  TAXONOMY_LANGUAGES,
  type TaxonomyLanguage,
} from "../../catalog/google-taxonomy.ts";
import {
  CategoriesAnswer,
  CategoryQuery,
  CategorySearchAnswer,
  CategorySearchQuery,
  MapCategories,
  MappedAnswer,
  MAX_LISTED_PATHS,
} from "../../contract/categories.ts";
import { AcceptedAnswer, PreferHeaders } from "../../contract/syncs.ts";
import { AppError } from "../../errors.ts";
import { decodeOffset, pageOf } from "../../lib/cursor.ts";
import { MAX_PATHS } from "../../enrich/categories/category-paths.ts";
import { withSnakeCase } from "../../lib/snake-case.ts";
import { type PathDecision, saveEffects } from "../../pipeline/enrich/rules.ts";
import { findCatalog } from "../../store/catalogs.ts";
import type { Queries } from "../../store/db.ts";
import {
  countCategoryPaths,
  findCategoryNote,
  type ListedPath,
  listCategoryPaths,
  listPathsWithoutItems,
  type StoredSuggestion,
} from "../../store/rules.ts";
import type { Api, ApiDeps } from "../api.ts";
import { accepted, prefersAsync, waitForEffects, waitForPlan } from "../run-answer.ts";

export function categoryRoutes(api: Api, deps: ApiDeps): void {
  reading(api, deps);
  mapping(api, deps);
}

function reading(api: Api, { db }: ApiDeps): void {
  api.route({
    method: "GET",
    url: "/categories",
    scope: "read",
    operationId: "listCategories",
    summary: "List category paths",
    description:
      "The merchant's own paths with the number of their items, the decision about each, and suggestions.",
    query: CategoryQuery,
    answers: { 200: CategoriesAnswer },
    handler: async ({ caller: { catalogId }, query: { undecided = false, cursor, limit = 50 } }) => {
      const offset = cursor === undefined ? 0 : decodeOffset(cursor);
      const rows = await listCategoryPaths(db, catalogId, { undecided, limit: limit + 1, offset });
      const { page, nextCursor } = pageOf(rows, limit, () => [offset + limit]);
      const totals = await countCategoryPaths(db, catalogId);
      const note = await findCategoryNote(db, catalogId);
      return { body: { data: { categories: page.map(pathBody), totals, note, next_cursor: nextCursor } } };
    },
  });

  api.route({
    method: "GET",
    url: "/categories/search",
    scope: "read",
    heavy: "page",
    operationId: "searchCategories",
    summary: "Search Google's taxonomy",
    query: CategorySearchQuery,
    answers: { 200: CategorySearchAnswer },
    handler: async ({ caller: { catalogId }, query: { q, language, limit = 20 } }) => {
      const languages = language === undefined ? await languagesOf(db, catalogId) : [language];
      const found = searchCategories(q, { languages, limit });
      return { body: { data: { categories: found.map((one) => categoryBody(one.category, one.language)) } } };
    },
  });
}

/** The catalog's own language, and English. */
async function languagesOf(db: Queries, catalogId: string): Promise<readonly TaxonomyLanguage[]> {
  const language = (await findCatalog(db, catalogId))?.settings.language?.slice(0, 2).toLowerCase();
  const own = TAXONOMY_LANGUAGES.find((known) => known === language);
  return own === undefined || own === "en" ? ["en"] : [own, "en"];
}

function pathBody({ category, suggestions, keyId: decidedBy, ...row }: ListedPath) {
  return {
    ...withSnakeCase({ ...row, decidedBy }),
    category: category === null ? null : knownBody(category),
    suggestions: row.isDecided ? [] : suggestions.flatMap(suggestionBody),
  };
}

const categoryBody = (category: Category, language: TaxonomyLanguage = "en") => ({
  id: String(category.id),
  path: categoryPath(category, language),
});

/** A category of an earlier version of the taxonomy is shown by its id. */
function knownBody(id: string) {
  const known = findCategory(id);
  return known ? categoryBody(known) : { id, path: id };
}

function suggestionBody({ id, confidence, matched }: StoredSuggestion) {
  const category = findCategory(String(id));
  return category ? [{ ...categoryBody(category), confidence, matched: [...matched] }] : [];
}

function mapping(api: Api, deps: ApiDeps): void {
  api.route({
    method: "PUT",
    url: "/categories",
    scope: "write",
    operationId: "mapCategories",
    summary: "Decide what category paths mean",
    description:
      "One decision covers all items with the path that have no Google category of their own. Answers when the items have it, or at once with `Prefer: respond-async`. The feeds change with the next sync or POST /feeds. With `dry_run` nothing is stored, and the answer says what would change.",
    body: MapCategories,
    headers: PreferHeaders,
    answers: { 200: MappedAnswer, 202: AcceptedAnswer },
    problems: [422],
    handler: async ({ caller, signal, headers, body, changeLog }) => {
      const { catalogId } = caller;
      const decisions = body.mappings.map(({ path, category }, at) => ({
        path,
        category: category == null ? category : knownId(category, at),
      }));
      checkContradictions(decisions);
      const mapped = new Set(decisions.map(({ path }) => path)).size;
      const change = { mappings: { decisions } };
      const known = { mapped, paths_without_items: await withoutItems(deps.db, catalogId, decisions) };
      if (body.dry_run === true) {
        const plan = await waitForPlan({ ...deps, signal }, catalogId, { kind: "rules", change });
        return { body: { data: { ...known, changed_items: plan.changed_items, run_id: null, plan } } };
      }
      const recorded = changeLog.recording(deps.db, catalogId, { type: "rules", fields: ["categories"] });
      const { runId } = await saveEffects(recorded, catalogId, { ...change, keyId: caller.key.id });
      if (prefersAsync(headers.prefer)) return accepted(runId, "runs");
      const { changed_items: items } = await waitForEffects({ ...deps, signal }, runId);
      return { body: { data: { ...known, changed_items: items, run_id: runId, plan: null } } };
    },
  });
}

/** Refuses contradictory decisions, so that no decision overrides another decision of the same request. */
function checkContradictions(decisions: readonly PathDecision[]): void {
  const byPath = new Map<string, PathDecision["category"]>();
  for (const [at, { path, category }] of decisions.entries()) {
    const isKnown = byPath.has(path);
    const earlier = byPath.get(path);
    byPath.set(path, category);
    if (!isKnown || earlier === category) continue;
    const detail = `is decided twice: ${decisionText(earlier)}, then ${decisionText(category)}`;
    throw new AppError(
      "invalid_request",
      `The path ${JSON.stringify(path)} ${detail}. Send it once. Nothing was stored.`,
      { fields: [{ pointer: `/mappings/${at}/path`, detail }] },
    );
  }
}

function decisionText(category: PathDecision["category"]): string {
  if (category === undefined) return "taken back";
  return category === null ? "no category" : `category ${category}`;
}

async function withoutItems(
  db: Queries,
  catalogId: string,
  decisions: readonly PathDecision[],
): Promise<string[]> {
  const decided = decisions.filter(({ category }) => category !== undefined).map(({ path }) => path);
  const paths = [...new Set(decided)];
  return [
    ...(await listPathsWithoutItems(db, catalogId, { paths, limit: MAX_LISTED_PATHS, maxPaths: MAX_PATHS })),
  ];
}

function knownId(category: string, at: number): string {
  const known = findCategory(category);
  if (known) return String(known.id);
  const detail = `is ${JSON.stringify(category)}, which Google's taxonomy does not have`;
  const hint = nearestHint(category);
  throw new AppError("invalid_request", `The category ${detail}.${hint} Nothing was stored.`, {
    fields: [{ pointer: `/mappings/${at}/category`, detail }],
  });
}
