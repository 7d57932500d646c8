/**
 * RSS, Atom and plain XML lists: one item an `item`, `entry`, `product` or the like, wherever the file has them, or the
 * element that `xml-record-name.ts` has found. The XML of comparison sites that have names of their own is read by a
 * dialect.
 *
 * Names in Google's namespace come first, then bare ones; names in any other namespace keep their prefix, so
 * `media:title` is never taken for a title. Repeated elements become lists, nested ones groups. The value of an element
 * without text is its `href` (Atom's links).
 */
import { decodeReference } from "../../catalog/html.ts";
import { localName, type XmlElement, xmlElements, type XmlRecord } from "../../lib/formats/xml-elements.ts";
import {
  fileColumnNotes,
  type FileColumnSettings,
  NO_COLUMN_SETTINGS,
  planFile,
} from "../product-record/column-settings.ts";
import { dynamicColumns, type SetField } from "../product-record/dynamic-columns.ts";
import { fold, readHeader } from "../product-record/aliases.ts";
import type { RecordResult } from "../source.ts";
import { type OpenXmlDialect, tableNames, type XmlDialect } from "./dialects/xml-dialect.ts";
import type { FeedLimits } from "./limits.ts";
import type { SourceFeedReader } from "./feed-reader.ts";
import type { RecordName } from "./xml-record-name.ts";
import type { CellGroup, CellValue } from "../product-record/cells.ts";

export const RECORD_NAMES: ReadonlySet<string> = new Set([
  "item",
  "entry",
  "product",
  "offer",
  "listing",
  "shopitem",
  "article",
]);

export type XmlFeedReader = SourceFeedReader & { readonly rootName: () => string | null };

/** Which elements are items, if not those of the usual names. */
export type XmlItemElements = {
  readonly reading?: XmlReading | undefined;
  readonly record?: RecordName | null;
};

/** A dialect at work on one file. */
export type XmlReading = { readonly dialect: XmlDialect; readonly open: OpenXmlDialect };

export function xmlFeed(
  limits: FeedLimits,
  settings: FileColumnSettings = NO_COLUMN_SETTINGS,
  { reading, record }: XmlItemElements = {},
): XmlFeedReader {
  const readName = reading === undefined ? readHeader : tableNames(reading.dialect.columns);
  const columns = dynamicColumns(limits.maxColumns, (names) => planFile(names, settings, readName));
  const items = reading?.open.begin();
  const setFields = xmlFieldReader();
  const { records, format } = itemElements(reading, record);
  const reader = recordReader(limits, records);
  const read = (records: readonly XmlRecord[]): RecordResult[] =>
    records.map((record) => {
      const draft = columns.map((set) => setFields(record, set));
      return { kind: "draft", draft: items?.complete(record.element, draft) ?? draft };
    });
  return {
    format,
    isDialect: reading !== undefined,
    columns: columns.names,
    valuesOf: columns.valuesOf,
    has: columns.has,
    settings,
    push: (text) => read(reader.push(text)),
    end: () => [
      ...read(reader.end()),
      ...(items?.notes() ?? []),
      ...fileColumnNotes(columns.names(), settings, readName),
    ],
    rootName: reader.rootName,
  };
}

/** The elements that are items, and the kind of file in words. */
function itemElements(reading: XmlItemElements["reading"], record: XmlItemElements["record"] = null) {
  if (reading !== undefined) return { records: reading.dialect.records, format: reading.dialect.name };
  if (record === null) return { records: RECORD_NAMES, format: "XML" };
  const { name, count } = record;
  const format = `XML with the repeated element <${name}> (${count} times in the beginning)`;
  return { records: new Set([name.toLowerCase()]), format };
}

/** Reads what a dialect lists before its items, and gives no items. */
export function xmlList(
  limits: FeedLimits,
  lists: readonly string[],
  { dialect, open }: XmlReading,
): SourceFeedReader {
  const reader = recordReader(limits, new Set(lists));
  const read = (records: readonly XmlRecord[]): [] => {
    for (const { element } of records) open.listed?.(element);
    return [];
  };
  return {
    format: dialect.name,
    isDialect: true,
    columns: () => [],
    valuesOf: () => [],
    has: () => false,
    settings: NO_COLUMN_SETTINGS,
    push: (text) => read(reader.push(text)),
    end: () => read(reader.end()),
  };
}

