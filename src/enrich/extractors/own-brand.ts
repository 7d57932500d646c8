/**
 * Phrases of a text that are no part of the item's own brand: "White Stuff" is not white, and "Ålesund Wool" makes cups as well.
 * The brand counts whether the item has it or it is only proposed.
 */
import type { Item, ItemGroup } from "../../catalog/item.ts";
import { brandFound } from "./brand.ts";
import { areInOneName } from "./brand-names.ts";
import { brandOf } from "./catalog-facts.ts";
import type { ExtractorContext } from "./extractor.ts";
import { type Match, phrasesIn, type PhraseTable, type Word, wordsOf } from "./words.ts";

/** An item, and what its brand is known from. */
export type Branded = {
  readonly item: Item;
  readonly group: ItemGroup;
  readonly context: ExtractorContext;
};

/** As `phrasesIn`, without the words of the brand. The positions of a match are those in `words`. */
export function phrasesBesideBrand<Meaning>(
  text: string,
  table: PhraseTable<Meaning>,
  of: Branded,
): { readonly words: readonly Word[]; readonly matches: readonly Match<Meaning>[] } {
  const words = wordsOf(text);
  const matches = phrasesIn(text, words, table);
  // Most texts have none, and then the brand need not be found.
  if (matches.length === 0) return { words, matches };
  const others = wordsBesideBrand(text, of);
  return others.length === words.length
    ? { words, matches }
    : { words: others, matches: phrasesIn(text, others, table) };
}

export function wordsBesideBrand(text: string, { item, group, context }: Branded): readonly Word[] {
  const words = wordsOf(text);
  const brand = brandOf(item) ?? brandFound(item, group, context)?.value;
  if (brand === undefined) return words;
  const name = wordsOf(brand).map(({ key }) => key);
  const others: Word[] = [];
  for (let at = 0; at < words.length; ) {
    const length = nameLength(text, words.slice(at, at + name.length), name);
    if (length === 0) others.push(words[at] as Word);
    at += Math.max(1, length);
  }
  return others;
}

/** Titles leave out the end of a long name: "White Stuff" of "White Stuff Ltd". */
const SHORTEST_BEGINNING = 2;

/** How many of these words are the name, or its beginning; 0 if they are something else. */
function nameLength(text: string, words: readonly Word[], name: readonly string[]): number {
  let length = 0;
  for (const [at, word] of words.entries()) {
    const before = words[at - 1];
    if (word.key !== name[at] || (before !== undefined && !areInOneName(text, before, word))) break;
    length += 1;
  }
  return length === name.length || length >= SHORTEST_BEGINNING ? length : 0;
}
