/**
 * Detects the format of a file from its first characters and chooses its readers, or refuses what is not a feed. File
 * names and HTTP headers are ignored: shops serve CSV as `text/html` and login pages as CSV.
 */
import { counted } from "../../lib/counted.ts";
import { AppError } from "../../errors.ts";
import type { FileColumnSettings } from "../product-record/column-settings.ts";
import { delimitedFeed, isSeparatorLine } from "./delimited-feed.ts";
import type { DialectPass } from "./delimited-mapper.ts";
import { dialectOf, xmlDialectOf } from "./dialects/registry.ts";
import { jsonFeed, jsonLinesFeed } from "./json-feed.ts";
import type { FeedLimits } from "./limits.ts";
import type { FeedPass, SourceFeedReader, Needs } from "./feed-reader.ts";
import { itemPasses } from "./item-ids.ts";
import type { FeedFormat } from "./settings.ts";
import { RECORD_NAMES, xmlFeed, xmlList } from "./xml-feed.ts";
import { findRecordName } from "./xml-record-name.ts";
import { delimitedReader } from "../../lib/formats/delimited.ts";
import { FormatError } from "../../lib/formats/format-error.ts";
import { isKnownName, readHeader } from "../product-record/aliases.ts";
import { planColumns } from "../product-record/columns.ts";
import type { FileHead } from "./dialects/dialect.ts";

const REFUSALS = {
  nothing: () => "The file has nothing but white space. Check the export that writes the file.",
  binary: () =>
    "The file is binary and not in a supported format. Use CSV, TSV, JSON, JSON Lines or XML, plain or packed with gzip, zip or zstd.",
  html: (origin: string, title: string | null) =>
    `${origin} a web page${title === null ? "" : ` (“${title}”)`}, not a feed. It is often a login page, a cookie notice or a bot check: open the URL in a private browser window to see it.`,
} as const;

/** What is known apart from the file itself. */
export type FormatOptions = Pick<Needs, "mayChangeFields"> & {
  readonly url: string;
  readonly format: FeedFormat;
  readonly storeUrl: string | undefined;
  readonly columns: FileColumnSettings;
  /** A file that may be written and is removed with the rest of the spool. */
  readonly scratch: string;
  /** Where the file comes from: the beginning of a message. */
  readonly origin: "The address returned" | "The body is";
  readonly limits: FeedLimits;
};

type Passes = Generator<FeedPass, void, void>;

/** The passes over a file. The caller reads the whole file with each before it asks for the next one. */
export function* feedPasses(head: string, options: FormatOptions): Passes {
  const sniffed = sniff(head, options.format, options.limits);
  switch (sniffed.kind) {
    case "nothing":
    case "binary":
      throw new AppError("source_not_a_feed", REFUSALS[sniffed.kind]());
    case "html":
      throw new AppError("source_not_a_feed", REFUSALS.html(options.origin, sniffed.title));
    case "xml":
      yield* xmlPasses(head, options);
      break;
    case "json":
      yield* jsonPasses(head, options);
      break;
    case "json lines":
      yield* itemPasses(() => jsonLinesFeed(options), head);
      break;
    case "delimited":
      yield* delimitedPasses(head, options, sniffed);
      break;
    default:
      sniffed satisfies never;
  }
}

function* delimitedPasses(
  head: string,
  options: FormatOptions,
  { delimiter, instructionRows, header, rows }: Extract<Sniffed, { kind: "delimited" }>,
): Passes {
  const dialect = dialectOf({ header, rows });
  const defaultDecimalMark = dialect?.decimalMark ?? null;
  const reader = (pass?: DialectPass): SourceFeedReader =>
    delimitedFeed(delimiter, options.limits, {
      ...options,
      instructionRows,
      rows,
      ...(pass !== undefined && { pass }),
    });
  if (dialect === undefined) {
    yield* itemPasses(() => reader(), head, { defaultDecimalMark });
    return;
  }
  const { passes, close } = dialect.open(options);
  const asked = new Set<number>();
  try {
    for (const [index, makeMapper] of passes.entries()) {
      const isLast = index === passes.length - 1;
      const makeReader = () => reader({ dialect, makeMapper, asked, isLast });
      if (!isLast) yield { reader: makeReader() };
      else yield* itemPasses(makeReader, head, { defaultDecimalMark });
    }
  } finally {
    close();
  }
}

/** Root elements of feeds, which may be empty. */
const LIST_ROOTS =
  /^(?:rss|feed|rdf|channel|products|items|offers|entries|listings|catalog|catalogue|shop|yml_catalog)$/i;

