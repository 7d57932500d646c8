/**
 * The first words with a shop: where its REST API is, whether WooCommerce is there, and by which way in it takes the
 * key. What was found out is remembered for the rest of the read and no longer; it costs two requests.
 */
import { AppError } from "../../errors.ts";
import type { HttpClient } from "../../lib/outbound/http-client.ts";
import { HttpFailure } from "../../lib/outbound/http-failure.ts";
import { requestFailure, type SourceFailure } from "../kit/failure.ts";
import type { ApiAnswer, Judge } from "../kit/json-api.ts";
import { type Attempt, withRetries } from "../kit/retry.ts";
import type { SourceSettings } from "../source.ts";
import { type Access, waysIn } from "./access.ts";
import { homeAbove, type Root, rootInLink, settledSite, siteOf } from "./address.ts";
import { type ApiOptions, wooApi, type WooApi } from "./api.ts";
import { failureOf, MEANINGS, wooFailure } from "./failures.ts";
import type { WooLimits } from "./limits.ts";
import { checkWoo, type Credentials, credentialsOf } from "./settings.ts";
import { isRow, textIn, textsIn } from "./wire.ts";

export type Shop = {
  readonly api: WooApi;
  /** The same shop without the key: what it answers to every visitor. */
  readonly visitor: WooApi;
  readonly site: string;
  readonly access: Access["kind"];
  readonly name: string | null;
  /** What the site calls itself; null where it does not tell strangers. */
  readonly home: string | null;
  /** Null where the site does not list them to strangers. */
  readonly namespaces: readonly string[] | null;
};

export type Connecting = {
  readonly http: HttpClient;
  readonly signal: AbortSignal;
  readonly limits: WooLimits;
};

export async function connect(settings: SourceSettings, connecting: Connecting): Promise<Shop> {
  connecting.signal.throwIfAborted();
  const [problem] = checkWoo(settings);
  if (problem !== undefined) {
    throw new AppError(
      "source_settings_invalid",
      `The setting ${problem.setting} is wrong. ${problem.detail}`,
    );
  }
  const credentials = credentialsOf(settings);
  const found = await discover(siteOf(settings["url"] ?? ""), connecting);
  const needed = credentials === null ? "wc/store/v1" : "wc/v3";
  const { host } = new URL(found.root.site);
  if (found.namespaces !== null && !found.namespaces.includes(needed)) {
    throw failureOf(MEANINGS.NO_WOOCOMMERCE, host).error;
  }
  const { api, access } = await enter(credentials, found, connecting);
  const visitor = wooApi({ ...connecting, root: found.root, access: { kind: "public" } });
  return { ...found, site: found.root.site, api, visitor, access };
}

type Found = Pick<Shop, "name" | "home" | "namespaces"> & { readonly root: Root };

const INDEX = { _fields: "name,home,url,namespaces" };

async function discover(site: string, connecting: Connecting): Promise<Found> {
  const { signal, limits } = connecting;
  let webPages = 0;
  return withRetries(limits.retries, signal, async (): Promise<Attempt<Found>> => {
    const pretty = await lookAt({ kind: "pretty", site }, connecting);
    if (pretty.kind === "done" || pretty.failure.error.code !== "source_not_found") return pretty;
    const plain = await lookAt({ kind: "plain", site }, connecting);
    if (plain.kind === "done") return (await aboveThePage(site, plain.value, connecting)) ?? plain;
    if (plain.failure.error.code !== "source_not_found") return plain;
    const linked = await linkedFrom(site, connecting);
    if (linked !== null) return linked;
    // A web page may be a host's "one moment, please", but most are simply another site: one further look is enough.
    webPages += 1;
    const retry = webPages > 1 ? "never" : pretty.failure.retry;
    return { kind: "failed", failure: { ...pretty.failure, retry } };
  });
}

/** WordPress answers below any of its pages, but takes no key there: the shop itself is where it says its home is. */
async function aboveThePage(
  site: string,
  { home }: Found,
  connecting: Connecting,
): Promise<Attempt<Found> | null> {
  const above = homeAbove(site, home);
  if (above === null) return null;
  const pretty = await lookAt({ kind: "pretty", site: above }, connecting);
  return pretty.kind === "done" ? pretty : null;
}

