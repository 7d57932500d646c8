/**
 * `gmc.xml`: RSS 2.0 with Google's namespace, one item per line. The values are those of `gmc.tsv`: a list is an
 * element for each value, and a group is an element with one element for each sub-value. What XML cannot hold is left
 * out of a text; line breaks are spaces, as they are in `gmc.tsv`.
 */
import { type FeedContext, type FeedWriter, rowWriter } from "../channel.ts";
import type { Variant } from "../kit/variants.ts";
import { foldLineBreaks, type GroupValue } from "./cell.ts";
import { type ColumnReader, COLUMNS, type GoogleRow, googleRows, type RowContext } from "./rows.ts";

const NAMESPACE = "http://base.google.com/ns/1.0";

const SPECIAL = /[&<>]/g;
const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
/** Matches everything that is not a character of XML 1.0, including half of a surrogate pair. */
const NOT_XML = /[^\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
/** Any character that may need escaping. Most texts have none. */
const NEEDS_ESCAPE = /[^ -%'-;=?-\x84\x86-\u2027\u202a-\ud7ff\ue000-\ufffd]/;

function escaped(text: string): string {
  if (!NEEDS_ESCAPE.test(text)) return text;
  return foldLineBreaks(text)
    .replace(NOT_XML, "")
    .replace(SPECIAL, (character) => ENTITIES[character] ?? "");
}

function element(name: string, text: string): string {
  return `<g:${name}>${escaped(text)}</g:${name}>`;
}

function elements(name: string, texts: readonly string[]): string {
  return texts.map((text) => element(name, text)).join("");
}

function groupElements(name: string, groups: readonly GroupValue[], parts: readonly string[]): string {
  return groups.map((group) => `<g:${name}>${partElements(group, parts)}</g:${name}>`).join("");
}

function partElements(group: GroupValue, parts: readonly string[]): string {
  return parts
    .map((part, place) => (group[place] === undefined ? "" : element(part, String(group[place]))))
    .join("");
}

function columnElements(column: ColumnReader, variant: Variant, context: RowContext): string {
  const { name, shape } = column;
  if (shape === "list") return elements(name, column.read(variant, context) ?? []);
  if (shape === "groups") return groupElements(name, column.read(variant, context) ?? [], column.parts);
  const value = column.read(variant, context);
  return value === undefined ? "" : element(name, value);
}

function item({ variant, context }: GoogleRow): string {
  let text = "";
  for (const column of COLUMNS) text += columnElements(column, variant, context);
  return `<item>${text}</item>\n`;
}

function head({ catalog, settings }: FeedContext): string {
  const title = escaped(settings.sellerName ?? catalog.name);
  const link = settings.storeUrl === undefined ? "" : `<link>${escaped(settings.storeUrl)}</link>\n`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:g="${NAMESPACE}">
<channel>
<title>${title}</title>
${link}<description>Product data of ${title}</description>
`;
}

export function openGoogleXml(context: FeedContext): FeedWriter {
  return rowWriter({
    head: () => head(context),
    rows: (group) => googleRows(group, context),
    write: item,
    tail: "</channel>\n</rss>\n",
  });
}
