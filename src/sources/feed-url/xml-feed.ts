/**
 * RSS, Atom and plain XML lists: one item an `item`, `entry`, `product` or the like, wherever the file has them. The
 * XML of comparison sites that have names of their own is read by a dialect.
 */
import { decodeReference } from "../../catalog/entities.ts";
import { xmlElements, type XmlRecord } from "../../lib/formats/xml-elements.ts";
import { fileColumnNotes } from "../product-record/file-columns.ts";
import { dynamicColumns } from "../product-record/dynamic-columns.ts";
import { type FileColumns, NO_COLUMN_SETTINGS, planFile } from "../product-record/file-columns.ts";
import { readHeader } from "../product-record/header.ts";
import type { Reading } from "../product-record/reading.ts";
import { type OpenXmlDialect, tableNames, type XmlDialect } from "./dialects/xml-dialect.ts";
import type { FeedLimits } from "./limits.ts";
import type { FeedReader } from "./feed-reader.ts";
import { xmlFieldReader } from "./xml-fields.ts";

const RECORD_NAMES: ReadonlySet<string> = new Set([
  "item",
  "entry",
  "product",
  "offer",
  "listing",
  "shopitem",
  "article",
]);

export type XmlFeedReader = FeedReader & { readonly rootName: () => string | null };

/** A dialect at work on one file. */
export type XmlReading = { readonly dialect: XmlDialect; readonly open: OpenXmlDialect };

export function xmlFeed(
  limits: FeedLimits,
  settings: FileColumns = NO_COLUMN_SETTINGS,
  reading?: XmlReading,
): XmlFeedReader {
  const readName = reading === undefined ? readHeader : tableNames(reading.dialect.columns);
  const columns = dynamicColumns(limits.maxColumns, (names) => planFile(names, settings, readName));
  const items = reading?.open.begin();
  const setFields = xmlFieldReader();
  const reader = recordReader(limits, reading?.dialect.records ?? RECORD_NAMES);
  const read = (records: readonly XmlRecord[]): Reading[] =>
    records.map((record) => {
      const draft = columns.map((set) => setFields(record, set));
      return { kind: "draft", draft: items?.complete(record.element, draft) ?? draft };
    });
  return {
    format: reading?.dialect.name ?? "XML",
    isDialect: reading !== undefined,
    columns: columns.names,
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

/** Reads what a dialect lists before its items, and gives no items. */
export function xmlList(limits: FeedLimits, list: string, { dialect, open }: XmlReading): FeedReader {
  const reader = recordReader(limits, new Set([list]));
  const read = (records: readonly XmlRecord[]): [] => {
    for (const { element } of records) open.listed(element);
    return [];
  };
  return {
    format: dialect.name,
    isDialect: true,
    columns: () => [],
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
