/** From the first text of a file to the reader for the rest of it, or the refusal of what is no feed. */
import { counted } from "../../lib/counted.ts";
import { AppError } from "../../errors.ts";
import type { FileColumns } from "../product-record/file-columns.ts";
import { delimitedFeed } from "./delimited-feed.ts";
import { dialectOf } from "./dialects/registry.ts";
import { xmlDialectOf } from "./dialects/xml-registry.ts";
import { jsonFeed, jsonLinesFeed } from "./json-feed.ts";
import type { FeedLimits } from "./limits.ts";
import type { Chosen, Needs } from "./feed-reader.ts";
import { withItemIds } from "./id-passes.ts";
import type { FeedFormat } from "./settings.ts";
import { type Sniffed, sniff } from "./sniff.ts";
import { xmlFeed, xmlList, type XmlReading } from "./xml-feed.ts";

const REFUSALS = {
  nothing: () => "The file holds nothing but white space.",
  binary: () => "The file is binary and of no kind that is read here.",
  html: (origin: string, title: string | null) =>
    `${origin} a web page${title === null ? "" : ` (“${title}”)`}, not a feed: often a login, a cookie notice or a protection page.`,
} as const;

/** What the settings and the place of work add to the file itself. */
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

export function chooseReader(head: string, options: FormatOptions): Chosen {
  const { limits } = options;
  const sniffed = sniff(head, options.format, limits);
  switch (sniffed.kind) {
    case "nothing":
    case "binary":
      throw new AppError("source_not_a_feed", REFUSALS[sniffed.kind]());
    case "html":
      throw new AppError("source_not_a_feed", REFUSALS.html(options.origin, sniffed.title));
    case "xml":
      return chosenXml(options, head);
    case "json":
      return chosenJson(options, head, null);
    case "json lines":
      return withItemIds(() => ({ ...PLAIN, reader: jsonLinesFeed(options) }), head);
    case "delimited":
      return chosenDelimited(sniffed, options, head);
    default:
      return sniffed satisfies never;
  }
}

const PLAIN = { usualMark: null, needsPrices: false, after: () => null, close: () => undefined } as const;

function chosenDelimited(
  { delimiter, header, rows }: Extract<Sniffed, { kind: "delimited" }>,
  options: FormatOptions,
  head: string,
): Chosen {
  const { limits, columns, mayChangeFields = false } = options;
  const common = { columns, mayChangeFields };
  const dialect = dialectOf({ header, rows });
  // Spreadsheets put semicolons where the comma is the decimal mark.
  const usualMark = dialect?.decimalMark ?? (delimiter === ";" ? "," : null);
  if (dialect === undefined) {
    const reading = () => ({ ...PLAIN, usualMark, reader: delimitedFeed(delimiter, limits, common) });
    return withItemIds(reading, head);
  }
  const { passes, close } = dialect.open(options);
  const pass = (index: number): Chosen | null => {
    const makeMapper = passes[index];
    if (makeMapper === undefined) return null;
    const reading = (): Chosen => {
      const reader = delimitedFeed(delimiter, limits, { ...common, dialect, makeMapper });
      return { ...PLAIN, usualMark, reader, after: () => pass(index + 1), close };
    };
    // Only the last pass gives items.
    return index === passes.length - 1 ? withItemIds(reading, head) : reading();
  };
  const first = pass(0);
  if (first === null) throw new RangeError(`the dialect ${dialect.name} reads nothing`);
  return first;
}

/** Roots that may well hold no item today. */
const LIST_ROOTS =
  /^(?:rss|feed|rdf|channel|products|items|offers|entries|listings|catalog|catalogue|shop|yml_catalog)$/i;

function chosenXml(options: FormatOptions, head: string): Chosen {
  const { limits } = options;
  const dialect = xmlDialectOf(head, limits);
  if (dialect === undefined) return withItemIds(() => readXml(options), head);
  const reading = { dialect, open: dialect.open() };
  const items = (): Chosen => withItemIds(() => readXml(options, reading), head);
  const { lists } = dialect;
  if (lists === undefined) return items();
  return { ...PLAIN, reader: xmlList(limits, lists, reading), after: items };
}

function readXml({ limits, columns }: FormatOptions, reading?: XmlReading): Chosen {
  const reader = xmlFeed(limits, columns, reading);
  return {
    ...PLAIN,
    reader,
    needsPrices: true,
    after: () => {
      const root = reader.rootName() ?? "";
      if (reader.columns().length > 0 || LIST_ROOTS.test(root.slice(root.indexOf(":") + 1))) return null;
      const message = `The file is XML with the root <${root}> and has no items (item, entry, product, offer) in it.`;
      throw new AppError("source_not_a_feed", message);
    },
  };
}

function chosenJson(options: FormatOptions, head: string, listPath: readonly string[] | null): Chosen {
  return withItemIds(() => readJson(options, head, listPath), head);
}

function readJson(options: FormatOptions, head: string, listPath: readonly string[] | null): Chosen {
  const reader = jsonFeed(options, listPath);
  return {
    ...PLAIN,
    reader,
    after: () => {
      checkPage(options.url, reader.count());
      if (reader.listPath() !== null) return null;
      const other = reader.passedOver();
      if (other !== null && listPath === null) return chosenJson(options, head, other);
      throw new AppError(
        "source_not_a_feed",
        "The file is JSON, but there is no list of objects near its top.",
      );
    },
  };
}

/**
 * The public list of a Shopify shop comes in pages, thirty products each unless asked for more. A full page is most
 * likely not the last one, and a part of a shop must not pass for the whole of it.
 */
function checkPage(url: string, count: number): void {
  const address = URL.parse(url);
  if (address?.pathname.endsWith("/products.json") !== true) return;
  const pageSize = Math.min(Number(address.searchParams.get("limit") ?? 30) || 30, 250);
  if (count < pageSize) return;
  const message = `The address serves one page of ${counted(count, "product")} of a Shopify shop, not all of them. Use a feed or an export, or connect the shop itself.`;
  throw new AppError("source_incomplete", message);
}
