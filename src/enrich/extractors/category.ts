/** Google's category for the merchant's own path: the same suggestion for all items of a path. */
import type { Item } from "../../catalog/item.ts";
import { memoizeLast } from "../../lib/memoize.ts";
import { quote } from "./evidence.ts";
import { fieldExtractor } from "./extractor.ts";

/** What a suggestion is made from, besides the path. */
const MAX_TITLES = 3;

const titlesOf = memoizeLast((items: readonly Item[]) =>
  [...new Set(items.map(({ title }) => title))].slice(0, MAX_TITLES),
);

/** Whether it was decided that no category fits the item's path. */
export function isUncategorized({ categories }: Item, uncategorized?: ReadonlySet<string>): boolean {
  const path = categories?.[0];
  return path !== undefined && uncategorized?.has(path.join(" > ")) === true;
}

export const CATEGORY = fieldExtractor({
  id: "category",
  version: 5,
  field: "google_category",
  evidence: "the shop's category and the titles of the group, compared with Google's taxonomy",
  current: ({ googleCategory }) => googleCategory,
  find: (item, { items, groupId }, { suggestCategory, uncategorized }) => {
    if (isUncategorized(item, uncategorized)) return undefined;
    const path = item.categories?.[0] ?? [];
    const titles = groupId === null ? [item.title] : titlesOf(items);
    const suggestion = suggestCategory?.(path, titles);
    if (suggestion === undefined) return undefined;
    const evidence =
      path.length === 0 ? [quote(item, "title")] : [quote(item, "categories.0"), quote(item, "title")];
    return { value: suggestion.category, evidence, confidence: suggestion.confidence, isClosed: true };
  },
});
