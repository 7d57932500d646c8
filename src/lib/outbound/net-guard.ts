/**
 * Protects against server-side request forgery (SSRF). Every target is checked twice: its text before anything is sent
 * (`parseTarget`), and its IP addresses before a socket is opened (`vettedAddresses`). The name is not resolved again,
 * so DNS rebinding is not possible. Refusals never reveal what a name resolved to.
 */
import { AppError } from "../../errors.ts";
import { type AllowList, opensAddress, opensName } from "./allow-list.ts";
import { isLoopback, isPublic, parseAddress } from "./ip-ranges.ts";
import { isLocalhost, type Lookup, lookupName } from "./name-lookup.ts";

export type OutboundGuard = { readonly allow: AllowList; readonly lookup: Lookup };

/** `host` has no brackets, as sockets want it. */
export type OutboundTarget = { readonly url: URL; readonly host: string };

/** Below 1024 are mail, DNS, shells and databases, some of which an HTTP request can misuse. */
const LOWEST_FREE_PORT = 1024;
const WEB_PORTS: ReadonlySet<string> = new Set(["", "80", "443"]);
const REMEDY = "The operator can allow it in ALLOW_PRIVATE_TARGETS";

/** Refuses what can be refused without a DNS lookup: scheme, user info, port, and address literals of any spelling. */
export function parseTarget(text: string, allow: AllowList): OutboundTarget {
  if (!URL.canParse(text)) throw forbidden("The address is not a valid URL.");
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw forbidden("The address has to begin with https:// or http://.");
  }
  const host = hostOf(url);
  if (url.username !== "" || url.password !== "") {
    throw forbidden(`The address of ${host} must not carry a user name or password.`);
  }
  const isOpenPort = WEB_PORTS.has(url.port) || Number(url.port) >= LOWEST_FREE_PORT;
  if (!isOpenPort && !isNamed(host, allow)) {
    throw forbidden(`Port ${url.port} of ${host} is not allowed as a target. ${REMEDY} by naming the host.`);
  }
  vetWithoutLookup(host, allow);
  return { url, host };
}

/**
 * Checks the target of a protocol without URLs like `parseTarget`. Its own port is allowed too. Returns the host as a
 * URL would have it.
 */
export function parseHost(
  text: string,
  { port, ownPort, allow }: { readonly port: number; readonly ownPort: number; readonly allow: AllowList },
): string {
  const url = /[\s/\\@?#%]/.test(text) ? null : URL.parse(`http://${bracketed(text)}/`);
  if (url === null || url.port !== "") throw forbidden("The host is not a valid host name or IP address.");
  const host = hostOf(url);
  if (port !== ownPort && port < LOWEST_FREE_PORT && !isNamed(host, allow)) {
    throw forbidden(`Port ${port} of ${host} is not allowed as a target. ${REMEDY} by naming the host.`);
  }
  vetWithoutLookup(host, allow);
  return host;
}

const bracketed = (host: string): string =>
  host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;

/** The addresses to connect to. One bad address among them refuses the whole name. */
export async function vettedAddresses(
  host: string,
  { allow, lookup }: OutboundGuard,
): Promise<readonly string[]> {
  const addresses = parseAddress(host) === null ? await lookup(host) : [host];
  vet(host, addresses, allow);
  return addresses;
}

/** Checks a later request in advance. A name that does not resolve now is not refused; the request is checked again. */
export async function checkTarget(
  text: string,
  { resolve, allow, lookup = lookupName }: { resolve: boolean; allow: AllowList; lookup?: Lookup },
): Promise<void> {
  const { host } = parseTarget(text, allow);
  if (!resolve || parseAddress(host) !== null) return;
  vet(host, await lookup(host).catch(() => []), allow);
}

/**
 * Where TLS is the rule, an address may only be plain http if its host itself is in the allow list, or is this machine.
 */
export function needsTls(text: string, allow: AllowList): boolean {
  const url = URL.parse(text);
  if (url?.protocol === "https:") return false;
  return url?.protocol !== "http:" || !isTrusted(hostOf(url), allow);
}

/** Returns true if the host is this machine, whatever a name server says: a loopback address or localhost. */
export function isLoopbackHost(host: string): boolean {
  const address = parseAddress(host);
  return address === null ? isLocalhost(host) : isLoopback(address);
}

/** Returns true if the URL itself names this machine. */
export function isLoopbackUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && isLoopbackHost(hostOf(url));
}

/** Is used for addresses that another server has named, and for calls that somebody elsewhere may have made. */
export function withoutLoopback(allow: AllowList): AllowList {
  return { ...allow, loopback: false };
}

function vetWithoutLookup(host: string, allow: AllowList): void {
  if (parseAddress(host) !== null) vet(host, [host], allow);
  else if (isLocalhost(host)) vet(host, ["127.0.0.1"], allow);
}

function vet(host: string, addresses: readonly string[], allow: AllowList): void {
  if (opensName(allow, host)) return;
  const isThisMachine = allow.loopback && isLoopbackHost(host);
  const isOpen = (text: string): boolean => {
    const address = parseAddress(text);
    if (address === null) return false;
    return isPublic(address) || opensAddress(allow, address) || (isThisMachine && isLoopback(address));
  };
  if (addresses.every(isOpen)) return;
  throw forbidden(
    `${host} is, or leads to, a private or local address, which is not allowed as a target. ${REMEDY}.`,
  );
}

/** Returns true if plain connections to this host are safe: the operator has named the host, or it is this machine. */
export function isTrusted(host: string, allow: AllowList): boolean {
  return isNamed(host, allow) || (allow.loopback && isLoopbackHost(host));
}

/** Returns true if the operator has named this host, or the range of this address. */
function isNamed(host: string, allow: AllowList): boolean {
  const address = parseAddress(host);
  return address === null ? opensName(allow, host) : opensAddress(allow, address);
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}

function forbidden(sentence: string): AppError {
  return new AppError("target_forbidden", sentence);
}
