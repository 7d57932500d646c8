/**
 * Downloads the file to disk, whole or not at all. The request has the validators of the last complete read; an
 * unchanged file ends the run. Validators only apply to the same reader version and settings: a newer reader may find
 * more in the same file.
 */
import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { AppError } from "../../errors.ts";
import type { HttpAnswer } from "../../lib/outbound/http-client.ts";
import { type SourceFailure, statusFailure } from "../kit/failure.ts";
import { type TryResult, withRetries } from "../kit/retry.ts";
import type { ReadContext, SourceSettings, Validators } from "../source.ts";
import type { FeedLimits } from "./limits.ts";
import { requestHeaders } from "./settings.ts";

/** Raise it when the reader finds other things in the same bytes. */
const READER_VERSION = 2;

export type Fetched =
  | { readonly kind: "unchanged"; readonly validators: Validators }
  | {
      readonly kind: "file";
      readonly path: string;
      readonly bytes: number;
      /** False when only a sample was fetched: the file ends in the middle. */
      readonly isWhole: boolean;
      readonly coding: string | null;
      readonly charset: string | null;
      readonly validators: Validators;
    };

export async function fetchFeed(
  settings: SourceSettings,
  context: ReadContext,
  limits: FeedLimits,
): Promise<Fetched> {
  const reader = readerKey(settings);
  const previous =
    context.extent === "whole" && context.previous?.["reader"] === reader ? context.previous : null;
  const fetching = { settings, context, limits, reader };
  return withRetries(limits.retries, context.signal, async () => fetchOnce(fetching, previous));
}

type Fetching = {
  readonly settings: SourceSettings;
  readonly context: ReadContext;
  readonly limits: FeedLimits;
  readonly reader: string;
};

async function fetchOnce(fetching: Fetching, previous: Validators | null): Promise<TryResult<Fetched>> {
  const answer = await request(fetching, previous);
  if (answer.status !== 200) answer.discard();
  if (answer.status === 304 && previous !== null) {
    // After a redirect to another URL the same ETag may mean another file.
    if (addressHash(answer.url) === previous["url"]) return done({ kind: "unchanged", validators: previous });
    return fetchOnce(fetching, null);
  }
  if (answer.status !== 200) return { kind: "failed", failure: statusFailure(answer, new Date()) };
  return saveFeed(answer, fetching, previous);
}

function request({ settings, context, limits }: Fetching, previous: Validators | null): Promise<HttpAnswer> {
  const etag = previous?.["etag"];
  const lastModified = previous?.["last_modified"];
  return context.http.request({
    url: settings["url"] ?? "",
    headers: {
      accept: "*/*",
      "accept-encoding": "gzip",
      ...requestHeaders(settings),
      ...(etag === undefined ? {} : { "if-none-match": etag }),
      ...(lastModified === undefined ? {} : { "if-modified-since": lastModified }),
    },
    signal: context.signal,
    limits: { ...limits.http, maxBytes: limits.maxDownloadBytes },
  });
}

async function saveFeed(
  answer: HttpAnswer,
  fetching: Fetching,
  previous: Validators | null,
): Promise<TryResult<Fetched>> {
  const { context, limits, reader } = fetching;
  const path = join(context.spoolDir, "feed");
  const spooled = await spool(answer, path, context.extent === "sample" ? limits.sampleBytes : null);
  const failure = lengthMismatch(answer, spooled);
  if (failure !== null) return { kind: "failed", failure };
  const validators = validatorsOf(answer, spooled.sha256, reader);
  if (previous?.["sha256"] === spooled.sha256) return done({ kind: "unchanged", validators });
  const { bytes, isWhole } = spooled;
  return done({ kind: "file", path, bytes, isWhole, validators, ...declarations(answer) });
}

const done = (value: Fetched): TryResult<Fetched> => ({ kind: "done", value });

function lengthMismatch({ headers }: HttpAnswer, { bytes, isWhole }: Spooled): SourceFailure | null {
  const announced = headers["content-length"];
  if (!isWhole || announced === undefined || Number(announced) === bytes) return null;
  const message = `The response announced ${announced} bytes and ended after ${bytes}.`;
  return { error: new AppError("source_incomplete", message), retry: "now" };
}

function declarations({ headers }: HttpAnswer): { coding: string | null; charset: string | null } {
  return {
    coding: headers["content-encoding"]?.trim().toLowerCase() ?? null,
    charset: /charset\s*=\s*"?([\w.:-]+)/i.exec(headers["content-type"] ?? "")?.[1] ?? null,
  };
}

