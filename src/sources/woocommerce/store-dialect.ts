/**
 * The Store API, which the shop's own pages talk to: no key, and only what visitors are shown. It lists what is in
 * the shop's catalog pages; what is hidden from them is counted and not read.
 */
import { type List, totalOf } from "./api.ts";
import { type CategoryTree, treeOf } from "./categories.ts";
import type { Shop } from "./connect.ts";
import { type Dialect, type ProductVerdict, typeReason } from "./dialect.ts";
import { orNull } from "./facts.ts";
import { isProtected, passwordFlags } from "./passwords.ts";
import type { RestOptions } from "./rest-dialect.ts";
import {
  STORE_PRODUCT_FIELDS,
  STORE_VARIATION_FIELDS,
  type StoreShelf,
  storeProductDraft,
  storeVariationDraft,
  storeVariationIds,
} from "./store-map.ts";
import { BY_ID } from "./walk.ts";
import { idIn, isRow, isTrue, type Row, textIn } from "./wire.ts";

const ROUTE = "wc/store/v1/products";
const IN_CATALOG = { catalog_visibility: "catalog" } as const;

export async function storeDialect(shop: Shop, { own, takesExternal }: RestOptions): Promise<Dialect> {
  const passwords = passwordFlags(shop);
  const shelf: StoreShelf = { categories: await readCategories(shop), own };
  const variations = (more: Record<string, string>): List => ({
    route: ROUTE,
    query: { ...BY_ID, type: "variation", _fields: STORE_VARIATION_FIELDS, ...more },
    what: "parent" in more ? `variations of product ${more["parent"]}` : "variations",
  });

  return {
    products: {
      route: ROUTE,
      query: { ...BY_ID, ...IN_CATALOG, _fields: STORE_PRODUCT_FIELDS },
      what: "products",
    },
    complete: passwords.complete,
    notes: passwords.notes,
    product: (row) => judgeProduct(row, shelf, takesExternal),
    variationIds: storeVariationIds,
    parentOf: (row) => idIn(row, "parent"),
    variation: (parent, row) =>
      storeVariationIds(parent).includes(idIn(row) ?? 0)
        ? { kind: "item", draft: storeVariationDraft(parent, row, shelf) }
        : { kind: "left_out", reason: "notOffered" },
    variationsOf: (id) => variations({ parent: String(id) }),
    alone: {
      at: (_parentId, id) => ({ route: `${ROUTE}/${id}`, query: { _fields: STORE_VARIATION_FIELDS } }),
      // Some versions show by its id even what is switched off or in the trash; only what is published can be bought.
      judge: (parent, row) =>
        row !== null && isTrue(row, "is_purchasable") && idIn(row, "parent") === idIn(parent)
          ? { kind: "item", draft: storeVariationDraft(parent, row, shelf) }
          : { kind: "left_out", reason: "notShown" },
    },
    findVariations: () => Promise.resolve(variations({})),
    unlisted: async () => ({ reason: "hidden", count: await countHidden(shop) }),
  };
}

function judgeProduct(row: Row, shelf: StoreShelf, takesExternal: boolean): ProductVerdict {
  const type = textIn(row, "type") ?? "simple";
  const reason = isProtected(row) ? "password" : typeReason(type, takesExternal);
  if (reason !== null) return { kind: "left_out", reason };
  const isParent = type === "variable" || storeVariationIds(row).length > 0;
  return isParent ? { kind: "parent" } : { kind: "item", draft: storeProductDraft(row, shelf) };
}

/** All at once: this route has no offset, and without `per_page` it gives the whole tree. */
async function readCategories({ api }: Shop): Promise<CategoryTree> {
  const answer = await orNull(api.get(`${ROUTE}/categories`, { _fields: "id,name,parent" }));
  return treeOf(Array.isArray(answer?.body) ? answer.body.filter(isRow) : []);
}

async function countHidden({ api }: Shop): Promise<number> {
  const count = async (more: Record<string, string>): Promise<number | null> =>
    totalOf(await api.getOnce(ROUTE, { per_page: "1", _fields: "id", ...more }));
  const [all, shown] = [await count({}), await count(IN_CATALOG)];
  return all === null || shown === null ? 0 : all - shown;
}
