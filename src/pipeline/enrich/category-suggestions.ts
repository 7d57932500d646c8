/** Google categories for the paths of one catalog, in its own language and in English: the names of each take a while to load. */
import type { CatalogSettings } from "../../catalog/settings.ts";
import { TAXONOMY_LANGUAGES, type TaxonomyLanguage } from "../../catalog/google-taxonomy.ts";
import type { CategoryPaths } from "../../enrich/categories/category-paths.ts";
import { type CategorySuggestion, suggestCategories, SURE_ENOUGH } from "../../enrich/categories/suggest.ts";
import type { CatalogFacts } from "../../enrich/extractors/catalog-facts.ts";
import type { SuggestCategory } from "../../enrich/extractors/extractor.ts";
import { memoizeLast } from "../../lib/memoize.ts";
import type { CategoryPathRow } from "../../store/rules.ts";

/** How many suggestions one search makes: one takes some milliseconds. */
const LIMITS = {
  /** For paths, those with the most items first. */
  paths: 2_000,
  /** For items without a path, and for paths that are not among these. After a decision about them the next search continues. */
  others: 5_000,
};

type Learned = {
  readonly settings: CatalogSettings;
  readonly facts: CatalogFacts;
  readonly paths: CategoryPaths;
};

export function categorySuggester({ settings, facts, paths }: Learned, limits = LIMITS) {
  const languages = languagesOf(settings.language ?? facts.language ?? "en");
  const list = paths.list();
  const largest = new Set(list.slice(0, limits.paths).map(({ path }) => path));
  const known = new Map<string, readonly CategorySuggestion[]>();
  let others = limits.others;
  const sureOf = (path: readonly string[], titles: readonly string[]): readonly CategorySuggestion[] =>
    suggestCategories(path, titles, languages).filter(({ confidence }) => confidence >= SURE_ENOUGH);
  const forPath = (path: string): readonly CategorySuggestion[] => {
    const before = known.get(path);
    if (before) return before;
    if (!largest.has(path) && others-- <= 0) return [];
    const suggestions = sureOf(path.split(" > "), paths.titlesOf(path));
    known.set(path, suggestions);
    return suggestions;
  };
  // Variants of a product have the same titles.
  const forTitles = memoizeLast((titles: string) => (others-- <= 0 ? [] : sureOf([], titles.split("\n"))));
  const suggestCategory: SuggestCategory = (path, titles) => {
    const [best] = path.length === 0 ? forTitles(titles.join("\n")) : forPath(path.join(" > "));
    return best && { category: String(best.id), confidence: best.confidence };
  };
  return {
    /** All items with the same path get the same suggestion, which is also that of GET /categories. */
    suggestCategory,
    listPaths: (): readonly CategoryPathRow[] =>
      list.map((one) => ({ ...one, suggestions: largest.has(one.path) ? forPath(one.path) : [] })),
  };
}

function languagesOf(language: string): readonly TaxonomyLanguage[] {
  const own = TAXONOMY_LANGUAGES.find((known) => language.toLowerCase().startsWith(known));
  return own === undefined || own === "en" ? ["en"] : [own, "en"];
}
