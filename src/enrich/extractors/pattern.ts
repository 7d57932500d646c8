/** Patterns such as stripes and checks. */
import { isApparel } from "./apparel.ts";
import { languageOf } from "./catalog-facts.ts";
import { isConsumable } from "./consumable.ts";
import { quote } from "./evidence.ts";
import { CONFIDENCE, fieldExtractor, type Finding } from "./extractor.ts";
import { type Branded, phrasesBesideBrand } from "./own-brand.ts";
import { statedTrait } from "./stated-trait.ts";
import { unnamedOption } from "./unnamed-options.ts";
import patterns from "./vocabulary/patterns.json" with { type: "json" };
import { type PhraseTable, phrasesIn, phraseTables, wordsOf } from "./words.ts";

type PatternWord = "pattern" | "ambiguous";
const tableFor = phraseTables<PatternWord>(patterns);

const patternOption = unnamedOption(isPattern);

export const PATTERN = fieldExtractor({
  id: "pattern",
  version: 4,
  field: "pattern",
  evidence:
    "an option, an attribute or a line of the description about the pattern; the only pattern in the title",
  current: ({ pattern }) => pattern,
  find: (item, group, context) => {
    const table = tableFor(languageOf(item, context));
    return (
      statedTrait(item, "pattern", ({ value }) => isPattern(value, table)) ??
      patternOption(item, group, table) ??
      patternInTitle({ item, group, context }, table)
    );
  },
});

function isPattern(text: string, table: PhraseTable<PatternWord>): boolean {
  const [first] = phrasesIn(text, wordsOf(text), table);
  return first?.meaning === "pattern" && first.from === 0 && first.to === text.length;
}

/** Patterns that are names of flowers, animals and the like count on clothes only. */
function patternInTitle(of: Branded, table: PhraseTable<PatternWord>): Finding | undefined {
  const { item, context } = of;
  const { matches } = phrasesBesideBrand(item.title, table, of);
  const [match, another] = matches;
  if (match === undefined || another !== undefined || isConsumable(item, context)) return undefined;
  const isClear = match.meaning === "pattern";
  if (!isClear && !isApparel(item, context)) return undefined;
  const evidence = quote(item, "title", match.from, match.to);
  return {
    value: evidence.text,
    evidence: [evidence],
    confidence: isClear ? CONFIDENCE.inText : CONFIDENCE.uncertain,
  };
}
