/** The answers of a WooCommerce shop: REST API, Store API, Analytics list, settings, and the index of WordPress. */
import type { IncomingHttpHeaders } from "node:http";
import { callerOf, type AuthState, REFUSALS } from "./woocommerce-auth.ts";
import { storeRow, type WooRow } from "./woocommerce-rows.ts";
import { storePrices } from "./woocommerce-tax.ts";

/** The catalog, and what the merchant, plugins and proxies may have changed. */
export type WooState = {
  products: WooRow[];
  variations: WooRow[];
  categories: WooRow[];
  /** By group, as in the settings routes. */
  settings: Record<string, Record<string, string>>;
  readonly auth: AuthState;
  /** Where WordPress is installed: `""` or `/store`. */
  folder: string;
  hasWooCommerce: boolean;
  /** Whether visitors get the index. */
  hasOpenIndex: boolean;
  hasVariationList: boolean;
  hasAnalytics: boolean;
  /** Webhooks. */
  hooks: WooRow[];
  /** False: the filter is ignored, as WordPress does with every unknown parameter. */
  knowsModifiedAfter: boolean;
  /** The largest page, whatever size is requested: some plugins limit it. */
  pageCap: number;
  /** Ids that lists count and do not have: WordPress cannot load them. */
  countedOnly: number[];
  /** Variations that no list has or counts: some plugins hide them. */
  unlisted: number[];
  mayReadSettings: boolean;
  /** Some plugins and coming-soon modes close it. */
  hasStoreApi: boolean;
  /** Whether visitors can read posts: security plugins may forbid it. */
  hasOpenPosts: boolean;
  /** Newer versions of the Store API state which products have a password; WooCommerce 9.5 does not. */
  statesPasswords: boolean;
  /** As in `wc/v3/taxes`. */
  taxRates: WooRow[];
  baseCountry: string;
  /** Where the shop locates our requests. */
  visitorCountry: string;
};

export type Answer = { readonly status: number; readonly body: unknown; readonly total?: number };

function wpError(status: number, code: string, message: string): Answer {
  return { status, body: { code, message, data: { status } } };
}

const NO_ROUTE = wpError(404, "rest_no_route", "No route was found matching the URL and request method.");
const ANONYMOUS = wpError(401, "woocommerce_rest_cannot_view", "Sorry, you cannot list resources.");
const FORBIDDEN = wpError(403, "woocommerce_rest_cannot_view", "Sorry, you cannot list resources.");
const refused = (message: string): Answer => wpError(401, "woocommerce_rest_authentication_error", message);
const UNKNOWN_PRODUCT = wpError(404, "woocommerce_rest_product_invalid_id", "Invalid ID.");
const UNKNOWN_VARIATION = wpError(404, "woocommerce_rest_product_variation_invalid_id", "Invalid ID.");

/** What changes something: the method and the JSON that was sent. */
type Sent = { readonly method: string; readonly body: WooRow };
export type WooRequest = Partial<Sent> & { readonly headers: IncomingHttpHeaders };

export function answerTo(route: string, url: URL, request: WooRequest, shop: WooState): Answer {
  const { headers, method = "GET", body = {} } = request;
  const sent = { method, body };
  if (route === "") return indexOf(shop);
  if (route === "wp/v2/product") return postsAnswer(url.searchParams, shop);
  if (!shop.hasWooCommerce) return NO_ROUTE;
  // Below a page WooCommerce does not look for keys at all: is_request_to_rest_api in WC_REST_Authentication.
  const isBelowPage = url.searchParams.has("rest_route") && url.pathname !== `${shop.folder}/`;
  const caller = isBelowPage ? "anonymous" : callerOf(url, headers, shop.auth, sent.method);
  if (caller !== "user" && caller !== "anonymous") return refused(REFUSALS[caller]);
  // WC_REST_Authentication::check_permissions: a key of the permission Write is refused with this code, too.
  if (caller === "user" && shop.auth.permission === "write") return refused(REFUSALS.writeOnly);
  if (sent.method !== "GET" && shop.auth.permission !== "read_write") return refused(REFUSALS.readOnly);
  if (/^wc\/v3\/webhooks(?:\/|$)/.test(route))
    return caller === "user" ? hooksAnswer(route, shop, sent) : ANONYMOUS;
  if (route.startsWith("wc/store/v1/")) return storeAnswer(route, url.searchParams, shop);
  const answer = restAnswer(route, url.searchParams, shop);
  return caller === "anonymous" && answer !== NO_ROUTE ? ANONYMOUS : answer;
}

