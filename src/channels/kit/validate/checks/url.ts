/** Checks of web addresses. */
import { shownNumber } from "../../field-table.ts";
import { hostOf, isPublicHost } from "../../../../lib/public-host.ts";

/** The form of nearly all addresses; any other one is parsed. */
const PLAIN =
  /^https?:\/\/(?:[a-z0-9-]{1,63}\.){1,10}[a-z]{2,24}(?::\d{1,5})?(?:[/?#](?:[\w.~!$&'()*+,;=:@/?#-]|%[\da-f]{2})*)?$/i;
/** The fault of an address whose host is not public. */
export const PRIVATE_HOST =
  "cannot be opened from the internet: its host is an IP address or a name of a private network";
const UNENCODED = "has characters that must be percent-encoded";
const ILLEGAL = /[\s"<>\\^`{|}]/;

/** Why an address cannot be followed, as the end of a sentence; undefined when it can. */
export function addressFault(text: string): string | undefined {
  if (PLAIN.test(text)) return hostFault(hostOf(text).toLowerCase());
  if (/\s/.test(text)) return "has white space in it";
  const url = URL.parse(text);
  if (url !== null) return partsFault(url) ?? (ILLEGAL.test(text) ? UNENCODED : hostFault(url.hostname));
  return /^[a-z][a-z0-9+.-]*:/i.test(text) ? "is not a web address" : "is relative";
}

function partsFault({ protocol, username, password }: URL): string | undefined {
  if (protocol !== "https:" && protocol !== "http:") return "is neither https nor http";
  return username === "" && password === "" ? undefined : "contains a user name or password";
}

function hostFault(host: string): string | undefined {
  return isPublicHost(host) ? undefined : PRIVATE_HOST;
}

/** Checks the further limits of a destination: a maximum number of characters, and ASCII. */
export function strictAddressFault(text: string, longest: number): string | undefined {
  if (text.length > longest) return `is longer than ${shownNumber(longest)} characters`;
  return /[^\x20-\x7e]/.test(text) ? "has characters beyond ASCII" : addressFault(text);
}

const EXTENSION = /\.([a-z0-9]{2,5})$/i;

/** The extension of the file an address names, in lower case. */
export function extensionOf(address: string): string | undefined {
  const path = address.replace(/[?#].*$/s, "");
  return EXTENSION.exec(path.slice(path.lastIndexOf("/") + 1))?.[1]?.toLowerCase();
}

const PLACEHOLDER =
  /^(?:(?:image[-_]|woocommerce[-_])?placeholder|no[-_]?(?:image|photo|picture)|default(?:[-_]image)?|(?:image[-_])?coming[-_]?soon)(?:[-_][\dx_-]+)?$/i;

/** Whether the file name is that of a placeholder. Folders and parts of names do not count. */
export function isPlaceholderImage(address: string): boolean {
  const path = address.replace(/[?#].*$/s, "");
  return PLACEHOLDER.test(path.slice(path.lastIndexOf("/") + 1).replace(/\.[a-z0-9]+$/i, ""));
}
