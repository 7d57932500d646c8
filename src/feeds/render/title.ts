/**
 * A variant's title names the variant: the option values that the title does not mention yet are appended to it.
 * "Mentions" means as a word of its own, so that size "M" is not found in "Mug" nor "Blue" in "Bluetooth".
 */
import type { Item } from "../../catalog/item.ts";
import { clamp } from "../../catalog/text.ts";
import { lengthOf } from "./limit.ts";

const LETTER_OR_DIGIT = /[\p{L}\p{N}\p{M}]/u;
/** Scripts that put no space between words: there a neighbor says nothing about where a word ends. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

function continuesWord(character: string): boolean {
  return LETTER_OR_DIGIT.test(character) && !UNSPACED.test(character);
}

function mentions(text: string, value: string): boolean {
  const joinsLeft = continuesWord(value.charAt(0));
  const joinsRight = continuesWord(value.charAt(value.length - 1));
  for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + 1)) {
    const end = at + value.length;
    const isCutLeft = joinsLeft && at > 0 && continuesWord(text.charAt(at - 1));
    const isCutRight = joinsRight && end < text.length && continuesWord(text.charAt(end));
    if (!isCutLeft && !isCutRight) return true;
  }
  return false;
}

export type Title = {
  readonly name: string;
  /** The options, separators included; empty when there is nothing to add. */
  readonly suffix: string;
};

/** The item's name, and what has to follow it. A comma that already ends the name is not doubled. */
export function titleOf({ title, options }: Item): Title {
  if (options === undefined) return { name: title, suffix: "" };
  const text = title.toLowerCase();
  let suffix = "";
  for (const { value } of options) {
    if (!mentions(text, value.toLowerCase())) suffix += `, ${value}`;
  }
  return { name: suffix === "" ? title : withoutEnd(title), suffix };
}

function withoutEnd(name: string): string {
  return name.endsWith(",") || name.endsWith(";") ? name.replace(/[\s,;]+$/, "") : name;
}

/**
 * The title within `limit` code points. The name is cut, not the options: they are what tells variants apart.
 * Only when the options alone would fill half of the room is the whole text cut.
 */
export function fitTitle({ name, suffix }: Title, limit: number): string {
  const whole = name + suffix;
  if (whole.length <= limit) return whole;
  if (suffix === "" || suffix.length > limit / 2) return clamp(whole, limit);
  return withoutEnd(clamp(name, limit - lengthOf(suffix))) + suffix;
}
