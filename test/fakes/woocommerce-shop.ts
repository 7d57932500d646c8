/**
 * A WooCommerce shop on a loopback port: REST API, Store API, Analytics list, key check, paging, totals, and every
 * way a real one misbehaves that a test asks for. Its catalog may be changed at any time, also between two pages.
 */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { HttpClient } from "../../src/lib/http-client.ts";
import { callerOf, type Gate, type Keys, REFUSALS } from "./woocommerce-auth.ts";
import { SHOP_URL, storeRow, type WooRow } from "./woocommerce-rows.ts";

export const KEYS: Keys = { key: "ck_0123456789abcdef", secret: "cs_fedcba9876543210" };

export type Fault = {
  /** Of the route, such as `wc/v3/products`; exact. */
  readonly route: string;
  /** Only from this request to the route on, counted from 1. */
  readonly from?: number;
  /** How often; for ever unless said. */
  readonly times?: number;
  readonly status: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

export type WooShop = AsyncDisposable & {
  readonly origin: string;
  products: WooRow[];
  variations: WooRow[];
  categories: WooRow[];
  /** By group, as the settings routes list them. */
  settings: Record<string, Record<string, string>>;
  readonly gate: Gate;
  /** Where WordPress is installed: `""` or `/store`. */
  folder: string;
  hasPrettyLinks: boolean;
  hasWooCommerce: boolean;
  /** Whether strangers get the index. */
  hasOpenIndex: boolean;
  hasVariationList: boolean;
  hasAnalytics: boolean;
  /** A proxy may drop the header. */
  sendsTotals: boolean;
  /** The most rows of a page, whatever is asked: a plugin's doing. */
  pageCap: number;
  /** Ids that are counted and not given: WordPress cannot load them. */
  unshown: number[];
  /** Variations that no list gives or counts, as if there were none: a plugin's doing. */
  unlisted: number[];
  mayReadSettings: boolean;
  /** PHP's own words in front of every answer. */
  noise: string;
  readonly fail: (fault: Fault) => void;
  /** Runs before the nth request to the route is answered. */
  readonly before: (route: string, nth: number, act: () => void) => void;
  readonly requests: SeenRequest[];
  readonly busy: () => number;
  /** The most answers that were ever under way at once. */
  readonly mostBusy: () => number;
  /** The shop as seen through its TLS front, at `SHOP_URL`. */
  readonly overTls: (http: HttpClient) => HttpClient;
};

export type SeenRequest = {
  readonly route: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
};

type Answer = { readonly status: number; readonly body: unknown; readonly total?: number };

const GROUPS = {
  general: { woocommerce_currency: "EUR", woocommerce_calc_taxes: "yes" },
  products: { woocommerce_weight_unit: "kg", woocommerce_dimension_unit: "cm" },
  tax: { woocommerce_prices_include_tax: "yes", woocommerce_tax_display_shop: "incl" },
};

export async function wooShop(): Promise<WooShop> {
  const faults: { fault: Fault; left: number }[] = [];
  const acts: { route: string; nth: number; act: () => void }[] = [];
  const seen = new Map<string, number>();
  let busy = 0;
  let mostBusy = 0;

  const server = createServer((request, response) => {
    busy += 1;
    mostBusy = Math.max(mostBusy, busy);
    let isOpen = true;
    const close = (): void => {
      if (isOpen) busy -= 1;
      isOpen = false;
    };
    response.on("finish", close).on("close", close).on("error", close);
    const url = new URL(request.url ?? "/", shop.origin);
    const route = routeOf(url, shop);
    if (route === null) {
      sendFault({ route: "", status: 404, body: "<html>Not found" }, response);
      return;
    }
    const nth = (seen.get(route) ?? 0) + 1;
    seen.set(route, nth);
    shop.requests.push({ route, query: Object.fromEntries(url.searchParams), headers: request.headers });
    for (const { act } of acts.filter((one) => one.route === route && one.nth === nth)) act();
    const failing = faults.find(
      ({ fault, left }) => fault.route === route && left > 0 && nth >= (fault.from ?? 1),
    );
    if (failing !== undefined) failing.left -= 1;
    // A turn later, so that requests that come together are under way together.
    setImmediate(() => {
      if (failing !== undefined) sendFault(failing.fault, response);
      else send(answerTo(route, url, request.headers, shop), response, shop);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;

  const shop: WooShop = {
    origin,
    products: [],
    variations: [],
    categories: [],
    settings: structuredClone(GROUPS),
    gate: {
      keys: KEYS,
      stripsAuthorization: false,
      seesTls: true,
      home: SHOP_URL,
      nonces: new Set(),
      clockAheadS: 0,
    },
    folder: "",
    hasPrettyLinks: true,
    hasWooCommerce: true,
    hasOpenIndex: true,
    hasVariationList: true,
    hasAnalytics: true,
    sendsTotals: true,
    pageCap: 100,
    unshown: [],
    unlisted: [],
    mayReadSettings: true,
    noise: "",
    fail: (fault) => void faults.push({ fault, left: fault.times ?? Number.POSITIVE_INFINITY }),
    before: (route, nth, act) => void acts.push({ route, nth, act }),
    requests: [],
    busy: () => busy,
    mostBusy: () => mostBusy,
    overTls: (http) => ({
      ...http,
      request: (request) => {
        const url = request.url.replace(/^https:\/\/(?:www\.)?shop\.example/, origin);
        const isTls = url !== request.url;
        const headers = { ...request.headers, ...(isTls && { "x-forwarded-proto": "https" }) };
        return http.request({ ...request, url, headers });
      },
    }),
    [Symbol.asyncDispose]: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return shop;
}

/** Null: the web server knows nothing of it. The index is the empty route. */
function routeOf(url: URL, { folder, hasPrettyLinks }: WooShop): string | null {
  const plain = url.searchParams.get("rest_route");
  const path = url.pathname.startsWith(folder) ? url.pathname.slice(folder.length) : null;
  if (path === null) return null;
  if (plain !== null && path === "/") return plain.replace(/^\/|\/$/g, "");
  return hasPrettyLinks && path.startsWith("/wp-json/")
    ? path.slice("/wp-json/".length).replace(/\/$/, "")
    : null;
}

function wpError(status: number, code: string, message: string): Answer {
  return { status, body: { code, message, data: { status } } };
}

const NO_ROUTE = wpError(404, "rest_no_route", "No route was found matching the URL and request method.");
const STRANGER = wpError(401, "woocommerce_rest_cannot_view", "Sorry, you cannot list resources.");
const refused = (words: string): Answer => wpError(401, "woocommerce_rest_authentication_error", words);
const NO_SUCH_ID = wpError(404, "woocommerce_rest_product_invalid_id", "Invalid ID.");
const NO_SUCH_VARIATION = wpError(404, "woocommerce_rest_product_variation_invalid_id", "Invalid ID.");

function answerTo(route: string, url: URL, headers: IncomingHttpHeaders, shop: WooShop): Answer {
  if (route === "") return indexOf(shop);
  if (!shop.hasWooCommerce) return NO_ROUTE;
  const caller = callerOf(url, headers, shop.gate);
  if (caller !== "user" && caller !== "stranger") return refused(REFUSALS[caller]);
  if (route.startsWith("wc/store/v1/")) return storeAnswer(route, url.searchParams, shop);
  const answer = restAnswer(route, url.searchParams, shop);
  return caller === "stranger" && answer !== NO_ROUTE ? STRANGER : answer;
}

function indexOf({ hasOpenIndex, hasWooCommerce, gate }: WooShop): Answer {
  if (!hasOpenIndex) return wpError(401, "rest_not_logged_in", "You are not currently logged in.");
  const woo = ["wc/v3", "wc/store/v1", "wc-analytics"];
  const namespaces = ["oembed/1.0", "wp/v2", ...(hasWooCommerce ? woo : [])];
  return { status: 200, body: { name: "Mug &amp; Co", url: gate.home, home: gate.home, namespaces } };
}

function restAnswer(route: string, query: URLSearchParams, shop: WooShop): Answer {
  const group = /^wc\/v3\/settings\/(\w+)$/.exec(route)?.[1];
  if (group !== undefined) return settingsAnswer(group, shop);
  const parent = /^wc\/v3\/products\/(\d+)\/variations$/.exec(route)?.[1];
  if (parent !== undefined) return childrenAnswer(Number(parent), query, shop);
  const [, of, alone] = /^wc\/v3\/products\/(\d+)\/variations\/(\d+)$/.exec(route) ?? [];
  if (alone !== undefined) return aloneAnswer(Number(of), Number(alone), query, shop);
  switch (route) {
    case "wc/v3/products":
      return listAnswer(withStatus(shop.products, query.get("status") ?? "any"), query, shop);
    case "wc/v3/products/categories":
      return listAnswer(shop.categories, query, shop);
    case "wc/v3/variations":
      return shop.hasVariationList ? listAnswer(listedIn(shop), query, shop) : NO_ROUTE;
    case "wc-analytics/variations":
      return shop.hasAnalytics ? listAnswer(listedIn(shop), query, shop) : NO_ROUTE;
    case "wc/v3/system_status":
      return { status: 200, body: { environment: { version: "10.3.1", wp_version: "6.8.8" } } };
    default:
      return NO_ROUTE;
  }
}

function settingsAnswer(group: string, { settings, mayReadSettings }: WooShop): Answer {
  if (!mayReadSettings)
    return wpError(403, "woocommerce_rest_cannot_view", "Sorry, you cannot list resources.");
  const values = settings[group];
  if (values === undefined)
    return wpError(404, "rest_setting_setting_group_invalid", "Invalid setting group.");
  return { status: 200, body: Object.entries(values).map(([id, value]) => ({ id, value })) };
}

function childrenAnswer(parent: number, query: URLSearchParams, shop: WooShop): Answer {
  if (!shop.products.some((row) => row["id"] === parent)) return NO_SUCH_ID;
  return listAnswer(listedIn(shop).filter(isChildOf(parent)), query, shop);
}

/** By its id alone, whatever its status and whosever it is. */
function aloneAnswer(parent: number, id: number, query: URLSearchParams, shop: WooShop): Answer {
  if (!shop.products.some((row) => row["id"] === parent)) return NO_SUCH_ID;
  const found = shop.variations.find((row) => row["id"] === id);
  return found === undefined ? NO_SUCH_VARIATION : { status: 200, body: pick(found, fieldsIn(query)) };
}

const isChildOf =
  (parent: unknown) =>
  (row: WooRow): boolean =>
    row["parent_id"] === parent;

/** What lists of variations hold: everything but the trash. */
function listedIn({ variations, unlisted }: WooShop): WooRow[] {
  return withStatus(variations, "any").filter((row) => !unlisted.includes(Number(row["id"])));
}

function withStatus(rows: WooRow[], status: string): WooRow[] {
  return rows.filter((row) =>
    status === "any" ? row["status"] !== "trash" : (row["status"] ?? status) === status,
  );
}

function storeAnswer(route: string, query: URLSearchParams, shop: WooShop): Answer {
  if (route === "wc/store/v1/products/categories") return { status: 200, body: shop.categories };
  const alone = /^wc\/store\/v1\/products\/(\d+)$/.exec(route)?.[1];
  if (alone !== undefined) return storeAloneAnswer(Number(alone), query, shop);
  if (route !== "wc/store/v1/products") return NO_ROUTE;
  const published = withStatus(shop.products, "publish");
  if (query.get("type") === "variation") {
    const parent = query.get("parent");
    const rows = withStatus(listedIn(shop), "publish").filter(
      (row) => parent === null || String(row["parent_id"]) === parent,
    );
    return listAnswer(rows, query, shop, (row) => storeRow(row));
  }
  const isShown = (row: WooRow): boolean => !["hidden", "search"].includes(String(row["catalog_visibility"]));
  const rows = query.get("catalog_visibility") === "catalog" ? published.filter(isShown) : published;
  return listAnswer(rows, query, shop, (row) =>
    storeRow(
      row,
      withStatus(shop.variations, "publish").filter(
        (child) => isChildOf(row["id"])(child) && child["price"] !== "",
      ),
    ),
  );
}

function storeAloneAnswer(id: number, query: URLSearchParams, { products, variations }: WooShop): Answer {
  const found = [...products, ...variations].find((row) => row["id"] === id);
  return found === undefined ? NO_SUCH_ID : { status: 200, body: pick(storeRow(found), fieldsIn(query)) };
}

function listAnswer(
  all: readonly WooRow[],
  query: URLSearchParams,
  { pageCap, unshown }: WooShop,
  shown: (row: WooRow) => WooRow = (row) => row,
): Answer {
  const asked = Number(query.get("per_page") ?? "10");
  if (asked > 100) return wpError(400, "rest_invalid_param", "Invalid parameter(s): per_page");
  const size = Math.min(asked, pageCap);
  const isById = query.get("orderby") === "id" && query.get("order") === "asc";
  const ids = (row: WooRow): number => Number(row["id"] ?? Number.NaN);
  const isSorted = all.every((row, i) => i === 0 || !(ids(all[i - 1] ?? row) > ids(row)));
  const rising = isSorted ? all : all.toSorted((a, b) => ids(a) - ids(b));
  const rows = isById ? rising : rising.toReversed();
  const page = Number(query.get("page") ?? "1");
  const offset = Number(query.get("offset") ?? String((page - 1) * size));
  const fields = fieldsIn(query);
  const found = rows.slice(offset, offset + size);
  const body = found.filter((row) => !unshown.includes(ids(row))).map((row) => pick(shown(row), fields));
  // WordPress counts only where it finds something.
  return { status: 200, body, total: found.length === 0 ? 0 : rows.length };
}

function fieldsIn(query: URLSearchParams): readonly string[] | undefined {
  return query.get("_fields")?.split(",");
}

function pick(row: WooRow, fields: readonly string[] | undefined): WooRow {
  if (fields === undefined || row === null) return row;
  return Object.fromEntries(Object.entries(row).filter(([name]) => fields.includes(name)));
}

function send(
  { status, body, total }: Answer,
  response: ServerResponse,
  { sendsTotals, noise }: WooShop,
): void {
  const totals = total === undefined || !sendsTotals ? {} : { "x-wp-total": String(total) };
  response.writeHead(status, { "content-type": "application/json; charset=UTF-8", ...totals });
  response.end(noise + JSON.stringify(body));
}

function sendFault({ status, body = "<html>Error", headers = {} }: Fault, response: ServerResponse): void {
  response.writeHead(status, { "content-type": "text/html", ...headers });
  response.end(body);
}
