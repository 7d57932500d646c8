/**
 * Opens guarded TCP connections for protocols other than HTTP. Failures are `HttpFailure`s, like those of the HTTP
 * clients.
 */
import type { Socket } from "node:net";
import { type OutboundOptions } from "./agent.ts";
import { type AllowList, parseAllowList } from "./allow-list.ts";
import { failureOf } from "./http-failure.ts";
import { nameLookup } from "./name-lookup.ts";
import { parseHost } from "./net-guard.ts";
import { openVetted } from "./vetted-socket.ts";

export type SocketTarget = {
  readonly host: string;
  readonly port: number;
  /** The port that the protocol normally has, which is allowed although it is below 1024. */
  readonly ownPort: number;
};

export type SocketClient = {
  readonly allow: AllowList;
  /** The signal closes the connection at any time. */
  readonly connect: (target: SocketTarget, signal: AbortSignal) => Promise<Socket>;
  readonly close: () => void;
};

export function socketClient({
  allowPrivate,
  allowLoopback: loopback = false,
  lookup,
}: OutboundOptions): SocketClient {
  const allow = parseAllowList(allowPrivate, { loopback });
  const names = lookup ? { find: lookup, close: () => undefined } : nameLookup();
  const guard = { allow, lookup: names.find };
  return {
    allow,
    connect: async ({ host: text, port, ownPort }, signal) => {
      const timings = { dnsMs: null, connectMs: null, tlsMs: null, address: null };
      try {
        const host = parseHost(text, { port, ownPort, allow });
        return await openVetted({ host, port }, { guard, timings, gone: signal });
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        throw failureOf(error, text, String(port));
      }
    },
    close: names.close,
  };
}
