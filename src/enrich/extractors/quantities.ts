/** Weights and volumes in a title. */
import { memoize } from "../../lib/memoize.ts";

/** Units that contents are sold by. Milligrams are doses, centimeters sizes; `5G` is a network. */
const QUANTITY =
  /(?<![\p{L}\p{N}.,/-])(?:(\d{1,3})\s?[x×*]\s?)?(\d{1,5}(?:[.,]\d{1,3})?)\s?(ml|mL|ML|cl|cL|CL|l|L|Ltr|ltr|[Ll]it(?:er|re)s?|g|gr|[Gg]rams?|[Gg]ramm|kg|Kg|KG|oz|Oz|OZ|fl\.? ?oz|lbs?)\.?(?:\s?[x×*]\s?(\d{1,3}))?(?![\p{L}\p{N}²³/%-])/gu;
/** Also in packs of packs (`6x17x2,0g`), which are not computed. */
const ANY_QUANTITY = /\d\s?(?:ml|cl|l|g|kg|oz)(?![\p{L}\p{N}²³/])/iu;
const LONGEST_TITLE = 1_000;
const KEPT_TITLES = 16;

export function hasQuantity(title: string): boolean {
  return ANY_QUANTITY.test(title);
}

export const quantitiesIn = memoize(KEPT_TITLES, (title: string): readonly RegExpExecArray[] =>
  /\d/.test(title) ? [...title.slice(0, LONGEST_TITLE).matchAll(QUANTITY)] : [],
);
