/** Google categories for the paths of one catalog, in its own language and in English: the names of each take a while to load. */
import type { CatalogSettings } from "../../catalog/settings.ts";
import { TAXONOMY_LANGUAGES, type TaxonomyLanguage } from "../../catalog/google-taxonomy.ts";
import type { CategoryPaths } from "../../enrich/categories/category-paths.ts";
import {
  type CategorySuggestion,
  departmentsOf,
  MEASURED,
  suggestCategories,
  SURE_ENOUGH,
  UNMEASURED,
} from "../../enrich/categories/suggest.ts";
import type { CatalogFacts } from "../../enrich/extractors/catalog-facts.ts";
import type { SuggestCategory } from "../../enrich/extractors/extractor.ts";
import { memoizeLast } from "../../lib/memoize.ts";
import type { CategoryPathRow } from "../../store/rules.ts";

/** How many suggestions one search makes: one takes some milliseconds. */
const LIMITS = {
  /** For paths, those with the most items first. */
  paths: 2_000,
  /** How many of these say which departments the shop has. */
  departments: 200,
  /** For items without a path, and for paths that are not among these. After a decision about them the next search continues. */
  others: 5_000,
};

type Learned = {
  readonly settings: CatalogSettings;
  readonly facts: CatalogFacts;
  readonly paths: CategoryPaths;
};

export function categorySuggester({ settings, facts, paths }: Learned, limits = LIMITS) {
  const language = settings.language ?? facts.language;
  const { languages, factor, most, note } = languagesOf(language);
  const list = paths.list();
  const departments = departmentsOf(
    list
      .slice(0, Math.min(limits.paths, limits.departments))
      .map(({ path, titles }) => suggestCategories(path.split(" > "), titles, languages)),
  );
  const largest = new Set(list.slice(0, limits.paths).map(({ path }) => path));
  const known = new Map<string, readonly CategorySuggestion[]>();
  let others = limits.others;
  const sureOf = (path: readonly string[], titles: readonly string[]): readonly CategorySuggestion[] =>
    suggestCategories(path, titles, languages, departments)
      .map((one) => ({ ...one, confidence: Math.min(most, Math.round(one.confidence * factor * 100) / 100) }))
      .filter(({ confidence }) => confidence >= SURE_ENOUGH);
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
    /** Why suggestions are few or less sure; null unless the language of the catalog is the reason. */
    note: list.length === 0 ? null : note,
    listPaths: (): readonly CategoryPathRow[] =>
      list.map((one) => ({ ...one, suggestions: largest.has(one.path) ? forPath(one.path) : [] })),
  };
}

type Languages = {
  readonly languages: readonly TaxonomyLanguage[];
  /** What confidences are multiplied by. */
  readonly factor: number;
  /** The highest confidence. */
  readonly most: number;
  readonly note: string | null;
};

/** English words in a text of a language that is not known may mean something else: the Swedish "slips" are neckties. */
const FOREIGN = 0.7;

const nameOf = new Intl.DisplayNames("en", { type: "language" });
const KNOWN = new Intl.ListFormat("en").format(TAXONOMY_LANGUAGES.map((code) => nameOf.of(code) ?? code));

function languagesOf(language: string | undefined): Languages {
  if (language === undefined)
    return {
      languages: ["en"],
      factor: 1,
      most: UNMEASURED,
      note: `The language of the catalog is not set, and its texts do not show it. Only English words of the shop's categories were recognized, with a confidence of ${UNMEASURED} at most; set the catalog's language.`,
    };
  const code = language.slice(0, 2).toLowerCase();
  const own = TAXONOMY_LANGUAGES.find((known) => known === code);
  if (own === undefined)
    return {
      languages: ["en"],
      factor: FOREIGN,
      most: 1,
      note: `The words for categories are known in ${KNOWN}, not in ${languageName(code)}. Only English words of the shop's categories were recognized; search for the other categories.`,
    };
  const note = MEASURED.has(own)
    ? null
    : `Suggestions in ${languageName(own)} have a confidence of ${UNMEASURED} at most, because too few of them were checked. Approve them one at a time.`;
  return { languages: own === "en" ? ["en"] : [own, "en"], factor: 1, most: 1, note };
}

/** A setting may be no language at all. */
function languageName(code: string): string {
  return /^[a-z]{2}$/.test(code) ? (nameOf.of(code) ?? code) : code;
}
