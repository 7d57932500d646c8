/** Brand names and category paths of a page's products. Only the channel's own, visible categories count. */
import type { ShopApi, ShopCall, ShopList } from "./api.ts";
import { lacking, PERMISSIONS } from "./failures.ts";
import type { BigCommerceLimits } from "./limits.ts";
import { type Lookup, lookup } from "./lookup.ts";
import { asFields, type Fields, idIn, idsIn, textIn } from "./wire.ts";

export type Taxonomy = {
  /** Makes known what these products name. */
  readonly prepare: (products: readonly Fields[]) => Promise<void>;
  readonly brandOf: (product: Fields) => string | undefined;
  /** Paths from the top, levels parted by `>`. */
  readonly categoriesOf: (product: Fields) => readonly string[];
  /** What the merchant should know once all is read. */
  readonly notes: () => readonly string[];
};

type Category = { readonly name: string; readonly parentId: number | undefined; readonly isVisible: boolean };

/** Deeper than any shop's tree; a tree that runs in a circle ends here. */
const MAX_DEPTH = 20;

export async function readTaxonomy(
  api: ShopApi,
  channelId: number,
  limits: BigCommerceLimits,
): Promise<Taxonomy> {
  const trees = await readTrees(api, channelId);
  const brands = lookup((ids) => readBrands(api, ids), limits.maxRemembered);
  let isWithout = false;
  const categories = lookup(async (ids) => {
    const found = (await readCategories(api, trees, ids)) ?? (await readOlderCategories(api, ids));
    isWithout ||= found === null;
    return found ?? new Map<number, Category>();
  }, limits.maxRemembered);
  return {
    notes: () => (isWithout ? [NO_CATEGORIES] : []),
    prepare: async (products) => {
      await brands.ensure(products.flatMap((product) => idIn(product, "brand_id") ?? []));
      await ensureWithParents(categories, products);
    },
    brandOf: (product) => brands.get(idIn(product, "brand_id") ?? 0),
    categoriesOf: (product) =>
      idsIn(product, "categories").flatMap((id) => pathOf(categories, id)?.join(" > ") ?? []),
  };
}

/** Parents are asked for together with what is wanted already, so that a full memory does not forget the children. */
async function ensureWithParents(categories: Lookup<Category>, products: readonly Fields[]): Promise<void> {
  const wanted = new Set(products.flatMap((product) => idsIn(product, "categories")));
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    await categories.ensure(wanted);
    const before = wanted.size;
    for (const id of wanted) {
      const parentId = categories.get(id)?.parentId;
      if (parentId !== undefined) wanted.add(parentId);
    }
    if (wanted.size === before) return;
  }
}

/** Null when a level is hidden, or not of this channel: shoppers do not see such a path. */
function pathOf(categories: Lookup<Category>, id: number): readonly string[] | null {
  const names: string[] = [];
  let next: number | undefined = id;
  while (next !== undefined) {
    const category: Category | undefined = categories.get(next);
    if (category === undefined || !category.isVisible || names.length === MAX_DEPTH) return null;
    names.unshift(category.name);
    next = category.parentId;
  }
  return names;
}

const NO_CATEGORIES =
  "BigCommerce has no category list for this store (v3/catalog/trees and v3/catalog/categories answer with status 404), so items have no categories. If base_url is set, check that it passes these addresses on.";

/** Null where the store has no category trees: older stores, and those without several storefronts, may have none. */
async function readTrees(api: ShopApi, channelId: number): Promise<readonly number[] | null> {
  const params = { "channel_id:in": channelId };
  const trees = await listOrNull(api, { path: "v3/catalog/trees", params, needs: PERMISSIONS.products });
  return trees === null ? null : trees.rows.flatMap((row) => idIn(asFields(row) ?? {}, "id") ?? []);
}

/** Null where there is no such list. A missing permission is a failure: without it there are no products either. */
async function listOrNull(api: ShopApi, call: ShopCall): Promise<ShopList | null> {
  const list = await api.listIfAllowed(call);
  if (list === 403) throw lacking(call.needs);
  return list === 404 ? null : list;
}

async function readBrands(api: ShopApi, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const params = { "id:in": ids.join(","), limit: ids.length };
  const { rows } = await api.list({ path: "v3/catalog/brands", params, needs: PERMISSIONS.products });
  return byId(rows, "id", (brand) => textIn(brand, "name"));
}

async function readCategories(
  api: ShopApi,
  trees: readonly number[] | null,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Category> | null> {
  if (trees === null) return null;
  const params = {
    "category_id:in": ids.join(","),
    ...(trees.length === 0 ? {} : { "tree_id:in": trees.join(",") }),
    exclude_fields: "description",
    limit: ids.length,
  };
  const call = { path: "v3/catalog/trees/categories", params, needs: PERMISSIONS.products };
  const list = await listOrNull(api, call);
  return list === null ? null : byId(list.rows, "category_id", categoryIn);
}

/** The list that every store has had before there were trees; its categories are those of the only storefront. */
async function readOlderCategories(
  api: ShopApi,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Category> | null> {
  const params = { "id:in": ids.join(","), exclude_fields: "description", limit: ids.length };
  const call = { path: "v3/catalog/categories", params, needs: PERMISSIONS.products };
  const list = await listOrNull(api, call);
  return list === null ? null : byId(list.rows, "id", categoryIn);
}

function categoryIn(fields: Fields): Category | undefined {
  const name = textIn(fields, "name");
  if (name === undefined) return undefined;
  const parentId = idIn(fields, "parent_id");
  return { name: asOneLevel(name), parentId, isVisible: fields["is_visible"] !== false };
}

function byId<T>(
  rows: readonly unknown[],
  idField: string,
  read: (fields: Fields) => T | undefined,
): ReadonlyMap<number, T> {
  const found = new Map<number, T>();
  for (const row of rows) {
    const fields = asFields(row) ?? {};
    const id = idIn(fields, idField);
    const value = read(fields);
    if (id !== undefined && value !== undefined) found.set(id, value);
  }
  return found;
}

/** In a draft, `>` parts levels, and `|` and `;` part paths. In a name they are only signs; entities keep theirs. */
function asOneLevel(name: string): string {
  return name
    .replaceAll(">", "›")
    .replaceAll("|", "/")
    .replace(/(?<!&#?\w{1,31});/g, ",");
}
