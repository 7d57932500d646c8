/** Brand names and category paths of a page's products. Only the channel's own, visible categories count. */
import type { ShopApi } from "./api.ts";
import { PERMISSIONS } from "./failures.ts";
import type { BigCommerceLimits } from "./limits.ts";
import { type Lookup, lookup } from "./lookup.ts";
import { asFields, type Fields, idIn, idsIn, textIn } from "./wire.ts";

export type Taxonomy = {
  /** Makes known what these products name. */
  readonly prepare: (products: readonly Fields[]) => Promise<void>;
  readonly brandOf: (product: Fields) => string | undefined;
  /** Paths from the top, levels parted by `>`. */
  readonly categoriesOf: (product: Fields) => readonly string[];
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
  const categories = lookup((ids) => readCategories(api, trees, ids), limits.maxRemembered);
  return {
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

async function readTrees(api: ShopApi, channelId: number): Promise<readonly number[]> {
  const params = { "channel_id:in": channelId };
  const { rows } = await api.list({ path: "v3/catalog/trees", params, needs: PERMISSIONS.products });
  return rows.flatMap((row) => idIn(asFields(row) ?? {}, "id") ?? []);
}

async function readBrands(api: ShopApi, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const params = { "id:in": ids.join(","), limit: ids.length };
  const { rows } = await api.list({ path: "v3/catalog/brands", params, needs: PERMISSIONS.products });
  return byId(rows, "id", (brand) => textIn(brand, "name"));
}

async function readCategories(
  api: ShopApi,
  trees: readonly number[],
  ids: readonly number[],
): Promise<ReadonlyMap<number, Category>> {
  const params = {
    "category_id:in": ids.join(","),
    ...(trees.length === 0 ? {} : { "tree_id:in": trees.join(",") }),
    exclude_fields: "description",
    limit: ids.length,
  };
  const call = { path: "v3/catalog/trees/categories", params, needs: PERMISSIONS.products };
  const { rows } = await api.list(call);
  return byId(rows, "category_id", (fields) => {
    const name = textIn(fields, "name");
    if (name === undefined) return undefined;
    const parentId = idIn(fields, "parent_id");
    return { name: asOneLevel(name), parentId, isVisible: fields["is_visible"] !== false };
  });
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
