/** The REST API (wc/v3), which needs a key and tells everything. */
import { AppError } from "../../errors.ts";
import type { Judge } from "../kit/json-api.ts";
import { SHOWN_PRICES } from "./amounts.ts";
import { type List, totalOf } from "./api.ts";
import { type CategoryTree, treeOf } from "./categories.ts";
import type { Connecting, Shop } from "./connect.ts";
import { type Dialect, type ProductVerdict, typeReason, type Verdict } from "./dialect.ts";
import { readFacts } from "./facts.ts";
import { wooFailure } from "./failures.ts";
import type { Reason } from "./left-out.ts";
import {
  PRODUCT_FIELDS,
  productDraft,
  type Shelf,
  VARIATION_FIELDS,
  variationDraft,
  variationIds,
} from "./map.ts";
import { isProtected, passwordFlags } from "./passwords.ts";
import type { OwnFields } from "./settings.ts";
import { shownPrices } from "./shown-prices.ts";
import { BY_ID, walkList } from "./walk.ts";
import { idIn, isRow, type Row, textIn } from "./wire.ts";

export type RestOptions = { readonly own: OwnFields; readonly takesExternal: boolean };

export async function restDialect(
  shop: Shop,
  connecting: Connecting,
  { own, takesExternal }: RestOptions,
): Promise<Dialect> {
  const facts = await readFacts(shop);
  const categories = await readCategories(shop, connecting);
  const prices = shownPrices(shop, connecting, facts);
  const passwords = passwordFlags(shop);
  const shelf: Shelf = { facts, categories, own };
  const variationQuery = { ...BY_ID, ...fieldsAsked(VARIATION_FIELDS, own) };
  const listAt = (route: string, what = "variations"): List => ({ route, query: variationQuery, what });
  const judgeVariation = (parent: Row, row: Row): Verdict => {
    const reason = STATUS_REASONS[textIn(row, "status") ?? "publish"] ?? "shelved";
    if (reason !== "for_sale") return { kind: "left_out", reason };
    if (row[SHOWN_PRICES] === null) return { kind: "unpriced", id: textIn(row, "id") ?? "" };
    return { kind: "item", draft: variationDraft(parent, row, shelf) };
  };

  return {
    products: PUBLISHED(own),
    complete: async (rows, kind) => passwords.complete(await prices(rows, kind), kind),
    notes: passwords.notes,
    product: (row) => judgeProduct(row, shelf, takesExternal),
    variationIds,
    parentOf: (row) => idIn(row, "parent_id"),
    variation: judgeVariation,
    variationsOf: (id) => listAt(`wc/v3/products/${id}/variations`, `variations of product ${id}`),
    alone: {
      at: (parentId, id) => ({
        route: `wc/v3/products/${parentId}/variations/${id}`,
        query: fieldsAsked(VARIATION_FIELDS, own),
      }),
      // WooCommerce gives any variation under any product; older versions do not tell whose it is.
      judge: (parent, row) =>
        row !== null && (idIn(row, "parent_id") ?? idIn(parent)) === idIn(parent)
          ? judgeVariation(parent, row)
          : { kind: "left_out", reason: "gone" },
    },
    findVariations: async () => {
      for (const route of VARIATION_LISTS) if (await hasList(shop, route)) return listAt(route);
      return null;
    },
    unlisted: async () => ({ reason: "unpublished", count: await countUnpublished(shop) }),
  };
}

/** WooCommerce's "Enabled" box switches between the first two. */
const STATUS_REASONS: Readonly<Record<string, Reason | "for_sale">> = {
  publish: "for_sale",
  private: "switchedOff",
};

/** The first is of WooCommerce 10.3 and later; the second is older and slower, and may be switched off. */
const VARIATION_LISTS = ["wc/v3/variations", "wc-analytics/variations"] as const;

const PUBLISHED = (own: OwnFields): List => ({
  route: "wc/v3/products",
  query: { ...BY_ID, status: "publish", ...fieldsAsked(PRODUCT_FIELDS, own) },
  what: "products",
});

/** Custom fields can be many and large: they are asked for only when the settings name one, and then only that. */
function fieldsAsked(fields: string, own: OwnFields): Record<string, string> {
  const names = Object.values(own);
  if (names.length === 0) return { _fields: fields };
  return { _fields: `${fields},meta_data`, include_meta: names.join(",") };
}

function judgeProduct(row: Row, shelf: Shelf, takesExternal: boolean): ProductVerdict {
  const type = textIn(row, "type") ?? "simple";
  const reason = visibilityReason(row) ?? typeReason(type, takesExternal);
  if (reason !== null) return { kind: "left_out", reason };
  // Plugins have variable types of their own (variable-subscription).
  const isParent = type === "variable" || variationIds(row).length > 0;
  if (isParent) return { kind: "parent" };
  if (row[SHOWN_PRICES] === null) return { kind: "unpriced", id: textIn(row, "id") ?? "" };
  return { kind: "item", draft: productDraft(row, shelf) };
}

function visibilityReason(row: Row): Reason | null {
  if ((textIn(row, "status") ?? "publish") !== "publish") return "unpublished";
  if (textIn(row, "catalog_visibility") === "hidden") return "hidden";
  return isProtected(row) ? "password" : null;
}

async function readCategories(shop: Shop, connecting: Connecting): Promise<CategoryTree> {
  const list: List = {
    route: "wc/v3/products/categories",
    query: { ...BY_ID, _fields: "id,name,parent" },
    what: "categories",
  };
  const rows: Row[] = [];
  try {
    for await (const page of walkList({ ...connecting, api: shop.api }, list)) {
      for (const listed of page) if (listed.kind === "row") rows.push(listed.row);
    }
  } catch (error) {
    // Without the tree products still have the names of their categories.
    if (!(error instanceof AppError) || !MISSABLE.has(error.code)) throw error;
  }
  return treeOf(rows);
}

const MISSABLE: ReadonlySet<string> = new Set([
  "source_unauthorized",
  "source_not_found",
  "source_incomplete",
]);

async function hasList({ api }: Shop, route: string): Promise<boolean> {
  const judge: Judge = (answer) =>
    [400, 401, 403, 404].includes(answer.status) ? "usable" : wooFailure(answer, api.host);
  const { status, body } = await api.get(route, { per_page: "1", _fields: "id,parent_id" }, judge);
  // The newest variation may have lost its product; the field is there all the same, and says 0.
  return status === 200 && Array.isArray(body) && body.every((row) => isRow(row) && "parent_id" in row);
}

/** `any` is everything but the trash. */
async function countUnpublished({ api }: Shop): Promise<number> {
  const count = async (status: string): Promise<number | null> =>
    totalOf(await api.getOnce("wc/v3/products", { status, per_page: "1", _fields: "id" }));
  const [all, published] = [await count("any"), await count("publish")];
  return all === null || published === null ? 0 : all - published;
}
