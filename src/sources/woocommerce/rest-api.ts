/** The catalog through the REST API (wc/v3), which needs a key and has everything. */
import type { JsonObject } from "../../lib/json-object.ts";
import { orNull } from "../kit/failure.ts";
import { idIn, textIn, toObject } from "../kit/json.ts";
import type { Judge } from "../kit/json-api.ts";
import { BY_ID, type ShopCatalog, type CategoryTree, categoryTree, passwordFlags } from "./catalog.ts";
import { productVerdict, SHOWN_PRICES, type DraftOrReason } from "./catalog.ts";
import type { List, QueryParameters, WooApi } from "./client.ts";
import type { WoocommerceShop } from "./connect.ts";
import { wooFailure } from "./failures.ts";
import { PRODUCT_FIELDS, productDraft, VARIATION_FIELDS, variationDraft, variationIds } from "./map.ts";
import { shownPrices } from "./prices.ts";
import type { FieldNames } from "./settings.ts";
import { readStore } from "./store.ts";

export async function restCatalog(
  shop: WoocommerceShop,
  note: (sentence: string) => void,
): Promise<ShopCatalog> {
  const { api, fieldNames } = shop;
  const store = await readStore(shop);
  const categories = await readCategories(api);
  const context = { store, categories, fieldNames };
  const prices = shownPrices(shop, store);
  const passwords = passwordFlags(shop, note);
  const query = fieldQuery(VARIATION_FIELDS, fieldNames);
  const variationList = (route: string, noun = "variations"): List => ({
    route,
    query: { ...BY_ID, ...query },
    noun,
  });
  const variation = (product: JsonObject, row: JsonObject): DraftOrReason => {
    const status = textIn(row, "status") ?? "publish";
    // The "Enabled" box of WooCommerce switches between `publish` and `private`.
    if (status !== "publish") return status === "private" ? "disabled" : "unpublishedVariation";
    return row[SHOWN_PRICES] === null ? "unpriced" : variationDraft(product, row, context);
  };

  return {
    products: {
      route: "wc/v3/products",
      query: { ...BY_ID, status: "publish", ...fieldQuery(PRODUCT_FIELDS, fieldNames) },
      noun: "products",
    },
    // `any` is everything but the trash.
    unlisted: { reason: "unpublished", all: { status: "any" }, listed: { status: "publish" } },
    complete: async (rows, kind) => passwords(await prices(rows, kind), kind),
    product: (row) => productVerdict(row, variationIds(row), shop, () => productDraft(row, context)),
    variationIds,
    parentId: (row) => idIn(row, "parent_id"),
    variation,
    variationsOf: (id) => variationList(`wc/v3/products/${id}/variations`, `variations of product ${id}`),
    single: (productId, id) => ({ route: `wc/v3/products/${productId}/variations/${id}`, query }),
    // WooCommerce returns any variation under any product; older versions do not state its product.
    singleVariation: (product, row) =>
      row !== null && (idIn(row, "parent_id") ?? idIn(product)) === idIn(product)
        ? variation(product, row)
        : "deleted",
    findVariations: async () => {
      const route = await findVariationRoute(api);
      return route === null ? null : variationList(route);
    },
  };
}

/** Custom fields can be many and large: only those that the settings name are requested. */
function fieldQuery(fields: string, fieldNames: FieldNames): QueryParameters {
  const names = Object.values(fieldNames).filter(Boolean);
  if (names.length === 0) return { _fields: fields };
  return { _fields: `${fields},meta_data`, include_meta: names.join(",") };
}

/** The first is of WooCommerce 10.3 and later; the second is older and slower, and may be disabled. */
const VARIATION_ROUTES = ["wc/v3/variations", "wc-analytics/variations"] as const;

/** The list of all variations; null if this version has none. */
export async function findVariationRoute(api: WooApi): Promise<(typeof VARIATION_ROUTES)[number] | null> {
  const judge: Judge = (answer) =>
    [400, 401, 403, 404].includes(answer.status) ? "usable" : wooFailure(answer, api.host);
  for (const route of VARIATION_ROUTES) {
    const { status, body } = await api.get(route, { per_page: 1, _fields: "id,parent_id" }, judge);
    // The newest variation may have lost its product; then the field is 0.
    const rows = Array.isArray(body) ? body.map(toObject) : null;
    if (status === 200 && rows?.every((row) => "parent_id" in row)) return route;
  }
  return null;
}

/** Without the tree, products still have the names of their categories. */
async function readCategories(api: WooApi): Promise<CategoryTree> {
  const query = { ...BY_ID, _fields: "id,name,parent" };
  const pages = api.pages({ route: "wc/v3/products/categories", query, noun: "categories" });
  const rows: JsonObject[] = [];
  async function read(): Promise<void> {
    for await (const page of pages) rows.push(...page);
  }
  await orNull(read(), "source_unauthorized", "source_not_found", "source_incomplete");
  return categoryTree(rows);
}
