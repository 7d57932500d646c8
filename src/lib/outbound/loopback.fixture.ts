/** Real servers on loopback, for tests. */
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { Server } from "node:net";

export type Loopback = AsyncDisposable & {
  readonly port: number;
  readonly origin: string;
  /** How many were opened so far. */
  readonly connections: () => number;
  readonly close: () => Promise<void>;
};

export function loopback(listener: RequestListener): Promise<Loopback> {
  return serving(createServer(listener));
}

/** Any server at all, on a free port of loopback; disposing of it breaks its connections. */
export async function serving(server: Server): Promise<Loopback> {
  const open = new Set<Disposable>();
  let connections = 0;
  server.on("connection", (socket) => {
    connections++;
    const connection = { [Symbol.dispose]: () => socket.destroy() };
    open.add(connection);
    socket.on("error", () => {}).once("close", () => open.delete(connection));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const close = async (): Promise<void> => {
    for (const connection of open) connection[Symbol.dispose]();
    await new Promise((resolve) => server.close(resolve));
  };
  const origin = `http://127.0.0.1:${port}`;
  return { port, origin, connections: () => connections, close, [Symbol.asyncDispose]: close };
}
