/**
 * Opens a TCP connection through the guard: the name is resolved once, all its addresses are vetted, the socket
 * connects to one of them, and its remote address is compared before a byte is sent.
 */
import { once } from "node:events";
import { connect, isIP, type LookupFunction, type Socket } from "node:net";
import { AppError } from "../../errors.ts";
import { onAbort } from "../async.ts";
import { parseAddress } from "./ip-ranges.ts";
import { type OutboundGuard, vettedAddresses } from "./net-guard.ts";

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

export type Timings = { -readonly [Part in keyof Connection]: Connection[Part] };

/** For connections that no request waits for any more; a request has a shorter limit of its own. */
export const ABANDONED_CONNECT_MS = 60_000;
/** Node's 250 ms drops a far away address too early when the next one, of the other family, has no route. */
const NEXT_ADDRESS_AFTER_MS = 1_000;

export type SocketOptions = {
  readonly guard: OutboundGuard;
  readonly timings: Timings;
  readonly gone: AbortSignal;
};

/** `gone` closes the connection at any time. */
export async function openVetted(
  { host, port }: { readonly host: string; readonly port: number },
  { guard, timings, gone }: SocketOptions,
): Promise<Socket> {
  const began = performance.now();
  const addresses = await vettedAddresses(host, guard);
  if (addresses.length === 0) throw new Error(`${host} has no address.`);
  const resolved = performance.now();
  timings.dnsMs = isIP(host) === 0 ? resolved - began : 0;
  gone.throwIfAborted();
  const socket = connect({
    host,
    port,
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
  throw new AppError("target_forbidden", `The connection to ${host} reached an address that was not vetted.`);
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
