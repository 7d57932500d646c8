import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { withLocalFile } from "../src/lib/bundled-files.ts";
import { httpClient } from "../src/lib/outbound/http-client.ts";
import { readOffline } from "../src/pipeline/offline/read.ts";
import { CONNECTORS } from "../src/sources/registry.ts";

/** A feed file in a folder, read as the command line reads files. */
export function offlineFeed(dir: string) {
  const path = join(dir, "feed.csv");
  const url = pathToFileURL(path).href;
  const http = withLocalFile(httpClient({ allowPrivate: [], userAgent: "test" }), { url, path });
  const reading = {
    connector: CONNECTORS.feed_url,
    url,
    settings: { currency: "USD", storeUrl: "https://shop.example" },
    http,
    spoolRoot: join(dir, "spool"),
    signal: new AbortController().signal,
  };
  return {
    write: async (text: string) => writeFile(path, text),
    read: async () => readOffline(reading),
  };
}
