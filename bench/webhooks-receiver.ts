/**
 * A receiver in its own process, started by the benchmark of webhooks. It accepts every request, except on one path
 * that never answers.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export const HUNG = "/hung";

export type BenchReceiver = AsyncDisposable & { readonly origin: string };

export async function startReceiver(): Promise<BenchReceiver> {
  const child = fork(import.meta.filename, { execArgv: [] });
  const [port] = (await once(child, "message")) as [number];
  return {
    origin: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      const gone = once(child, "exit");
      child.kill();
      await gone;
    },
  };
}

if (import.meta.main) {
  const server = createServer((request, response) => {
    request.resume();
    if (request.url !== HUNG) request.once("end", () => response.end("ok"));
  });
  server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
  // The benchmark has ended.
  process.once("disconnect", () => process.exit());
}
