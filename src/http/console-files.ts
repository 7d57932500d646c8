/**
 * Serves the console. Its few files are read once, at the start, and compressed once, at the first request for each:
 * all at the start took 70 MB at once. Names contain a hash of the content, so browsers may cache them permanently.
 * Every page of the console is the same document: the script reads the address.
 */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { gzip, zstdCompress } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { AppError, ERRORS } from "../errors.ts";
import { exists } from "../lib/files.ts";
import type { Encoding } from "../files/feed-folders.ts";
import { chooseEncoding } from "./negotiate.ts";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".json": "application/json",
};

const PAGE_HEADERS = {
  "cache-control": "no-cache",
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "x-content-type-options": "nosniff",
  vary: "accept-encoding",
};
const ASSET_HEADERS = {
  "cache-control": "public, max-age=31536000, immutable",
  "x-content-type-options": "nosniff",
  vary: "accept-encoding",
};

/** Pages of the console, beside `/`. */
const PAGES = ["/", "/sign-in", "/new-catalog", "/about", "/c/:slug", "/c/:slug/*"] as const;

/** The answer of an installation in which the pages are not built. */
type MissingConsole = { readonly status: 200 | 503; readonly text: string };
const BUILD = "`npm run build:console` in the program's folder";
const NO_CONSOLE: MissingConsole = { status: 503, text: `The console is not built. Run ${BUILD}.\n` };
const NO_DOCS: MissingConsole = {
  status: 200,
  text: `The OpenAPI document of this API is at /api/v1/openapi.json. The page that shows it is not built; ${BUILD} builds it.\n`,
};

type File = {
  readonly type: string;
  readonly etag: string;
  readonly bodies: Readonly<Record<Encoding, () => Promise<Buffer>>>;
};

export async function consoleRoutes(app: FastifyInstance, folder: string): Promise<void> {
  const files = await readFiles(folder);
  const servePage = (url: string, name: string, missing: MissingConsole): void => {
    const page = files.get(name);
    app.get(url, { schema: { hide: true } }, async (request, reply) =>
      page
        ? send(request, reply.headers(PAGE_HEADERS), page)
        : reply.code(missing.status).type("text/plain; charset=utf-8").send(missing.text),
    );
  };
  for (const url of PAGES) servePage(url, "index.html", NO_CONSOLE);
  servePage("/docs", "docs.html", NO_DOCS);
  app.get("/assets/:name", { schema: { hide: true } }, async (request, reply) => {
    const { name } = request.params as { readonly name: string };
    const file = name.endsWith(".html") ? undefined : files.get(name);
    if (!file) throw new AppError("not_found", ERRORS.not_found.title);
    return send(request, reply.headers(ASSET_HEADERS), file);
  });
}

/** Returns whether the pages are built. */
export const hasConsole = async (folder: string): Promise<boolean> => exists(join(folder, "index.html"));

/** Answers a browser that opened an address without a page; undefined for every other caller. */
export type NotFoundPage = (request: FastifyRequest, reply: FastifyReply) => FastifyReply | undefined;

export async function notFoundPage(folder: string | undefined): Promise<NotFoundPage> {
  const page =
    folder === undefined ? undefined : await readFile(join(folder, "index.html")).catch(() => undefined);
  return ({ method, url, headers }, reply) => {
    const isBrowser = method === "GET" && headers.accept?.includes("text/html") === true;
    if (!page || !isBrowser || /^\/(api|f|assets)\//.test(url)) return undefined;
    return reply.code(404).headers(PAGE_HEADERS).type("text/html; charset=utf-8").send(page);
  };
}

async function send(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { type, etag, bodies }: File,
): Promise<FastifyReply> {
  if (headers["if-none-match"] === etag) return reply.header("etag", etag).code(304).send();
  const encoding = chooseEncoding(headers["accept-encoding"]);
  if (encoding !== "identity") reply.header("content-encoding", encoding);
  return reply
    .type(type)
    .header("etag", etag)
    .send(await bodies[encoding]());
}

async function readFiles(folder: string): Promise<ReadonlyMap<string, File>> {
  const names = await readdir(folder).catch((): string[] => []);
  const entries = names
    .filter((name) => TYPES[extname(name)] !== undefined)
    .map(async (name) => [name, await readEntry(join(folder, name))] as const);
  return new Map(await Promise.all(entries));
}

async function readEntry(path: string): Promise<File> {
  const identity = await readFile(path);
  const hash = createHash("sha256").update(identity).digest("base64url").slice(0, 22);
  return {
    type: TYPES[extname(path)] ?? "application/octet-stream",
    etag: `"${hash}"`,
    bodies: {
      identity: async () => identity,
      gzip: once(async () => promisify(gzip)(identity)),
      zstd: once(async () => promisify(zstdCompress)(identity)),
    },
  };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return async () => (made ??= make());
}
