/**
 * Keeps a pool of outbound connections, which are opened only through the guard: the name is resolved once, all its addresses are
 * vetted, the socket connects to one of them, and its remote address is compared before a byte is sent. Proxy variables of the
 * environment are ignored: a proxy would connect where we cannot check.
 */
import { once } from "node:events";
import { connect, isIP, type LookupFunction, type Socket } from "node:net";
import { callbackify } from "node:util";
import { buildConnector, Client } from "undici";
import { AppError } from "../../errors.ts";
import { onAbort } from "../async.ts";
import { type AllowList, parseAllowList } from "./allow-list.ts";
import { parseAddress } from "./ip-ranges.ts";
import { connectionPool } from "./connection-pool.ts";
import { type Answer, exchange, type ExchangeRequest } from "./exchange.ts";
import { type Lookup, nameLookup } from "./name-lookup.ts";
import { type Guard, vettedAddresses } from "./net-guard.ts";

/**
 * The timings of a connection, filled in while it is opened: milliseconds for the name, the connection and TLS. Zero is
 * what was not needed (everything, for a reused connection); null is what has not been reached.
 */
export type Connection = {
  readonly dnsMs: number | null;
  readonly connectMs: number | null;
  readonly tlsMs: number | null;
  readonly address: string | null;
};

type OnConnection = (connection: Connection) => void;

export type OutboundAgent = {
  readonly allow: AllowList;
  /** On an idle connection, or on a new one. `onConnection` is called as soon as it is known which. */
  readonly exchange: (request: ExchangeRequest, onConnection?: OnConnection) => Promise<Answer>;
  readonly close: () => Promise<void>;
};

/** For connections that no request waits for any more; a request has a shorter limit of its own. */
const ABANDONED_CONNECT_MS = 60_000;
/** Node's 250 ms drops a far away address too early when the next one, of the other family, has no route. */
const NEXT_ADDRESS_AFTER_MS = 1_000;

/** Many servers close an idle connection after two or five seconds; a request sent at that moment is lost. */
const KEEP_ALIVE_MS = 1_000;
/** For servers that announce more: hundreds of unused connections cost more than a handshake now and then. */
const MAX_KEEP_ALIVE_MS = 10_000;

export type OutboundOptions = {
  /** Entries of ALLOW_PRIVATE_TARGETS. */
  readonly allowPrivate: readonly string[];
  /** By default the machine's name servers are queried. */
  readonly lookup?: Lookup;
};

export function outboundAgent({ allowPrivate, lookup }: OutboundOptions): OutboundAgent {
  const allow = parseAllowList(allowPrivate);
  const names = lookup ? { find: lookup, close: () => undefined } : nameLookup();
  const guard = { allow, lookup: names.find };
  const tlsConnector = buildConnector({ allowH2: false, timeout: ABANDONED_CONNECT_MS });

  const open: Open = async (options, timings, gone) => {
    const socket = await openVetted(options, { guard, timings, gone });
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

type Timings = { -readonly [Part in keyof Connection]: Connection[Part] };
type Open = (options: buildConnector.Options, timings: Timings, gone: AbortSignal) => Promise<Socket>;
type Opening = { readonly guard: Guard; readonly timings: Timings; readonly gone: AbortSignal };

async function openVetted(
  { hostname, port, protocol }: buildConnector.Options,
  { guard, timings, gone }: Opening,
): Promise<Socket> {
  const began = performance.now();
  const addresses = await vettedAddresses(hostname, guard);
  if (addresses.length === 0) throw new Error(`${hostname} has no address.`);
  const resolved = performance.now();
  timings.dnsMs = isIP(hostname) === 0 ? resolved - began : 0;
  gone.throwIfAborted();
  const socket = connect({
    host: hostname,
    port: Number(port || (protocol === "https:" ? 443 : 80)),
    lookup: answerWith(addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
    noDelay: true,
    keepAlive: true,
  });
  socket.once(
    "close",
    onAbort(gone, () => socket.destroy()),
  );
  await connected(socket, gone);
  timings.connectMs = performance.now() - resolved;
  timings.address = socket.remoteAddress ?? null;
  if (addresses.some((address) => isSameAddress(address, socket.remoteAddress ?? ""))) return socket;
  socket.destroy();
  throw new AppError(
    "target_forbidden",
    `The connection to ${hostname} reached an address that was not vetted.`,
  );
}

function startTls(connector: buildConnector.connector, options: buildConnector.Options): Promise<Socket> {
  return new Promise((resolve, reject) => {
    connector(options, (error, socket) => (error === null ? resolve(socket) : reject(error)));
  });
}

/** Replaces the system's resolver, so that the name is not resolved a second time. Not called for literals. */
function answerWith(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, { all }, callback) => {
    if (all === true) callback(null, answers);
    else callback(null, answers[0]?.address ?? "", answers[0]?.family);
  };
}

async function connected(socket: Socket, gone: AbortSignal): Promise<void> {
  const giveUp = AbortSignal.any([gone, AbortSignal.timeout(ABANDONED_CONNECT_MS)]);
  try {
    await once(socket, "connect", { signal: giveUp });
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function isSameAddress(one: string, other: string): boolean {
  const bytes = parseAddress(other);
  return bytes !== null && parseAddress(one)?.join() === bytes.join();
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
