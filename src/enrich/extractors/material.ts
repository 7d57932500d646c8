/**
 * Materials. Percentages ("95 % cotton, 5 % elastane") become "cotton/elastane", the order of their shares, as Google writes
 * them. Words that name other things as well (glass, paper, gold) need "made of" or a name before them.
 */
import type { Item, ItemGroup } from "../../catalog/item.ts";
import { languageOf } from "./catalog-facts.ts";
import { CONFIDENCE, fieldExtractor, type Finding, quote } from "./extractor.ts";
import { statedValues } from "./stated-values.ts";
import { valueOfUnnamedOption } from "./unnamed-options.ts";
import materials from "./vocabulary/materials.json" with { type: "json" };
import { edgesOf, isAdjacent, type Match, type PhraseTable, phrasesIn, phraseTables, wordsOf } from "./words.ts";

type MaterialWord = "material" | "ambiguous" | "made_of" | "not_before" | "not_after";
const tableFor = phraseTables<MaterialWord>(materials);

export const MATERIAL = fieldExtractor({
  id: "material",
  version: 1,
  field: "material",
  evidence: "an option, an attribute or a line of the description about the material; percentages; the only material in the title",
  current: ({ material }) => material,
  find: (item, group, context) => {
    const table = tableFor(languageOf(item, context));
    return (
      statedMaterial(item, group, table) ??
      valueOfUnnamedOption(item, group, (value) => isMaterial(value, table)) ??
      composition(item, "title", table) ??
      materialInTitle(item, table) ??
      composition(item, "description", table)
    );
  },
});

const isNamed = ({ meaning }: Match<MaterialWord>): boolean => meaning === "material" || meaning === "ambiguous";

function isMaterial(text: string, table: PhraseTable<MaterialWord>): boolean {
  const [first, another] = phrasesIn(text, wordsOf(text), table);
  return first?.meaning === "material" && another === undefined && first.from === 0 && first.to === text.length;
}

const MANY_CHOICES = /[,;]| (?:or|oder|ou|o|of) /;
const PERCENT = /\d\s?%/;
const LONGEST_STATED = 50;

function statedMaterial(item: Item, { items }: ItemGroup, table: PhraseTable<MaterialWord>): Finding | undefined {
  const [first, another] = statedValues(item).filter(({ meaning }) => meaning === "material");
  if (first === undefined) return undefined;
  const { source, value, evidence } = first;
  if (source === "option" || source === "detail") {
    if (another?.source === "option" || value.length > LONGEST_STATED || !/\p{L}{2}/u.test(value)) return undefined;
    return { value, evidence: [evidence], confidence: CONFIDENCE.stated };
  }
  if (PERCENT.test(value) || value.length > LONGEST_STATED || MANY_CHOICES.test(value)) return undefined;
  if (source === "description" && items.length > 1 && value.includes("/")) return undefined;
  return phrasesIn(value, wordsOf(value), table).some(isNamed)
    ? { value, evidence: [evidence], confidence: CONFIDENCE.labeled }
    : undefined;
}

const SHARE = /(?<!\d)(\d{1,3})\s?%\s(?=\p{L})/gu;
const MAX_PARTS = 3;
/** From one share of a composition to the next. */
const LONGEST_GAP = 4;

type Part = { readonly share: number; readonly from: number; readonly to: number; readonly name: string };

/** One composition only: a text with several describes outer fabric, lining and so on. */
function composition(item: Item, field: "title" | "description", table: PhraseTable<MaterialWord>): Finding | undefined {
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
  const named = phrasesIn(text, wordsOf(text), table).filter(isNamed);
  const byStart = new Map(named.map((match) => [match.from, match]));
  return Array.from(text.matchAll(SHARE)).flatMap(({ 0: written, 1: share, index }) => {
    const match = byStart.get(index + written.length);
    if (match === undefined) return [];
    return [{ share: Number(share), from: index, to: match.to, name: text.slice(match.from, match.to) }];
  });
}

function materialInTitle(item: Item, table: PhraseTable<MaterialWord>): Finding | undefined {
  const { title } = item;
  const matches = phrasesIn(title, wordsOf(title), table);
  const named = matches.filter(isNamed);
  const plain = named.filter(({ meaning }) => meaning === "material");
  const [match, another] = plain.length > 0 ? plain : named;
  if (match === undefined || another !== undefined) return undefined;
  const confidence = confidenceOf(title, matches, matches.indexOf(match));
  if (confidence === undefined) return undefined;
  const evidence = quote(item, "title", match.from, match.to);
  return { value: evidence.text, evidence: [evidence], confidence };
}

function confidenceOf(title: string, matches: readonly Match<MaterialWord>[], at: number): number | undefined {
  const [before, match, after] = [matches[at - 1], matches[at] as Match<MaterialWord>, matches[at + 1]];
  const isAfter = before !== undefined && isAdjacent(title, before, match);
  if (isAfter && before.meaning === "not_after") return undefined;
  if (after?.meaning === "not_before" && isAdjacent(title, match, after)) return undefined;
  if (isAfter && before.meaning === "made_of") return CONFIDENCE.separate;
  const { before: begins, after: ends } = edgesOf(title, match.from, match.to);
  if (match.meaning === "ambiguous") return undefined;
  return begins && ends ? CONFIDENCE.separate : CONFIDENCE.inText;
}
