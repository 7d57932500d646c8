/** RSS, Atom and plain XML lists: one item an `item`, `entry`, `product` or the like, wherever the file has them. */
import { decodeReference } from "../../catalog/entities.ts";
import { xmlElements } from "../../lib/formats/xml-elements.ts";
import { fileColumnNotes } from "../product-record/column-notes.ts";
import { dynamicColumns } from "../product-record/dynamic-columns.ts";
import { type FileColumns, NO_COLUMN_SETTINGS, planFile } from "../product-record/file-columns.ts";
import type { Reading } from "../product-record/reading.ts";
import type { FeedLimits } from "./limits.ts";
import type { FeedReader } from "./feed-reader.ts";
import { xmlFieldReader } from "./xml-fields.ts";

const RECORD_NAMES = new Set(["item", "entry", "product", "offer", "listing", "shopitem", "article"]);

export type XmlFeedReader = FeedReader & { readonly rootName: () => string | null };

export function xmlFeed(limits: FeedLimits, settings: FileColumns = NO_COLUMN_SETTINGS): XmlFeedReader {
  const columns = dynamicColumns(limits.maxColumns, (names) => planFile(names, settings));
  const putFields = xmlFieldReader();
  const reader = xmlElements({
    isRecord: (name) => RECORD_NAMES.has(name.toLowerCase()),
    namedCharacter: decodeReference,
    maxFieldChars: limits.maxFieldChars,
    maxRecordChars: limits.maxRowChars,
    maxDepth: limits.maxDepth,
  });
  const read = (records: ReturnType<typeof reader.push>): Reading[] =>
    records.map((record) => ({ kind: "draft", draft: columns.map((put) => putFields(record, put)) }));
  return {
    format: "XML",
    isDialect: false,
    columns: columns.names,
    has: columns.has,
    push: (text) => read(reader.push(text)),
    end: () => [...read(reader.end()), ...fileColumnNotes(columns.names(), settings)],
    rootName: reader.rootName,
  };
}
