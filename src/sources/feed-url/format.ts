/** Chooses the reader for a file by its first characters, or refuses what is not a feed. */
import { counted } from "../../lib/counted.ts";
import { AppError } from "../../errors.ts";
import type { FileColumns } from "../product-record/file-columns.ts";
import { delimitedFeed } from "./delimited-feed.ts";
import { dialectOf, xmlDialectOf } from "./dialects/registry.ts";
import { jsonFeed, jsonLinesFeed } from "./json-feed.ts";
import type { FeedLimits } from "./limits.ts";
import type { FeedPass, Needs } from "./feed-reader.ts";
import { withItemIds } from "./id-passes.ts";
import type { FeedFormat } from "./settings.ts";
import { type Sniffed, sniff } from "./sniff.ts";
import { xmlFeed, xmlList, type XmlReading } from "./xml-feed.ts";

const REFUSALS = {
  nothing: () => "The file has nothing but white space. Check the export that writes the file.",
  binary: () =>
    "The file is binary and not in a supported format. Use CSV, TSV, JSON, JSON Lines or XML, plain or packed with gzip, zip or zstd.",
  html: (origin: string, title: string | null) =>
    `${origin} a web page${title === null ? "" : ` (“${title}”)`}, not a feed. It is often a login page, a cookie notice or a bot check: open the URL in a private browser window to see it.`,
} as const;

/** What is known besides the file itself. */
export type FormatOptions = Pick<Needs, "mayChangeFields"> & {
  readonly url: string;
  readonly format: FeedFormat;
  readonly storeUrl: string | undefined;
  readonly columns: FileColumns;
  /** A file that may be written and is removed with the rest of the spool. */
  readonly scratch: string;
  /** Where the file comes from: the beginning of a message. */
  readonly origin: "The address returned" | "The body is";
  readonly limits: FeedLimits;
};

export function chooseReader(head: string, options: FormatOptions): FeedPass {
  const { limits } = options;
  const sniffed = sniff(head, options.format, limits);
  switch (sniffed.kind) {
    case "nothing":
    case "binary":
      throw new AppError("source_not_a_feed", REFUSALS[sniffed.kind]());
    case "html":
      throw new AppError("source_not_a_feed", REFUSALS.html(options.origin, sniffed.title));
    case "xml":
      return xmlPass(options, head);
    case "json":
      return jsonPass(options, head, null);
    case "json lines":
      return withItemIds(() => ({ ...PLAIN, reader: jsonLinesFeed(options) }), head);
    case "delimited":
      return delimitedPass(sniffed, options, head);
    default:
      return sniffed satisfies never;
  }
}

const PLAIN = {
  defaultDecimalMark: null,
  needsPrices: false,
  after: () => null,
  close: () => undefined,
} as const;

function delimitedPass(
  { delimiter, header, rows }: Extract<Sniffed, { kind: "delimited" }>,
  options: FormatOptions,
  head: string,
): FeedPass {
  const { limits, columns, mayChangeFields = false } = options;
  const common = { columns, mayChangeFields };
  const dialect = dialectOf({ header, rows });
  // Spreadsheets put semicolons where the comma is the decimal mark.
  const defaultDecimalMark = dialect?.decimalMark ?? (delimiter === ";" ? "," : null);
  if (dialect === undefined) {
    const reading = () => ({
      ...PLAIN,
      defaultDecimalMark,
      reader: delimitedFeed(delimiter, limits, common),
    });
    return withItemIds(reading, head);
  }
  const { passes, close } = dialect.open(options);
  const pass = (index: number): FeedPass | null => {
    const makeMapper = passes[index];
    if (makeMapper === undefined) return null;
    const reading = (): FeedPass => {
      const reader = delimitedFeed(delimiter, limits, { ...common, dialect, makeMapper });
      return { ...PLAIN, defaultDecimalMark, reader, after: () => pass(index + 1), close };
    };
    // Only the last pass gives items.
    return index === passes.length - 1 ? withItemIds(reading, head) : reading();
  };
  const first = pass(0);
  if (first === null) throw new RangeError(`the dialect ${dialect.name} reads nothing`);
  return first;
}

/** Root elements of feeds, which may be empty. */
const LIST_ROOTS =
  /^(?:rss|feed|rdf|channel|products|items|offers|entries|listings|catalog|catalogue|shop|yml_catalog)$/i;

function xmlPass(options: FormatOptions, head: string): FeedPass {
  const { limits } = options;
  const dialect = xmlDialectOf(head, limits);
  if (dialect === undefined) return withItemIds(() => readXml(options), head);
  const reading = { dialect, open: dialect.open() };
  const items = (): FeedPass => withItemIds(() => readXml(options, reading), head);
  const { lists } = dialect;
  if (lists === undefined) return items();
  return { ...PLAIN, reader: xmlList(limits, lists, reading), after: items };
}

function readXml({ limits, columns }: FormatOptions, reading?: XmlReading): FeedPass {
  const reader = xmlFeed(limits, columns, reading);
  return {
    ...PLAIN,
    reader,
    needsPrices: true,
    after: () => {
      const root = reader.rootName() ?? "";
      if (reader.columns().length > 0 || LIST_ROOTS.test(root.slice(root.indexOf(":") + 1))) return null;
      const message = `The file is XML with the root <${root}> and has no items (item, entry, product, offer). Check that the URL is that of a product feed.`;
      throw new AppError("source_not_a_feed", message);
    },
  };
}

function jsonPass(options: FormatOptions, head: string, listPath: readonly string[] | null): FeedPass {
  return withItemIds(() => readJson(options, head, listPath), head);
}

function readJson(options: FormatOptions, head: string, listPath: readonly string[] | null): FeedPass {
  const reader = jsonFeed(options, listPath);
  return {
    ...PLAIN,
    reader,
    after: () => {
      checkPage(options.url, reader.count());
      if (reader.listPath() !== null) return null;
      const other = reader.otherList();
      if (other !== null && listPath === null) return jsonPass(options, head, other);
      throw new AppError(
        "source_not_a_feed",
        'The file is JSON, but has no list of products near its top. Put the products into a list, e.g. {"products": [ … ]}.',
      );
    },
  };
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
