/**
 * Text out of HTML, in one pass over the tags: tags go, and references between them become their characters. What a
 * reference became is never read again, so a visible `<b>` stays visible. Only names that HTML knows count as tags;
 * `<Type C>` and `a < b` are text. Every input takes time in proportion to its length, however broken it is.
 */
import {
  AFTER_NAME,
  elementKind,
  type ElementKind,
  HAS_LINES,
  hasEscapedStructure,
  LONGEST_NAME,
  unescapeTags,
} from "./html.ts";
import { asBareTags, asLines, asOneText, type Layout } from "./markup-layout.ts";

/** Elements whose content is not text for readers, with what ends them. */
const DROPPED: ReadonlyMap<string, RegExp> = new Map(
  ["script", "style", "template", "iframe", "svg"].map((name) => [
    name,
    new RegExp(`</${name}[\\s/>]`, "gi"),
  ]),
);

const NAME_CHARACTERS = new Uint8Array(128).map((_, code) =>
  /[a-z0-9:-]/i.test(String.fromCharCode(code)) ? 1 : 0,
);
const QUOTE_OR_CLOSE = /=\s*(["'])|>/g;
/** Matches conditions that Word leaves outside of comments: `<![if !supportLists]>`, `<![endif]>`. */
const CONDITION = /^<!\[(?:if|endif)\b/i;

type Scan = {
  readonly text: string;
  readonly lastClose: number;
  /** The position of the next `=`, if it was searched for; a tag that ends before it has no quoted attribute. */
  nextEquals: number;
  /** Whether `>` inside a quoted attribute is skipped. One quote that never ends turns this off for good. */
  trustsQuotes: boolean;
};

type MarkupTag = {
  readonly end: number;
  readonly kind: ElementKind;
  readonly isClosing: boolean;
  readonly number?: number | undefined;
};

/** Matches the number with which a numbered list starts, and the number of an item in the list. */
const NUMBER_ATTRIBUTE = /\s(?:start|value)\s*=\s*["']?(-?\d{1,9})\b/i;
/** The items of such a list count down from a number that is known only at its end; they get bullets. */
const REVERSED = /\sreversed[\s=/>]/i;

/** The text with a space wherever a tag separates words. Line breaks of the source stay. */
export function stripMarkup(source: string): string {
  return layOut(withEscapedTags(source), asOneText());
}

/**
 * The text with line breaks where a browser would put them: one between lines and list items, two between paragraphs. A
 * list item begins with `• `, or with its number in a numbered list. Where the markup says where lines end, a single
 * line break of the source is only white space, but an empty line still separates paragraphs: WordPress stores them so,
 * next to lists in HTML.
 */
export function stripMarkupToLines(source: string): string {
  const text = withEscapedTags(source);
  return layOut(HAS_LINES.test(text) ? text.replace(WRAPPED, unwrap) : text, asLines());
}

const WRAPPED = /[\r\n]\s*/g;
const EMPTY_LINE = /\n[^\n]*\n|\r[^\n]*\r/;

function unwrap(gap: string): string {
  return EMPTY_LINE.test(gap) ? "\n\n" : " ";
}

const REAL_TAG = /<\/?[a-z][a-z0-9]{0,11}[\s/>]/i;

/**
 * The text with its escaped markup as markup. Only what a reader sees counts: attributes and styles have escapes too.
 */
function withEscapedTags(text: string): string {
  if (!hasEscapedStructure(text, false)) return text;
  const hasRealTags = REAL_TAG.test(text);
  const visible = hasRealTags ? layOut(text, asBareTags()) : text;
  return hasEscapedStructure(visible, hasRealTags) ? unescapeTags(visible) : text;
}

function layOut(source: string, layout: Layout): string {
  const text = source.includes("<![CDATA[") ? withoutCdataMarks(source) : source;
  const scan: Scan = { text, lastClose: text.lastIndexOf(">"), nextEquals: -1, trustsQuotes: true };
  let at = 0;
  let start = text.indexOf("<");
  while (start >= 0) {
    const tag = readTag(scan, start);
    if (tag !== undefined) {
      if (start > at) layout.text(text.slice(at, start));
      layout.tag(tag.kind, tag.isClosing, tag.number);
      at = tag.end;
    }
    start = text.indexOf("<", tag === undefined ? start + 1 : at);
  }
  if (at < text.length) layout.text(text.slice(at));
  return layout.end();
}

function withoutCdataMarks(text: string): string {
  return text.replaceAll("<![CDATA[", " ").replaceAll("]]>", " ");
}

/** The tag, comment or declaration that begins here; undefined when the `<` is plain text. */
function readTag(scan: Scan, start: number): MarkupTag | undefined {
  const { text } = scan;
  const next = text.charAt(start + 1);
  if (next === "!" || next === "?") return readDeclaration(scan, start);
  const isClosing = next === "/";
  const name = tagName(text, isClosing ? start + 2 : start + 1);
  const kind = elementKind(name);
  const end = kind === undefined ? -1 : tagEnd(scan, start);
  if (kind === undefined || end < 0) return undefined;
  if (isClosing) return { end, kind, isClosing };
  const closer = DROPPED.get(name);
  if (closer !== undefined) return { end: contentEnd(text, end, closer), kind, isClosing };
  return openingTag(kind, text.slice(start, end), end);
}

function openingTag(kind: ElementKind, source: string, end: number): MarkupTag {
  if (kind !== "numbered" && kind !== "item") return { end, kind, isClosing: false };
  if (kind === "numbered" && REVERSED.test(source)) return { end, kind: "list", isClosing: false };
  const number = NUMBER_ATTRIBUTE.exec(source)?.[1] ?? (kind === "numbered" ? "1" : undefined);
  return { end, kind, isClosing: false, number: number === undefined ? undefined : Number(number) };
}

function tagName(text: string, from: number): string {
  let at = from;
  while (at - from <= LONGEST_NAME && NAME_CHARACTERS[text.charCodeAt(at)] === 1) at++;
  return AFTER_NAME.has(text.charAt(at)) ? text.slice(from, at).toLowerCase() : "";
}

/** Comments, doctypes and processing instructions. A comment without an end runs to the end, as in a browser. */
function readDeclaration(scan: Scan, start: number): MarkupTag | undefined {
  const { text } = scan;
  if (text.startsWith("<!--", start)) {
    const close = text.indexOf("-->", start + 4);
    return { end: close < 0 ? text.length : close + 3, kind: "inline", isClosing: false };
  }
  const isDeclaration =
    /[a-z]/i.test(text.charAt(start + 2)) || CONDITION.test(text.slice(start, start + 10));
  if (!isDeclaration || start > scan.lastClose) return undefined;
  return { end: text.indexOf(">", start) + 1, kind: "word", isClosing: false };
}

function tagEnd(scan: Scan, start: number): number {
  if (start > scan.lastClose) return -1;
  const close = scan.text.indexOf(">", start);
  if (scan.nextEquals < start) {
    const at = scan.text.indexOf("=", start);
    scan.nextEquals = at < 0 ? scan.text.length : at;
  }
  if (scan.trustsQuotes && scan.nextEquals < close) {
    const end = quotedTagEnd(scan.text, start);
    if (end >= 0) return end;
    // Trying again at every tag would make a broken text cost the square of its length.
    scan.trustsQuotes = false;
  }
  return close + 1;
}

function quotedTagEnd(text: string, start: number): number {
  QUOTE_OR_CLOSE.lastIndex = start;
  while (true) {
    const hit = QUOTE_OR_CLOSE.exec(text);
    if (hit === null) return -1;
    if (hit[1] === undefined) return QUOTE_OR_CLOSE.lastIndex;
    const close = text.indexOf(hit[1], QUOTE_OR_CLOSE.lastIndex);
    if (close < 0) return -1;
    QUOTE_OR_CLOSE.lastIndex = close + 1;
  }
}

function contentEnd(text: string, from: number, closer: RegExp): number {
  closer.lastIndex = from;
  const hit = closer.exec(text);
  if (hit === null) return text.length;
  const close = text.indexOf(">", hit.index);
  return close < 0 ? text.length : close + 1;
}
