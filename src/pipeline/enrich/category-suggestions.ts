/** Google categories for the paths of one catalog, in its own language and in English: the names of each take a while to load. */
import type { CatalogSettings } from "../../catalog/settings.ts";
import { TAXONOMY_LANGUAGES, type TaxonomyLanguage } from "../../catalog/google-taxonomy.ts";
import type { CategoryPaths } from "../../enrich/categories/category-paths.ts";
import { type CategorySuggestion, suggestCategories } from "../../enrich/categories/suggest.ts";
import type { CatalogFacts } from "../../enrich/extractors/catalog-facts.ts";
import type { SuggestCategory } from "../../enrich/extractors/extractor.ts";
import { memoize } from "../../lib/memoize.ts";
import type { CategoryPathRow } from "../../store/rules.ts";

/** For so many paths, those with the most items first: one takes some milliseconds. */
const MAX_SUGGESTIONS = 2_000;

type Learned = {
  readonly settings: CatalogSettings;
  readonly facts: CatalogFacts;
  readonly paths: CategoryPaths;
};

export function categorySuggester({ settings, facts, paths }: Learned) {
  const languages = languagesOf(settings.language ?? facts.language ?? "en");
  const forPath = memoize(MAX_SUGGESTIONS, (path: string) =>
    suggestCategories(path.split(" > "), paths.titlesOf(path), languages),
  );
  const suggestCategory: SuggestCategory = (path, titles) => {
    const [best] = path.length === 0 ? suggestCategories(path, titles, languages) : forPath(path.join(" > "));
    return best && { category: String(best.id), confidence: best.confidence };
  };
  return {
    /** All items with the same path get the same suggestion, which is also that of GET /categories. */
    suggestCategory,
    listPaths: (): readonly CategoryPathRow[] =>
      paths
        .list()
        .map((one, at): CategoryPathRow & { readonly suggestions: readonly CategorySuggestion[] } => ({
          ...one,
          suggestions: at < MAX_SUGGESTIONS ? forPath(one.path) : [],
        })),
  };
}

function languagesOf(language: string): readonly TaxonomyLanguage[] {
  const own = TAXONOMY_LANGUAGES.find((known) => language.toLowerCase().startsWith(known));
  return own === undefined || own === "en" ? ["en"] : [own, "en"];
}
