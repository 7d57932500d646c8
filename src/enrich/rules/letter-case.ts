/** Upper and lower case, by the rules of the item's language: in Turkish, `i` becomes `İ`; in Dutch, `ijs` becomes `IJs`. */
import type { Item } from "../../catalog/item.ts";

export type LetterCase = (text: string, item: Item) => string;

/** Undefined for the general rules. */
const localeOf = ({ language = "" }: Item): string | undefined => /^[a-z]{2,3}(?![a-z])/i.exec(language)?.[0];

export const lower: LetterCase = (text, item) => text.toLocaleLowerCase(localeOf(item));
export const upper: LetterCase = (text, item) => text.toLocaleUpperCase(localeOf(item));

const WORD = /\p{L}[\p{L}\p{M}\p{N}'’]*/gu;
const INNER_CAPITAL = /^.+\p{Lu}/su;

/** A text that is all in capitals has none that mean anything. Otherwise words such as iPhone and USB stay as they are. */
function words(text: string, item: Item, change: (word: string) => string): string {
  const isAllCapitals = text === upper(text, item) && text !== lower(text, item);
  return text.replace(WORD, (word) =>
    !isAllCapitals && INNER_CAPITAL.test(word) ? word : change(lower(word, item)),
  );
}

function capitalized(word: string, item: Item): string {
  if (localeOf(item) === "nl" && word.startsWith("ij")) return `IJ${word.slice(2)}`;
  const [first = ""] = word;
  return upper(first, item) + word.slice(first.length);
}

/** Every word begins with a capital. */
export const titleCase: LetterCase = (text, item) => words(text, item, (word) => capitalized(word, item));

/** Only the first word begins with a capital. */
export const sentenceCase: LetterCase = (text, item) => {
  const lowered = words(text, item, (word) => word);
  const start = lowered.search(/\p{L}/u);
  return start < 0 ? lowered : lowered.slice(0, start) + capitalized(lowered.slice(start), item);
};
