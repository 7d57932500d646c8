/**
 * Character references of HTML. The table of names and the rules of the standard come from `entities`; here stand only
 * the faults of real shop data: references that were escaped once more, and `&nbsp` joined to the next word.
 */
import { decodeHTMLAttribute, decodeHTMLStrict } from "entities";

/**
 * `&amp;nbsp;`, `&amp;amp;`, `&amp;amp;eacute;`: an `&` that was escaped although it begins a reference. Only the
 * named form counts, since that is what programs write who escape twice; `&#38;amp;` stays a deliberate `&amp;`.
 */
const ESCAPED_AGAIN = /&(?:amp;)+(?=#?\w{2,31};|nbsp)/g;
const SPACE_WITHOUT_END = /&nbsp(?!;)/g;

/**
 * A text with its references decoded. Without a semicolon a reference counts only if HTML allows it (`&eacute`,
 * `&copy`) and neither a letter, a digit nor `=` follows: the rule for attributes, which leaves `R&D`, `AT&T` and
 * `?a=1&copy=2` alone.
 */
export function decodeReferences(text: string): string {
  if (!text.includes("&")) return text;
  const once = text.includes("&amp;") ? text.replace(ESCAPED_AGAIN, "&") : text;
  const ended = once.includes("&nbsp") ? once.replace(SPACE_WITHOUT_END, "&nbsp;") : once;
  return decodeHTMLAttribute(ended);
}

/** The character of a reference, given what stands between `&` and `;`, or undefined when it is none. */
export function decodeReference(name: string): string | undefined {
  const reference = `&${name};`;
  const decoded = decodeHTMLStrict(reference);
  return decoded === reference ? undefined : decoded;
}
