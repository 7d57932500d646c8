/**
 * Colors. The value is the merchant's own word ("Midnight Blue"). Words that also name a fruit, a flower or a metal count only
 * where nothing else can be meant: as a part of a title of their own, or next to a plain color.
 */
import type { Item, ItemGroup } from "../../catalog/item.ts";
import { isColorFiller } from "../../catalog/filler-words.ts";
import { OPTION_NAME_WORDS } from "../../catalog/vocabulary/traits.ts";
import { meaningOf } from "../../catalog/words.ts";
import { languageOf } from "./catalog-facts.ts";
import { isConsumable, isSoldByQuantity } from "./consumable.ts";
import { quote } from "./evidence.ts";
import { CONFIDENCE, type ExtractorContext, fieldExtractor, type Finding } from "./extractor.ts";
import { memoizeLast } from "../../lib/memoize.ts";
import { isApparel } from "./apparel.ts";
import { isNegated } from "./negation.ts";
import { type Branded, phrasesBesideBrand } from "./own-brand.ts";
import { isChoice, statedTrait } from "./stated-trait.ts";
import type { StatedValue } from "./stated-values.ts";
import { unnamedOption } from "./unnamed-options.ts";
import colors from "./vocabulary/colors.json" with { type: "json" };
import {
  edgesOf,
  isAdjacent,
  type Match,
  type PhraseTable,
  phrasesIn,
  phraseTables,
  wordsOf,
} from "./words.ts";

/** `never`: what has a color in its name, such as wine and tea, or no color at all. */
type ColorWord = "color" | "ambiguous" | "before" | "after" | "never";
const tableFor = phraseTables<ColorWord>(colors);

/** One color: its words, with those that shade it. */
type Shade = { readonly from: number; readonly to: number; readonly isPlain: boolean };

