/**
 * What a WooCommerce shop answers to a request that reaches it: REST API, Store API, Analytics list, settings, and
 * WordPress's index, with paging and totals, from a catalog that may be changed at any time.
 */
import type { IncomingHttpHeaders } from "node:http";
import { callerOf, type Gate, REFUSALS } from "./woocommerce-auth.ts";
import { storeRow, type WooRow } from "./woocommerce-rows.ts";
import { storePrices } from "./woocommerce-tax.ts";

/** The catalog, and what a shop's owner, plugins and proxies may have done to it. */
export type WooState = {
  products: WooRow[];
  variations: WooRow[];
  categories: WooRow[];
  /** By group, as the settings routes list them. */
  settings: Record<string, Record<string, string>>;
  readonly gate: Gate;
  /** Where WordPress is installed: `""` or `/store`. */
  folder: string;
  hasWooCommerce: boolean;
  /** Whether strangers get the index. */
  hasOpenIndex: boolean;
  hasVariationList: boolean;
  hasAnalytics: boolean;
  /** The most rows of a page, whatever is asked: a plugin's doing. */
  pageCap: number;
  /** Ids that are counted and not given: WordPress cannot load them. */
  unshown: number[];
  /** Variations that no list gives or counts, as if there were none: a plugin's doing. */
  unlisted: number[];
  mayReadSettings: boolean;
  /** Plugins and coming-soon modes close it. */
  hasStoreApi: boolean;
  /** Whether strangers may ask WordPress itself for posts: security plugins close that. */
  hasOpenPosts: boolean;
  /** Newer versions of the Store API say which products ask for a password; WooCommerce 9.5 does not. */
  tellsPasswords: boolean;
  /** As `wc/v3/taxes` lists them. */
  taxRates: WooRow[];
  baseCountry: string;
  /** Where the shop believes our requests to come from. */
  visitorCountry: string;
};

export type Answer = { readonly status: number; readonly body: unknown; readonly total?: number };

function wpError(status: number, code: string, message: string): Answer {
  return { status, body: { code, message, data: { status } } };
}

const NO_ROUTE = wpError(404, "rest_no_route", "No route was found matching the URL and request method.");
const STRANGER = wpError(401, "woocommerce_rest_cannot_view", "Sorry, you cannot list resources.");
const FORBIDDEN = wpError(403, "woocommerce_rest_cannot_view", "Sorry, you cannot list resources.");
const refused = (words: string): Answer => wpError(401, "woocommerce_rest_authentication_error", words);
const NO_SUCH_ID = wpError(404, "woocommerce_rest_product_invalid_id", "Invalid ID.");
const NO_SUCH_VARIATION = wpError(404, "woocommerce_rest_product_variation_invalid_id", "Invalid ID.");

export function answerTo(route: string, url: URL, headers: IncomingHttpHeaders, shop: WooState): Answer {
  if (route === "") return indexOf(shop);
  if (route === "wp/v2/product") return postsAnswer(url.searchParams, shop);
  if (!shop.hasWooCommerce) return NO_ROUTE;
  // Below a page WooCommerce does not look for keys at all: is_request_to_rest_api in WC_REST_Authentication.
  const isBelowPage = url.searchParams.has("rest_route") && url.pathname !== `${shop.folder}/`;
  const caller = isBelowPage ? "stranger" : callerOf(url, headers, shop.gate);
  if (caller !== "user" && caller !== "stranger") return refused(REFUSALS[caller]);
  // WC_REST_Authentication::check_permissions: a key of the permission Write is refused with this code, too.
  if (caller === "user" && shop.gate.permission === "write") return refused(REFUSALS.writeOnly);
  if (route.startsWith("wc/store/v1/")) return storeAnswer(route, url.searchParams, shop);
  const answer = restAnswer(route, url.searchParams, shop);
  return caller === "stranger" && answer !== NO_ROUTE ? STRANGER : answer;
}

