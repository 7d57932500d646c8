/**
 * A BigCommerce store on a loopback server: the calls our connector makes, answered as the real API answers them,
 * with its token, permissions, quota headers, limits, filters and paging. A test sets its content and the faults of
 * requests; the shop records what was requested.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { serving } from "../../src/lib/outbound/loopback.fixture.ts";
import { type ShopRequest, answerTo, type StoreContent } from "./bigcommerce-answers.ts";
import type { Json } from "./bigcommerce-products.ts";

/** Sent instead of the answer. */
export type Fault =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }
  /** Half of the answer; then the connection breaks. */
  | "cut";

type Quota = { readonly left: number; readonly quota: number; readonly resetMs: number };

export type BigCommerceShop = {
  readonly content: StoreContent;
  /** The settings that open it. */
  readonly settings: Record<string, string>;
  /** Paths with their queries, below the store's address, in order. */
  readonly requests: string[];
  readonly requestCount: () => number;
  /** For the next requests whose path and query contain the text, one fault each, in this order. */
  readonly fail: (part: string, ...faults: readonly Fault[]) => void;
  /** From now on, for every request whose path contains the text. */
  readonly failAlways: (part: string, fault: Fault) => void;
  /** The token is unknown after this many requests. */
  readonly revokeAfter: (requests: number) => void;
  /** Runs before the request with this number (from 1) is answered, to change the shop during a read. */
  readonly before: (request: number, change: () => void) => void;
  /** The quota in the headers of all further answers; null: none. */
  readonly setQuota: (quota: Quota | null) => void;
  readonly busyConnections: () => Promise<number>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

const STORE_HASH = "abc123";
const TOKEN = "token-of-the-shop";

export async function bigcommerceShop(products: readonly Json[] = []): Promise<BigCommerceShop> {
  const content = defaultContent();
  content.products.push(...products);
  const requests: string[] = [];
  const faults: { part: string; queue: Fault[]; isLasting: boolean }[] = [];
  const changes = new Map<number, () => void>();
  let quota: Quota | null = { left: 140, quota: 150, resetMs: 15_000 };
  let revokedAfter = Number.POSITIVE_INFINITY;
  let busy = 0;

  function faultFor(path: string): Fault | undefined {
    const fault = faults.find(({ part, queue }) => queue.length > 0 && path.includes(part));
    return fault?.isLasting === true ? fault.queue[0] : fault?.queue.shift();
  }

  function answer(request: IncomingMessage, sent: string, response: ServerResponse): void {
    const url = new URL(request.url ?? "/", "http://shop");
    const path = decodeURIComponent(url.pathname.replace(`/stores/${STORE_HASH}/`, "") + url.search);
    requests.push(path);
    changes.get(requests.length)?.();
    const headers = quotaHeaders(quota);
    const fault = faultFor(path);
    if (typeof fault === "object") {
      response.writeHead(fault.status, { ...headers, "content-type": "text/html", ...fault.headers });
      response.end(fault.body ?? "<html><body>Something went wrong</body></html>");
      return;
    }
    const isKnown = request.headers["x-auth-token"] === TOKEN && requests.length <= revokedAfter;
    const { status, body } = answerTo(content, requestOf(url, request.method ?? "GET", isKnown, sent));
    const text = body === undefined ? "" : JSON.stringify(body);
    const length = Buffer.byteLength(text);
    response.writeHead(status, { ...headers, "content-type": "application/json", "content-length": length });
    if (fault === "cut") response.write(text.slice(0, text.length / 2), () => response.destroy());
    else response.end(text);
  }

  const server = createServer((request, response) => {
    busy += 1;
    response.on("close", () => (busy -= 1)).on("error", () => undefined);
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => answer(request, Buffer.concat(chunks).toString(), response));
  });
  const { origin, close } = await serving(server);

  return {
    content,
    settings: {
      store_hash: STORE_HASH,
      access_token: TOKEN,
      channel_id: "1",
      variant_links: "no",
      base_url: origin,
    },
    requests,
    requestCount: () => requests.length,
    fail: (part, ...queue) => void faults.push({ part, queue: [...queue], isLasting: false }),
    failAlways: (part, fault) => void faults.push({ part, queue: [fault], isLasting: true }),
    revokeAfter: (count) => void (revokedAfter = count),
    before: (request, change) => void changes.set(request, change),
    setQuota: (next) => void (quota = next),
    busyConnections: () => Promise.resolve(busy),
    [Symbol.asyncDispose]: close,
  };
}

function requestOf(url: URL, method: string, isKnown: boolean, sent: string): ShopRequest {
  const [, , hash = "", version = "", ...rest] = url.pathname.split("/");
  return {
    isKnown: isKnown && hash === STORE_HASH,
    method,
    version,
    path: rest.join("/"),
    params: url.searchParams,
    ...(sent === "" ? {} : { body: JSON.parse(sent) as unknown }),
  };
}

function quotaHeaders(quota: Quota | null): Record<string, string> {
  if (quota === null) return {};
  return {
    "x-rate-limit-time-window-ms": "30000",
    "x-rate-limit-time-reset-ms": String(quota.resetMs),
    "x-rate-limit-requests-quota": String(quota.quota),
    "x-rate-limit-requests-left": String(quota.left),
  };
}

export function taxZone({ country, ...more }: Json & { country?: string }, showsTax = true): Json {
  const locations =
    country === undefined ? [] : [{ country_code: country, subdivision_codes: [], postal_codes: [] }];
  return {
    enabled: true,
    price_display_settings: {
      show_inclusive: showsTax,
      show_both_on_detail_view: false,
      show_both_on_list_view: false,
    },
    shopper_target_settings: { locations, customer_groups: [] },
    ...more,
  };
}

function defaultContent(): StoreContent {
  return {
    products: [],
    brands: [{ id: 7, name: "Acme", page_title: "", meta_keywords: [], image_url: "" }],
    categories: [
      { category_id: 20, tree_id: 1, parent_id: 0, name: "Kitchen", is_visible: true, description: "" },
      { category_id: 23, tree_id: 1, parent_id: 20, name: "Mugs", is_visible: true, description: "" },
    ],
    trees: [{ id: 1, name: "Default catalog tree", channels: [1] }],
    sites: [
      {
        id: 1000,
        url: "https://shop.example",
        channel_id: 1,
        ssl_status: "dedicated",
        urls: [
          { url: "https://checkout.shop.example", type: "checkout" },
          { url: "https://shop.example/", type: "primary" },
        ],
      },
    ],
    channels: [{ id: 1, name: "Storefront", type: "storefront", platform: "bigcommerce", status: "active" }],
    priceLists: [],
    hooks: [],
    // The default zone, which every store has, for all other places.
    taxZones: [taxZone({ id: 1, name: "Default Tax Zone" })],
    taxRate: 19,
    categoryLists: "trees",
    hasPricing: true,
    store: {
      id: STORE_HASH,
      domain: "shop.example",
      secure_url: "https://shop.example",
      status: "live",
      name: "Example Shop",
      country: "Germany",
      country_code: "DE",
      language: "en",
      currency: "EUR",
      decimal_places: 2,
      weight_units: "KGS",
      dimension_units: "Centimeters",
      plan_name: "Pro",
      is_price_entered_with_tax: true,
      default_channel_id: 1,
      features: { multi_storefront_enabled: false },
    },
    forbidden: new Set(),
    includedVariants: Number.POSITIVE_INFINITY,
    hasTotals: true,
  };
}