/** The first bytes of a zip archive. */
const ZIP = Buffer.from("504b0304", "hex");

type Spooled = { readonly bytes: number; readonly isWhole: boolean; readonly sha256: string };

/** What the writer may be behind the download: writing and receiving overlap. */
const WRITE_BUFFER_BYTES = 1024 ** 2;

async function spool(answer: HttpAnswer, path: string, sampleBytes: number | null): Promise<Spooled> {
  const hash = contentHash();
  let head: Uint8Array = new Uint8Array();
  let bytes = 0;
  let isWhole = true;
  async function* pieces(): AsyncGenerator<Uint8Array, void, void> {
    for await (const chunk of answer.body) {
      hash.add(chunk);
      if (head.length < ZIP.length) head = Buffer.concat([head, chunk]).subarray(0, ZIP.length);
      // A zip archive has its list of files at the end, so the beginning of one cannot be read.
      isWhole = sampleBytes === null || bytes + chunk.length <= sampleBytes || ZIP.equals(head);
      const piece = isWhole ? chunk : chunk.subarray(0, (sampleBytes ?? 0) - bytes);
      bytes += piece.length;
      yield piece;
      if (!isWhole) break;
    }
  }
  await pipeline(pieces, createWriteStream(path, { highWaterMark: WRITE_BUFFER_BYTES }));
  return { bytes, isWhole, sha256: hash.digest() };
}

function validatorsOf({ headers, url }: HttpAnswer, sha256: string, reader: string): Validators {
  const etag = headers["etag"];
  const lastModified = headers["last-modified"];
  const read = { reader, url: addressHash(url), sha256 };
  if (mayChangeUnnoticed(headers)) return read;
  return {
    ...read,
    ...(etag === undefined ? {} : { etag }),
    ...(lastModified === undefined ? {} : { last_modified: lastModified }),
  };
}

/** `Last-Modified` counts seconds, and so do the ETags that servers make of it. */
const SETTLED_MS = 60_000;

/**
 * A file that was written just before it was fetched may be written again in the same second, with the same
 * `Last-Modified` and the same ETag. Such a file is fetched again next time. RFC 9110, 8.8.2.2, takes 60 seconds for
 * safe.
 */
function mayChangeUnnoticed({ "last-modified": modified, date }: HttpAnswer["headers"]): boolean {
  if (modified === undefined) return false;
  const fetchedAt = date === undefined ? Date.now() : Date.parse(date);
  // A date that cannot be read is not safe either.
  return !(fetchedAt - Date.parse(modified) >= SETTLED_MS);
}

/** Validators are not encrypted, and an address may contain a secret. */
const addressHash = (url: string): string => createHash("sha256").update(url).digest("hex").slice(0, 32);

/** The reader and its settings. Secrets stay out: another password that gets other bytes gets another hash. */
function readerKey(settings: SourceSettings): string {
  const names = ["url", "format", "username", "store_url", "columns", "link_template"];
  const values = names.map((name) => settings[name] ?? "");
  const digest = createHash("sha256").update(JSON.stringify(values)).digest("hex");
  return `${READER_VERSION}:${digest.slice(0, 16)}`;
}

/**
 * SHA-256 of a file. The time in a gzip header (RFC 1952, bytes 4 to 7) does not count: a server that packs the same
 * file for every request writes another time into each.
 */
type ContentHash = {
  readonly add: (chunk: Uint8Array) => void;
  readonly digest: () => string;
};

const GZIP_HEADER_BYTES = 10;

function contentHash(): ContentHash {
  const hash = createHash("sha256");
  let head: Uint8Array | null = new Uint8Array();

  function flush(): void {
    if (head === null) return;
    const first = Buffer.from(head);
    // A file may end inside the header; `fill` refuses an end beyond the buffer.
    if (first[0] === 0x1f && first[1] === 0x8b) first.subarray(4, 8).fill(0);
    hash.update(first);
    head = null;
  }

  return {
    add: (chunk) => {
      if (head === null) {
        hash.update(chunk);
        return;
      }
      head = Buffer.concat([head, chunk]);
      if (head.length >= GZIP_HEADER_BYTES) flush();
    },
    digest: () => {
      flush();
      return hash.digest("hex");
    },
  };
}
