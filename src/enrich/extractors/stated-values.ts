/**
 * Values that the merchant states under a name: a barcode that is no GTIN, options (`Ring size: 18`), attributes, lines of the description (`Material:
 * Cotton`) and parts of the title (`Shirt - Size M`).
 */
import type { Item } from "../../catalog/item.ts";
import { ATTRIBUTE_NAME_WORDS, OPTION_NAME_WORDS } from "../../catalog/vocabulary/traits.ts";
import { meaningOf } from "../../catalog/words.ts";
import { type Evidence, quote } from "./evidence.ts";
import { phraseKey, wordsOf } from "./words.ts";

export type StatedValue = {
  /** What the name means: `color`, `brand`, `ageGroup`. */
  readonly meaning: string;
  readonly value: string;
  readonly source: "barcode" | "option" | "detail" | "description" | "title";
  readonly evidence: Evidence;
};

/** What a name means as a whole. */
function meaningOfName(name: string): string | undefined {
  return meaningOf(OPTION_NAME_WORDS, name) ?? meaningOf(ATTRIBUTE_NAME_WORDS, name);
}

/** Names of options that have a trait's word in them, but are about something else. */
const OTHER_NAMES = new Set(
  "pack package packs quantity number count font menge anzahl nombre cantidad quantita aantal text logo accent akzent acento accento border background lining thread rim edge rand hintergrund futter fondo bordo borde bordure doublure fodera achtergrond".split(
    " ",
  ),
);

/** `Color/Size`, `Taille et bouchon`: the value is one of several things together, also if only one of the names is known. */
const OF_SEVERAL = /[/&+,]| (?:and|und|et|y|e|en) /i;

/** What a name with several words means (`Choose ring size`); undefined when it names several things. */
function meaningOfOption(name: string): string | undefined {
  const whole = meaningOfName(name);
  if (whole !== undefined) return whole;
  if (OF_SEVERAL.test(name)) return undefined;
  const words = wordsOf(name).map(({ key }) => key);
  if (words.some((word) => OTHER_NAMES.has(word))) return undefined;
  const meanings = new Set(words.flatMap((word) => meaningOf(OPTION_NAME_WORDS, word) ?? []));
  return meanings.size === 1 ? [...meanings][0] : undefined;
}

/** Most extractors ask for them, one after another. */
const known = new WeakMap<Item, readonly StatedValue[]>();

/** All of them, in the order of how sure they are. */
export function statedValues(item: Item): readonly StatedValue[] {
  let values = known.get(item);
  if (values === undefined) {
    values = [
      ...barcodeValues(item),
      ...optionValues(item),
      ...detailValues(item),
      ...titleValues(item),
      ...descriptionValues(item),
    ];
    known.set(item, values);
  }
  return values;
}

function barcodeValues(item: Item): StatedValue[] {
  const { barcode: value } = item;
  return value === undefined
    ? []
    : [{ meaning: "gtin", value, source: "barcode", evidence: quote(item, "barcode") }];
}

function optionValues(item: Item): StatedValue[] {
  return (item.options ?? []).flatMap(({ name, value }, at) => {
    const meaning = meaningOfOption(name);
    return meaning === undefined
      ? []
      : [{ meaning, value, source: "option", evidence: quote(item, `options.${at}`) }];
  });
}

function detailValues(item: Item): StatedValue[] {
  return (item.details ?? []).flatMap(({ name, value }, at) => {
    const meaning = meaningOfName(name);
    return meaning === undefined
      ? []
      : [{ meaning, value, source: "detail", evidence: quote(item, `details.${at}`) }];
  });
}

const LONGEST_NAME = 40;
const LONGEST_VALUE = 80;
const LINE = /[^\n]+/g;
/** Bullets and the like before the name. */
const BEFORE_NAME = /^[\s•·*✔✓➤►▪●–-]+/u;

function descriptionValues(item: Item): StatedValue[] {
  return Array.from((item.description ?? "").matchAll(LINE)).flatMap(({ 0: line, index }) => {
    const colon = line.slice(0, LONGEST_NAME).indexOf(":");
    if (colon < 2) return [];
    const meaning = meaningOfName(line.slice(0, colon).replace(BEFORE_NAME, ""));
    return valueAt(item, meaning, {
      source: "description",
      from: index + colon + 1,
      to: index + line.length,
    });
  });
}

const PART = /[^|,;()[\]–—]+/g;
const DASH = / - /g;
/** The first words of a part that may be its name. */
const NAME = /^\s*(\p{L}+)(?:\s?[:.])?\s+(?=\S)/u;
const SIZE_NAMES = new Set(["gr", "sz"]);

/** `Color Verde`, `Size: M`, `Gr. 38`: a part of the title that begins with a name. */
function titleValues(item: Item): StatedValue[] {
  const parts = item.title.replace(DASH, " | ").matchAll(PART);
  return Array.from(parts).flatMap(({ 0: part, index }) => {
    const named = NAME.exec(part);
    if (named === null) return [];
    const name = named[1] ?? "";
    const meaning = SIZE_NAMES.has(phraseKey(name)) ? "size" : meaningOf(OPTION_NAME_WORDS, name);
    return valueAt(item, meaning, {
      source: "title",
      from: index + named[0].length,
      to: index + part.length,
    });
  });
}

type Place = { readonly source: "title" | "description"; readonly from: number; readonly to: number };

/** The value at a place, without the punctuation around it. */
function valueAt(item: Item, meaning: string | undefined, { source, from, to }: Place): StatedValue[] {
  const text = item[source] ?? "";
  let [start, end] = [from, to];
  while (start < end && /[\s:]/.test(text.charAt(start))) start++;
  while (end > start && /[\s.,;]/.test(text.charAt(end - 1))) end--;
  if (meaning === undefined || end === start || end - start > LONGEST_VALUE) return [];
  return [{ meaning, source, value: text.slice(start, end), evidence: quote(item, source, start, end) }];
}
