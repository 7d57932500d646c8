/**
 * Where a shop's REST API is. WordPress serves it under `/wp-json/`, or by `?rest_route=` on sites without pretty
 * permalinks; either may stand in a folder. Merchants paste what is in their address bar, so what WordPress itself
 * adds to it is taken off again.
 */
import { trimEndOf } from "../../lib/trim-text.ts";
export type Root = { readonly kind: "pretty" | "plain"; readonly site: string };

export type Query = Readonly<Record<string, string>>;

/** Parts of an address that belong to WordPress and not to the place it is installed in. */
const WORDPRESS_PATHS = /\/(?:wp-json|wp-admin|wp-login\.php|index\.php)(?:\/.*)?$/is;

/** The place WordPress is installed in, without a slash at its end. */
export function siteOf(address: string): string {
  const url = new URL(address.trim());
  return url.origin + trimEndOf(url.pathname.replace(WORDPRESS_PATHS, ""), /\//);
}

/** `route` has no slash at either end; empty for the index. */
export function routeUrl({ kind, site }: Root, route: string, query: Query): string {
  const all = kind === "pretty" ? query : { rest_route: `/${route}`, ...query };
  const path = kind === "pretty" ? `/wp-json/${route}` : "/";
  const search = new URLSearchParams(all).toString();
  return `${site}${path}${search === "" ? "" : `?${search}`}`;
}

/**
 * The address to talk to, of the one typed and the one the shop gives itself. A shop that only adds `www.` or TLS is
 * followed, because a redirect would lose the key on the way. Any other host is not: the key goes where it was meant.
 */
export function settledSite(typed: string, home: string | null): string {
  const own = home === null ? null : URL.parse(home);
  const given = new URL(typed);
  if (own === null || bareHost(own) !== bareHost(given)) return typed;
  const isDowngrade = given.protocol === "https:" && own.protocol !== "https:";
  return isDowngrade ? typed : typed.replace(given.origin, own.origin);
}

/**
 * The place that a page belongs to, by what its shop calls itself: null unless the address lies below it, on the same
 * host. Merchants paste the address of a product as that of the shop.
 */
export function homeAbove(typed: string, home: string | null): string | null {
  const own = home === null ? null : URL.parse(home);
  const given = new URL(typed);
  if (own === null || bareHost(own) !== bareHost(given)) return null;
  const folder = trimEndOf(own.pathname, /\//);
  return given.pathname.startsWith(`${folder}/`) && trimEndOf(given.pathname, /\//) !== folder
    ? given.origin + folder
    : null;
}

/** Where a page says its API is, in the header that WordPress sends with each; null if that is another host. */
export function rootInLink(link: string | undefined, typed: string): Root | null {
  const named = /<([^<>]{1,2000})>;\s*rel="https:\/\/api\.w\.org\/"/.exec(link ?? "")?.[1];
  const url = named === undefined ? null : URL.parse(named);
  if (url === null || bareHost(url) !== bareHost(new URL(typed))) return null;
  const kind = url.searchParams.has("rest_route") ? "plain" : "pretty";
  return { kind, site: settledSite(siteOf(url.origin + url.pathname), typed) };
}

function bareHost({ host }: URL): string {
  return host.replace(/^www\./, "");
}