function* xmlPasses(head: string, { limits, columns }: FormatOptions): Passes {
  const dialect = xmlDialectOf(head, limits);
  const reading = dialect && { dialect, open: dialect.open() };
  if (reading?.dialect.lists !== undefined) yield { reader: xmlList(limits, reading.dialect.lists, reading) };
  const record = dialect ? null : findRecordName(head, { limits, columns, usual: RECORD_NAMES });
  const makeReader = () => xmlFeed(limits, columns, { reading, record });
  const reader = yield* itemPasses(makeReader, head, { needsPrices: true });
  const root = reader.rootName() ?? "";
  if (reader.columns().length > 0 || LIST_ROOTS.test(root.slice(root.indexOf(":") + 1))) return;
  const message = `The file is XML with the root <${root}> and has no items (item, entry, product, offer), and no element with fields is repeated. Check that the URL is that of a product feed.`;
  throw new AppError("source_not_a_feed", message);
}

function* jsonPasses(
  head: string,
  options: FormatOptions,
  listPath: readonly string[] | null = null,
): Passes {
  const reader = yield* itemPasses(() => jsonFeed(options, listPath), head);
  checkPage(options.url, reader.count());
  const path = reader.listPath();
  if (path !== null) {
    const further = reader.furtherLists();
    if (further.length > 0)
      yield* itemPasses(() => jsonFeed(options, path, further), head, { rowsBefore: reader.rows() });
    return;
  }
  const other = reader.otherList();
  if (other === null || listPath !== null) {
    const message =
      'The file is JSON, but has no list of products near its top. Put the products into a list, e.g. {"products": [ … ]}.';
    throw new AppError("source_not_a_feed", message);
  }
  yield* jsonPasses(head, options, other);
}

/**
 * The public list of a Shopify shop comes in pages, thirty products each unless asked for more. A full page is most
 * likely not the last one, and one page must not be taken for the whole shop.
 */
function checkPage(url: string, count: number): void {
  const address = URL.parse(url);
  if (address?.pathname.endsWith("/products.json") !== true) return;
  const pageSize = Math.min(Number(address.searchParams.get("limit") ?? 30) || 30, 250);
  if (count < pageSize) return;
  const message = `The address serves one page of ${counted(count, "product")} of a Shopify shop, not all of them. Use a feed or an export, or connect the shop itself.`;
  throw new AppError("source_incomplete", message);
}

/** How many characters are used for the detection. */
export const SNIFF_CHARS = 256 * 1024;

export type Sniffed =
  | { readonly kind: "nothing" }
  | { readonly kind: "html"; readonly title: string | null }
  | { readonly kind: "binary" }
  | { readonly kind: "xml" }
  | { readonly kind: "json" }
  | { readonly kind: "json lines" }
  /** With the header as written and the first rows below it. */
  | ({
      readonly kind: "delimited";
      readonly delimiter: string;
      /** How many rows above the header are instructions. */
      readonly instructionRows: number;
    } & FileHead);

const DELIMITERS = [",", "\t", ";", "|"] as const;
const SNIFF_ROWS = 50;

export function sniff(head: string, format: FeedFormat, limits: FeedLimits): Sniffed {
  const text = head.trimStart();
  if (text === "") return { kind: "nothing" };
  if (isHtml(text)) return { kind: "html", title: htmlTitle(text) };
  if (format !== "auto") return byFormat(format, text, limits);
  if (text.includes("\u0000")) return { kind: "binary" };
  if (text.startsWith("<")) return { kind: "xml" };
  if (text.startsWith("{") || text.startsWith("["))
    return { kind: isJsonLines(text) ? "json lines" : "json" };
  return delimited(text, DELIMITERS, limits);
}

function byFormat(format: Exclude<FeedFormat, "auto">, text: string, limits: FeedLimits): Sniffed {
  const kinds: Record<typeof format, () => Sniffed> = {
    csv: () => delimited(text, DELIMITERS, limits),
    tsv: () => delimited(text, ["\t"], limits),
    json: () => ({ kind: "json" }),
    jsonl: () => ({ kind: "json lines" }),
    xml: () => ({ kind: "xml" }),
  };
  return kinds[format]();
}

function isHtml(text: string): boolean {
  const start = text.slice(0, 2_000).toLowerCase();
  if (!start.startsWith("<")) return false;
  const bare = start.replace(/^<\?xml[^>]*\?>\s*/, "").replace(/^(?:<!--[\s\S]*?-->\s*)+/, "");
  return /^<!doctype\s+html|^<(?:html|head|body|script)[\s>]/.test(bare);
}

