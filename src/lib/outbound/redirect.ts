/**
 * The next request after a redirect. To another origin only a few headers are sent, and never credentials or a body. A
 * redirect from https to http is refused.
 */
export type Hop = {
  readonly method: "GET" | "POST" | "DELETE";
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
};

export type NextHop = { readonly hop: Hop } | { readonly refusal: string };

/** 300 and 304 are not redirects to follow. */
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const KEEPS_METHOD: ReadonlySet<number> = new Set([307, 308]);
const HARMLESS_HEADERS: ReadonlySet<string> = new Set([
  "accept",
  "accept-encoding",
  "user-agent",
  "if-none-match",
  "if-modified-since",
]);

/** A redirect status without a Location is an ordinary answer. */
export function isRedirect(status: number, location: string | undefined): location is string {
  return REDIRECTS.has(status) && location !== undefined;
}

export function nextHop(from: Hop, status: number, location: string): NextHop {
  if (!URL.canParse(location, from.url)) return { refusal: "to something that is not a valid URL" };
  const url = new URL(location, from.url);
  const before = new URL(from.url);
  if (before.protocol === "https:" && url.protocol === "http:") return { refusal: "from https down to http" };

  const isSameOrigin = url.origin === before.origin;
  const keepsBody = from.method === "POST" && KEEPS_METHOD.has(status);
  if (keepsBody && !isSameOrigin) return { refusal: "with a request body to another origin" };
  if (keepsBody) return { hop: { ...from, url: url.href } };
  const headers = Object.entries(from.headers).filter(([name]) =>
    isSameOrigin ? !name.startsWith("content-") : HARMLESS_HEADERS.has(name),
  );
  return { hop: { method: "GET", url: url.href, headers: Object.fromEntries(headers), body: null } };
}
