/**
 * Materials. Percentages ("95 % cotton, 5 % elastane") become "cotton/elastane", the order of their shares, as Google writes
 * them. Words that name other things as well (glass, paper, gold) need "made of" or a name before them.
 */
import type { Item } from "../../catalog/item.ts";
import { isApparel } from "./apparel.ts";
import { languageOf } from "./catalog-facts.ts";
import { isConsumable, isSoldByQuantity } from "./consumable.ts";
import { quote } from "./evidence.ts";
import { CONFIDENCE, type ExtractorContext, fieldExtractor, type Finding } from "./extractor.ts";
import { isNegated } from "./negation.ts";
import { type Branded, phrasesBesideBrand } from "./own-brand.ts";
import { isChoice, statedTrait } from "./stated-trait.ts";
import type { StatedValue } from "./stated-values.ts";
import { unnamedOption } from "./unnamed-options.ts";
import materials from "./vocabulary/materials.json" with { type: "json" };
import {
  edgesOf,
  isAdjacent,
  type Match,
  type PhraseTable,
  phraseKey,
  phrasesIn,
  phraseTables,
  wordsOf,
} from "./words.ts";

/** `finish`: also the name of a look or a shade, as in "Velvet Black". */
type MaterialWord = "material" | "finish" | "ambiguous" | "made_of" | "not_before" | "not_after";
const tableFor = phraseTables<MaterialWord>(materials);

const materialOption = unnamedOption(isMaterial);

export const MATERIAL = fieldExtractor({
  id: "material",
  version: 5,
  field: "material",
  evidence:
    "an option, an attribute or a line of the description about the material; percentages; the only material in the title",
  current: ({ material }) => material,
  find: (item, group, context) => {
    const table = tableFor(languageOf(item, context));
    return (
      statedMaterial(item, table) ??
      materialOption(item, group, table) ??
      composition(item, "title", table) ??
      (isConsumable(item, context) ? undefined : materialInTitle({ item, group, context }, table)) ??
      withoutParts(composition(item, "description", table), item, context)
    );
  },
});

const isNamed = ({ meaning }: Match<MaterialWord>): boolean =>
  meaning === "material" || meaning === "finish" || meaning === "ambiguous";

function materialsIn(text: string, table: PhraseTable<MaterialWord>): readonly Match<MaterialWord>[] {
  return phrasesIn(text, wordsOf(text), table).filter(isNamed);
}

function isMaterial(text: string, table: PhraseTable<MaterialWord>): boolean {
  const [first, another] = phrasesIn(text, wordsOf(text), table);
  return (
    (first?.meaning === "material" || first?.meaning === "finish") &&
    another === undefined &&
    first.from === 0 &&
    first.to === text.length
  );
}

/** An option may lead to another product: "Bracelet (Silver)" with the material gold. */
function statedMaterial(item: Item, table: PhraseTable<MaterialWord>): Finding | undefined {
  const found = statedTrait(item, "material", (stated) => isStatedMaterial(stated, table));
  if (found === undefined || namesOther(item.title, found.value, table)) return undefined;
  return materialsIn(found.value, table).some((match) => isNegated(found.value, match)) ? undefined : found;
}

function namesOther(title: string, value: string, table: PhraseTable<MaterialWord>): boolean {
  const key = phraseKey(value);
  return phrasesIn(title, wordsOf(title), table).some((match) => {
    const { before, after } = edgesOf(title, match.from, match.to);
    return isNamed(match) && before && after && phraseKey(title.slice(match.from, match.to)) !== key;
  });
}

const CONNECTORS = new Set("and und et y e en con mit".split(" "));

const WITH = new Set("with avec met".split(" "));

const PERCENT = /\d\s?%/;

/** "tempered glass and ABS", but not "a mix of glass for long life". Percentages are read as a composition. */
function isStatedMaterial({ value }: StatedValue, table: PhraseTable<MaterialWord>): boolean {
  if (PERCENT.test(value) || isChoice(value)) return false;
  const words = wordsOf(value);
  const named = phrasesIn(value, words, table).filter(isNamed);
  const known = named.reduce((sum, { first, last }) => sum + last - first + 1, 0);
  const others = words.filter(({ key }) => !CONNECTORS.has(key)).length - known;
  return named.length > 0 && others <= 1;
}

const SHARE = /(?<!\d)(\d{1,3})\s?%\s(?=\p{L})/gu;
const MAX_PARTS = 3;
/** From one share of a composition to the next. */
const LONGEST_GAP = 4;

