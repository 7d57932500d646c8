/**
 * Names of brands in titles, and how often the titles of a catalog have them: in titles of the brand's own products, and of
 * others. A brand such as "Rosemary" is in titles of many others, and there it is a plant.
 */
import { type Match, phraseKey, phrasesIn, type PhraseTable, type Word, wordsOf } from "./words.ts";

export type NameCounts = { own: number; other: number };

export class BrandNames {
  /** By phrase; what is a brand is learned on the way, so the first products of a brand are not counted for others. */
  readonly #brands = new Map<string, string>();
  readonly #counts = new Map<string, NameCounts>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(brand: string, title: string): void {
    if (this.#brands.size < this.#limit) this.#brands.set(phraseKey(brand), brand);
    for (const { meaning } of namesIn(title, this.#brands)) {
      const counts = this.#counts.get(meaning) ?? { own: 0, other: 0 };
      counts[meaning === brand ? "own" : "other"] += 1;
      this.#counts.set(meaning, counts);
    }
  }

  counts(): ReadonlyMap<string, NameCounts> {
    return this.#counts;
  }
}

/** The brands of a table that a title has as names. A name includes its punctuation: "Kiln & Co.", "Dr. Oetker", "H&M". */
export function namesIn(title: string, brands: PhraseTable<string>): readonly Match<string>[] {
  return phrasesIn(title, wordsOf(title), brands, areInOneName).flatMap((match) => writtenName(title, match));
}

const LONGEST_GAP = 4;

/** Punctuation and spaces may separate the words of a name. */
export function areInOneName(text: string, left: Word, right: Word): boolean {
  const length = right.from - left.to;
  return length <= LONGEST_GAP && !text.slice(left.to, right.from).includes("\n");
}

/** The span of a brand, in the case of the brand or in capitals: "apple" is a fruit. Its last sign may be missing. */
function writtenName(title: string, match: Match<string>): readonly Match<string>[] {
  const { meaning: brand } = match;
  const words = wordsOf(brand);
  const lead = words[0]?.from ?? 0;
  const end = words.at(-1)?.to ?? brand.length;
  const whole = { ...match, from: Math.max(0, match.from - lead), to: match.to + brand.length - end };
  if (isWritten(title.slice(whole.from, whole.to), brand)) return [whole];
  return isWritten(title.slice(match.from, match.to), brand.slice(lead, end)) ? [match] : [];
}

function isWritten(written: string, name: string): boolean {
  return written === name || (written === name.toUpperCase() && written !== name.toLowerCase());
}
