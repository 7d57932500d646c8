/** Whether an item is something to wear, which decides what some words mean. */
import { apparelKind } from "../../catalog/google-category.ts";
import type { Item } from "../../catalog/item.ts";
import { memoizeLastPair } from "../../lib/memoize.ts";
import { languageOf } from "./catalog-facts.ts";
import type { ExtractorContext } from "./extractor.ts";
import nouns from "./vocabulary/apparel.json" with { type: "json" };
import { type Language, LANGUAGES, phrasesIn, phraseTables, wordsOf } from "./words.ts";

const tableFor = phraseTables<"apparel">(
  Object.fromEntries(LANGUAGES.map((language) => [language, { apparel: nouns[language] }])) as Record<
    Language,
    { apparel: readonly string[] }
  >,
);
/** Languages that write compounds as one word: a `Lederjacke` is a `jacke`. */
const COMPOUNDING = new Set<string | undefined>(["de", "nl"]);
const SHORTEST_HEAD = 4;
const LONGEST_HEAD = 12;

export const isApparel = memoizeLastPair((item: Item, context: ExtractorContext): boolean => {
  if (item.googleCategory !== undefined) return apparelKind(item.googleCategory) !== "none";
  const language = languageOf(item, context);
  const texts = [item.title, ...(item.categories?.[0] ?? [])];
  return texts.some((text) => namesApparel(text, language));
});

function namesApparel(text: string, language: string | undefined): boolean {
  const table = tableFor(language);
  const words = wordsOf(text);
  if (phrasesIn(text, words, table).length > 0) return true;
  return COMPOUNDING.has(language) && words.some(({ key }) => endsIn(key, table));
}

function endsIn(word: string, table: ReadonlyMap<string, unknown>): boolean {
  for (let length = SHORTEST_HEAD; length <= Math.min(LONGEST_HEAD, word.length - 2); length++)
    if (table.has(word.slice(-length))) return true;
  return false;
}
