/**
 * Links that every feed accepts: absolute http(s), ASCII, percent-encoded, no credentials, at most 2,000
 * characters. The platform's URL parser decides what an address is; we add the encoding RFC 3986 asks for beyond it.
 * Commas are kept: whether they need escaping depends on the feed.
 */
import { GOOGLE_LIMITS } from "./google-limits.ts";
import { type Checked, type Invalid, invalid, valid } from "./checked.ts";

/** Parsing can shorten a text (dot segments, tabs), but nothing honest starts this long. */
const MAX_RAW_LENGTH = 4_000;

/**
 * Addresses that the URL parser would return unchanged: most of what shops send. No host in punycode and no dot
 * segments, which it checks and resolves.
 */
const CANONICAL =
  /^https?:\/\/(?:(?!xn--)[a-z0-9-]+\.)+[a-z]{2,}(?:\/(?!\.|%2[eE])[\w.~!$&()*+,;=:@-]*(?:%[\dA-Fa-f]{2}[\w.~!$&()*+,;=:@-]*)*)+(?:\?[\w.~!$&()*+,;=:@/?-]*(?:%[\dA-Fa-f]{2}[\w.~!$&()*+,;=:@/?-]*)*)?$/;
/** Matches `&amp;` and `&#038;`, which WordPress and careless templates write in addresses for `&`. */
const ESCAPED_AMPERSAND = /&(?:amp|#0*38);/g;
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
const ROOTED = /^(?:\/|\.{1,2}\/|\?)/;
/** Left alone by the URL parser, yet not allowed bare by RFC 3986. */
const UNSAFE = /[\\^`{|}[\]"<>\s]|%(?![\dA-Fa-f]{2})/g;

/**
 * Reads a link. `base` is where relative links start; only those that begin with `/`, `./`, `../` or `?` are taken
 * for relative, so that stray words do not become pages of the shop.
 */
export function parseUrl(text: string, base?: string): Checked<string> {
  if (text.length > MAX_RAW_LENGTH) return invalid("too_long");
  if (CANONICAL.test(text) && !text.includes("&amp;"))
    return text.length > GOOGLE_LIMITS.url ? invalid("too_long") : valid(text);
  const trimmed = text.trim().replace(ESCAPED_AMPERSAND, "&");
  const url = parse(trimmed, base);
  return typeof url === "string" ? invalid(url) : fromUrl(url);
}

function parse(text: string, base: string | undefined): URL | Invalid["reason"] {
  if (SCHEME.test(text)) return URL.parse(text) ?? "not_an_address";
  if (text.startsWith("//")) return URL.parse(text, base ?? "https://localhost") ?? "not_an_address";
  if (!ROOTED.test(text)) return /^www\./i.test(text) ? "missing_scheme" : "not_an_address";
  return base === undefined ? "relative" : (URL.parse(text, base) ?? "not_an_address");
}

function fromUrl(url: URL): Checked<string> {
  if (url.protocol !== "https:" && url.protocol !== "http:") return invalid("wrong_scheme");
  if (url.username !== "" || url.password !== "") return invalid("has_credentials");
  // Brackets around an IPv6 host are fine; they are not in what follows the origin.
  const address = url.origin + url.href.slice(url.origin.length).replace(UNSAFE, percentEncode);
  return address.length > GOOGLE_LIMITS.url ? invalid("too_long") : valid(address);
}

function percentEncode(char: string): string {
  return `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
}