/** Other things than clothes have parts: "motor with 100 % copper winding". */
function withoutParts(
  found: Finding | undefined,
  item: Item,
  context: ExtractorContext,
): Finding | undefined {
  return found === undefined || isApparel(item, context)
    ? found
    : { ...found, confidence: CONFIDENCE.inText };
}

type Part = { readonly share: number; readonly from: number; readonly to: number; readonly name: string };

/** One composition only: a text with several describes outer fabric, lining and so on. */
function composition(
  item: Item,
  field: "title" | "description",
  table: PhraseTable<MaterialWord>,
): Finding | undefined {
  const text = item[field] ?? "";
  if (!text.includes("%")) return undefined;
  const parts = partsIn(text, table);
  const total = parts.reduce((sum, { share }) => sum + share, 0);
  const isOne = parts.every(({ from }, at) => at === 0 || from - (parts[at - 1]?.to ?? 0) <= LONGEST_GAP);
  if (total !== 100 || !isOne || parts.length > MAX_PARTS) return undefined;
  return {
    value: parts
      .toSorted((a, b) => b.share - a.share)
      .map(({ name }) => name)
      .join("/"),
    evidence: parts.map(({ from, to }) => quote(item, field, from, to)),
    confidence: CONFIDENCE.labeled,
  };
}

function partsIn(text: string, table: PhraseTable<MaterialWord>): readonly Part[] {
  const named = materialsIn(text, table).filter((match) => !isNegated(text, match));
  const byStart = new Map(named.map((match) => [match.from, match]));
  return Array.from(text.matchAll(SHARE)).flatMap(({ 0: written, 1: share, index }) => {
    const match = byStart.get(index + written.length);
    if (match === undefined) return [];
    return [{ share: Number(share), from: index, to: match.to, name: text.slice(match.from, match.to) }];
  });
}

function materialInTitle(of: Branded, table: PhraseTable<MaterialWord>): Finding | undefined {
  const { item } = of;
  const { title } = item;
  const { matches } = phrasesBesideBrand(title, table, of);
  const named = matches.filter((match) => isNamed(match) && !isNegated(title, match));
  const plain = named.filter(({ meaning }) => meaning !== "ambiguous");
  const [match, another] = plain.length > 0 ? plain : named;
  if (match === undefined || another !== undefined) return undefined;
  const confidence = confidenceOf(of, matches, matches.indexOf(match));
  if (confidence === undefined) return undefined;
  const evidence = quote(item, "title", match.from, match.to);
  return { value: evidence.text, evidence: [evidence], confidence };
}

/** What is said of the material by the word before it, and whether it is that of something else. */
function confidenceOf(
  { item, context }: Branded,
  matches: readonly Match<MaterialWord>[],
  at: number,
): number | undefined {
  const { title } = item;
  const match = matches[at] as Match<MaterialWord>;
  const before = neighbor(title, matches[at - 1], match);
  const after = neighbor(title, match, matches[at + 1], matches[at + 1]);
  if (before === "not_after" || after === "not_before") return undefined;
  if (before === "made_of") return isOfWhole(title, match) ? CONFIDENCE.separate : CONFIDENCE.inText;
  if (match.meaning === "ambiguous") return undefined;
  if (isSeparate(title, match)) return CONFIDENCE.separate;
  if (isSoldByQuantity(title)) return undefined;
  return match.meaning === "finish" && !isApparel(item, context) ? CONFIDENCE.uncertain : CONFIDENCE.inText;
}

function isSeparate(title: string, { from, to }: Match<MaterialWord>): boolean {
  const edges = edgesOf(title, from, to);
  return edges.before && edges.after;
}

/** "Frame of steel and plastic", "lamp with a base of oak": more than this material, or a part made of it. */
function isOfWhole(title: string, { from, to }: Match<MaterialWord>): boolean {
  const before = wordsOf(title.slice(0, from)).some(({ key }) => CONNECTORS.has(key) || WITH.has(key));
  const [next] = wordsOf(title.slice(to));
  return !before && (next === undefined || !CONNECTORS.has(next.key));
}

/** The meaning of the phrase next to a material. */
function neighbor(
  title: string,
  left: Match<MaterialWord> | undefined,
  right: Match<MaterialWord> | undefined,
  asked = left,
): MaterialWord | undefined {
  if (left === undefined || right === undefined || !isAdjacent(title, left, right)) return undefined;
  return asked?.meaning;
}
