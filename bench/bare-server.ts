/** A child process: the least that a Node.js server does to serve one file with an ETag. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export type FileServer = AsyncDisposable & { readonly port: number };

export async function startBareServer(file: string): Promise<FileServer> {
  const child = fork(import.meta.filename, [file]);
  const [port] = (await once(child, "message")) as [number];
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await once(child, "exit");
    },
  };
}

function serve(file: string): void {
  const { size, mtime } = statSync(file);
  const headers = {
    etag: `"${mtime.getTime()}-${size}"`,
    "last-modified": mtime.toUTCString(),
    "cache-control": "public, max-age=60, must-revalidate",
  };
  const server = createServer((request, response) => {
    if (request.headers["if-none-match"] === headers.etag) {
      response.writeHead(304, headers).end();
      return;
    }
    response.writeHead(200, { ...headers, "content-length": size });
    if (request.method === "HEAD") response.end();
    else createReadStream(file).pipe(response);
  });
  server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
}

if (import.meta.main) serve(process.argv[2] ?? "");