function recordReader(limits: FeedLimits, names: ReadonlySet<string>) {
  return xmlElements({
    isRecord: (name) => names.has(name.toLowerCase()),
    namedCharacter: decodeReference,
    maxFieldChars: limits.maxFieldChars,
    maxRecordChars: limits.maxRowChars,
    maxDepth: limits.maxDepth,
  });
}

const GOOGLE_NAMESPACE = "base.google.com/ns/1.0";

export type SetXmlFields = (record: XmlRecord, set: SetField) => void;

/** The field of an element name. Google's own names have priority over names without a prefix. */
type XmlField = { readonly name: string; readonly isGoogle: boolean };
type FieldParts = { readonly isGoogle: boolean; readonly parts: (string | CellGroup)[] };

/** A file uses few names and every record uses them again, so each name is looked at once. */
const MAX_CACHED_NAMES = 2_000;

function xmlFieldReader(): SetXmlFields {
  const fields = new Map<string, XmlField>();

  function fieldOf(elementName: string, namespaces: ReadonlyMap<string, string>): XmlField {
    const known = fields.get(elementName);
    if (known !== undefined) return known;
    const field = readFieldName(elementName, namespaces);
    if (fields.size < MAX_CACHED_NAMES) fields.set(elementName, field);
    return field;
  }

  return ({ element, namespaces }, set) => {
    const values = new Map<string, FieldParts>();
    for (const child of element.children) {
      const part = partOf(child);
      if (part !== null) add(values, fieldOf(child.name, namespaces), part);
    }
    for (const [name, { parts }] of values) set(name, simplest(parts));
    // The record's own attributes (`<offer id="7">`), unless an element has the same field.
    for (const [name, value] of Object.entries(element.attributes)) {
      if (!values.has(name) && !name.startsWith("xmlns")) set(name, value);
    }
  };
}

function readFieldName(elementName: string, namespaces: ReadonlyMap<string, string>): XmlField {
  const prefix = elementName.slice(0, Math.max(0, elementName.indexOf(":")));
  if (prefix === "") return { name: elementName, isGoogle: false };
  const address = namespaces.get(prefix);
  const isGoogle = address === undefined ? prefix === "g" : address.includes(GOOGLE_NAMESPACE);
  return { name: isGoogle ? localName(elementName) : elementName.replace(":", "_"), isGoogle };
}

function add(values: Map<string, FieldParts>, { name, isGoogle }: XmlField, part: string | CellGroup): void {
  const before = values.get(name);
  if (before === undefined || (isGoogle && !before.isGoogle)) values.set(name, { isGoogle, parts: [part] });
  else if (isGoogle === before.isGoogle) before.parts.push(part);
}

function simplest(parts: readonly (string | CellGroup)[]): CellValue {
  const [only] = parts;
  return typeof only === "string" && parts.length === 1 ? only : parts;
}

function partOf(element: XmlElement): string | CellGroup | null {
  if (element.children.length > 0) return isProse(element) ? proseOf(element) : groupOf(element);
  const text = element.text.trim();
  const { href, rel, currency } = element.attributes;
  if (text !== "") return currency === undefined ? text : `${text} ${currency}`;
  if (href === undefined) return null;
  return rel === undefined || rel === "alternate" ? href : null;
}

/** Markup that was not escaped: text and elements side by side, or the elements of HTML. */
function isProse(element: XmlElement): boolean {
  return (
    element.text.trim() !== "" ||
    element.children.every(({ name }) => /^(?:\w+:)?(?:p|div|span|ul|ol|br|b|i|h\d)$/i.test(name))
  );
}

function proseOf(element: XmlElement): string {
  return [element.text, ...element.children.map(proseOf)].join(" ").replace(/\s+/g, " ").trim();
}

function groupOf(element: XmlElement): CellGroup {
  const group: Record<string, string> = {};
  for (const child of element.children) {
    const name = fold(localName(child.name));
    const text = child.children.length > 0 ? proseOf(child) : child.text.trim();
    if (text !== "") group[name] ??= text;
  }
  return group;
}
