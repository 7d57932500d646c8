/**
 * A WooCommerce shop on a loopback port. `woocommerce-answers.ts` has its answers; tests add faults. Its catalog may be
 * changed at any time, also between two pages.
 */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { serving } from "../../src/lib/outbound/loopback.fixture.ts";
import type { HttpClient } from "../../src/lib/outbound/http-client.ts";
import { type Answer, answerTo, type WooState } from "./woocommerce-answers.ts";
import type { Keys } from "./woocommerce-auth.ts";
import { SHOP_URL, type WooRow } from "./woocommerce-rows.ts";
import { taxRate } from "./woocommerce-tax.ts";

export const KEYS: Keys = { key: "ck_0123456789abcdef", secret: "cs_fedcba9876543210" };

export type Fault = {
  /** Of the route, such as `wc/v3/products`; exact. */
  readonly route: string;
  /** Only from this request to the route on, counted from 1. */
  readonly from?: number;
  /** How often; always if absent. */
  readonly times?: number;
  readonly status: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

export type WooShop = AsyncDisposable &
  WooState & {
    readonly origin: string;
    /** Web pages of the shop, relative to its folder: `/product/mug/`. */
    pages: string[];
    /** A cache in front of WordPress answers requests for pages, whatever the query. */
    hasPageCache: boolean;
    hasPrettyLinks: boolean;
    /** A proxy may drop the header. */
    sendsTotals: boolean;
    /** What PHP prints in front of every answer. */
    phpWarnings: string;
    readonly fail: (fault: Fault) => void;
    /** Runs before the nth request to the route is answered. */
    readonly before: (route: string, nth: number, run: () => void) => void;
    readonly requests: SeenRequest[];
    readonly inFlight: () => number;
    /** The largest number of requests that were in flight at the same time. */
    readonly maxInFlight: () => number;
    /** A client that reaches the shop at `SHOP_URL`, as through a TLS proxy. */
    readonly overTls: (http: HttpClient) => HttpClient;
  };

export type SeenRequest = {
  readonly route: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
};

const GROUPS = {
  general: {
    woocommerce_currency: "EUR",
    woocommerce_calc_taxes: "yes",
    woocommerce_price_num_decimals: "2",
    woocommerce_default_country: "DE",
    woocommerce_default_customer_address: "base",
  },
  products: { woocommerce_weight_unit: "kg", woocommerce_dimension_unit: "cm" },
  tax: {
    woocommerce_prices_include_tax: "yes",
    woocommerce_tax_display_shop: "incl",
    woocommerce_tax_based_on: "shipping",
    woocommerce_tax_round_at_subtotal: "no",
  },
};

export async function wooShop(): Promise<WooShop> {
  const faults: { fault: Fault; left: number }[] = [];
  const callbacks: { route: string; nth: number; run: () => void }[] = [];
  const seen = new Map<string, number>();
  let inFlight = 0;
  let maxInFlight = 0;

  const server = createServer((request, response) => {
    inFlight += 1;
    maxInFlight = Math.max(maxInFlight, inFlight);
    let isOpen = true;
    const close = (): void => {
      if (isOpen) inFlight -= 1;
      isOpen = false;
    };
    response.on("finish", close).on("close", close).on("error", close);
    const url = new URL(request.url ?? "/", shop.origin);
    const route = routeOf(url, shop);
    if (route === "page") {
      // WordPress sends the address of its API with every page (rest_output_link_header).
      const link = `<${shop.auth.home}${shop.folder}/wp-json/>; rel="https://api.w.org/"`;
      sendFault({ route: "", status: 200, body: "<!doctype html><title>Mug", headers: { link } }, response);
      return;
    }
    if (route === null) {
      sendFault({ route: "", status: 404, body: "<html>Not found" }, response);
      return;
    }
    const nth = (seen.get(route) ?? 0) + 1;
    seen.set(route, nth);
    shop.requests.push({ route, query: Object.fromEntries(url.searchParams), headers: request.headers });
    for (const { run } of callbacks.filter((one) => one.route === route && one.nth === nth)) run();
    const failing = faults.find(
      ({ fault, left }) => fault.route === route && left > 0 && nth >= (fault.from ?? 1),
    );
    if (failing !== undefined) failing.left -= 1;
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    // In the next turn, so that concurrent requests are in flight at the same time.
    const answer = (): void => {
      const body = chunks.length === 0 ? {} : (JSON.parse(Buffer.concat(chunks).toString()) as WooRow);
      const sent = { method: request.method ?? "GET", headers: request.headers, body };
      if (failing !== undefined) sendFault(failing.fault, response);
      else send(answerTo(route, url, sent, shop), response, shop);
    };
    if (request.method === "GET") setImmediate(answer);
    else request.on("end", answer);
  });
  const { origin, close } = await serving(server);

  const shop: WooShop = {
    origin,
    products: [],
    variations: [],
    categories: [],
    settings: structuredClone(GROUPS),
    auth: {
      keys: KEYS,
      stripsAuthorization: false,
      seesTls: true,
      home: SHOP_URL,
      nonces: new Set(),
      clockAheadS: 0,
      permission: "read",
    },
    folder: "",
    pages: ["/product/mug-7/"],
    hasPageCache: false,
    hasPrettyLinks: true,
    hasWooCommerce: true,
    hasOpenIndex: true,
    hasVariationList: true,
    hasAnalytics: true,
    hooks: [],
    knowsModifiedAfter: true,
    sendsTotals: true,
    pageCap: 100,
    countedOnly: [],
    unlisted: [],
    mayReadSettings: true,
    hasStoreApi: true,
    hasOpenPosts: true,
    statesPasswords: false,
    taxRates: [taxRate(1, "19.0000")],
    baseCountry: "DE",
    visitorCountry: "DE",
    phpWarnings: "",
    fail: (fault) => void faults.push({ fault, left: fault.times ?? Number.POSITIVE_INFINITY }),
    before: (route, nth, run) => void callbacks.push({ route, nth, run }),
    requests: [],
    inFlight: () => inFlight,
    maxInFlight: () => maxInFlight,
    overTls: (http) => ({
      ...http,
      request: (request) => {
        const url = request.url.replace(/^https:\/\/(?:www\.)?shop\.example/, origin);
        const isTls = url !== request.url;
        const headers = { ...request.headers, ...(isTls && { "x-forwarded-proto": "https" }) };
        return http.request({ ...request, url, headers });
      },
    }),
    [Symbol.asyncDispose]: close,
  };
  return shop;
}

/**
 * Null if the web server has nothing at this address. The index is the empty route. With pretty links, WordPress
 * answers `rest_route` below every path.
 */
function routeOf(url: URL, { folder, hasPrettyLinks, pages, hasPageCache }: WooShop): string | null {
  const plain = url.searchParams.get("rest_route");
  const path = url.pathname.startsWith(folder) ? url.pathname.slice(folder.length) : null;
  if (path === null) return null;
  const isPage = pages.some((page) => page.replace(/\/$/, "") === path.replace(/\/$/, ""));
  if (isPage && (plain === null || hasPageCache)) return "page";
  if (plain !== null && (path === "/" || isPage)) return plain.replace(/^\/|\/$/g, "");
  return hasPrettyLinks && path.startsWith("/wp-json/")
    ? path.slice("/wp-json/".length).replace(/\/$/, "")
    : null;
}

function send(
  { status, body, total }: Answer,
  response: ServerResponse,
  { sendsTotals, phpWarnings }: WooShop,
): void {
  const totals = total === undefined || !sendsTotals ? {} : { "x-wp-total": String(total) };
  response.writeHead(status, { "content-type": "application/json; charset=UTF-8", ...totals });
  response.end(phpWarnings + JSON.stringify(body));
}

function sendFault({ status, body = "<html>Error", headers = {} }: Fault, response: ServerResponse): void {
  response.writeHead(status, { "content-type": "text/html", ...headers });
  response.end(body);
}
