/**
 * Brands: stated by name, known from other products of the catalog, or that of the siblings. A known brand counts only at the
 * borders of words, and not in "case for Acme phones".
 */
import type { Item, ItemGroup } from "../../catalog/item.ts";
import { isBrandFiller, isPlaceholder } from "../../catalog/filler-words.ts";
import { wordKey } from "../../catalog/words.ts";
import { COUNTRIES } from "../../lib/iso-codes.ts";
import { memoizeLast } from "../../lib/memoize.ts";
import { namesIn } from "./brand-names.ts";
import { brandOf, type CatalogFacts } from "./catalog-facts.ts";
import { quote } from "./evidence.ts";
import { CONFIDENCE, type ExtractorContext, fieldExtractor, type Finding } from "./extractor.ts";
import { statedValues } from "./stated-values.ts";
import { LANGUAGES, phraseKey, wordsOf } from "./words.ts";

export const BRAND = fieldExtractor({
  id: "brand",
  version: 3,
  field: "brand",
  evidence:
    "most siblings; an attribute, an option or a line of the description about the brand or manufacturer; a brand of the catalog in the title",
  current: brandOf,
  find: (item, group, context) => {
    const found = brandFound(item, group, context);
    return found && withoutStore(found, context);
  },
});

export function brandFound(item: Item, group: ItemGroup, context: ExtractorContext): Finding | undefined {
  return statedBrand(item) ?? brandOfSiblings(group) ?? knownBrand(item, context);
}

const LONGEST_BRAND = 40;
const MAX_WORDS = 4;

function statedBrand(item: Item): Finding | undefined {
  for (const { meaning, value, evidence, source } of statedValues(item)) {
    if (meaning !== "brand" || !isBrandName(value)) continue;
    if (source === "description" && namesCountry(value)) continue;
    const confidence = source === "description" ? CONFIDENCE.labeled : CONFIDENCE.stated;
    return { value, evidence: [evidence], confidence };
  }
  return undefined;
}

/** "Manufacturer: China" names where it was made. */
function namesCountry(value: string): boolean {
  return wordsOf(value).some(({ key }) => countryNames().has(key)) || countryNames().has(phraseKey(value));
}

const NAME_LANGUAGES = [...LANGUAGES, "pt", "pl", "cs", "sv", "da", "ro", "tr", "uk", "ru"];

const countryNames = lazily(
  () =>
    new Set(
      NAME_LANGUAGES.flatMap((language) => {
        const names = new Intl.DisplayNames(language, { type: "region" });
        return [...COUNTRIES].map((code) => phraseKey(names.of(code) ?? ""));
      }),
    ),
);

function lazily<T>(compute: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= compute());
}

function isBrandName(value: string): boolean {
  if (value.length > LONGEST_BRAND || isPlaceholder(value) || isBrandFiller(value)) return false;
  if (/[,;:\n]/.test(value)) return false;
  return /\p{L}/u.test(value) && wordsOf(value).length <= MAX_WORDS;
}

/** The brand of more than half of the other items. */
function brandOfSiblings({ groupId, items }: ItemGroup): Finding | undefined {
  if (groupId === null) return undefined;
  for (const [brand, sharing] of itemsByBrand(items)) {
    const [sibling] = sharing;
    if (brand === undefined || sibling === undefined || sharing.length * 2 <= items.length - 1) continue;
    const evidence = [{ itemId: sibling.id, ...quote(sibling, "brand") }];
    return { value: brand, evidence, confidence: CONFIDENCE.stated };
  }
  return undefined;
}

const itemsByBrand = memoizeLast((items: readonly Item[]) => Map.groupBy(items, brandOf));

/** Fewer products are no proof that it is a brand and no typing error. */
const FEWEST_PRODUCTS = 2;
const SHORTEST_KNOWN = 3;

/** Of the titles with the name, how many may be of other brands. */
const OTHER_SHARE = 0.1;

const brandTable = memoizeLast(({ brands, brandsInTitles }: CatalogFacts): ReadonlyMap<string, string> => {
  const table = new Map<string, string>();
  const byCount = [...brands].toSorted(([, a], [, b]) => a - b);
  for (const [brand, count] of byCount)
    if (count >= FEWEST_PRODUCTS && brand.length >= SHORTEST_KNOWN && isBrandName(brand)) {
      const { own, other } = brandsInTitles.get(brand) ?? { own: 0, other: 0 };
      if (own > 0 && other <= own * OTHER_SHARE) table.set(phraseKey(brand), brand);
    }
  return table;
});

/** Before the name of another product that this one fits, or of its maker. */
const FITS = new Set(
  "for fits compatible to like für passend kompatibel pour compatible para compatible per voor geschikt do von pro de by x".split(
    " ",
  ),
);

function knownBrand(item: Item, { facts }: ExtractorContext): Finding | undefined {
  const { title } = item;
  const [match, another] = namesIn(title, brandTable(facts));
  if (match === undefined || another !== undefined) return undefined;
  const words = wordsOf(title);
  if (words.slice(Math.max(0, match.first - 2), match.first).some(({ key }) => FITS.has(key)))
    return undefined;
  const evidence = [quote(item, "title", match.from, match.to)];
  const confidence = match.first === 0 ? CONFIDENCE.separate : CONFIDENCE.inText;
  return { value: match.meaning, evidence, confidence };
}

/** A shop that makes what it sells sets `defaultBrand`; that of the store is seldom the maker's. */
function withoutStore(finding: Finding, { settings }: ExtractorContext): Finding {
  const brand = wordKey(finding.value);
  const host = settings.storeUrl === undefined ? "" : wordKey(new URL(settings.storeUrl).hostname);
  const isStore =
    brand === wordKey(settings.sellerName ?? "") || (brand.length >= SHORTEST_KNOWN && host.includes(brand));
  return isStore ? { ...finding, confidence: Math.min(finding.confidence, CONFIDENCE.uncertain) } : finding;
}
