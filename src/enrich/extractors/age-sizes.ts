/**
 * The age group of a child from a size in months or years, by Google's definitions: newborns up to 3 months, infants from 3 to 12
 * months, toddlers from 1 to 5 years, kids from 5 to 13 years. A size that belongs to two of them is uncertain.
 */
import type { AgeGroup, Item } from "../../catalog/item.ts";
import { OPTION_NAME_WORDS } from "../../catalog/vocabulary/traits.ts";
import { meaningOf } from "../../catalog/words.ts";
import { quote } from "./evidence.ts";
import { CONFIDENCE, type Finding } from "./extractor.ts";

export const CHILDREN: ReadonlySet<string> = new Set<AgeGroup>(["newborn", "infant", "toddler", "kids"]);

const MONTHS =
  "m|mo|mos|mths?|months?|monate?n?|mois|mes|meses|mesi|maanden|mnd|måneder|månader|miesi\\p{L}+|мес\\p{L}*|ay";
const YEARS = "y|yrs?|years?|jahren?|ans?|años?|anos?|anni|jaar|år|lat|лет|yaş";
/** `6-12 meses`, `12-18-meses`, `0/3 M`, `2 bis 3 Jahre`. */
const RANGE = new RegExp(
  `(?<![\\p{L}\\p{N}.,])(\\d{1,2})\\s?(?:m|mo)?\\s?(?:[-–/]|a|à|to|bis|tot|até)\\s?(\\d{1,2})[\\s-]?(?:(${MONTHS})|(?:${YEARS}))(?![\\p{L}\\p{N}])`,
  "iu",
);

/** `taille 03 ans`. A single number of months may be the time of a guarantee. */
const SINGLE = new RegExp(`(?<![\\p{L}\\p{N}.,])(\\d{1,2})\\s?(?:${YEARS})(?![\\p{L}\\p{N}])`, "iu");

/** In months: from, to, and whom it is for. */
const GROUPS: readonly (readonly [from: number, to: number, group: AgeGroup])[] = [
  [0, 3, "newborn"],
  [3, 12, "infant"],
  [12, 60, "toddler"],
  [60, 156, "kids"],
];

/** From the option or field for the size, else from the title. A single number is the size of clothes, and the lowest age for toys. */
export function ageFromSize(item: Item, isWorn: boolean): Finding | undefined {
  const options = (item.options ?? []).flatMap(({ name }, at) =>
    meaningOf(OPTION_NAME_WORDS, name) === "size" ? [`options.${at}`] : [],
  );
  for (const field of [...options, "size", "title"]) {
    const { text } = quote(item, field);
    const range = RANGE.exec(text);
    const match = range ?? SINGLE.exec(text);
    const age = match === null ? undefined : groupOf(match);
    if (match !== null && age !== undefined)
      return {
        value: age.group,
        evidence: [quote(item, field, match.index, match.index + match[0].length)],
        confidence: age.isSure && (range !== null || isWorn) ? CONFIDENCE.separate : CONFIDENCE.uncertain,
        isClosed: true,
      };
  }
  return undefined;
}

function groupOf([, first, last, months]: RegExpExecArray): { group: AgeGroup; isSure: boolean } | undefined {
  const unit = months === undefined ? 12 : 1;
  const from = Number(first) * unit;
  const to = last === undefined ? from : Number(last) * unit;
  if (from > to || to > 156 || (unit === 1 && to > 36)) return undefined;
  const fitting = GROUPS.filter(([start, end]) => from >= start && to <= end);
  const group = (fitting[0] ?? GROUPS.find(([, end]) => to <= end))?.[2];
  return group === undefined ? undefined : { group, isSure: fitting.length === 1 };
}