/** The colors of a text in their order. */
function shadesIn(
  text: string,
  table: PhraseTable<ColorWord>,
  matches = phrasesIn(text, wordsOf(text), table),
): readonly Shade[] {
  const shades: Shade[] = [];
  let run: Match<ColorWord>[] = [];
  const endRun = (): void => {
    const shade = shadeOf(run);
    if (shade !== undefined) shades.push(shade);
    run = [];
  };
  for (const match of matches) {
    if (match.meaning === "never") continue;
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
type Cluster = {
  readonly shades: readonly Shade[];
  readonly from: number;
  readonly to: number;
  readonly isPlain: boolean;
};

function clustersIn(text: string, found: readonly Shade[]): readonly Cluster[] {
  const clusters: Shade[][] = [];
  for (const shade of found) {
    const previous = clusters.at(-1);
    const before = previous?.at(-1);
    if (
      previous !== undefined &&
      before !== undefined &&
      BETWEEN_COLORS.test(text.slice(before.to, shade.from))
    )
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
  const [cluster, another] = clustersIn(text, shadesIn(text, table));
  if (cluster === undefined || another !== undefined || !cluster.isPlain) return false;
  return cluster.from === 0 && cluster.to === text.length && cluster.shades.length <= MAX_COLORS;
}

const colorOption = unnamedOption(isColor);

export const COLOR = fieldExtractor({
  id: "color",
  version: 5,
  field: "color",
  evidence:
    "an option, an attribute or a line of the description about the color; an option whose values are all colors; the only color in the title",
  current: ({ color }) => (color === undefined || isColorFiller(color) ? undefined : color),
  find: (item, group, context) => {
    const table = tableFor(languageOf(item, context));
    return (
      statedColor(item, group, table) ??
      colorOption(item, group, table) ??
      (isTitleOfVariant(item, group) ? colorInTitle({ item, group, context }, table) : undefined)
    );
  },
});

function statedColor(item: Item, group: ItemGroup, table: PhraseTable<ColorWord>): Finding | undefined {
  const found = statedTrait(item, "color", (stated) => isStatedColor(stated, group, table));
  return found !== undefined && isColorName(found.value, table) ? found : undefined;
}

/** Options about the color of a part may have anything as values: "Body color: Diameter 15 cm". */
function isColorName(value: string, table: PhraseTable<ColorWord>): boolean {
  const shades = shadesIn(value, table);
  if (/\d/.test(value) || isColorFiller(value) || shades.length === 0) return false;
  return !shades.some((shade) => isNegated(value, shade));
}

function isStatedColor(
  { value, source }: StatedValue,
  { items }: ItemGroup,
  table: PhraseTable<ColorWord>,
): boolean {
  const isOfAll = source === "description" && (items.length > 1 || isChoice(value));
  return !isOfAll && isColor(value, table);
}

const sharedTitles = memoizeLast((items: readonly Item[]) => Map.groupBy(items, ({ title }) => title));
const NO_COLORS = new Set<string | undefined>(["size", "material", "pattern"]);

/** A title that variants share may name the color of one of them, unless they are known to differ in something else. */
function isTitleOfVariant({ title, options = [], size }: Item, { items }: ItemGroup): boolean {
  if (sharedTitles(items).get(title)?.length === 1) return true;
  if (options.length === 0) return size !== undefined;
  return options.every(({ name }) => NO_COLORS.has(meaningOf(OPTION_NAME_WORDS, name)));
}

/** "with red stripes", "for black hair": the color of a part, or of something else. */
const OF_A_PART = new Set(
  "with for mit für avec pour con para per da met voor without ohne sans sin senza zonder".split(" "),
);
const WORDS_BEFORE = 2;

/** Its title or category says that it is a thing whose color is not stated. */
const isNeverColored = ({ title, categories }: Item, table: PhraseTable<ColorWord>): boolean =>
  [title, categories?.[0]?.at(-1) ?? ""].some((text) =>
    phrasesIn(text, wordsOf(text), table).some(({ meaning }) => meaning === "never"),
  );

function colorInTitle(of: Branded, table: PhraseTable<ColorWord>): Finding | undefined {
  const { item, context } = of;
  const { title } = item;
  const { matches } = phrasesBesideBrand(title, table, of);
  const clusters = clustersIn(title, shadesIn(title, table, matches)).filter(
    (cluster) => !isNegated(title, cluster),
  );
  const separate = clusters.filter(({ from, to }) => isPart(title, from, to));
  const candidates = separate.length > 0 ? separate : clusters;
  const [cluster] = candidates;
  if (cluster === undefined || candidates.length > 1 || cluster.shades.length > MAX_COLORS) return undefined;
  if (isConsumable(item, context) || isNeverColored(item, table) || isCutOff(title, cluster))
    return undefined;
  const confidence = confidenceOf(item, cluster, context);
  if (confidence === undefined) return undefined;
  const evidence = quote(item, "title", nameStart(title, cluster), cluster.to);
  return { value: evidence.text, evidence: [evidence], confidence };
}

/** "White/Grey/Teak" and "Ivory & Green" have a color that is not known. */
function isCutOff(title: string, { from, to }: Cluster): boolean {
  return (
    /^ ?[/&+] ?\p{L}/u.test(title.slice(to, to + 4)) ||
    /\p{L} ?[/&+] ?$/u.test(title.slice(Math.max(0, from - 4), from))
  );
}

const LONGEST_NAME = 2;

/** "Scarf in Jasper Blue": up to two words between "in" and a color at the end belong to its name. */
function nameStart(title: string, { from, to }: Cluster): number {
  if (!edgesOf(title, from, to).after) return from;
  const before = wordsOf(title)
    .filter((word) => word.to <= from)
    .slice(-LONGEST_NAME - 1);
  const at = before.findLastIndex(({ key }) => key === "in");
  const first = at === -1 ? undefined : before[at + 1];
  const isName = first !== undefined && /^[\p{L} ]*$/u.test(title.slice(first.from, from));
  return isName ? first.from : from;
}

function isPart(title: string, from: number, to: number): boolean {
  const { before, after } = edgesOf(title, from, to);
  return before && after && !(from === 0 && to === title.length);
}

/** A color as a part of its own counts, also an ambiguous one; within a part only a plain one, of things that have a color. */
function confidenceOf(item: Item, cluster: Cluster, context: ExtractorContext): number | undefined {
  const { title } = item;
  const { from, to, isPlain } = cluster;
  if (isPart(title, from, to) && isPlain) return CONFIDENCE.separate;
  if (isSoldByQuantity(title)) return undefined;
  if (isPart(title, from, to)) return CONFIDENCE.uncertain;
  return isPlain && isOfTheThing(item, cluster, context) ? CONFIDENCE.inText : undefined;
}

function isOfTheThing(item: Item, { from, to }: Cluster, context: ExtractorContext): boolean {
  if (isOfAPart(item.title, from) || isInName(item.title, from, to)) return false;
  return (from > 0 && edgesOf(item.title, from, to).after) || isApparel(item, context);
}

/** "Mamma Rosa", "Marke Black": names. */
const BEFORE_NAME = new Set(
  "mamma mama santa san donna villa casa monte marchio marca marke marque brand by".split(" "),
);
/** "White lining", "black trim": the color of a part. */
const PARTS = new Set(
  "lining trim collar sole soles stripe stripes border logo print stitching laces buttons strap straps handle handles lid base frame legs dots hearts details pocket pockets label edition".split(
    " ",
  ),
);

function isInName(title: string, from: number, to: number): boolean {
  // The brand is written like this; shops write the color as a part of its own, or in lower case.
  if (title.slice(from, to).includes("Off-White")) return true;
  const words = wordsOf(title);
  const before = words.findLast((word) => word.to <= from)?.key ?? "";
  const after = words.find((word) => word.from >= to)?.key ?? "";
  return BEFORE_NAME.has(before) || PARTS.has(after);
}

function isOfAPart(title: string, from: number): boolean {
  const before = wordsOf(title).filter((word) => word.to <= from);
  return before.slice(-WORDS_BEFORE).some(({ key }) => OF_A_PART.has(key));
}
