/**
 * A receiver in a process of its own, as one that is far away would be: it takes whatever comes and says yes, but for
 * the path that never says anything. Started by the benchmark of webhooks; ends when the benchmark does.
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
  // Whoever asked for it is gone.
  process.once("disconnect", () => process.exit());
}
