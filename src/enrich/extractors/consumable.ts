/** Whether the title of an item may have a color or a material that the item has not, as those of food, cosmetics and files do. */
import type { Item } from "../../catalog/item.ts";
import { memoizeLastPair } from "../../lib/memoize.ts";
import { languageOf } from "./catalog-facts.ts";
import type { ExtractorContext } from "./extractor.ts";
import measures from "./vocabulary/measures.json" with { type: "json" };
import { compoundTables, phraseKey, wordsOf } from "./words.ts";

const QUANTITY = /\d\s?(?:ml|cl|l|g|kg|oz)(?![\p{L}\p{N}²³/])/iu;
const CONTAINERS = new Set(measures.not_contents.map(phraseKey));
const namesContents = compoundTables(measures.contents);

/** A "coffee machine" and an "oil bottle" are not. */
function namesContainer(title: string): boolean {
  return wordsOf(title).some(({ key }) => CONTAINERS.has(key));
}

/** A title with a quantity of goods; their names have colors and materials that they are not. */
export function isSoldByQuantity(title: string): boolean {
  return QUANTITY.test(title) && !namesContainer(title);
}

/** The color and the material in the title of a plan or a file are those of something else. */
const DIGITAL =
  /(?<!\p{L})(?:pdf|svg|printables?|e-?books?|digital (?:downloads?|files?|art|prints?)|blueprints?|woodworking plans)(?!\p{L})/iu;

export const isConsumable = memoizeLastPair((item: Item, context: ExtractorContext): boolean => {
  if (DIGITAL.test(item.title)) return true;
  if (namesContainer(item.title)) return false;
  const language = languageOf(item, context);
  return [item.title, ...(item.categories?.[0] ?? [])].some((text) => namesContents(text, language));
});
