/**
 * Keeps connections to the outside and opens new ones only through the guard: the name is resolved once, all its
 * addresses are vetted, the socket goes to one of exactly those, and where it really ended up is compared before a
 * byte is sent. A connection taken from the pool has therefore passed. The name stays the `Host` and the TLS server
 * name. Proxy variables of the environment play no part: a proxy would connect where we cannot look.
 */
import { once } from "node:events";
import { connect, isIP, type LookupFunction, type Socket } from "node:net";
import { callbackify } from "node:util";
import { buildConnector, Client, type Dispatcher } from "undici";
import { AppError } from "../../errors.ts";
import { onAbort } from "../async.ts";
import type { AllowList } from "./allow-list.ts";
import { parseAddress } from "./ip-ranges.ts";
import { connectionPool } from "./connection-pool.ts";
import { type Lookup, nameLookup } from "./name-lookup.ts";
import { type Guard, vettedAddresses } from "./net-guard.ts";

/**
 * How a request comes by its connection, written down as it happens: milliseconds for the name, the connection and
 * TLS. Zero is what was not needed, everything when the connection was kept from an earlier request; null is what
 * has not been reached.
 */
export type Connection = {
  readonly dnsMs: number | null;
  readonly connectMs: number | null;
  readonly tlsMs: number | null;
  readonly address: string | null;
};

export type Response = Omit<Dispatcher.ResponseData, "opaque">;

type Origin = { readonly origin: string };

export type OutboundAgent = {
  /** Calls `onConnected` when a connection, new or kept, takes the request. */
  readonly request: (
    options: Omit<Dispatcher.RequestOptions, "opaque" | "signal"> & Origin & { readonly signal: AbortSignal },
    onConnected: () => void,
  ) => Promise<Response>;
  /**
   * Tells the handler all there is to tell; and `onConnection`, as soon as it is clear which connection it will be. The
   * answer gives the connection up: for a request that has not got one yet, and cannot be stopped otherwise.
   */
  readonly dispatch: (
    options: Dispatcher.DispatchOptions & Origin,
    handler: Dispatcher.DispatchHandler,
    onConnection: (connection: Connection) => void,
  ) => () => void;
  /** Breaks what is still running. */
  readonly close: () => Promise<void>;
};

/** For connections nobody waits for any more; a request gives up earlier, by its own limit. */
const ABANDONED_CONNECT_MS = 60_000;
/** Node's 250 ms drops a far away address too early when the next one, of the other family, has no route. */
const NEXT_ADDRESS_AFTER_MS = 1_000;

/** Many servers hang up on an idle connection after two seconds or five; what is sent at that moment is lost. */
const KEEP_ALIVE_MS = 1_000;
/** For servers that promise more: hundreds of connections that nobody uses are not worth a handshake now and then. */
const LONGEST_KEEP_ALIVE_MS = 10_000;

/** Without a lookup names are found as the machine would find them. */
export type OutboundOptions = { readonly allow: AllowList; readonly lookup?: Lookup | undefined };

export function outboundAgent({ allow, lookup }: OutboundOptions): OutboundAgent {
  const names = lookup ? { find: lookup, close: () => undefined } : nameLookup();
  const guard = { allow, lookup: names.find };
  const tlsConnector = buildConnector({ allowH2: false, timeout: ABANDONED_CONNECT_MS });

  const open: Open = async (options, notes, gone) => {
    const socket = await openVetted(options, { guard, notes, gone });
    const began = performance.now();
    const isSecure = options.protocol === "https:";
    const secured = isSecure ? await startTls(tlsConnector, { ...options, httpSocket: socket }) : socket;
    notes.tlsMs = isSecure ? performance.now() - began : 0;
    return secured;
  };
  const clients = connectionPool((origin) => new TimedClient(origin, open));

  const onFree = <T>(origin: string, act: (client: TimedClient) => T): T => {
    const client = clients.free(origin);
    const result = act(client);
    // It was not given the request after all, because nobody could send that.
    if (client.stats.size === 0) clients.drop(client);
    return result;
  };
  return {
    request: async (options, onConnected) =>
      onFree(options.origin, async (client) => {
        let isConnected = false;
        const told = () => {
          isConnected = true;
          onConnected();
        };
        // undici heeds the signal only once it has a connection. A turn later, when the caller has heard of the abort itself.
        const giveUp = () => void setImmediate(() => isConnected || clients.drop(client));
        const stopListening = onAbort(options.signal, giveUp);
        try {
          return await client.request<Told>({ ...options, opaque: { onConnected: told } });
        } finally {
          stopListening();
        }
      }),
    dispatch: (options, handler, onConnection) =>
      onFree(options.origin, (client) => {
        client.dispatch({ ...options, opaque: { onConnection } }, handler);
        return () => clients.drop(client);
      }),
    async close() {
      names.close();
      await clients.destroy();
    },
  };
}

