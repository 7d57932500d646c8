/** Chooses the readers of a file by its first characters, or refuses what is not a feed. */
import { counted } from "../../lib/counted.ts";
import { AppError } from "../../errors.ts";
import type { FileColumns } from "../product-record/file-columns.ts";
import { delimitedFeed, type DialectPass } from "./delimited-feed.ts";
import { dialectOf, xmlDialectOf } from "./dialects/registry.ts";
import { jsonFeed, jsonLinesFeed } from "./json-feed.ts";
import type { FeedLimits } from "./limits.ts";
import type { FeedPass, FeedReader, Needs } from "./feed-reader.ts";
import { itemPasses } from "./id-passes.ts";
import type { FeedFormat } from "./settings.ts";
import { type Sniffed, sniff } from "./sniff.ts";
import { xmlFeed, xmlList } from "./xml-feed.ts";

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
  readonly columns: FileColumns;
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
  { delimiter, header, rows }: Extract<Sniffed, { kind: "delimited" }>,
): Passes {
  const dialect = dialectOf({ header, rows });
  // Spreadsheets put semicolons where the comma is the decimal mark.
  const defaultDecimalMark = dialect?.decimalMark ?? (delimiter === ";" ? "," : null);
  const reader = (pass?: DialectPass): FeedReader =>
    delimitedFeed(delimiter, options.limits, { ...options, ...(pass !== undefined && { pass }) });
  if (dialect === undefined) {
    yield* itemPasses(() => reader(), head, { defaultDecimalMark });
    return;
  }
  const { passes, close } = dialect.open(options);
  try {
    for (const makeMapper of passes.slice(0, -1)) yield { reader: reader({ dialect, makeMapper }) };
    for (const makeMapper of passes.slice(-1))
      yield* itemPasses(() => reader({ dialect, makeMapper }), head, { defaultDecimalMark });
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
  const reader = yield* itemPasses(() => xmlFeed(limits, columns, reading), head, { needsPrices: true });
  const root = reader.rootName() ?? "";
  if (reader.columns().length > 0 || LIST_ROOTS.test(root.slice(root.indexOf(":") + 1))) return;
  const message = `The file is XML with the root <${root}> and has no items (item, entry, product, offer). Check that the URL is that of a product feed.`;
  throw new AppError("source_not_a_feed", message);
}

function* jsonPasses(
  head: string,
  options: FormatOptions,
  listPath: readonly string[] | null = null,
): Passes {
  const reader = yield* itemPasses(() => jsonFeed(options, listPath), head);
  checkPage(options.url, reader.count());
  if (reader.listPath() !== null) return;
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
