/**
 * Opens a shop: finds its REST API, checks that WooCommerce is there, and how it accepts the key. Takes two requests.
 */
import { isJsonObject } from "../../lib/json-object.ts";
import { AppError } from "../../errors.ts";
import { HttpFailure } from "../../lib/outbound/http-failure.ts";
import { trimEndOf } from "../../lib/trim-text.ts";
import { requestFailure, type SourceFailure } from "../kit/failure.ts";
import { textIn, textsIn, toObject } from "../kit/json.ts";
import type { ApiAnswer, Judge } from "../kit/json-api.ts";
import { type TryResult, withRetries } from "../kit/retry.ts";
import type { ReadContext, SourceSettings } from "../source.ts";
import {
  accessMethods,
  type WoocommerceConnection,
  PUBLIC,
  type Root,
  wooApi,
  type WooLimits,
} from "./client.ts";
import { failureOf, RULES, wooFailure } from "./failures.ts";
import { type WoocommerceCredentials, parseSettings, siteOf } from "./settings.ts";

export type WoocommerceShop = Awaited<ReturnType<typeof openShop>>;

export async function openShop(
  settings: SourceSettings,
  { http, signal }: Pick<ReadContext, "http" | "signal">,
  limits: WooLimits,
) {
  const connection = { http, signal, limits };
  const parsed = parseSettings(settings);
  const found = await discover(parsed.address, connection);
  const { root, namespaces } = found;
  const needed = parsed.credentials === null ? "wc/store/v1" : "wc/v3";
  if (namespaces !== undefined && !namespaces.includes(needed)) {
    throw failureOf(RULES.noWooCommerce, new URL(root.site).host).error;
  }
  const { credentials } = parsed;
  /** The shop without the key: what it answers to every visitor. */
  const visitor = wooApi(connection, root, PUBLIC);
  const { api, access } =
    credentials === null
      ? { api: visitor, access: PUBLIC.kind }
      : await authenticate(credentials, found, connection);
  return { ...parsed, ...found, limits, api, visitor, access };
}

/** Where the API is, and what the index states. A site may refuse the index to visitors: then the rest is undefined. */
type FoundShop = {
  readonly root: Root;
  readonly name?: string | undefined;
  /** The address that the site has in its own settings. */
  readonly home?: string | undefined;
  readonly namespaces?: readonly string[];
};

async function discover(site: string, connection: WoocommerceConnection): Promise<FoundShop> {
  const { signal, limits } = connection;
  let misses = 0;
  return withRetries(limits.retries, signal, async (): Promise<TryResult<FoundShop>> => {
    const pretty = await readIndex({ kind: "pretty", site }, connection);
    if (!isNotFound(pretty)) return pretty;
    const plain = await readIndex({ kind: "plain", site }, connection);
    const above = plain.kind === "done" ? rootAbove(site, plain.value.home) : null;
    const root = isNotFound(plain) ? await rootLinkedFrom(site, connection) : above;
    const found = root === null ? null : await readIndex(root, connection);
    if (found?.kind === "done") return found;
    if (!isNotFound(plain)) return plain;
    // A web page may be a host's "one moment, please", but most are simply another site: one retry is enough.
    misses += 1;
    return misses === 1 ? pretty : { kind: "failed", failure: { ...pretty.failure, retry: "never" } };
  });
}

function isNotFound(
  attempt: TryResult<FoundShop>,
): attempt is TryResult<FoundShop> & { readonly kind: "failed" } {
  return attempt.kind === "failed" && attempt.failure.error.code === "source_not_found";
}

/** A cache may answer with the page itself, but WordPress sends the address of its API in a header of every page. */
async function rootLinkedFrom(
  site: string,
  { http, signal, limits }: WoocommerceConnection,
): Promise<Root | null> {
  const answer = await http.request({ url: site, signal, limits: limits.http }).catch((error: unknown) => {
    if (error instanceof HttpFailure) return null;
    throw error;
  });
  answer?.discard();
  const link = answer?.status === 200 ? answer.headers["link"] : undefined;
  const url = homeOf(/<([^<>]{1,2000})>;\s*rel="https:\/\/api\.w\.org\/"/.exec(link ?? "")?.[1], site);
  if (url === null) return null;
  const kind = url.searchParams.has("rest_route") ? "plain" : "pretty";
  return { kind, site: preferredSite(siteOf(url.origin + url.pathname), site) };
}