type Notes = { -readonly [Part in keyof Connection]: Connection[Part] };
type Open = (options: buildConnector.Options, notes: Notes, gone: AbortSignal) => Promise<Socket>;
type Opening = { readonly guard: Guard; readonly notes: Notes; readonly gone: AbortSignal };

async function openVetted(
  { hostname, port, protocol }: buildConnector.Options,
  { guard, notes, gone }: Opening,
): Promise<Socket> {
  const began = performance.now();
  const addresses = await vettedAddresses(hostname, guard);
  if (addresses.length === 0) throw new Error(`${hostname} has no address.`);
  const resolved = performance.now();
  notes.dnsMs = isIP(hostname) === 0 ? resolved - began : 0;
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
  destroyWhenGone(socket, gone);
  await connected(socket, gone);
  notes.connectMs = performance.now() - resolved;
  notes.address = socket.remoteAddress ?? null;
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

/** Stands in for the system's resolver, which is not asked a second time. Not called for literals. */
function answerWith(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, { all }, callback) => {
    if (all === true) callback(null, answers);
    else callback(null, answers[0]?.address ?? "", answers[0]?.family);
  };
}

function destroyWhenGone(socket: Socket, gone: AbortSignal): void {
  const destroy = () => socket.destroy();
  gone.addEventListener("abort", destroy, { once: true });
  socket.once("close", () => gone.removeEventListener("abort", destroy));
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

/** Whom to tell about a request. undici hands it along with the request as `opaque` and does not look inside. */
type Told = {
  readonly onConnected?: () => void;
  readonly onConnection?: (connection: Connection) => void;
};

/** One connection at a time, as undici's own, which also knows how it was made. */
class TimedClient extends Client {
  private notes: Notes = unopened();
  private onConnection: Told["onConnection"];
  isOpen = false;
  readonly gone: AbortController;

  constructor(origin: string, open: Open) {
    const opened = callbackify(open);
    const gone = new AbortController();
    super(origin, {
      // HTTP/1.1 only: leaving a body early ends exactly one connection, and nothing else shares it.
      allowH2: false,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: LONGEST_KEEP_ALIVE_MS,
      // Also for a request that was given a kept connection, if that breaks before it is sent.
      connect: (target, callback) => {
        this.notes = unopened();
        this.onConnection?.(this.notes);
        opened(target, this.notes, gone.signal, (error, socket) =>
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

  override dispatch(
    options: Dispatcher.DispatchOptions & { readonly opaque: Told },
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    const { onConnected, onConnection } = options.opaque;
    this.onConnection = onConnection;
    if (this.isOpen) onConnection?.({ ...this.notes, dnsMs: 0, connectMs: 0, tlsMs: 0 });
    return super.dispatch(options, onConnected ? tellingWhenSent(handler, onConnected) : handler);
  }
}

function unopened(): Notes {
  return { dnsMs: null, connectMs: null, tlsMs: null, address: null };
}

/** undici tells its handler when a connection takes the request, and nobody else: so we listen in between. */
function tellingWhenSent(
  handler: Dispatcher.DispatchHandler,
  onConnected: () => void,
): Dispatcher.DispatchHandler {
  return {
    onRequestStart(controller, context) {
      onConnected();
      handler.onRequestStart?.(controller, context);
    },
    onResponseStart: (...details) => handler.onResponseStart?.(...details),
    onResponseData: (...details) => handler.onResponseData?.(...details),
    onResponseEnd: (...details) => handler.onResponseEnd?.(...details),
    onResponseError: (...details) => handler.onResponseError?.(...details),
  };
}
