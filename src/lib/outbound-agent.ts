/**
 * Keeps connections to the outside and opens new ones only through the guard: the name is resolved once, all its
 * addresses are vetted, the socket goes to one of exactly those, and where it really ended up is compared before a
 * byte is sent. A connection taken from the pool has therefore passed. The name stays the `Host` and the TLS server
 * name. Proxy variables of the environment play no part: a proxy would connect where we cannot look.
 */
import { once } from "node:events";
import { connect, isIP, type LookupFunction, type Socket } from "node:net";
import { callbackify } from "node:util";
import { Agent, buildConnector, type Dispatcher } from "undici";
import { AppError } from "../errors.ts";
import { parseAddress } from "./ip-ranges.ts";
import { type Guard, vettedAddresses } from "./net-guard.ts";

export type OutboundAgent = {
  /** Calls `onConnected` when a connection, new or kept, takes the request. */
  readonly send: (
    options: Dispatcher.RequestOptions,
    onConnected: () => void,
  ) => Promise<Dispatcher.ResponseData>;
  /** Breaks what is still running. */
  readonly close: () => Promise<void>;
};

/** For connections nobody waits for any more; a request gives up earlier, by its own limit. */
const ABANDONED_CONNECT_MS = 60_000;
/** Node's 250 ms drops a far away address too early when the next one, of the other family, has no route. */
const NEXT_ADDRESS_AFTER_MS = 1_000;

export function outboundAgent(guard: Guard): OutboundAgent {
  const closing = new AbortController();
  // HTTP/1.1 only: leaving a body early ends exactly one connection, and nothing else shares it.
  const tlsConnector = buildConnector({ allowH2: false, timeout: ABANDONED_CONNECT_MS });

  const open = callbackify(async (options: buildConnector.Options): Promise<Socket> => {
    const socket = await openVetted(options, guard, closing.signal);
    return options.protocol === "https:"
      ? startTls(tlsConnector, { ...options, httpSocket: socket })
      : socket;
  });
  const agent = new Agent({
    allowH2: false,
    connect: (options, callback) =>
      open(options, (error, socket) => (error === null ? callback(null, socket) : callback(error, null))),
  });

  return {
    send: (options, onConnected) => agent.compose(tellWhenSent(onConnected)).request(options),
    async close() {
      closing.abort();
      await agent.destroy();
    },
  };
}

async function openVetted(
  { hostname, port, protocol }: buildConnector.Options,
  guard: Guard,
  closing: AbortSignal,
): Promise<Socket> {
  const addresses = await vettedAddresses(hostname, guard);
  if (addresses.length === 0) throw new Error(`${hostname} has no address.`);
  closing.throwIfAborted();
  const socket = connect({
    host: hostname,
    port: Number(port || (protocol === "https:" ? 443 : 80)),
    lookup: answerWith(addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
    noDelay: true,
    keepAlive: true,
  });
  destroyOnClosing(socket, closing);
  await connected(socket, closing);
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

function destroyOnClosing(socket: Socket, closing: AbortSignal): void {
  const destroy = () => socket.destroy();
  closing.addEventListener("abort", destroy, { once: true });
  socket.once("close", () => closing.removeEventListener("abort", destroy));
}

async function connected(socket: Socket, closing: AbortSignal): Promise<void> {
  const giveUp = AbortSignal.any([closing, AbortSignal.timeout(ABANDONED_CONNECT_MS)]);
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

/** undici tells its handler when a connection takes the request, and nobody else: so we listen in between. */
function tellWhenSent(onConnected: () => void): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    dispatch(options, {
      onRequestStart(controller, context) {
        onConnected();
        handler.onRequestStart?.(controller, context);
      },
      onResponseStart: (...details) => handler.onResponseStart?.(...details),
      onResponseData: (...details) => handler.onResponseData?.(...details),
      onResponseEnd: (...details) => handler.onResponseEnd?.(...details),
      onResponseError: (...details) => handler.onResponseError?.(...details),
    });
}
