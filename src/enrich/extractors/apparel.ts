/** Whether an item is something to wear, which decides what some words mean. */
import { apparelKind } from "../../catalog/google-category.ts";
import type { Item } from "../../catalog/item.ts";
import { memoizeLastPair } from "../../lib/memoize.ts";
import { languageOf } from "./catalog-facts.ts";
import type { ExtractorContext } from "./extractor.ts";
import nouns from "./vocabulary/apparel.json" with { type: "json" };
import { compoundTables } from "./words.ts";

const namesApparel = compoundTables(nouns);

export const isApparel = memoizeLastPair((item: Item, context: ExtractorContext): boolean => {
  if (item.googleCategory !== undefined) return apparelKind(item.googleCategory) !== "none";
  const language = languageOf(item, context);
  return [item.title, ...(item.categories?.[0] ?? [])].some((text) => namesApparel(text, language));
});
