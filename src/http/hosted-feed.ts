/**
 * Serves the published files at `/f/<slug>/<token>/<file>`. Every wrong address gets the same 404 after the same
 * single lookup. Files are immutable, so the content hash is a strong validator; each encoding is its own
 * representation with its own ETag and ranges.
 */
import { hash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { AppError, ERRORS } from "../errors.ts";
import { CHANNELS, isFeedFile } from "../channels/registry.ts";
import type { Encoding, FeedFolders } from "../files/feed-folders.ts";
import type { Log } from "../lib/log.ts";
import { memoize } from "../lib/memoize.ts";
import type { FeedAddress, PublishedFile } from "./published-feeds.ts";
import { fetchOf, fetchRecorder, type FetchRecorder } from "./feed-fetches.ts";
import { chooseEncoding, isFresh, parseRange } from "./negotiate.ts";
import type { CacheValidator } from "./negotiate.ts";
import { publishedFeeds } from "./published-feeds.ts";
import { sendBytes } from "./send-bytes.ts";
import type { Counters } from "./health.ts";
import type { SlowClients } from "./slow-clients.ts";
import type { PublishedFeedsDeps } from "./published-feeds.ts";
import { enqueueRender } from "../store/runs.ts";

export type HostedDeps = PublishedFeedsDeps & { readonly folders: FeedFolders; readonly log: Log };
type CountFetch = Counters["countFetch"];
const RERENDER_MS = 60_000;
type Params = { slug: string; token: string; file: string };

const ROUTE = "/f/:slug/:token/:file";
/** A path without escapes and query, and not longer than ours; other forms of an address are left to the router. */
const PLAIN_PATH = /^\/f\/([^/%?]+)\/([^/%?]{1,100})\/([^/%?]+)$/;

export type HostedFeeds = {
  readonly route: string;
  /** Returns the headers of the 304 if the file is known without a lookup and the client's copy is fresh. */
  readonly findUnchanged: (request: IncomingMessage) => UnchangedFile | undefined;
};

export type UnchangedFile = {
  /** Names and values in turn. */
  readonly headers: readonly string[];
  /** Call when the answer is sent. */
  readonly onSent: () => void;
};

export function hostedFeedRoutes(
  app: FastifyInstance,
  deps: HostedDeps & { readonly countFetch: CountFetch },
  { watchAnswer }: SlowClients,
): HostedFeeds {
  const feeds = publishedFeeds(deps);
  const fetches = fetchRecorder(deps);
  app.addHook("onClose", async () => {
    feeds.close();
    await fetches.close();
  });
  const onMissing = renderAgain(deps);
  const recordFetch = recordBy(fetches, deps.countFetch);
  app.route<{ Params: Params }>({
    method: ["GET", "HEAD"],
    url: ROUTE,
    schema: { hide: true },
    handler: async (request, reply) => {
      const { slug, token, file: name } = request.params;
      const file = hostedName(name);
      const address = { slug: searchable(slug), tokenHash: hashOf(token), file };
      const published = feeds.findCached(address) ?? (await feeds.find(address));
      if (!published || !isFeedFile(file)) throw new AppError("not_found", ERRORS.not_found.title);
      const sentBytes = countSent(reply.raw);
      // Sent completely: a broken download is not a fetch.
      reply.raw.once("finish", () => recordFetch(request.raw, published, reply.raw.statusCode, sentBytes()));
      return sendFile({
        request,
        reply,
        published,
        folders: deps.folders,
        contentType: CHANNELS[file].contentType,
        watchAnswer,
        onMissing,
      });
    },
  });
  return {
    route: ROUTE,
    findUnchanged: (request) => {
      const address = plainAddressOf(request);
      const published = address && feeds.findCached(address);
      if (published === undefined) return undefined;
      const copy = representationOf(published, chooseEncoding(request.headers["accept-encoding"]));
      if (!isFresh(request.headers, copy)) return undefined;
      return { headers: copy.rawHeaders, onSent: () => recordFetch(request, published, 304) };
    },
  };
}

const recordBy =
  ({ record }: FetchRecorder, countFetch: CountFetch) =>
  (request: IncomingMessage, published: PublishedFile, status: number, bytes = 0): void => {
    const fetch = fetchOf(request, status, bytes);
    if (fetch === undefined) return;
    record(published, fetch);
    countFetch(published.file, fetch);
  };

/** The size of the body, if the header has it; else what the connection has sent since then, headers included. */
function countSent(response: ServerResponse): () => number {
  const { socket } = response;
  const before = socket?.bytesWritten ?? 0;
  return () => {
    const length = response.getHeader("content-length");
    if (response.statusCode === 304) return 0;
    return length === undefined ? (socket?.bytesWritten ?? 0) - before : Number(length);
  };
}

/** Returns the address of a request without a body. */
function plainAddressOf({ method, url = "", headers }: IncomingMessage): FeedAddress | undefined {
  if (method !== "GET" && method !== "HEAD") return undefined;
  if (headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined) return undefined;
  const [, slug, token, file] = PLAIN_PATH.exec(url) ?? [];
  if (slug === undefined || token === undefined || file === undefined) return undefined;
  return { slug, tokenHash: hashOnce(token), file: hostedName(file) };
}

/** Microsoft takes tab-separated files only under this name. */
const hostedName = (name: string): string => (name === "gmc.txt" ? "gmc.tsv" : name);

const hashOf = (token: string): Buffer => hash("sha256", token, "buffer");
/** Readers send the same few tokens all the time. */
const hashOnce = memoize(1_000, hashOf);

/** Queues a render of the catalog, at most once in `RERENDER_MS`. */
function renderAgain({ db, log }: HostedDeps): HostedFileRequest["onMissing"] {
  const queuedAt = new Map<string, number>();
  return async ({ catalogId, folder, file }) => {
    const now = Date.now();
    for (const [id, at] of queuedAt) if (now - at >= RERENDER_MS) queuedAt.delete(id);
    if (queuedAt.has(catalogId)) return;
    queuedAt.set(catalogId, now);
    log.error({ catalog_id: catalogId, folder, file }, "feed file is missing; rendering again");
    await enqueueRender(db, catalogId, "request");
  };
}

/** PostgreSQL text cannot contain NUL; such an address is looked up with a value that matches nothing. */
function searchable(text: string): string {
  return text.includes("\0") ? "" : text;
}

type HostedFileRequest = {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly published: PublishedFile;
  readonly folders: FeedFolders;
  readonly contentType: string;
  readonly watchAnswer: SlowClients["watchAnswer"];
  /** The file is in the database but not on disk. */
  readonly onMissing: (published: PublishedFile) => Promise<void>;
};

type Representation = CacheValidator & {
  readonly headers: Readonly<Record<string, string>>;
  /** The same headers as a list of names and values in turn. */
  readonly rawHeaders: readonly string[];
};

/** The file in one encoding. Made once: a published file is the same object in every request. */
function representationOf(published: PublishedFile, encoding: Encoding): Representation {
  let made = representations.get(published);
  if (made === undefined) representations.set(published, (made = new Map()));
  const known = made.get(encoding);
  if (known !== undefined) return known;
  const { lastModified, etag: ofFile } = published;
  const etag = `"${ofFile}${encoding === "identity" ? "" : `-${encoding}`}"`;
  const headers = {
    etag,
    "last-modified": lastModified.toUTCString(),
    "cache-control": "public, max-age=60, must-revalidate",
    vary: "accept-encoding",
    "accept-ranges": encoding === "zstd" ? "none" : "bytes",
    "access-control-allow-origin": "*",
    "x-content-type-options": "nosniff",
  };
  const representation = { etag, lastModified, headers, rawHeaders: Object.entries(headers).flat() };
  made.set(encoding, representation);
  return representation;
}

const representations = new WeakMap<PublishedFile, Map<Encoding, Representation>>();

async function sendFile(sending: HostedFileRequest): Promise<FastifyReply> {
  const { request, reply, published, contentType } = sending;
  const encoding = chooseEncoding(request.headers["accept-encoding"]);
  const size = sizeOf(published, encoding);
  const { etag, lastModified, headers } = representationOf(published, encoding);
  reply.headers(headers);
  if (isFresh(request.headers, { etag, lastModified })) return reply.code(304).send();

  reply.header("content-type", contentType);
  if (encoding !== "identity") reply.header("content-encoding", encoding);
  if (encoding === "zstd" || size === null) return sendCompressed(sending);
  // Ranges are defined for GET alone (RFC 9110, 14.2).
  const range = request.method === "GET" ? parseRange(request.headers, { size, etag, lastModified }) : null;
  if (range === "unsatisfiable") {
    return reply.code(416).removeHeader("content-encoding").header("content-range", `bytes */${size}`).send();
  }
  if (range) reply.code(206).header("content-range", `bytes ${range.start}-${range.end}/${size}`);
  const { start, end } = range ?? { start: 0, end: size - 1 };
  reply.header("content-length", end - start + 1);
  return request.method === "HEAD" ? reply.send() : sendRange(sending, encoding, { start, end });
}

async function sendRange(
  { reply, published, folders, watchAnswer, ...sending }: HostedFileRequest,
  encoding: "identity" | "gzip",
  range: { readonly start: number; readonly end: number },
): Promise<FastifyReply> {
  const { catalogId, folder, file } = published;
  const bytes = range.end - range.start + 1;
  const parts = await folders.openParts({ catalogId, folder, file, encoding }, range);
  if (!parts) throw await missingFile({ ...sending, published });
  watchAnswer(reply.raw, bytes);
  reply.hijack();
  for (const [name, value] of Object.entries(reply.getHeaders())) reply.raw.setHeader(name, value ?? "");
  reply.raw.statusCode = reply.statusCode;
  await sendBytes(reply.raw, parts, bytes);
  return reply;
}

/** Compressed with zstd while it is sent. */
async function sendCompressed(sending: HostedFileRequest): Promise<FastifyReply> {
  const { request, reply, published, folders } = sending;
  if (request.method === "HEAD") return reply.send();
  const { catalogId, folder, file } = published;
  const bytes = await folders.open({ catalogId, folder, file, encoding: "zstd" });
  if (!bytes) throw await missingFile(sending);
  return reply.send(bytes);
}

async function missingFile({
  published,
  onMissing,
}: Pick<HostedFileRequest, "published" | "onMissing">): Promise<AppError> {
  await onMissing(published);
  const detail = `${ERRORS.feed_missing.title} Try again in a minute.`;
  return new AppError("feed_missing", detail, { retryAfterS: 60 });
}

/** Null for zstd, because the file is compressed while it is sent. */
function sizeOf({ bytes, gzipBytes }: PublishedFile, encoding: Encoding): number | null {
  return { identity: bytes, gzip: gzipBytes, zstd: null }[encoding];
}
