/**
 * Used and refurbished goods that only the title calls so. It also corrects items that are listed as new, so it knows only words
 * that say nothing else: "renewed" timber is new, and a watch has a "second hand".
 */
import { CONDITIONS, type Condition, type Item } from "../../catalog/item.ts";
import { readCondition } from "../../catalog/vocabulary/condition.ts";
import { languageOf } from "./catalog-facts.ts";
import { quote } from "./evidence.ts";
import { CONFIDENCE, draftOf, type Extractor, type Finding } from "./extractor.ts";
import { type Branded, phrasesBesideBrand } from "./own-brand.ts";
import { statedValues } from "./stated-values.ts";
import conditions from "./vocabulary/conditions.json" with { type: "json" };
import { edgesOf, phraseTables } from "./words.ts";

const tableFor = phraseTables<"refurbished" | "used">(conditions);
/** What follows these words is not said of the item: "never used", "as good as refurbished", "screen for a refurbished phone". */
const ABOUT_OTHERS = new Set(
  "never not no non nie nicht kein keine jamais pas nunca mai nooit niet geen wie like as comme como come als for fur pour para per voor".split(
    " ",
  ),
);

const EXTRACTOR = { id: "condition", version: 3 } as const;

export const CONDITION: Extractor = {
  ...EXTRACTOR,
  fields: ["condition"],
  evidence:
    "an attribute or a line of the description about the condition; words such as “refurbished” or “gebraucht” in the title, also when the item is listed as new",
  *propose(group, context) {
    for (const item of group.items) {
      const finding = conditionOf({ item, group, context });
      const draft =
        finding?.value === item.condition
          ? undefined
          : finding && draftOf(EXTRACTOR, item, "condition", finding);
      if (draft !== undefined) yield draft;
    }
  },
};

function conditionOf(of: Branded): Finding | undefined {
  const { item } = of;
  if (item.condition === undefined) return conditionInTitle(of) ?? statedCondition(item);
  return item.condition === "new" ? conditionInTitle(of) : undefined;
}

/** An exact word only: "State: good" in a description is seldom about the condition. */
function statedCondition(item: Item): Finding | undefined {
  for (const { meaning, value, evidence } of statedValues(item)) {
    if (meaning !== "condition" || value.length > 30) continue;
    const condition = readCondition(value);
    if (isCondition(condition))
      return { value: condition, evidence: [evidence], confidence: CONFIDENCE.labeled, isClosed: true };
  }
  return undefined;
}

const isCondition = (value: unknown): value is Condition =>
  CONDITIONS.some((condition) => condition === value);

function conditionInTitle(of: Branded): Finding | undefined {
  const { item, context } = of;
  const { words, matches } = phrasesBesideBrand(item.title, tableFor(languageOf(item, context)), of);
  for (const { meaning, first, from, to } of matches) {
    if (words.slice(0, first).some(({ key }) => ABOUT_OTHERS.has(key))) continue;
    // "Used" is a verb as well: "der meist gebrauchte Klebstoff der Welt".
    const { before, after } = edgesOf(item.title, from, to);
    if (meaning === "used" && !before && !after) continue;
    const evidence = [quote(item, "title", from, to)];
    return { value: meaning, evidence, confidence: CONFIDENCE.separate, isClosed: true };
  }
  return undefined;
}
