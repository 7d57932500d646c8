/** Categories that hold only what is for a special audience or use, such as babies, pets and the outdoors. */
import type { CategoryIndex } from "../../catalog/category-index.ts";
import { NARROW_CATEGORIES } from "../../catalog/category-words.ts";
import { type Category, lineage } from "../../catalog/google-taxonomy.ts";
import type { PathWords, Reading } from "./path-words.ts";

/** Titles name a use if at least this share of them has one of its words. */
const COMMON = 0.5;

/** The categories of a special audience or use that it is below, and that neither the path nor the titles name. */
export function unnamedUses(
  category: Category,
  { leaf, context }: Reading,
  words: PathWords,
  index: CategoryIndex,
): readonly Category[] {
  const isNamed = (stem: string): boolean =>
    leaf.has(stem) || context.has(stem) || (words.titles.get(stem) ?? 0) >= COMMON;
  return lineage(category).filter(
    (one) => NARROW_CATEGORIES.has(one.id) && !ownStems(one, index).some(isNamed),
  );
}

/** The words that a category adds to those above it: "outdoor" of "Furniture > Outdoor Furniture". */
function ownStems(category: Category, index: CategoryIndex): readonly string[] {
  const stems = index.lineageStems(category);
  const above = category.parent === undefined ? new Set<string>() : index.lineageStems(category.parent);
  const own = [...stems].filter((stem) => !above.has(stem));
  return own.length > 0 ? own : [...stems];
}
