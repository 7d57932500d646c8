/**
 * How often the titles of a catalog have the name of a brand: in titles of its own products, and of others. A brand such as
 * "Rosemary" is in titles of many others, and there it is a plant.
 */
import { type Match, phraseKey, phrasesIn, wordsOf } from "./words.ts";

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
    for (const match of phrasesIn(title, wordsOf(title), this.#brands)) {
      if (!isWrittenAsName(title, match)) continue;
      const counts = this.#counts.get(match.meaning) ?? { own: 0, other: 0 };
      counts[match.meaning === brand ? "own" : "other"] += 1;
      this.#counts.set(match.meaning, counts);
    }
  }

  counts(): ReadonlyMap<string, NameCounts> {
    return this.#counts;
  }
}

/** In the case of the brand, or in capitals: "apple" is a fruit. */
export function isWrittenAsName(title: string, { meaning: brand, from, to }: Match<string>): boolean {
  const written = title.slice(from, to);
  return written === brand || (written === brand.toUpperCase() && written !== brand.toLowerCase());
}
