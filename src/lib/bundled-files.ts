/**
 * Adds one more place to an HTTP client: addresses of the form `sample:<name>` answer with a file that ships with
 * the program. So the demo goes the whole way through fetching, sniffing and parsing, without any network.
 */
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { HttpAnswer, HttpClient } from "./http-client.ts";

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
  const path = join(folder, name);
  // Plain names only: nothing that could climb out of the folder.
  const size = /^[\w-]+(\.[\w-]+)*$/.test(name)
    ? await stat(path).then(
        (found) => (found.isFile() ? found.size : null),
        () => null,
      )
    : null;
  if (size === null)
    return { status: 404, headers: {}, url, body: (async function* () {})(), discard: () => undefined };
  const file = createReadStream(path);
  return {
    status: 200,
    headers: { "content-length": String(size) },
    url,
    body: file as AsyncIterable<Uint8Array>,
    discard: () => file.destroy(),
  };
}
