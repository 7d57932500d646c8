/**
 * What a WooCommerce shop answers to a request that reaches it: REST API, Store API, Analytics list, settings, and
 * WordPress's index, with paging and totals, from a catalog that may be changed at any time.
 */
import type { IncomingHttpHeaders } from "node:http";
import { callerOf, type Gate, REFUSALS } from "./woocommerce-auth.ts";
import { storeRow, type WooRow } from "./woocommerce-rows.ts";

/** The catalog, and what a shop's owner, plugins and proxies may have done to it. */
export type WooState = {
  products: WooRow[];
  variations: WooRow[];
  categories: WooRow[];
  /** By group, as the settings routes list them. */
  settings: Record<string, Record<string, string>>;
  readonly gate: Gate;
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
};

export type Answer = { readonly status: number; readonly body: unknown; readonly total?: number };

function wpError(status: number, code: string, message: string): Answer {
  return { status, body: { code, message, data: { status } } };
}

const NO_ROUTE = wpError(404, "rest_no_route", "No route was found matching the URL and request method.");
const STRANGER = wpError(401, "woocommerce_rest_cannot_view", "Sorry, you cannot list resources.");
const refused = (words: string): Answer => wpError(401, "woocommerce_rest_authentication_error", words);
const NO_SUCH_ID = wpError(404, "woocommerce_rest_product_invalid_id", "Invalid ID.");
const NO_SUCH_VARIATION = wpError(404, "woocommerce_rest_product_variation_invalid_id", "Invalid ID.");

export function answerTo(route: string, url: URL, headers: IncomingHttpHeaders, shop: WooState): Answer {
  if (route === "") return indexOf(shop);
  if (!shop.hasWooCommerce) return NO_ROUTE;
  const caller = callerOf(url, headers, shop.gate);
  if (caller !== "user" && caller !== "stranger") return refused(REFUSALS[caller]);
  if (route.startsWith("wc/store/v1/")) return storeAnswer(route, url.searchParams, shop);
  const answer = restAnswer(route, url.searchParams, shop);
  return caller === "stranger" && answer !== NO_ROUTE ? STRANGER : answer;
}

function indexOf({ hasOpenIndex, hasWooCommerce, gate }: WooState): Answer {
  if (!hasOpenIndex) return wpError(401, "rest_not_logged_in", "You are not currently logged in.");
  const woo = ["wc/v3", "wc/store/v1", "wc-analytics"];
  const namespaces = ["oembed/1.0", "wp/v2", ...(hasWooCommerce ? woo : [])];
  return { status: 200, body: { name: "Mug &amp; Co", url: gate.home, home: gate.home, namespaces } };
}

function restAnswer(route: string, query: URLSearchParams, shop: WooState): Answer {
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

function settingsAnswer(group: string, { settings, mayReadSettings }: WooState): Answer {
  if (!mayReadSettings)
    return wpError(403, "woocommerce_rest_cannot_view", "Sorry, you cannot list resources.");
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
  return found === undefined ? NO_SUCH_VARIATION : { status: 200, body: pick(found, fieldsIn(query)) };
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

function storeAloneAnswer(id: number, query: URLSearchParams, { products, variations }: WooState): Answer {
  const found = [...products, ...variations].find((row) => row["id"] === id);
  return found === undefined ? NO_SUCH_ID : { status: 200, body: pick(storeRow(found), fieldsIn(query)) };
}

function listAnswer(
  all: readonly WooRow[],
  query: URLSearchParams,
  { pageCap, unshown }: WooState,
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
