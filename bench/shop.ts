/**
 * The shop's web server: serves one version of the catalog from a file that was written before the measurement. With
 * validators it answers 304 to conditional requests.
 */
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { catalogCsv, type Edition, EDITIONS } from "./catalog.ts";

export type Shop = AsyncDisposable & {
  readonly url: string;
  /** Sets the version to serve. */
  readonly show: (edition: Edition, options: { readonly hasValidators: boolean }) => void;
  /** The status of the last answer. */
  readonly lastStatus: () => number;
};

export async function openShop(
  dir: string,
  items: number,
  editions: readonly Edition[] = EDITIONS,
): Promise<Shop> {
  const sizes = new Map<Edition, number>();
  for (const edition of editions)
    sizes.set(edition, await writeEdition(pathOf(dir, edition), items, edition));
  let shown: { edition: Edition; hasValidators: boolean } = { edition: "first", hasValidators: true };
  let status = 0;

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { edition, hasValidators } = shown;
    const etag = `"${edition}-${items}"`;
    status = hasValidators && request.headers["if-none-match"] === etag ? 304 : 200;
    if (hasValidators) response.setHeader("etag", etag);
    if (status === 304) {
      response.writeHead(304).end();
      return;
    }
    response.writeHead(200, {
      "content-type": "text/csv; charset=utf-8",
      "content-length": sizes.get(edition),
    });
    await pipeline(createReadStream(pathOf(dir, edition), { highWaterMark: 256 * 1024 }), response);
  };
  const server = createServer((request, response) => {
    // A reader that disconnects is not an error here.
    answer(request, response).catch(() => response.destroy());
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/feed.csv`,
    show: (edition, { hasValidators }) => {
      shown = { edition, hasValidators };
    },
    lastStatus: () => status,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const pathOf = (dir: string, edition: Edition): string => join(dir, `${edition}.csv`);

/** Returns the number of bytes. */
async function writeEdition(path: string, items: number, edition: Edition): Promise<number> {
  const file = await open(path, "w");
  try {
    for (const text of catalogCsv(items, edition)) await file.writeFile(text);
    // Unsynced bytes would be written during the measurement.
    await file.sync();
    return (await file.stat()).size;
  } finally {
    await file.close();
  }
}
