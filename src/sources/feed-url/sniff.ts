/**
 * Detects the format of a file from its first characters. File names and HTTP headers are ignored: shops serve CSV as
 * `text/html` and login pages as CSV.
 */
import { delimitedReader } from "../../lib/formats/delimited.ts";
import { FormatError } from "../../lib/formats/format-error.ts";
import { isKnownName } from "../product-record/aliases.ts";
import { readHeader } from "../product-record/header.ts";
import { isSeparatorLine } from "./delimited-feed.ts";
import type { FileHead } from "./dialects/dialect.ts";
import type { FeedLimits } from "./limits.ts";
import type { FeedFormat } from "./settings.ts";

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
  | ({ readonly kind: "delimited"; readonly delimiter: string } & FileHead);

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

function htmlTitle(text: string): string | null {
  const title = /<title[^>]*>([^<]{1,200})/i.exec(text)?.[1]?.replace(/\s+/g, " ").trim();
  return title === undefined || title === "" ? null : title;
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
  const { delimiter = ",", rows: [header = [], ...rows] = [] } = scored[0] ?? {};
  return { kind: "delimited", delimiter, header, rows };
}

type Score = {
  readonly rows: readonly (readonly string[])[];
  readonly known: number;
  readonly consistency: number;
};

function score(text: string, delimiter: string, limits: FeedLimits): Score {
  const rows = firstRows(text, delimiter, limits);
  const names = (rows[0] ?? []).map((name) => readHeader(name).name);
  const consistency =
    names.length < 2 ? 0 : rows.filter((row) => row.length === names.length).length / rows.length;
  return { rows, known: names.filter(isKnownName).length, consistency };
}

function firstRows(text: string, delimiter: string, limits: FeedLimits): (readonly string[])[] {
  const reader = delimitedReader({ delimiter, ...limits });
  try {
    const rows = reader.push(text);
    // A head without a single row end is a file of one row: its header.
    const found = rows.length > 0 ? rows : reader.end();
    return found
      .filter((row) => !isSeparatorLine(row))
      .slice(0, SNIFF_ROWS)
      .map(({ cells }) => cells);
  } catch (error) {
    // With the wrong delimiter a cell may be longer than allowed.
    if (error instanceof FormatError) return [];
    throw error;
  }
}
