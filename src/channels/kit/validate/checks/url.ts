/** Checks of web addresses. */
import { shownNumber } from "../../field-table.ts";
import { isPublic, parseAddress } from "../../../../lib/outbound/ip-ranges.ts";

/** The form of nearly all addresses; any other one is parsed. */
const PLAIN =
  /^https?:\/\/(?:[a-z0-9-]{1,63}\.){1,10}[a-z]{2,24}(?::\d{1,5})?(?:[/?#](?:[\w.~!$&'()*+,;=:@/?#-]|%[\da-f]{2})*)?$/i;
const LOCAL_PLAIN = /^https?:\/\/[^/?#:]*\.(?:localhost|local|internal|test)(?:[/?#:]|$)/i;
const LOCAL_NAME = /(?:^|\.)(?:localhost|local|internal|test)\.?$/i;
const UNENCODED = "has characters that must be percent-encoded";
const LOCAL = "leads to a local host";
const ILLEGAL = /[\s"<>\\^`{|}]/;

/** Why an address cannot be followed, as the end of a sentence; undefined when it can. */
export function addressFault(text: string): string | undefined {
  if (PLAIN.test(text)) return LOCAL_PLAIN.test(text) ? LOCAL : undefined;
  if (/\s/.test(text)) return "has white space in it";
  const url = URL.parse(text);
  if (url !== null) return partsFault(url) ?? (ILLEGAL.test(text) ? UNENCODED : hostFault(url.hostname));
  return /^[a-z][a-z0-9+.-]*:/i.test(text) ? "is not a web address" : "is relative";
}

function partsFault({ protocol, username, password }: URL): string | undefined {
  if (protocol !== "https:" && protocol !== "http:") return "is neither https nor http";
  return username === "" && password === "" ? undefined : "contains a user name or password";
}

/** What a destination asks of an address beyond that: at most so many characters, ASCII, and a name for a host. */
export function strictAddressFault(text: string, longest: number): string | undefined {
  if (text.length > longest) return `is longer than ${shownNumber(longest)} characters`;
  if (/[^\x20-\x7e]/.test(text)) return "has characters beyond ASCII";
  const fault = addressFault(text);
  if (fault !== undefined || PLAIN.test(text)) return fault;
  const host = URL.parse(text)?.hostname ?? "";
  return parseAddress(bare(host)) === null ? undefined : "has an IP address for a host";
}

function hostFault(host: string): string | undefined {
  if (LOCAL_NAME.test(host)) return LOCAL;
  const address = parseAddress(bare(host));
  return address === null || isPublic(address) ? undefined : "leads to a private address";
}

function bare(host: string): string {
  return host.startsWith("[") ? host.slice(1, -1) : host;
}

const EXTENSION = /\.([a-z0-9]{2,5})$/i;

/** The extension of the file an address names, in lower case. */
export function extensionOf(address: string): string | undefined {
  const path = address.replace(/[?#].*$/s, "");
  return EXTENSION.exec(path.slice(path.lastIndexOf("/") + 1))?.[1]?.toLowerCase();
}

const PLACEHOLDER =
  /^(?:(?:image[-_])?placeholder|no[-_]?(?:image|photo|picture)|default(?:[-_]image)?|(?:image[-_])?coming[-_]?soon)(?:[-_][\dx_-]+)?$/i;

/** Whether the file name is that of a placeholder. Folders and parts of names do not count. */
export function isPlaceholderImage(address: string): boolean {
  const path = address.replace(/[?#].*$/s, "");
  return PLACEHOLDER.test(path.slice(path.lastIndexOf("/") + 1).replace(/\.[a-z0-9]+$/i, ""));
}
