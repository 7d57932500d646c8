/** What a product's title begins with, as a number: variants of one product share it, unrelated products do not. */
import type { Item } from "../catalog/item.ts";
import { type Key, keyOf } from "./text-key.ts";

const WORDS = 2;
const SPACE = 32;
const key: Key = { high: 0, low: 0 };

/** The first two words; the brand does not count, since all titles of a shop may begin with it. */
export function titleStem({ title, brand }: Pick<Item, "title" | "brand">): number {
  const from = brand !== undefined && title.startsWith(brand) ? brand.length : 0;
  let at = from;
  while (title.charCodeAt(at) === SPACE) at++;
  const start = at;
  for (let words = 0; at < title.length; at++) {
    if (title.charCodeAt(at) === SPACE && ++words === WORDS) break;
  }
  keyOf(title.slice(start, at).toLowerCase(), key);
  return key.low;
}
