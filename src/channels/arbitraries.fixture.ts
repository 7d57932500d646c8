/** Generated values for property tests of the feeds. */
import { type Arbitrary, array, constantFrom, integer, string, stringMatching } from "fast-check";
import { anyCharacter } from "../lib/any-character.fixture.ts";
import type { Money } from "../catalog/item.ts";

/** Any code points, controls and line breaks included: more than an item may contain. */
export const anyText = string({ unit: anyCharacter, minLength: 1, maxLength: 30 });

const SPECIAL = ['"', '""', ",", ":", "\t", "\n", "\r\n", "'", "\\", "<", "&", "</script>", "\u2028", "="];

/** Full of what the formats treat specially. */
export const trickyText = array(constantFrom(...SPECIAL, "é", "👩‍👩‍👧", "a", " "), {
  minLength: 1,
  maxLength: 12,
}).map((parts) => parts.join(""));

export const shopUrl = stringMatching(/^[a-z0-9,&=?_-]{1,20}$/).map((path) => `https://shop.example/${path}`);

/** `min` and `max` are in cents or, for JPY, in yen. */
export function money(currency: string, min: number, max: number): Arbitrary<Money> {
  return integer({ min, max }).map((units) => ({
    currency,
    amount:
      currency === "JPY"
        ? String(units)
        : `${Math.floor(units / 100)}.${String(units % 100).padStart(2, "0")}`,
  }));
}