function hooksAnswer(route: string, shop: WooState, { method, body }: Sent): Answer {
  if (method === "GET") return { status: 200, body: shop.hooks, total: shop.hooks.length };
  if (method === "POST") {
    const hook = { id: shop.hooks.length + 1, ...body };
    shop.hooks = [...shop.hooks, hook];
    return { status: 201, body: hook };
  }
  shop.hooks = shop.hooks.filter(({ id }) => String(id) !== route.split("/").at(-1));
  return { status: 200, body: {} };
}

function indexOf({ hasOpenIndex, hasWooCommerce, auth, folder }: WooState): Answer {
  if (!hasOpenIndex) return wpError(401, "rest_not_logged_in", "You are not currently logged in.");
  const woo = ["wc/v3", "wc/store/v1", "wc-analytics"];
  const namespaces = ["oembed/1.0", "wp/v2", ...(hasWooCommerce ? woo : [])];
  const home = auth.home + folder;
  return { status: 200, body: { name: "Mug &amp; Co", url: home, home, namespaces } };
}

/** WordPress' own list (WP_REST_Posts_Controller): it has protected products, and states it to everyone. */
function postsAnswer(query: URLSearchParams, shop: WooState): Answer {
  if (!shop.hasOpenPosts) return wpError(401, "rest_not_logged_in", "You are not currently logged in.");
  return listAnswer(withStatus(shop.products, "publish"), query, shop, (row) => ({
    id: row["id"],
    content: { protected: (row["post_password"] ?? "") !== "" },
  }));
}

