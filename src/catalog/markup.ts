/**
 * Text out of HTML, in one pass over the characters: tags go, references become their characters, and what a
 * reference became is never read again, so `&lt;b&gt;` stays visible as `<b>`. Only names that HTML knows count as
 * tags; `<Type C>` and `a < b` are text. Every input takes time in proportion to its length, however broken it is.
 */
import { decodeReference } from "./entities.ts";

/** Elements inside a line of text: they leave no space behind. */
const INLINE = new Set(
  `a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q rp rt ruby s samp small span
   strike strong sub sup time tt u var wbr`.split(/\s+/),
);

/** Elements that part words. Elements with a colon or a dash in their name (`o:p`, custom ones) part words too. */
const BLOCK = new Set(
  `address area article aside audio base blockquote body br button canvas caption center col colgroup dd details dialog
   dir div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr
   html iframe img input legend li link main map menu meta meter nav noframes noscript object ol optgroup option output
   p param picture pre progress script search section select slot source style summary svg table tbody td template
   textarea tfoot th thead title tr track ul video`.split(/\s+/),
);

/** Elements whose content is no text for readers, with what ends them. */
const DROPPED: ReadonlyMap<string, RegExp> = new Map(
  ["script", "style", "template", "iframe", "svg"].map((name) => [
    name,
    new RegExp(`</${name}[\\s/>]`, "gi"),
  ]),
);

const NAME_CHARACTERS = new Uint8Array(128).map((_, code) =>
  /[a-z0-9:-]/i.test(String.fromCharCode(code)) ? 1 : 0,
);
const AFTER_NAME = new Set([" ", "\t", "\n", "\r", "\f", "/", ">"]);
/** Of an element; custom ones included. */
const LONGEST_NAME = 60;
const QUOTE_OR_CLOSE = /=\s*(["'])|>/g;
/** The longest name in our table has eight letters; a number needs no more than this either. */
const LONGEST_REFERENCE = 12;

type Scan = {
  readonly text: string;
  readonly lastClose: number;
  /** Where the next `=` is, if anyone has looked; a tag that ends before it has no quoted attribute. */
  nextEquals: number;
  /** Whether `>` inside a quoted attribute is skipped. One quote that never ends turns this off for good. */
  trustsQuotes: boolean;
};

type Piece = { readonly end: number; readonly becomes: string };

export function stripMarkup(source: string): string {
  const text = source.includes("<![CDATA[") ? withoutCdataMarks(source) : source;
  const scan: Scan = { text, lastClose: text.lastIndexOf(">"), nextEquals: -1, trustsQuotes: true };
  let out = "";
  let at = 0;
  let tag = find(text, "<", 0);
  let reference = find(text, "&", 0);
  while (tag < text.length || reference < text.length) {
    const start = Math.min(tag, reference);
    const piece = tag < reference ? readTag(scan, start) : readReference(text, start);
    out += text.slice(at, start) + piece.becomes;
    at = piece.end;
    if (tag < at) tag = find(text, "<", at);
    if (reference < at) reference = find(text, "&", at);
  }
  return out + text.slice(at);
}

/** Where `char` comes next; the end of the text when it does not. */
function find(text: string, char: string, from: number): number {
  const at = text.indexOf(char, from);
  return at < 0 ? text.length : at;
}

/** A sign that opens nothing stands for itself. */
function literal(text: string, start: number): Piece {
  return { end: start + 1, becomes: text.charAt(start) };
}

function withoutCdataMarks(text: string): string {
  return text.replaceAll("<![CDATA[", " ").replaceAll("]]>", " ");
}

function readReference(text: string, start: number): Piece {
  const window = text.slice(start + 1, start + 2 + LONGEST_REFERENCE);
  const length = window.indexOf(";");
  const becomes = length < 1 ? undefined : decodeReference(window.slice(0, length));
  return becomes === undefined ? literal(text, start) : { end: start + length + 2, becomes };
}

function readTag(scan: Scan, start: number): Piece {
  const { text } = scan;
  const next = text.charAt(start + 1);
  if (next === "!" || next === "?") return readDeclaration(scan, start);
  const name = tagName(text, start + 1);
  const end = isElement(name) ? tagEnd(scan, start) : -1;
  if (end < 0) return literal(text, start);
  const closer = next === "/" ? undefined : DROPPED.get(name);
  if (closer !== undefined) return { end: contentEnd(text, end, closer), becomes: " " };
  return { end, becomes: INLINE.has(name) ? "" : " " };
}

function tagName(text: string, start: number): string {
  const from = text.charAt(start) === "/" ? start + 1 : start;
  let at = from;
  while (at - from <= LONGEST_NAME && NAME_CHARACTERS[text.charCodeAt(at)] === 1) at++;
  return AFTER_NAME.has(text.charAt(at)) ? text.slice(from, at).toLowerCase() : "";
}

function isElement(name: string): boolean {
  return BLOCK.has(name) || INLINE.has(name) || /^[a-z]+[a-z0-9]*[:-]/.test(name);
}

/** Comments, doctypes and processing instructions. A comment without an end runs to the end, as in a browser. */
function readDeclaration(scan: Scan, start: number): Piece {
  const { text } = scan;
  if (text.startsWith("<!--", start)) {
    const close = text.indexOf("-->", start + 4);
    return { end: close < 0 ? text.length : close + 3, becomes: "" };
  }
  const isDeclaration = /[a-z]/i.test(text.charAt(start + 2));
  if (!isDeclaration || start > scan.lastClose) return literal(text, start);
  return { end: text.indexOf(">", start) + 1, becomes: " " };
}

function tagEnd(scan: Scan, start: number): number {
  if (start > scan.lastClose) return -1;
  const close = scan.text.indexOf(">", start);
  if (scan.nextEquals < start) scan.nextEquals = find(scan.text, "=", start);
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
