/**
 * An address of a shop's API that the user gave instead of the platform's own: a proxy, a sandbox, a test server. The
 * access token is sent there, so plain http is for one's own network only; whether that may be reached at all is the
 * guard's to say.
 */
import { isPublic, parseAddress } from "../lib/outbound/ip-ranges.ts";

/** What is wrong with the address; null if nothing is. */
export function apiAddressProblem(text: string): string | null {
  const url = URL.parse(text);
  if (url === null || !maySendTo(url)) {
    return "Must be a full address that begins with https://. Plain http:// is for your own network only.";
  }
  const { username, password, search, hash } = url;
  if (username + password + search + hash === "") return null;
  return "Must not hold a user name, a password, or anything after ? or #.";
}

function maySendTo({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || (protocol === "http:" && isOwnNetwork(hostname));
}

/** Names that no public resolver knows (RFC 6761, 6762, 9476 and common use). */
const OWN_NAMES = /^[^.]+$|\.(?:localhost|local|internal|lan|test|home\.arpa)$/;

function isOwnNetwork(host: string): boolean {
  const address = parseAddress(host.replace(/^\[|\]$/g, ""));
  return address === null ? OWN_NAMES.test(host) : !isPublic(address);
}
