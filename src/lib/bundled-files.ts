/**
 * Adds local files to an HTTP client: `sample:<name>` returns a file that ships with the program, and one address
 * returns a file that the command line names. Both are then fetched, sniffed and parsed like any feed.
 */
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { HttpAnswer, HttpClient } from "./outbound/http-client.ts";

const SCHEME = "sample:";

export function withBundledFiles(client: HttpClient, folder: string): HttpClient {
  return withFiles(client, (url) => {
    if (!url.startsWith(SCHEME)) return undefined;
    const name = url.slice(SCHEME.length);
    // Plain names only, so that no path leads out of the folder.
    return /^[\w-]+(\.[\w-]+)*$/.test(name) ? join(folder, name) : null;
  });
}

/** The file of the command line is read in place. Only this one address returns it. */
export function withLocalFile(client: HttpClient, { url, path }: { url: string; path: string }): HttpClient {
  return withFiles(client, (asked) => (asked === url ? path : undefined));
}

/** `pathOf` returns undefined for addresses that are not files, and null for files that do not exist. */
function withFiles(client: HttpClient, pathOf: (url: string) => string | null | undefined): HttpClient {
  return {
    request: async (request) => {
      const path = pathOf(request.url);
      return path === undefined ? client.request(request) : fileAnswer(path, request.url);
    },
    close: async () => client.close(),
  };
}

async function fileAnswer(path: string | null, url: string): Promise<HttpAnswer> {
  const found = path === null ? null : await stat(path).catch(() => null);
  if (path === null || !found?.isFile()) {
    return { status: 404, headers: {}, url, body: (async function* () {})(), discard: () => undefined };
  }
  const file = createReadStream(path);
  return {
    status: 200,
    headers: { "content-length": String(found.size) },
    url,
    body: file as AsyncIterable<Uint8Array>,
    discard: () => file.destroy(),
  };
}
