/** Color, size, material and pattern where the merchant states them by name. */
import { isPlaceholder } from "../../catalog/filler-words.ts";
import type { Item, VariantTrait } from "../../catalog/item.ts";
import { CONFIDENCE, type Finding } from "./extractor.ts";
import { type StatedValue, statedValues } from "./stated-values.ts";

/** Longer values are sentences. */
const LONGEST_VALUE = 50;

/**
 * The value of the only option about the trait, or of an attribute, as it is. In titles and descriptions a name may also begin a
 * sentence, so there `accepts` checks the value.
 */
export function statedTrait(
  item: Item,
  trait: VariantTrait,
  accepts: (stated: StatedValue) => boolean,
): Finding | undefined {
  const [first, another] = statedValues(item).filter(({ meaning }) => meaning === trait);
  if (first === undefined || first.value.length > LONGEST_VALUE || isPlaceholder(first.value))
    return undefined;
  const evidence = [first.evidence];
  if (first.source === "title" || first.source === "description")
    return accepts(first) ? { value: first.value, evidence, confidence: CONFIDENCE.labeled } : undefined;
  if (another?.source === "option") return undefined;
  return { value: first.value, evidence, confidence: CONFIDENCE.stated };
}

/** A list of choices is not the value of a variant. */
export function isChoice(value: string): boolean {
  return /[,;]| (?:or|oder|ou|o|of) /.test(value);
}
