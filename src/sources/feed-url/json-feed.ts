/**
 * JSON documents and JSON Lines, one item an object. In a document the list is the document itself or an array near
 * its top under a usual name; `listPath` points at another one when the usual names led nowhere. Further lists with
 * products are found while that one is read, and are read after it.
 */
import { counted } from "../../lib/counted.ts";
import type { Draft } from "../../catalog/draft.ts";
import { AppError } from "../../errors.ts";
import { type JsonElement, type JsonElementReader, jsonElements } from "../../lib/formats/json-elements.ts";
import { type JsonLine, jsonLines } from "../../lib/formats/json-lines.ts";
import {
  fileColumnNotes,
  type FileColumnSettings,
  missingColumnNotes,
  planFile,
} from "../product-record/column-settings.ts";
import { namesShown } from "../product-record/aliases.ts";
import { dynamicColumns } from "../product-record/dynamic-columns.ts";
import { furtherLists, hasProducts, hasUsualName, readElement } from "../product-record/json-items.ts";
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
  /** Further lists with products, once all of the document was read. */
  readonly furtherLists: () => readonly ListPath[];
  /** How many elements the list has so far. */
  readonly count: () => number;
  /** How many rows were made of them. */
  readonly rows: () => number;
};

type ListPath = readonly string[];

export function jsonFeed(
  { limits, storeUrl, columns: settings }: JsonFeedOptions,
  listPath: ListPath | null,
  further: readonly ListPath[] = [],
): JsonFeedReader {
  const columns = dynamicColumns(limits.maxColumns, (names) => planFile(names, settings));
  const isFurther = (path: ListPath): boolean => further.some((list) => isSame(path, list));
  const reader = jsonElements({
    isList: (path) => (listPath === null ? hasUsualName(path) : isSame(path, listPath)) || isFurther(path),
    readsAll: further.length > 0,
    maxElementChars: limits.maxRowChars,
    maxDepth: limits.maxDepth,
  });
  const shapes = shapeNotes(settings);
  const ids = listIds();
  let count = 0;
  let rows = 0;

  function read(found: readonly JsonElement[]): RecordResult[] {
    count += found.length;
    const results = found.flatMap(({ value, text, list }) => {
      const read = readElement(value, text, { columns, limits, storeUrl, ...shapes });
      if (further.length === 0) return read;
      ids.check(read, list);
      return isFurther(list) ? read : [];
    });
    rows += results.length;
    return results;
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
      ...(further.length > 0
        ? []
        : [...shapes.notes(columns.names()), ...otherListNotes(reader, columns.names())]),
    ],
    listPath: reader.listPath,
    otherList: () => reader.otherLists()[0]?.path ?? null,
    furtherLists: () => furtherLists(reader),
    count: () => count,
    rows: () => rows,
  };
}

/** Names the lists that have prices, but not enough fields of the products to be read as products. */
function otherListNotes(reader: JsonElementReader, names: readonly string[]): RecordResult[] {
  const path = reader.listPath();
  if (path === null) return [];
  const read = furtherLists(reader);
  const lists = reader.otherLists().filter((list) => !read.includes(list.path) && hasProducts(list, names));
  if (lists.length === 0) return [];
  const others = namesShown(lists.map((list) => list.path.join(".")));
  const message = `Only the list "${path.join(".")}" is read. The file has ${counted(lists.length, "other list")} with some fields of products, which ${lists.length === 1 ? "is" : "are"} not in the feeds: ${others}. Put all products into one list.`;
  return [{ kind: "warning", code: "source_note", message }];
}

/**
 * The ids of a document with several lists. A product that two lists have is published once. If an id stands for two
 * products, the ids count within a list only, and all but one of the products would be rejected.
 */
function listIds() {
  const products = new Map<string, ListProduct>();
  return {
    check: (results: readonly RecordResult[], list: ListPath): void => {
      for (const result of results) if (result.kind === "draft") add(result.draft, list);
    },
  };

  function add({ id, sku, title = "" }: Draft, list: ListPath): void {
    const name = id ?? sku;
    if (name === undefined) return;
    const known = products.get(name);
    if (known === undefined) products.set(name, { title, list });
    else if (known.title !== title && !isSame(known.list, list))
      throw repeatedId(name, known, { title, list });
  }
}

type ListProduct = { readonly title: string; readonly list: ListPath };

function repeatedId(id: string, first: ListProduct, second: ListProduct): AppError {
  const shown = ({ title, list }: ListProduct) =>
    `${JSON.stringify(title.slice(0, 60))} in ${listName(list)}`;
  const message = `The file has several lists of products whose ids repeat: ${JSON.stringify(id.slice(0, 60))} is ${shown(first)} and ${shown(second)}. Give each product an id of its own, or put only the list to publish into the file.`;
  return new AppError("source_not_a_feed", message);
}

const listName = (path: ListPath): string => JSON.stringify(path.join("."));

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
