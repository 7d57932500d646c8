/** A loopback TCP proxy that can be cut, as a network connection to a database can. */
import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";

export type TcpProxy = AsyncDisposable & {
  readonly port: number;
  /** Breaks every connection and accepts no new one. */
  readonly cut: () => Promise<void>;
  /** Accepts connections again, at the same port. */
  readonly restore: () => Promise<void>;
  /** Breaks every connection; new ones are accepted at once. */
  readonly reset: () => void;
};

export async function tcpProxy(to: { readonly host: string; readonly port: number }): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const server = createServer((inside) => {
    const outside = connect(to);
    for (const [one, other] of [
      [inside, outside],
      [outside, inside],
    ] as const) {
      sockets.add(one);
      one.on("error", () => undefined);
      one.once("close", () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  const listen = async (port: number) => {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const reset = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  const cut = async () => {
    if (!server.listening) return;
    const closed = once(server, "close");
    server.close();
    reset();
    await closed;
  };
  return { port, cut, reset, restore: async () => listen(port), [Symbol.asyncDispose]: cut };
}