/** A cache may answer with the page itself, but that page names its API. */
async function linkedFrom(site: string, connecting: Connecting): Promise<Attempt<Found> | null> {
  const { http, signal, limits } = connecting;
  try {
    const answer = await http.request({ url: site, signal, limits: limits.http });
    answer.discard();
    const root = answer.status === 200 ? rootInLink(answer.headers["link"], site) : null;
    const found = root === null ? null : await lookAt(root, connecting);
    return found?.kind === "done" ? found : null;
  } catch (error) {
    if (error instanceof HttpFailure) return null;
    throw error;
  }
}

async function lookAt(root: Root, connecting: Connecting): Promise<Attempt<Found>> {
  // One try: whether to try again is decided when both addresses have been looked at.
  const limits = { ...connecting.limits, retries: { ...connecting.limits.retries, waitsMs: [] } };
  const api = wooApi({ ...connecting, limits, root, access: { kind: "public" } });
  const judged: { failure: SourceFailure | null } = { failure: null };
  const judge: Judge = (answer) => {
    judged.failure = indexFailure(answer, api.host);
    return judged.failure ?? "usable";
  };
  try {
    const { body } = await api.get("", INDEX, judge);
    return { kind: "done", value: foundAt(root, body) };
  } catch (error) {
    const failure = judged.failure ?? unanswered(error);
    if (failure === null) throw error;
    return { kind: "failed", failure };
  }
}

function unanswered(error: unknown): SourceFailure | null {
  const cause = error instanceof AppError ? error.cause : null;
  return cause instanceof HttpFailure ? requestFailure(cause) : null;
}

/** A site that tells strangers nothing may still talk to the key: that is no failure yet. */
function indexFailure(answer: ApiAnswer, host: string): SourceFailure | null {
  const { status, body } = answer;
  if (isIndex(answer) || isClosed(answer)) return null;
  const nothing = failureOf(MEANINGS.NOTHING_HERE, host, answer);
  if (status === 404) return nothing;
  if (status !== 200) return wooFailure(answer, host) ?? nothing;
  return { ...nothing, retry: body === null ? "now" : "never" };
}

function isIndex({ status, body }: ApiAnswer): boolean {
  return status === 200 && isRow(body) && Array.isArray(body["namespaces"]);
}

/** WordPress itself refuses, not something in front of it. */
function isClosed({ status, body }: ApiAnswer): boolean {
  return (status === 401 || status === 403) && isRow(body) && typeof body["code"] === "string";
}

function foundAt(root: Root, body: unknown): Found {
  const index = isRow(body) && Array.isArray(body["namespaces"]) ? body : null;
  if (index === null) return { root, name: null, home: null, namespaces: null };
  const home = textIn(index, "home") ?? textIn(index, "url") ?? null;
  return {
    root: { ...root, site: settledSite(root.site, home) },
    name: textIn(index, "name") ?? null,
    home,
    namespaces: textsIn(index, "namespaces"),
  };
}

type Entered = { readonly api: WooApi; readonly access: Access["kind"] };

/** Tries the ways in until the shop sees the key, accepted or refused. */
async function enter(
  credentials: Credentials | null,
  { root, home }: Found,
  connecting: Connecting,
): Promise<Entered> {
  const options = (access: Access): ApiOptions => ({ ...connecting, root, access });
  if (credentials === null) return { api: wooApi(options({ kind: "public" })), access: "public" };
  const ways = waysIn(credentials, root.site, home);
  for (const access of ways) {
    const api = wooApi(options(access));
    const isLast = access === ways.at(-1);
    const mayBeUnseen = !isLast || root.kind === "plain";
    const judge: Judge = (answer) =>
      isUnseen(answer) && mayBeUnseen ? "usable" : wooFailure(answer, api.host);
    const answer = await api.get("wc/v3/products", { per_page: "1", _fields: "id" }, judge);
    if (!isUnseen(answer)) return { api, access: access.kind };
  }
  const unseen = root.kind === "plain" ? MEANINGS.PLAIN_LINKS : MEANINGS.UNSEEN_KEY;
  throw failureOf(unseen, new URL(root.site).host).error;
}

/** Answered as a stranger would be. */
function isUnseen({ status, body }: ApiAnswer): boolean {
  return status === 401 && isRow(body) && body["code"] !== "woocommerce_rest_authentication_error";
}
