/** The formats that a destination can get: the hosted file that each is made from, and how it is made. */
import type { FeedFileName } from "../contract/feeds.ts";
import type { FileFormat } from "../contract/destinations.ts";

export type FormatRule = {
  /** The file of the render that the format is made from. */
  readonly file: FeedFileName;
  readonly extension: string;
  readonly contentType: string;
  readonly isGzip: boolean;
  /**
   * How the rows of the file are found and rewritten. `whole` means that the file is one document, which cannot be
   * split.
   */
  readonly rows: "csv" | "csv-to-tsv" | "lines" | "json-to-lines" | "acp-products" | "whole";
};

const GZIP = "application/gzip";
const LINES = "application/x-ndjson";
const TSV = "text/tab-separated-values; charset=utf-8";

export const FORMATS: Readonly<Record<FileFormat, FormatRule>> = {
  "acp.csv.gz": { file: "acp.csv", extension: "csv.gz", contentType: GZIP, isGzip: true, rows: "csv" },
  "acp.tsv.gz": { file: "acp.csv", extension: "tsv.gz", contentType: GZIP, isGzip: true, rows: "csv-to-tsv" },
  "acp.jsonl.gz": {
    file: "acp.json",
    extension: "jsonl.gz",
    contentType: GZIP,
    isGzip: true,
    rows: "json-to-lines",
  },
  "acp.csv": {
    file: "acp.csv",
    extension: "csv",
    contentType: "text/csv; charset=utf-8",
    isGzip: false,
    rows: "csv",
  },
  "acp.tsv": { file: "acp.csv", extension: "tsv", contentType: TSV, isGzip: false, rows: "csv-to-tsv" },
  "acp.jsonl": {
    file: "acp.json",
    extension: "jsonl",
    contentType: LINES,
    isGzip: false,
    rows: "json-to-lines",
  },
  "acp.json": {
    file: "acp.json",
    extension: "json",
    contentType: "application/json",
    isGzip: false,
    rows: "whole",
  },
  "acp-feed": {
    file: "acp.json",
    extension: "jsonl",
    contentType: LINES,
    isGzip: false,
    rows: "acp-products",
  },
  "gmc.tsv.gz": { file: "gmc.tsv", extension: "tsv.gz", contentType: GZIP, isGzip: true, rows: "lines" },
  "gmc.tsv": { file: "gmc.tsv", extension: "tsv", contentType: TSV, isGzip: false, rows: "lines" },
  "jsonld.json": {
    file: "jsonld.json",
    extension: "json",
    contentType: "application/ld+json",
    isGzip: false,
    rows: "whole",
  },
};

/** The first row of the file is a header, which every shard repeats. */
export const hasHeader = ({ rows }: FormatRule): boolean =>
  rows === "csv" || rows === "csv-to-tsv" || rows === "lines";

export type Naming = {
  readonly format: FileFormat;
  /** The name without number and extension. */
  readonly name: string;
  /** If false, there is one file, without a number. */
  readonly isSharded: boolean;
};

/** Returns the name that these settings give, with a sign for the number. */
export const namePattern = ({ format, name, isSharded }: Naming): string =>
  `${name}${isSharded ? "-#" : ""}.${FORMATS[format].extension}`;