/** The first `<title>`: each part of it is looked for once, from where the one before it ended. */
function htmlTitle(text: string): string | null {
  const tag = text.search(/<title[\s>]/i);
  const start = tag === -1 ? -1 : text.indexOf(">", tag);
  if (start === -1) return null;
  const [title = ""] = text.slice(start + 1, start + 201).split("<", 1);
  return title.replace(/\s+/g, " ").trim() || null;
}

/** Two objects on two lines; or a single object that is an item itself, not the document around a list of them. */
function isJsonLines(text: string): boolean {
  if (!text.startsWith("{")) return false;
  const [first = "", second] = text.split("\n", SNIFF_ROWS).filter((line) => line.trim() !== "");
  const object = parseObject(first);
  if (object === null) return false;
  if (second !== undefined) return second.trimStart().startsWith("{");
  return Object.keys(object).filter((name) => isKnownName(readHeader(name).name)).length > 1;
}

function parseObject(line: string): object | null {
  try {
    const parsed: unknown = JSON.parse(line);
    return typeof parsed === "object" ? parsed : null;
  } catch {
    return null;
  }
}

/** The delimiter whose header has most known names wins, then the one whose rows most often have as many cells. */
function delimited(text: string, delimiters: readonly string[], limits: FeedLimits): Sniffed {
  const scored = delimiters.map((delimiter) => ({ delimiter, ...score(text, delimiter, limits) }));
  scored.sort((a, b) => b.known - a.known || b.consistency - a.consistency);
  const { delimiter = ",", rows: found = [], headerRow: instructionRows = 0 } = scored[0] ?? {};
  const [header = [], ...rows] = found.slice(instructionRows);
  return { kind: "delimited", delimiter, instructionRows, header, rows };
}

type FormatScore = {
  readonly rows: readonly (readonly string[])[];
  readonly headerRow: number;
  readonly known: number;
  readonly consistency: number;
};

function score(text: string, delimiter: string, limits: FeedLimits): FormatScore {
  const rows = firstRows(text, delimiter, limits);
  const headerRow = findHeader(rows, limits);
  const names = foldedNames(rows[headerRow]);
  const consistency =
    names.length < 2 ? 0 : rows.filter((row) => row.length === names.length).length / rows.length;
  return { rows, headerRow, known: names.filter(isKnownName).length, consistency };
}

const foldedNames = (row: readonly string[] = []): string[] => row.map((name) => readHeader(name).name);

/** Templates have at most this many rows of instructions; those of Meta have two, those of Amazon up to five. */
const MAX_INSTRUCTION_ROWS = 5;
/** Longer texts are no names of columns. */
const MAX_NAME_CHARS = 300;

/**
 * The row with the names of the columns: the first one, except where it has no known name and one of the next rows
 * has the names that a product needs, none of them twice.
 */
function findHeader(rows: readonly (readonly string[])[], { maxColumns }: FeedLimits): number {
  if (foldedNames(rows[0]).some(isKnownName)) return 0;
  // With the wrong delimiter a row may have any number of cells, and cells of any length.
  const isPossible = (row: readonly string[]): boolean =>
    row.length <= maxColumns && row.every((cell) => cell.length <= MAX_NAME_CHARS);
  const candidates = rows.slice(0, MAX_INSTRUCTION_ROWS + 1).map((row) => (isPossible(row) ? row : []));
  const ofDialect = candidates.findIndex((header) => dialectOf({ header, rows: [] }) !== undefined);
  return Math.max(0, ofDialect === -1 ? candidates.findIndex(isHeader) : ofDialect);
}

function isHeader(row: readonly string[]): boolean {
  const names = foldedNames(row).filter((name) => name !== "");
  const has = planColumns(names.map(readHeader)).has;
  if (new Set(names).size < names.length) return false;
  return has("title") && (has("id") || has("sku")) && (has("price") || has("link"));
}

function firstRows(text: string, delimiter: string, limits: FeedLimits): (readonly string[])[] {
  const reader = delimitedReader({ delimiter, ...limits });
  try {
    const rows = reader.push(text);
    // A head without a single row end is a file of one row: its header.
    return (rows.length > 0 ? rows : reader.end())
      .filter((row) => !isSeparatorLine(row) && row.cells.some((cell) => cell.trim() !== ""))
      .slice(0, SNIFF_ROWS)
      .map(({ cells }) => cells);
  } catch (error) {
    // With the wrong delimiter a cell may be longer than allowed.
    if (error instanceof FormatError) return [];
    throw error;
  }
}
