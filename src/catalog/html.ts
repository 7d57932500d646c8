/**
 * HTML as shops write it: its elements by what they do to the text around them, character references, and tags that
 * were escaped once too often (`&lt;p&gt;Soft&lt;/p&gt;` where `<p>Soft</p>` was meant).
 *
 * Escaped tags are markup when they form a structure. That is an element which is opened and closed
 * (`&lt;p&gt;…&lt;/p&gt;`) or a line break (`&lt;br&gt;`). In a text that also has real tags an editor escaped what its
 * author typed, so there only a block element counts. A lone `&lt;b&gt;` ("use &lt;b&gt; for bold"), `a &lt; b` and
 * numeric references (`&#60;p&#62;`) stay visible text.
 */
import { decodeHTMLAttribute, decodeHTMLStrict } from "entities";

const KINDS = {
  /** Inside a line of text: leaves nothing behind. */
  inline: `a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q rp rt ruby s samp small
    span strike strong sub sup time tt u var wbr`,
  /** Separates words. */
  word: `area audio base button canvas col colgroup embed frame frameset iframe img input link map meta meter noframes
    noscript object optgroup option output param picture progress script select slot source style svg td template
    textarea th track video`,
  /** Ends a line, each time. */
  break: "br",
  /** Is on its own lines. */
  line: `address article aside body caption center dd details dialog div dt fieldset figcaption footer form head header
    hgroup html legend main nav search section summary tbody tfoot thead title tr`,
  /** Is between empty lines. */
  paragraph: "blockquote dl figure h1 h2 h3 h4 h5 h6 hr p pre table",
  item: "li",
  /** A list with bullets. */
  list: "dir menu ul",
  /** A list with numbers. */
  numbered: "ol",
} as const;
export type ElementKind = keyof typeof KINDS;

const ELEMENTS: ReadonlyMap<string, ElementKind> = new Map(
  (Object.keys(KINDS) as ElementKind[]).flatMap((kind) =>
    KINDS[kind].split(/\s+/).map((name) => [name, kind] as const),
  ),
);

/** The longest name of an element, including custom elements. */
export const LONGEST_NAME = 60;
export const AFTER_NAME: ReadonlySet<string> = new Set([" ", "\t", "\n", "\r", "\f", "/", ">"]);

/** Undefined when HTML has no such element. Names with a colon or a dash (`o:p`, custom elements) separate words. */
export function elementKind(name: string): ElementKind | undefined {
  return ELEMENTS.get(name) ?? (/^[a-z][a-z0-9]*[:-]/.test(name) ? "word" : undefined);
}

function isBlockElement(name: string): boolean {
  const kind = ELEMENTS.get(name);
  return kind !== undefined && kind !== "inline" && kind !== "word";
}

const LINE_NAMES = [...ELEMENTS.keys()].filter(isBlockElement).join("|");
/** Whether a text has a tag that ends lines. */
export const HAS_LINES = new RegExp(`</?(?:${LINE_NAMES})[\\s/>]`, "i");

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

/**
 * Returns the character of a reference, given the text between `&` and `;`, or undefined if the text is not a
 * reference.
 */
export function decodeReference(name: string): string | undefined {
  const reference = `&${name};`;
  const decoded = decodeHTMLStrict(reference);
  return decoded === reference ? undefined : decoded;
}

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
