/** Which host an address names, and whether the open web can reach it. Addresses are those of an item: checked and lower-case. */

/** The host of an absolute http(s) address, without its port. */
export function hostOf(address: string): string {
  const start = address.indexOf("//") + 2;
  let end = start;
  for (; end < address.length; end++) {
    const code = address.charCodeAt(end);
    if (code === SLASH || code === QUESTION || code === HASH) break;
    if (code === COLON && address.charCodeAt(start) !== BRACKET) break;
  }
  return address.slice(start, end);
}

const SLASH = 47;
const COLON = 58;
const QUESTION = 63;
const HASH = 35;
const BRACKET = 91;
const ZERO = 48;
const NINE = 57;

export function bareHost(host: string): string {
  return host.startsWith("www.") ? host.slice(4) : host;
}

/** One host, or one below the other: `shop.example` and `www.shop.example`, not `shop.example` and `other.example`. */
export function isSameSite(a: string, b: string): boolean {
  const [one, other] = [bareHost(a), bareHost(b)];
  return one === other || one.endsWith(`.${other}`) || other.endsWith(`.${one}`);
}

/** Names that never leave a house or a machine (RFC 6761, RFC 6762, RFC 9476 and ICANN's `internal`). */
const PRIVATE_ENDS = [".local", ".localhost", ".internal", ".alt", ".invalid"];

/** Names a public site: no bare word, no number, no name that only one network knows. */
export function isPublicHost(host: string): boolean {
  const last = host.charCodeAt(host.length - 1);
  if (!host.includes(".") || host.charCodeAt(0) === BRACKET || (last >= ZERO && last <= NINE)) return false;
  return !PRIVATE_ENDS.some((end) => host.endsWith(end));
}

/** What a link's host gives away. */
export type HostSigns = {
  readonly host: string;
  readonly isPublic: boolean;
  /** Whether it is the store's own site; true when no store is named. */
  readonly isOwn: boolean;
};

export function hostSigns(address: string, store: string | null): HostSigns {
  const host = hostOf(address);
  return { host, isPublic: isPublicHost(host), isOwn: store === null || isSameSite(host, store) };
}

/** A language, and a page that only leads to others. */
const HOME_PATH =
  /^\/?(?:(?:ar|cs|da|de|el|en|es|fi|fr|hu|it|ja|ko|nb|nl|no|pl|pt|ro|ru|sk|sv|tr|uk|zh)(?:[-_][a-z]{2})?\/?)?(?:(?:index|home|default|shop|store)(?:\.[a-z]{3,5})?\/?)?$/i;
const TRACKING = /^(?:utm_[a-z]+|gclid|fbclid|srsltid|ref|source|currency|country|lang)=/i;
const LONGEST_HOME = 24;

/** Whether an address names the first page of a site: nothing of the path or the query says which product is meant. */
export function isHomePage(address: string): boolean {
  const start = address.indexOf("/", address.indexOf("//") + 2);
  const rest =
    start < 0 ? address.slice(address.indexOf("//") + 2 + hostOf(address).length) : address.slice(start);
  if (rest.includes("#")) return false;
  const [path = "", query = ""] = rest.split("?", 2);
  if (path.length > LONGEST_HOME || !HOME_PATH.test(path)) return false;
  return query === "" || query.split("&").every((part) => TRACKING.test(part));
}