/** One try: `discover` retries when all addresses were tried, and counts the time of all. */
async function readIndex(root: Root, connection: WoocommerceConnection): Promise<TryResult<FoundShop>> {
  const { limits } = connection;
  const once = { ...limits, retries: { ...limits.retries, waitsMs: [], budget: undefined } };
  const api = wooApi({ ...connection, limits: once }, root, PUBLIC);
  try {
    const answer = await api.get("", { _fields: "name,home,url,namespaces" }, () => "usable");
    const failure = indexFailure(answer, api.host);
    return failure === null
      ? { kind: "done", value: parseIndex(root, answer.body) }
      : { kind: "failed", failure };
  } catch (error) {
    const cause = error instanceof AppError ? error.cause : null;
    if (!(cause instanceof HttpFailure)) throw error;
    return { kind: "failed", failure: requestFailure(cause) };
  }
}

function indexFailure(answer: ApiAnswer, host: string): SourceFailure | null {
  const { status, body } = answer;
  const hasIndex = status === 200 && Array.isArray(toObject(body)["namespaces"]);
  // WordPress itself refuses the index to visitors: the key may still be accepted.
  const isRefused = [401, 403].includes(status) && typeof toObject(body)["code"] === "string";
  if (hasIndex || isRefused) return null;
  const nothing = failureOf(RULES.noApi, host, answer);
  if (status === 404) return nothing;
  if (status !== 200) return wooFailure(answer, host) ?? nothing;
  return { ...nothing, retry: body === null ? "now" : "never" };
}

function parseIndex(root: Root, body: unknown): FoundShop {
  const index = toObject(body);
  if (!Array.isArray(index["namespaces"])) return { root };
  const home = textIn(index, "home") ?? textIn(index, "url");
  return {
    root: { ...root, site: preferredSite(root.site, home) },
    name: textIn(index, "name"),
    home,
    namespaces: textsIn(index, "namespaces"),
  };
}

/** Tries the ways of sending the key until the shop sees it, whether it accepts the key or not. */
async function authenticate(
  credentials: WoocommerceCredentials,
  { root, home }: FoundShop,
  connection: WoocommerceConnection,
) {
  const methods = accessMethods(credentials, root.site, home);
  for (const access of methods) {
    const api = wooApi(connection, root, access);
    const isLast = access === methods.at(-1);
    const mayBeUnseen = !isLast || root.kind === "plain";
    const judge: Judge = (answer) =>
      isUnseen(answer) && mayBeUnseen ? "usable" : wooFailure(answer, api.host);
    const answer = await api.get("wc/v3/products", { per_page: 1, _fields: "id" }, judge);
    if (!isUnseen(answer)) return { api, access: access.kind };
  }
  const rule = root.kind === "plain" ? RULES.plainPermalinks : RULES.unseenKey;
  throw failureOf(rule, new URL(root.site).host).error;
}

/** The answer to a request without a key. */
function isUnseen({ status, body }: ApiAnswer): boolean {
  return status === 401 && isJsonObject(body) && body["code"] !== "woocommerce_rest_authentication_error";
}

/**
 * The address to use, of the one entered and the shop's home. If the home only adds `www.` or TLS, it is used, because
 * a redirect would lose the key. The key is never sent to another host.
 */
export function preferredSite(entered: string, home: string | undefined): string {
  const own = homeOf(home, entered);
  const { protocol, origin } = new URL(entered);
  const isDowngrade = protocol === "https:" && own?.protocol !== "https:";
  return own === null || isDowngrade ? entered : entered.replace(origin, own.origin);
}

/** The shop, if the entered address is one of its pages: WordPress answers below any page, but accepts no key there. */
function rootAbove(entered: string, home: string | undefined): Root | null {
  const own = homeOf(home, entered);
  const { origin, pathname } = new URL(entered);
  const folder = trimEndOf(own?.pathname ?? "", /\//);
  const isBelow = pathname.startsWith(`${folder}/`) && trimEndOf(pathname, /\//) !== folder;
  return own !== null && isBelow ? { kind: "pretty", site: origin + folder } : null;
}

/** An address that the shop states; null if it is on another host than the one entered. */
function homeOf(stated: string | undefined, entered: string): URL | null {
  const url = URL.parse(stated ?? "");
  return url === null || bareHost(url) !== bareHost(new URL(entered)) ? null : url;
}

function bareHost({ host }: URL): string {
  return host.replace(/^www\./, "");
}
