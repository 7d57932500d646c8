/**
 * Adds local files to an HTTP client: addresses of the form `sample:<name>` return a file that ships with the program,
 * and one address returns a file that the command line names. Both then go through the same fetching, sniffing
 * and parsing, without any network.
 */
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { HttpAnswer, HttpClient } from "./outbound/http-client.ts";

const SCHEME = "sample:";

export function withBundledFiles(client: HttpClient, folder: string): HttpClient {
  return {
    request: async (request) =>
      request.url.startsWith(SCHEME) ? answerFrom(folder, request.url) : client.request(request),
    close: async () => client.close(),
  };
}

async function answerFrom(folder: string, url: string): Promise<HttpAnswer> {
  const name = url.slice(SCHEME.length);
  // Plain names only, so that no path leads out of the folder.
  return /^[\w-]+(\.[\w-]+)*$/.test(name) ? fileAnswer(join(folder, name), url) : notFound(url);
}

/** The file of the command line is read in place. Only this one address returns it. */
export function withLocalFile(client: HttpClient, { url, path }: { url: string; path: string }): HttpClient {
  return {
    request: async (request) => (request.url === url ? fileAnswer(path, url) : client.request(request)),
    close: async () => client.close(),
  };
}

async function fileAnswer(path: string, url: string): Promise<HttpAnswer> {
  const found = await stat(path).catch(() => null);
  if (!found?.isFile()) return notFound(url);
  const file = createReadStream(path);
  return {
    status: 200,
    headers: { "content-length": String(found.size) },
    url,
    body: file as AsyncIterable<Uint8Array>,
    discard: () => file.destroy(),
  };
}

function notFound(url: string): HttpAnswer {
  return { status: 404, headers: {}, url, body: (async function* () {})(), discard: () => undefined };
}