function indexOf({ hasOpenIndex, hasWooCommerce, gate, folder }: WooState): Answer {
  if (!hasOpenIndex) return wpError(401, "rest_not_logged_in", "You are not currently logged in.");
  const woo = ["wc/v3", "wc/store/v1", "wc-analytics"];
  const namespaces = ["oembed/1.0", "wp/v2", ...(hasWooCommerce ? woo : [])];
  const home = gate.home + folder;
  return { status: 200, body: { name: "Mug &amp; Co", url: home, home, namespaces } };
}

/** WordPress' own list (WP_REST_Posts_Controller): it has the protected ones, and says so to everybody. */
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
  const [, of, alone] = /^wc\/v3\/products\/(\d+)\/variations\/(\d+)$/.exec(route) ?? [];
  if (alone !== undefined) return aloneAnswer(Number(of), Number(alone), query, shop);
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
  if (!shop.products.some((row) => row["id"] === parent)) return NO_SUCH_ID;
  return listAnswer(listedIn(shop).filter(isChildOf(parent)), query, shop);
}

/** By its id alone, whatever its status and whosever it is. */
function aloneAnswer(parent: number, id: number, query: URLSearchParams, shop: WooState): Answer {
  if (!shop.products.some((row) => row["id"] === parent)) return NO_SUCH_ID;
  const found = shop.variations.find((row) => row["id"] === id);
  if (found === undefined) return NO_SUCH_VARIATION;
  return { status: 200, body: pick(withParentCode(found, shop), fieldsIn(query)) };
}

/** WC_Product_Variation::get_sku: without one of its own, a variation says its product's. */
function withParentCode(row: WooRow, { products }: WooState): WooRow {
  if (row === null || row["type"] !== "variation" || row["sku"] !== "") return row;
  return { ...row, sku: products.find(({ id }) => id === row["parent_id"])?.["sku"] ?? "" };
}

const isChildOf =
  (parent: unknown) =>
  (row: WooRow): boolean =>
    row["parent_id"] === parent;

/** What lists of variations hold: everything but the trash. */
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
  const alone = /^wc\/store\/v1\/products\/(\d+)$/.exec(route)?.[1];
  if (alone !== undefined) return storeAloneAnswer(Number(alone), query, shop);
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

/** The same product as visitors see it: prices with or without tax, as this shop shows them. */
function shownRow(row: WooRow, shop: WooState, variations: readonly WooRow[] = []): WooRow {
  const told = shop.tellsPasswords ? { is_password_protected: (row["post_password"] ?? "") !== "" } : {};
  return { ...storeRow(withParentCode(row, shop), variations), prices: storePrices(row, shop), ...told };
}

/** ProductQuery::add_query_clauses: what is sold out may be hidden, unless its status is asked for. */
function inStock(rows: WooRow[], query: URLSearchParams, { settings }: WooState): WooRow[] {
  const asked = query.get("stock_status");
  if (asked !== null) return rows.filter((row) => row["stock_status"] === asked);
  const isHidden = settings["products"]?.["woocommerce_hide_out_of_stock_items"] === "yes";
  return isHidden ? rows.filter((row) => row["stock_status"] !== "outofstock") : rows;
}

function storeAloneAnswer(id: number, query: URLSearchParams, shop: WooState): Answer {
  const found = [...shop.products, ...shop.variations].find((row) => row["id"] === id);
  return found === undefined
    ? NO_SUCH_ID
    : { status: 200, body: pick(shownRow(found, shop), fieldsIn(query)) };
}

function listAnswer(
  every: readonly WooRow[],
  query: URLSearchParams,
  shop: WooState,
  shown: (row: WooRow) => WooRow = (row) => withParentCode(row, shop),
): Answer {
  const { pageCap, unshown } = shop;
  const include = query.get("include")?.split(",");
  const all = include === undefined ? every : every.filter(({ id }) => include.includes(String(id)));
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
  // WordPress takes `content.protected` for one field of a field.
  const names = fields.map((name) => name.split(".")[0]);
  return Object.fromEntries(Object.entries(row).filter(([name]) => names.includes(name)));
}
