/**
 * What extractors need to know about the catalog as a whole: its brands, its language, lines that many descriptions repeat,
 * and whether its SKUs are GTINs. Collected in one pass, in bounded memory, before the pass that proposes.
 */
import { checkGtin } from "../../catalog/gtin.ts";
import { isBrandFiller, meaningful } from "../../catalog/filler-words.ts";
import type { Item, ItemGroup } from "../../catalog/item.ts";
import { BrandNames, type NameCounts } from "./brand-names.ts";
import { passagesOf } from "./passages.ts";
import { FrequentTexts } from "./frequent-texts.ts";
import stopWords from "./vocabulary/stop-words.json" with { type: "json" };
import { phraseKey, wordsOf } from "./words.ts";

export type CodeCounts = {
  /** Codes of 12 to 14 digits. */
  readonly digits: number;
  /** Those of them that are GTINs for public use. */
  readonly gtins: number;
};

export type CatalogFacts = {
  /** Groups with a description. */
  readonly described: number;
  /** The language of most texts, if it is plain: an ISO 639-1 code. */
  readonly language: string | undefined;
  /** Brand -> number of groups. */
  readonly brands: ReadonlyMap<string, number>;
  readonly brandsInTitles: ReadonlyMap<string, NameCounts>;
  /** Line or sentence of descriptions, as `passageKey` makes it -> number of groups. */
  readonly passages: ReadonlyMap<string, number>;
  readonly skus: CodeCounts;
  readonly mpns: CodeCounts;
};

export type CollectorLimits = {
  readonly brands: number;
  readonly passages: number;
  readonly samples: number;
};

const LIMITS: CollectorLimits = { brands: 5_000, passages: 10_000, samples: 2_000 };
const LANGUAGES_BY_WORD = languagesByWord();
/** Of a description, when the language is looked for. */
const SAMPLE_LENGTH = 500;
const FEWEST_STOP_WORDS = 10;
/** How much more frequent the words of the language must be than those of the next one. */
const CLEAR_LEAD = 1.2;

export class CatalogFactsCollector {
  readonly #brands: FrequentTexts;
  readonly #brandNames: BrandNames;
  readonly #passages: FrequentTexts;
  readonly #languages = new Map<string, number>();
  readonly #skus = { digits: 0, gtins: 0 };
  readonly #mpns = { digits: 0, gtins: 0 };
  #described = 0;
  #samplesLeft: number;

  constructor({ brands, passages, samples }: CollectorLimits = LIMITS) {
    this.#brands = new FrequentTexts(brands);
    this.#brandNames = new BrandNames(brands);
    this.#passages = new FrequentTexts(passages);
    this.#samplesLeft = samples;
  }

  add({ items }: ItemGroup): void {
    const [first] = items;
    if (first === undefined) return;
    for (const brand of new Set(items.map(brandOf))) if (brand !== undefined) this.#brands.add(brand);
    const brand = brandOf(first);
    if (brand !== undefined) this.#brandNames.add(brand, first.title);
    for (const { sku, mpn } of items) {
      countCode(sku, this.#skus);
      countCode(mpn, this.#mpns);
    }
    this.#addDescription(first);
    if (this.#samplesLeft > 0) this.#addSample(first);
  }

  facts(): CatalogFacts {
    return {
      described: this.#described,
      language: clearLeader(this.#languages),
      brands: this.#brands.counts(),
      brandsInTitles: this.#brandNames.counts(),
      passages: this.#passages.counts(),
      skus: this.#skus,
      mpns: this.#mpns,
    };
  }

  #addDescription({ description }: Item): void {
    if (description === undefined) return;
    this.#described += 1;
    for (const key of new Set(passagesOf(description).map(({ key }) => key))) this.#passages.add(key);
  }

  #addSample({ title, description = "" }: Item): void {
    this.#samplesLeft -= 1;
    for (const { key } of wordsOf(`${title.slice(0, SAMPLE_LENGTH)}\n${description.slice(0, SAMPLE_LENGTH)}`))
      for (const language of LANGUAGES_BY_WORD.get(key) ?? [])
        this.#languages.set(language, (this.#languages.get(language) ?? 0) + 1);
  }
}

/** The brand, unless it is a filler such as "generic". */
export function brandOf({ brand }: Item): string | undefined {
  const stated = meaningful(brand);
  return stated === undefined || isBrandFiller(stated) ? undefined : stated;
}

const GTIN_LENGTHS = /^\d{12,14}$/;

function countCode(code: string | undefined, counts: { digits: number; gtins: number }): void {
  if (code === undefined || !GTIN_LENGTHS.test(code)) return;
  counts.digits += 1;
  if (publicGtin(code) !== undefined) counts.gtins += 1;
}

/** The GTIN that a text is, unless it is one that feeds leave out. */
export function publicGtin(text: string): string | undefined {
  const checked = checkGtin(text);
  return checked.kind === "valid" && checked.note === undefined ? checked.gtin : undefined;
}

function clearLeader(counts: ReadonlyMap<string, number>): string | undefined {
  const [[language, count] = ["", 0], [, next] = ["", 0]] = [...counts].toSorted(([, a], [, b]) => b - a);
  return count >= FEWEST_STOP_WORDS && count >= next * CLEAR_LEAD ? language : undefined;
}

function languagesByWord(): ReadonlyMap<string, readonly string[]> {
  const pairs = Object.entries(stopWords).flatMap(([language, words]) =>
    words.map((word) => ({ word: phraseKey(word), language })),
  );
  const byWord = Map.groupBy(pairs, ({ word }) => word);
  return new Map([...byWord].map(([word, entries]) => [word, entries.map(({ language }) => language)]));
}

/** The language of an item's texts, without its region. */
export function languageOf(
  item: Item,
  { settings, facts }: { readonly settings: { readonly language?: string }; readonly facts: CatalogFacts },
): string | undefined {
  return (item.language ?? settings.language ?? facts.language)?.slice(0, 2).toLowerCase();
}