function restAnswer(route: string, query: URLSearchParams, shop: WooState): Answer {
  const group = /^wc\/v3\/settings\/(\w+)$/.exec(route)?.[1];
  if (group !== undefined) return settingsAnswer(group, shop);
  const parent = /^wc\/v3\/products\/(\d+)\/variations$/.exec(route)?.[1];
  if (parent !== undefined) return childrenAnswer(Number(parent), query, shop);
  const [, product, single] = /^wc\/v3\/products\/(\d+)\/variations\/(\d+)$/.exec(route) ?? [];
  if (single !== undefined) return singleAnswer(Number(product), Number(single), query, shop);
  switch (route) {
    case "wc/v3/taxes":
      return shop.mayReadSettings ? listAnswer(shop.taxRates, query, shop) : FORBIDDEN;
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

function settingsAnswer(group: string, { settings, mayReadSettings }: WooState): Answer {
  if (!mayReadSettings) return FORBIDDEN;
  const values = settings[group];
  if (values === undefined)
    return wpError(404, "rest_setting_setting_group_invalid", "Invalid setting group.");
  return { status: 200, body: Object.entries(values).map(([id, value]) => ({ id, value })) };
}

function childrenAnswer(parent: number, query: URLSearchParams, shop: WooState): Answer {
  if (!shop.products.some((row) => row["id"] === parent)) return UNKNOWN_PRODUCT;
  return listAnswer(listedIn(shop).filter(isChildOf(parent)), query, shop);
}

/** By its id, whatever its status and its product. */
function singleAnswer(parent: number, id: number, query: URLSearchParams, shop: WooState): Answer {
  if (!shop.products.some((row) => row["id"] === parent)) return UNKNOWN_PRODUCT;
  const found = shop.variations.find((row) => row["id"] === id);
  if (found === undefined) return UNKNOWN_VARIATION;
  return { status: 200, body: pick(withParentCode(found, shop), fieldsIn(query)) };
}

/** WC_Product_Variation::get_sku: a variation without an SKU has that of its product. */
function withParentCode(row: WooRow, { products }: WooState): WooRow {
  if (row === null || row["type"] !== "variation" || row["sku"] !== "") return row;
  return { ...row, sku: products.find(({ id }) => id === row["parent_id"])?.["sku"] ?? "" };
}

const isChildOf =
  (parent: unknown) =>
  (row: WooRow): boolean =>
    row["parent_id"] === parent;

/** Lists of variations have everything but the trash. */
function listedIn({ variations, unlisted }: WooState): WooRow[] {
  return withStatus(variations, "any").filter((row) => !unlisted.includes(Number(row["id"])));
}

function withStatus(rows: WooRow[], status: string): WooRow[] {
  return rows.filter((row) =>
    status === "any" ? row["status"] !== "trash" : (row["status"] ?? status) === status,
  );
}

function storeAnswer(route: string, query: URLSearchParams, shop: WooState): Answer {
  if (!shop.hasStoreApi) return NO_ROUTE;
  if (route === "wc/store/v1/products/categories") return { status: 200, body: shop.categories };
  const single = /^wc\/store\/v1\/products\/(\d+)$/.exec(route)?.[1];
  if (single !== undefined) return storeSingleAnswer(Number(single), query, shop);
  if (route !== "wc/store/v1/products") return NO_ROUTE;
  const published = inStock(withStatus(shop.products, "publish"), query, shop);
  if (query.get("type") === "variation") {
    const parent = query.get("parent");
    const rows = inStock(withStatus(listedIn(shop), "publish"), query, shop).filter(
      (row) => parent === null || String(row["parent_id"]) === parent,
    );
    return listAnswer(rows, query, shop, (row) => shownRow(row, shop));
  }
  const isShown = (row: WooRow): boolean => !["hidden", "search"].includes(String(row["catalog_visibility"]));
  const rows = query.get("catalog_visibility") === "catalog" ? published.filter(isShown) : published;
  return listAnswer(rows, query, shop, (row) =>
    shownRow(
      row,
      shop,
      withStatus(shop.variations, "publish").filter(
        (child) => isChildOf(row["id"])(child) && child["price"] !== "",
      ),
    ),
  );
}

/** The product as visitors see it, with the prices that this shop shows. */
function shownRow(row: WooRow, shop: WooState, variations: readonly WooRow[] = []): WooRow {
  const password = shop.statesPasswords ? { is_password_protected: (row["post_password"] ?? "") !== "" } : {};
  return { ...storeRow(withParentCode(row, shop), variations), prices: storePrices(row, shop), ...password };
}

/** ProductQuery::add_query_clauses: what is out of stock may be hidden, unless this status is requested. */
function inStock(rows: WooRow[], query: URLSearchParams, { settings }: WooState): WooRow[] {
  const status = query.get("stock_status");
  if (status !== null) return rows.filter((row) => row["stock_status"] === status);
  const isHidden = settings["products"]?.["woocommerce_hide_out_of_stock_items"] === "yes";
  return isHidden ? rows.filter((row) => row["stock_status"] !== "outofstock") : rows;
}

function storeSingleAnswer(id: number, query: URLSearchParams, shop: WooState): Answer {
  const found = [...shop.products, ...shop.variations].find((row) => row["id"] === id);
  return found === undefined
    ? UNKNOWN_PRODUCT
    : { status: 200, body: pick(shownRow(found, shop), fieldsIn(query)) };
}

function listAnswer(
  every: readonly WooRow[],
  query: URLSearchParams,
  shop: WooState,
  shown: (row: WooRow) => WooRow = (row) => withParentCode(row, shop),
): Answer {
  const { pageCap, countedOnly } = shop;
  const include = query.get("include")?.split(",");
  const after = shop.knowsModifiedAfter ? query.get("modified_after") : null;
  const isAfter = (row: WooRow): boolean => after === null || String(row["date_modified_gmt"]) > after;
  const all = every.filter(
    (row) => (include === undefined || include.includes(String(row["id"]))) && isAfter(row),
  );
  const perPage = Number(query.get("per_page") ?? "10");
  if (perPage > 100) return wpError(400, "rest_invalid_param", "Invalid parameter(s): per_page");
  const size = Math.min(perPage, pageCap);
  const isById = query.get("orderby") === "id" && query.get("order") === "asc";
  const ids = (row: WooRow): number => Number(row["id"] ?? Number.NaN);
  const isSorted = all.every((row, i) => i === 0 || !(ids(all[i - 1] ?? row) > ids(row)));
  const ascending = isSorted ? all : all.toSorted((a, b) => ids(a) - ids(b));
  const rows = isById ? ascending : ascending.toReversed();
  const page = Number(query.get("page") ?? "1");
  const offset = Number(query.get("offset") ?? String((page - 1) * size));
  const fields = fieldsIn(query);
  const found = rows.slice(offset, offset + size);
  const body = found.filter((row) => !countedOnly.includes(ids(row))).map((row) => pick(shown(row), fields));
  // WordPress counts only if it finds something.
  return { status: 200, body, total: found.length === 0 ? 0 : rows.length };
}

function fieldsIn(query: URLSearchParams): readonly string[] | undefined {
  return query.get("_fields")?.split(",");
}

function pick(row: WooRow, fields: readonly string[] | undefined): WooRow {
  if (fields === undefined || row === null) return row;
  // In WordPress, `content.protected` is one field of a field.
  const names = fields.map((name) => name.split(".")[0]);
  return Object.fromEntries(Object.entries(row).filter(([name]) => names.includes(name)));
}
