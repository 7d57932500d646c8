/**
 * Keeps a pool of outbound connections, which are opened only through the guard: the name is resolved once, all its
 * addresses are vetted, the socket connects to one of them, and its remote address is compared before a byte is sent.
 * Proxy variables of the environment are ignored: a proxy would connect where we cannot check.
 */
import type { Socket } from "node:net";
import { callbackify } from "node:util";
import { buildConnector, Client } from "undici";
import { type AllowList, parseAllowList } from "./allow-list.ts";
import { connectionPool } from "./connection-pool.ts";
import { type ExchangeAnswer, exchange, type ExchangeRequest } from "./exchange.ts";
import { type Lookup, nameLookup } from "./name-lookup.ts";
import { ABANDONED_CONNECT_MS, type Connection, openVetted, type Timings } from "./vetted-socket.ts";

export type { Connection };

type OnConnection = (connection: Connection) => void;

export type OutboundAgent = {
  readonly allow: AllowList;
  /** On an idle connection, or on a new one. `onConnection` is called as soon as it is known which. */
  readonly exchange: (request: ExchangeRequest, onConnection?: OnConnection) => Promise<ExchangeAnswer>;
  readonly close: () => Promise<void>;
};

/** Many servers close an idle connection after two or five seconds; a request sent at that moment is lost. */
const KEEP_ALIVE_MS = 1_000;
/** For servers that announce more: hundreds of unused connections cost more than a handshake now and then. */
const MAX_KEEP_ALIVE_MS = 10_000;

export type OutboundOptions = {
  /** Entries of ALLOW_PRIVATE_TARGETS. */
  readonly allowPrivate: readonly string[];
  /** Allows loopback addresses and localhost, because only this machine is served; see `allow-list.ts`. */
  readonly allowLoopback?: boolean;
  /** By default the machine's name servers are queried. */
  readonly lookup?: Lookup;
};

export function outboundAgent({
  allowPrivate,
  allowLoopback: loopback = false,
  lookup,
}: OutboundOptions): OutboundAgent {
  const allow = parseAllowList(allowPrivate, { loopback });
  const names = lookup ? { find: lookup, close: () => undefined } : nameLookup();
  const guard = { allow, lookup: names.find };
  const tlsConnector = buildConnector({ allowH2: false, timeout: ABANDONED_CONNECT_MS });

  const open: Open = async (options, timings, gone) => {
    const { hostname: host, port, protocol } = options;
    const target = { host, port: Number(port || (protocol === "https:" ? 443 : 80)) };
    const socket = await openVetted(target, { guard, timings, gone });
    const began = performance.now();
    const isSecure = options.protocol === "https:";
    const secured = isSecure ? await startTls(tlsConnector, { ...options, httpSocket: socket }) : socket;
    timings.tlsMs = isSecure ? performance.now() - began : 0;
    return secured;
  };
  const pool = connectionPool((origin) => new TimedClient(origin, open));

  return {
    allow,
    exchange: (request, onConnection) => {
      const client = pool.acquire(request.origin);
      client.reportTo(onConnection);
      const answer = exchange(client, request, () => pool.drop(client));
      // undici did not accept the request.
      if (client.stats.size === 0) pool.drop(client);
      return answer;
    },
    async close() {
      names.close();
      await pool.destroy();
    },
  };
}

type Open = (options: buildConnector.Options, timings: Timings, gone: AbortSignal) => Promise<Socket>;
function startTls(connector: buildConnector.connector, options: buildConnector.Options): Promise<Socket> {
  return new Promise((resolve, reject) => {
    connector(options, (error, socket) => (error === null ? resolve(socket) : reject(error)));
  });
}

/** undici's client, which has one connection at a time, with the timings of that connection. */
class TimedClient extends Client {
  private timings: Timings = unopened();
  private onConnection: OnConnection | undefined;
  isOpen = false;
  readonly gone: AbortController;

  constructor(origin: string, open: Open) {
    const opened = callbackify(open);
    const gone = new AbortController();
    super(origin, {
      // HTTP/1.1 only: leaving a body early ends exactly one connection, and nothing else shares it.
      allowH2: false,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: MAX_KEEP_ALIVE_MS,
      // Also for a request on a reused connection that breaks before the request is sent.
      connect: (target, callback) => {
        this.timings = unopened();
        this.onConnection?.(this.timings);
        opened(target, this.timings, gone.signal, (error, socket) =>
          error === null ? callback(null, socket) : callback(error, null),
        );
      },
    });
    this.gone = gone;
    this.on("connect", () => {
      this.isOpen = true;
    });
    this.on("disconnect", () => {
      this.isOpen = false;
    });
  }

  reportTo(onConnection: OnConnection | undefined): void {
    this.onConnection = onConnection;
    if (this.isOpen) onConnection?.({ ...this.timings, dnsMs: 0, connectMs: 0, tlsMs: 0 });
  }
}

function unopened(): Timings {
  return { dnsMs: null, connectMs: null, tlsMs: null, address: null };
}
