/**
 * JSON documents and JSON Lines, one item an object. In a document the list is the document itself or an array near
 * its top under a usual name; `listPath` points at another one when the usual names led nowhere.
 */
import { counted } from "../../lib/counted.ts";
import { type JsonElement, type JsonElementReader, jsonElements } from "../../lib/formats/json-elements.ts";
import { type JsonLine, jsonLines } from "../../lib/formats/json-lines.ts";
import {
  fileColumnNotes,
  type FileColumnSettings,
  missingColumnNotes,
  planFile,
} from "../product-record/column-settings.ts";
import { aliasNames, fold, namesShown, TEXT_ALIASES } from "../product-record/aliases.ts";
import { dynamicColumns } from "../product-record/dynamic-columns.ts";
import { hasUsualName, readElement } from "../product-record/json-items.ts";
import type { RecordResult } from "../source.ts";
import type { FeedLimits } from "./limits.ts";
import type { SourceFeedReader } from "./feed-reader.ts";

export type JsonFeedOptions = {
  readonly limits: FeedLimits;
  readonly storeUrl: string | undefined;
  readonly columns: FileColumnSettings;
};

export type JsonFeedReader = SourceFeedReader & {
  /** Where the list was, or null when there was none. */
  readonly listPath: () => readonly string[] | null;
  /** The first other array of objects. */
  readonly otherList: () => readonly string[] | null;
  /** How many elements the list has so far. */
  readonly count: () => number;
};

export function jsonFeed(
  { limits, storeUrl, columns: settings }: JsonFeedOptions,
  listPath: readonly string[] | null,
): JsonFeedReader {
  const columns = dynamicColumns(limits.maxColumns, (names) => planFile(names, settings));
  const reader = jsonElements({
    isList: (path) => (listPath === null ? hasUsualName(path) : isSame(path, listPath)),
    maxElementChars: limits.maxRowChars,
    maxDepth: limits.maxDepth,
  });
  const shapes = shapeNotes(settings);
  let count = 0;

  function read(found: readonly JsonElement[]): RecordResult[] {
    count += found.length;
    return found.flatMap(({ value, text }) =>
      readElement(value, text, { columns, limits, storeUrl, ...shapes }),
    );
  }

  return {
    format: "JSON",
    isDialect: false,
    columns: columns.names,
    valuesOf: columns.valuesOf,
    has: columns.has,
    settings,
    push: (text) => read(reader.push(text)),
    end: () => [
      ...read(reader.end()),
      ...shapes.notes(columns.names()),
      ...otherListNotes(reader, columns.names()),
    ],
    listPath: reader.listPath,
    otherList: () => reader.otherLists()[0]?.path ?? null,
    count: () => count,
  };
}

const PRICE_NAMES: ReadonlySet<string> = new Set(aliasNames(TEXT_ALIASES.price ?? ""));

/** Other lists whose elements have a price and most fields of the products are products as well, most likely. */
function otherListNotes(
  { listPath, otherLists }: Pick<JsonElementReader, "listPath" | "otherLists">,
  names: readonly string[],
): RecordResult[] {
  const path = listPath();
  if (path === null) return [];
  const known = new Set(names);
  const lists = otherLists().filter(({ fields }) => {
    const shared = fields.filter((name) => known.has(name));
    return shared.length * 2 > fields.length && shared.some((name) => PRICE_NAMES.has(fold(name)));
  });
  if (lists.length === 0) return [];
  const others = namesShown(lists.map((list) => list.path.join(".")));
  const message = `Only the list "${path.join(".")}" is read. The file has ${counted(lists.length, "other list")} with the fields of products, which ${lists.length === 1 ? "is" : "are"} not in the feeds: ${others}. Put all products into one list.`;
  return [{ kind: "warning", code: "source_note", message }];
}

function isSame(path: readonly string[], other: readonly string[]): boolean {
  return path.length === other.length && path.every((key, index) => key === other[index]);
}

export function jsonLinesFeed({ limits, storeUrl, columns: settings }: JsonFeedOptions): SourceFeedReader {
  const columns = dynamicColumns(limits.maxColumns, (names) => planFile(names, settings));
  const reader = jsonLines({ maxLineChars: limits.maxRowChars });
  const shapes = shapeNotes(settings);

  function read(line: JsonLine): RecordResult[] {
    if ("value" in line) return readElement(line.value, line.text, { columns, limits, storeUrl, ...shapes });
    const message = `Line ${line.line} is not valid JSON: ${line.broken}`;
    return [{ kind: "unreadable", itemId: null, message }];
  }

  return {
    format: "JSON Lines",
    isDialect: false,
    columns: columns.names,
    valuesOf: columns.valuesOf,
    has: columns.has,
    settings,
    push: (text) => reader.push(text).flatMap(read),
    end: () => [...reader.end().flatMap(read), ...shapes.notes(columns.names())],
  };
}

/** Columns are only spoken of when all elements were flat: the other shapes use fields that the tables do not name. */
function shapeNotes(settings: FileColumnSettings): {
  readonly onShape: () => void;
  readonly notes: (names: readonly string[]) => RecordResult[];
} {
  let isFlat = true;
  return {
    onShape: () => {
      isFlat = false;
    },
    notes: (names) => (isFlat ? fileColumnNotes(names, settings) : missingColumnNotes(names, settings)),
  };
}
