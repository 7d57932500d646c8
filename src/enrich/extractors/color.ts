/**
 * Colors. The value is the merchant's own word ("Midnight Blue"). Words that also name a fruit, a flower or a metal count only
 * where nothing else can be meant: as a part of a title of their own, or next to a plain color.
 */
import type { Item, ItemGroup } from "../../catalog/item.ts";
import { isColorFiller } from "../../catalog/filler-words.ts";
import { languageOf } from "./catalog-facts.ts";
import { CONFIDENCE, type ExtractorContext, fieldExtractor, type Finding, quote } from "./extractor.ts";
import { isApparel } from "./apparel.ts";
import { statedValues } from "./stated-values.ts";
import { valueOfUnnamedOption } from "./unnamed-options.ts";
import colors from "./vocabulary/colors.json" with { type: "json" };
import { edgesOf, isAdjacent, type Match, type PhraseTable, phrasesIn, phraseTables, wordsOf } from "./words.ts";

type ColorWord = "color" | "ambiguous" | "before" | "after";
const tableFor = phraseTables<ColorWord>(colors);

/** One color: its words, with those that shade it. */
type Shade = { readonly from: number; readonly to: number; readonly isPlain: boolean };

/** The colors of a text in their order. */
function shadesIn(text: string, table: PhraseTable<ColorWord>): readonly Shade[] {
  const shades: Shade[] = [];
  let run: Match<ColorWord>[] = [];
  const endRun = (): void => {
    const shade = shadeOf(run);
    if (shade !== undefined) shades.push(shade);
    run = [];
  };
  for (const match of phrasesIn(text, wordsOf(text), table)) {
    const last = run.at(-1);
    if (last !== undefined && !continues(text, last, match)) endRun();
    run.push(match);
  }
  endRun();
  return shades;
}

/** "light blue", "azul claro" are one color; "black white" are two. */
function continues(text: string, last: Match<ColorWord>, next: Match<ColorWord>): boolean {
  if (!isAdjacent(text, last, next)) return false;
  return last.meaning === "before" || next.meaning === "after" || last.meaning === "ambiguous";
}

function shadeOf(run: readonly Match<ColorWord>[]): Shade | undefined {
  const named = run.filter(({ meaning }) => meaning === "color" || meaning === "ambiguous");
  const [first] = run;
  const last = run.findLast(({ meaning }) => meaning !== "before");
  if (first === undefined || last === undefined || named.length === 0) return undefined;
  const from = first.meaning === "after" ? (named[0]?.from ?? first.from) : first.from;
  return { from, to: last.to, isPlain: named.some(({ meaning }) => meaning === "color") };
}

const MAX_COLORS = 3;
const BETWEEN_COLORS = /^(?: ?[/&+,-] ?| (?:and|und|et|y|e|en) | )$/;

/** Colors next to each other ("black/white") are one value. */
type Cluster = { readonly shades: readonly Shade[]; readonly from: number; readonly to: number; readonly isPlain: boolean };

function clustersIn(text: string, table: PhraseTable<ColorWord>): readonly Cluster[] {
  const clusters: Shade[][] = [];
  for (const shade of shadesIn(text, table)) {
    const previous = clusters.at(-1);
    const before = previous?.at(-1);
    if (previous !== undefined && before !== undefined && BETWEEN_COLORS.test(text.slice(before.to, shade.from)))
      previous.push(shade);
    else clusters.push([shade]);
  }
  return clusters.map((shades) => ({
    shades,
    from: shades[0]?.from ?? 0,
    to: shades.at(-1)?.to ?? 0,
    isPlain: shades.some(({ isPlain }) => isPlain),
  }));
}

/** Whether a text is a color and nothing else. */
function isColor(text: string, table: PhraseTable<ColorWord>): boolean {
  const [cluster, another] = clustersIn(text, table);
  if (cluster === undefined || another !== undefined || !cluster.isPlain) return false;
  return cluster.from === 0 && cluster.to === text.length && cluster.shades.length <= MAX_COLORS;
}

export const COLOR = fieldExtractor({
  id: "color",
  version: 1,
  field: "color",
  evidence: "an option, an attribute or a line of the description about the color; an option whose values are all colors; the only color in the title",
  current: ({ color }) => (color === undefined || isColorFiller(color) ? undefined : color),
  find: (item, group, context) => {
    const table = tableFor(languageOf(item, context));
    return (
      statedColor(item, group, table) ??
      valueOfUnnamedOption(item, group, (value) => isColor(value, table)) ??
      colorInTitle(item, table, context)
    );
  },
});

/** A list of choices is not the color of a variant. */
const LIST = /[,;]| (?:or|oder|ou|o|of) /;

function statedColor(item: Item, { items }: ItemGroup, table: PhraseTable<ColorWord>): Finding | undefined {
  const stated = statedValues(item).filter(({ meaning }) => meaning === "color");
  const [first, another] = stated;
  if (first === undefined || isColorFiller(first.value)) return undefined;
  const { source, value, evidence } = first;
  if (source === "option" || source === "detail") {
    if (another?.source === "option" || !/\p{L}{2}/u.test(value)) return undefined;
    return { value, evidence: [evidence], confidence: CONFIDENCE.stated };
  }
  if (source === "description" && (items.length > 1 || LIST.test(value))) return undefined;
  return isColor(value, table) ? { value, evidence: [evidence], confidence: CONFIDENCE.labeled } : undefined;
}

/** "with red stripes", "for black hair": the color of a part, or of something else. */
const OF_A_PART = new Set("with for mit für avec pour con para per da met voor without ohne sans sin senza zonder".split(" "));
const WORDS_BEFORE = 2;

function colorInTitle(
  item: Item,
  table: PhraseTable<ColorWord>,
  context: ExtractorContext,
): Finding | undefined {
  const { title } = item;
  const clusters = clustersIn(title, table);
  const separate = clusters.filter(({ from, to }) => isPart(title, from, to));
  const candidates = separate.length > 0 ? separate : clusters;
  const [cluster] = candidates;
  if (cluster === undefined || candidates.length > 1 || cluster.shades.length > MAX_COLORS) return undefined;
  const confidence = confidenceOf(item, cluster, context);
  if (confidence === undefined) return undefined;
  const evidence = [quote(item, "title", cluster.from, cluster.to)];
  return { value: evidence[0]?.text ?? "", evidence, confidence };
}

function isPart(title: string, from: number, to: number): boolean {
  const { before, after } = edgesOf(title, from, to);
  return before && after && !(from === 0 && to === title.length);
}

function confidenceOf(item: Item, { from, to, isPlain }: Cluster, context: ExtractorContext): number | undefined {
  const { title } = item;
  if (isPart(title, from, to)) return isPlain ? CONFIDENCE.separate : CONFIDENCE.uncertain;
  if (!isPlain || isOfAPart(title, from)) return undefined;
  if (edgesOf(title, from, to).after && from > 0) return CONFIDENCE.inText;
  return isApparel(item, context) ? CONFIDENCE.inText : undefined;
}

function isOfAPart(title: string, from: number): boolean {
  const before = wordsOf(title).filter((word) => word.to <= from);
  return before.slice(-WORDS_BEFORE).some(({ key }) => OF_A_PART.has(key));
}
