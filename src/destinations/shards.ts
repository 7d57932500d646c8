/**
 * The files of one delivery. A large catalog is split into shards, with stable names and a header in each. Shards come
 * one after the other from one pass over the rendered file; nothing is stored.
 */
import { Readable } from "node:stream";
import { createGzip } from "node:zlib";
import type { FeedFileName } from "../contract/feeds.ts";
import { acpProducts } from "./acp-feed.ts";
import { FORMATS, type FormatRule, hasHeader, type Naming } from "./formats.ts";
import { columnsOf, csvRow } from "./vanished.ts";
import { type RowChunk, jsonLines, rowBatches, tabSeparated } from "./rows.ts";

/** `bytes` is read once, before the next file is asked for. */
export type UploadFile = {
  readonly name: string;
  readonly contentType: string;
  /** Undefined if the size is not known before the end. */
  readonly size?: number;
  readonly bytes: AsyncIterable<Uint8Array>;
};

/** One file of a render. */
export type ShardSource = {
  readonly items: number;
  readonly bytes: number;
  readonly gzipBytes: number;
  readonly read: (encoding: "identity" | "gzip") => AsyncIterable<Uint8Array>;
};

export type ShardLimits = { readonly items: number; readonly bytes: number };

/**
 * OpenAI's guidance: 500,000 items, and less than about 500 MB. The size of a compressed shard is known a few MB late.
 */
const SHARD_LIMITS: ShardLimits = { items: 500_000, bytes: 490_000_000 };

const NO_LIMITS: ShardLimits = { items: Infinity, bytes: Infinity };

const fileName = ({ format, name, isSharded }: Naming, number: number): string =>
  `${name}${isSharded ? `-${String(number).padStart(4, "0")}` : ""}.${FORMATS[format].extension}`;

/** Returns whether these settings can give the name. */
export function isNameOf(naming: Naming, name: string): boolean {
  if (naming.format === "acp-feed") return ACP_FILES.has(name);
  const number = /-(\d{4,})\.[^-]*$/.exec(name)?.[1];
  return name === fileName(naming, Number(number ?? 1));
}

const PRODUCTS = "products.jsonl";
const METADATA = "metadata.json";
const ACP_FILES: ReadonlySet<string> = new Set([PRODUCTS, METADATA]);

export type Delivered = Naming & {
  readonly open: (file: FeedFileName) => ShardSource;
  /** Returns the metadata of the nested feed. */
  readonly metadata: () => string;
  /** Rows of removed items as JSON, which are sent after the other rows. Only formats with rows of OpenAI have them. */
  readonly vanished?: { readonly count: number; readonly rows: AsyncIterable<readonly string[]> };
  readonly limits?: ShardLimits;
};

export async function* deliveredFiles(delivered: Delivered): AsyncGenerator<UploadFile> {
  const rule = FORMATS[delivered.format];
  const file = delivered.open(rule.file);
  const { vanished } = delivered;
  const limits = delivered.isSharded ? (delivered.limits ?? SHARD_LIMITS) : NO_LIMITS;
  const named = (number: number) => ({ name: fileName(delivered, number), contentType: rule.contentType });
  const isOneShard = file.items <= limits.items && file.gzipBytes <= limits.bytes;
  if (rule.rows === "acp-products") {
    yield* nestedFiles(rule, file, delivered.metadata());
  } else if (rule.rows === "whole") {
    yield { ...named(1), size: file.bytes, bytes: file.read("identity") };
  } else if (isStoredSo(rule) && isOneShard && !vanished) {
    // The render has already compressed this file.
    yield { ...named(1), size: file.gzipBytes, bytes: file.read("gzip") };
  } else {
    const batches = withVanished(rule, batchesOf(rule, file), vanished?.rows);
    yield* shards(rule, batches, { limits, named });
  }
}

async function* nestedFiles(
  rule: FormatRule,
  file: ShardSource,
  metadata: string,
): AsyncGenerator<UploadFile> {
  yield { name: PRODUCTS, contentType: rule.contentType, bytes: bytesOf(batchesOf(rule, file)) };
  const bytes = Buffer.from(metadata);
  yield {
    name: METADATA,
    contentType: "application/json",
    size: bytes.length,
    bytes: Readable.from([bytes]),
  };
}

const isStoredSo = ({ isGzip, rows }: FormatRule): boolean => isGzip && (rows === "csv" || rows === "lines");

function batchesOf({ rows }: FormatRule, file: ShardSource): AsyncGenerator<RowChunk> {
  const source = file.read("identity");
  if (rows === "json-to-lines") return jsonLines(source);
  if (rows === "acp-products") return acpProducts(jsonLines(source));
  return rowBatches(source, { isQuoted: rows !== "lines" });
}

/** Adds rows at the end, in the format of the other rows. */
async function* withVanished(
  rule: FormatRule,
  batches: AsyncGenerator<RowChunk>,
  vanished: AsyncIterable<readonly string[]> | undefined,
): AsyncGenerator<RowChunk> {
  let header: Buffer | undefined;
  for await (const batch of batches) {
    header ??= batch.bytes;
    yield batch;
  }
  for await (const rows of vanished ?? []) {
    const columns = hasHeader(rule) && header ? columnsOf(header) : undefined;
    const lines = columns ? rows.map((row) => csvRow(columns, row)) : rows.map((row) => `${row}\n`);
    yield { bytes: Buffer.from(lines.join("")), rows: rows.length };
  }
}

async function* bytesOf(batches: AsyncIterable<RowChunk>): AsyncGenerator<Uint8Array> {
  for await (const { bytes } of batches) yield bytes;
}

type Sharding = {
  readonly limits: ShardLimits;
  readonly named: (number: number) => Pick<UploadFile, "name" | "contentType">;
};

async function* shards(
  rule: FormatRule,
  batches: AsyncGenerator<RowChunk>,
  { limits, named }: Sharding,
): AsyncGenerator<UploadFile> {
  const encode = rule.rows === "csv-to-tsv" ? tabSeparated : (bytes: Buffer) => bytes;
  try {
    const first = hasHeader(rule) ? await batches.next() : undefined;
    const header = first && first.done !== true ? encode(first.value.bytes) : Buffer.alloc(0);
    let next = await batches.next();
    for (let number = 1; number === 1 || next.done !== true; number++) {
      const size = { items: 0, bytes: 0 };
      const hasRoom = ({ rows }: RowChunk) =>
        size.items === 0 || (size.items + rows <= limits.items && size.bytes < limits.bytes);
      const rows = async function* (): AsyncGenerator<Uint8Array> {
        yield header;
        while (next.done !== true && hasRoom(next.value)) {
          size.items += next.value.rows;
          yield encode(next.value.bytes);
          next = await batches.next();
        }
      };
      const counted = (bytes: number) => void (size.bytes += bytes);
      yield { ...named(number), bytes: encoded(rows(), { isGzip: rule.isGzip, counted }) };
    }
  } finally {
    await batches.return(undefined);
  }
}

async function* encoded(
  rows: AsyncGenerator<Uint8Array>,
  { isGzip, counted }: { readonly isGzip: boolean; readonly counted: (bytes: number) => void },
): AsyncGenerator<Uint8Array> {
  const stream: AsyncIterable<Uint8Array> = isGzip
    ? Readable.from(rows, { objectMode: true, highWaterMark: 1 }).compose(createGzip())
    : rows;
  for await (const bytes of stream) {
    counted(bytes.length);
    yield bytes;
  }
}
