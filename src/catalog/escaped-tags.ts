/**
 * HTML that was escaped once too often: `&lt;p&gt;Soft&lt;/p&gt;` arrives where `<p>Soft</p>` was meant.
 *
 * The rule: escaped tags are markup when they form a structure. That is an element which is opened and closed
 * (`&lt;p&gt;…&lt;/p&gt;`) or a line break (`&lt;br&gt;`). In a text that also has real tags an editor escaped what its
 * author typed, so there only a block element counts. A lone `&lt;b&gt;` ("use &lt;b&gt; for bold"), `a &lt; b` and
 * numeric references (`&#60;p&#62;`) stay visible text.
 */
import { elementKind, isBlockElement } from "./html-elements.ts";

/** `&amp;lt;` was escaped twice too often. */
const ESCAPED_TAG = /&(?:amp;)*lt;(\/?)([a-z][a-z0-9]{0,11})(?=[\s/]|&(?:amp;)*gt;)/gi;
const ESCAPED = /&(?:amp;)*(lt|gt|quot|amp|apos|#0?39);/g;

const CHARACTERS: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', amp: "&" };

/** Whether escaped tags form a structure in `text`. */
export function hasEscapedStructure(text: string, hasRealTags: boolean): boolean {
  if (!text.includes("lt;")) return false;
  const counts = hasRealTags ? isBlockElement : isElement;
  const opened = new Set<string>();
  for (const [, slash, written = ""] of text.matchAll(ESCAPED_TAG)) {
    const name = written.toLowerCase();
    if (!counts(name)) continue;
    if (slash === "/" ? opened.has(name) : name === "br" && !hasRealTags) return true;
    if (slash === "") opened.add(name);
  }
  return false;
}

function isElement(name: string): boolean {
  return elementKind(name) !== undefined;
}

/** The text with its escaped tags as tags, and whatever else was escaped with them. */
export function unescapeTags(text: string): string {
  return text.replace(ESCAPED, (_, name: string) => CHARACTERS[name] ?? "'");
}
