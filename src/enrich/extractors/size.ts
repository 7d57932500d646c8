/** Sizes: from options and attributes, and from titles that name one ("Size M", "Gr. 38", "- XL"). */
import { isApparel } from "./apparel.ts";
import { quote } from "./evidence.ts";
import { CONFIDENCE, fieldExtractor, type Finding } from "./extractor.ts";
import { type Branded, wordsBesideBrand } from "./own-brand.ts";
import { statedTrait } from "./stated-trait.ts";
import type { StatedValue } from "./stated-values.ts";
import { unnamedOption } from "./unnamed-options.ts";
import { edgesOf, type Word, wordsOf } from "./words.ts";

const LETTERS = /^(?:x{0,4}[sl]|m|[2-9]x[sl])$/i;
const SEVERAL_LETTERS = /^x{0,4}[sml]\s?[/-]\s?x{0,4}[sml]$/i;
/** A number of clothes and shoes, with its system or a second number: `38`, `EU 38.5`, `38/40`, `18 / 56`. */
const NUMBER = /^(?:(?:eu|us|uk|de|fr|it)\s?)?\d{1,3}(?:[.,]5)?(?:\s?[/-]\s?\d{1,3})?$/i;

const SEVERAL_IN_TITLE =
  /(?<![\p{L}\p{N}])(?:x{0,4}[sl]|m|[2-9]x[sl])\s?[/–-]\s?(?:x{0,4}[sl]|m|[2-9]x[sl])(?![\p{L}\p{N}])/iu;

function isLetterSize(value: string): boolean {
  return LETTERS.test(value) || SEVERAL_LETTERS.test(value);
}

const sizeOption = unnamedOption(isLetterSize, CONFIDENCE.separate);

export const SIZE = fieldExtractor({
  id: "size",
  version: 5,
  field: "size",
  evidence:
    "an option or an attribute about the size; an option whose values are all letter sizes; a part of the title that is a size or begins with the word",
  current: ({ size }) => size,
  find: (item, group, context) =>
    statedTrait(item, "size", isStatedSize) ??
    sizeOption(item, group, undefined) ??
    letterSizeInTitle({ item, group, context }),
});

/** A size in the description is often that of a person who wears it, or of a package. */
function isStatedSize({ value, source }: StatedValue): boolean {
  return source === "title" && (isLetterSize(value) || NUMBER.test(value));
}

/**
 * The only letter size in a title. Sets name several sizes ("XL, S"), and letters around a slash are units and models ("mol/L", "Series
 * X/S"). A single letter counts only on clothes and as the last part: at the end of other titles it is the code of a color or a model.
 */
function letterSizeInTitle(of: Branded): Finding | undefined {
  const { item, context } = of;
  const { title } = item;
  // "L/XL" is one size for both; neither of its letters is the size.
  if (SEVERAL_IN_TITLE.test(title)) return undefined;
  const isSize = ({ key, from, to }: Word): boolean => {
    const { before, after } = edgesOf(title, from, to);
    return before && after && from > 0 && LETTERS.test(key) && !isBesideSlash(title, from, to);
  };
  if (!wordsOf(title).some(isSize)) return undefined;
  const [size, another] = wordsBesideBrand(title, of).filter(isSize);
  if (size === undefined || another !== undefined) return undefined;
  const isClear = size.key.length > 1 || (size.to === title.length && isApparel(item, context));
  if (!isClear) return undefined;
  const evidence = quote(item, "title", size.from, size.to);
  return { value: evidence.text, evidence: [evidence], confidence: CONFIDENCE.separate };
}

/** A slash with spaces on both sides separates parts of a title. */
function isBesideSlash(title: string, from: number, to: number): boolean {
  return /(?:^|\S)\/\s*$|\/$/.test(title.slice(0, from)) || /^(?:\/|\s+\/\S)/.test(title.slice(to));
}
