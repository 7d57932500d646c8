/**
 * Decides by its host whether an address can be opened from the internet. The feeds, their validators and the audit ask
 * the same question here. Names are not looked up. The host of an address that was parsed is lower-case.
 */
import { COLON, HASH, NINE, OPEN_BRACKET, QUESTION_MARK, SLASH, ZERO } from "./char-codes.ts";

/**
 * Last labels of names for private networks: RFC 6761, RFC 6762 with its appendix G, RFC 8375, RFC 9476 and ICANN's
 * `internal`. `example` is reserved too, and is the host of every example and demo.
 */
const PRIVATE_LABELS = new Set(
  "alt arpa corp home internal intranet invalid lan local localhost private test".split(" "),
);

/** Returns the host of an absolute http(s) URL without credentials, without its port. */
export function hostOf(url: string): string {
  const start = url.indexOf("//") + 2;
  let end = start;
  for (; end < url.length; end++) {
    const code = url.charCodeAt(end);
    if (code === SLASH || code === QUESTION_MARK || code === HASH) break;
    if (code === COLON && url.charCodeAt(start) !== OPEN_BRACKET) break;
  }
  return url.slice(start, end);
}

/**
 * A host is public if it is a name of at least two labels that is not of a private network. No IP address is: a
 * destination asks for the shop's own domain, and only a host that is an IP address ends with a digit or begins with a
 * bracket.
 */
export function isPublicHost(host: string): boolean {
  const name = host.endsWith(".") ? host.slice(0, -1) : host;
  const last = name.charCodeAt(name.length - 1);
  const dot = name.lastIndexOf(".");
  if (dot < 0 || name.charCodeAt(0) === OPEN_BRACKET || (last >= ZERO && last <= NINE)) return false;
  return !PRIVATE_LABELS.has(name.slice(dot + 1));
}

export const hasPublicHost = (url: string): boolean => isPublicHost(hostOf(url));
