/** Texts that are there and are no content: placeholders and dummy texts. */
import { isPlaceholder } from "../catalog/placeholder.ts";

/** A value that says something. */
export function isSaid(value: string | undefined): value is string {
  return value !== undefined && !isPlaceholder(value);
}

const NOUN =
  "items?|products?|articles?|artikel|produkte?|produits?|productos?|prodott[oi]|produtos?|товар|商品";
const DUMMY = new RegExp(
  `^(?:(?:this is|the|an?|of|for|my|new|test|sample|example|dummy|demo|default|title|name|description) )*` +
    `(?:(?:${NOUN})(?: (?:title|name|description|text))?|test|dummy|title|name|description|text|placeholder|todo|foo|bar|asdf|xxx)` +
    `(?: ?(?:#|no\\.|nr\\.|-|_)? ?(?:\\d{1,8}|[a-z]))?[.!]?$`,
  "i",
);
const LONGEST_DUMMY = 60;
const LOREM = /^lorem ipsum/i;

/** Text that is not meant for buyers: "Item 1", "Test product", "Lorem ipsum …". */
export function isDummyText(text: string): boolean {
  if (text.length > LONGEST_DUMMY) return LOREM.test(text);
  return DUMMY.test(text) || LOREM.test(text);
}
