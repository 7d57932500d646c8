/**
 * Which products changed since a time, and which there are. WooCommerce dates every save of a product or variation,
 * stock included, and saves the product of a saved variation; plugins may save variations in other ways, so those that
 * changed are listed as well.
 */
import { type ChangedProduct, changesIn } from "../kit/changes.ts";
import { idSet } from "../kit/id-set.ts";
import { idIn } from "../kit/json.ts";
import type { ShopIds } from "../source.ts";
import { BY_ID, type CatalogPages } from "./catalog.ts";
import type { QueryParameters } from "./client.ts";
import type { WoocommerceShop } from "./connect.ts";
import { variationIds } from "./map.ts";
import { findVariationRoute } from "./rest-api.ts";

type WoocommerceChanges = AsyncGenerator<readonly ChangedProduct[] | null, void, void>;

/** Also drafts, and what is in the trash: it may have been for sale. Null if this version ignores the filter. */
export async function* changedProducts({ api }: WoocommerceShop, since: Date): WoocommerceChanges {
  const modified_after = since.toISOString().slice(0, 19);
  const pages = (route: string, filter: QueryParameters, noun: string): CatalogPages => {
    const query = { ...BY_ID, modified_after, dates_are_gmt: "true", _fields: FIELDS, ...filter };
    return api.pages({ route, query, noun });
  };
  for (const status of ["any", "trash"]) {
    for await (const page of pages("wc/v3/products", { status }, "products")) {
      const changed = changesIn(page, DATE);
      yield isIgnored(changed, since) ? null : changed;
    }
  }
  const route = await findVariationRoute(api);
  if (route === null) return;
  for await (const page of pages(route, {}, "variations")) {
    const changed = changesIn(page, DATE, (row) => idIn(row, "parent_id"));
    // Most changes of variations date their products, which are listed already.
    if (isIgnored(changed, since)) return;
    yield changed;
  }
}

/**
 * WooCommerce neither dates nor reports what is deleted without the trash. Products name their variations, so that one
 * list has both. What is in the trash is not in it.
 */
export async function listedIds({ api }: WoocommerceShop): Promise<ShopIds> {
  const [products, variations] = [idSet(), idSet()];
  const query = { ...BY_ID, status: "any", _fields: "id,variations" };
  for await (const page of api.pages({ route: "wc/v3/products", query, noun: "products" })) {
    for (const row of page) {
      products.add(idIn(row) ?? 0);
      for (const id of variationIds(row)) variations.add(id);
    }
  }
  return {
    kind: "listed",
    has: (product, item) =>
      products.has(Number(product)) && (item === null || item === product || variations.has(Number(item))),
  };
}

const DATE = "date_modified_gmt";
const FIELDS = `id,parent_id,${DATE}`;

/** WordPress ignores parameters that it does not know. */
function isIgnored(changed: readonly ChangedProduct[], since: Date): boolean {
  const oldest = since.getTime() - 1_000;
  return changed.some(({ changedAt }) => changedAt === null || changedAt.getTime() < oldest);
}
