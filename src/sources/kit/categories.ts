/** Category trees: a product references categories by id, a draft has the path from the top, `Kitchen > Mugs`. */
import { type IdLookup, lookup } from "./lookup.ts";

export type ShopCategory = {
  readonly name: string;
  readonly parentId?: number | undefined;
  readonly isHidden?: boolean;
};

/** More levels than any shop has. A loop in the tree ends here. */
const MAX_DEPTH = 20;

export type ShopCategoryPath = {
  /** Empty if the category itself is unknown. */
  readonly path: string;
  /** False if a level is unknown or hidden, or if the tree has a loop. */
  readonly isVisible: boolean;
};

export function categoryPath(
  id: number | undefined,
  get: (id: number) => ShopCategory | undefined,
): ShopCategoryPath {
  const names: string[] = [];
  let next = id;
  let isVisible = id !== undefined;
  while (next !== undefined) {
    const category = names.length < MAX_DEPTH ? get(next) : undefined;
    if (category === undefined || category.isHidden === true) isVisible = false;
    if (category !== undefined) names.unshift(category.name);
    next = category?.parentId;
  }
  return { path: names.join(" > "), isVisible };
}

/** In a draft, `>` separates levels, `|` and `;` separate paths. In a name they are replaced; entities keep theirs. */
export function levelName(name: string): string {
  return name
    .replaceAll(">", "›")
    .replaceAll("|", "/")
    .replace(/(?<!&#?\w{1,31});/g, ",");
}

/**
 * A tree of which only the categories in use are requested. Parents are requested together with the categories below
 * them, so that a full cache does not drop the latter.
 */
export function categoryLookup(...options: Parameters<typeof lookup<ShopCategory>>): IdLookup<ShopCategory> {
  const categories = lookup(...options);
  return {
    get: categories.get,
    ensure: async (ids) => {
      const wanted = new Set(ids);
      for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
        await categories.ensure(wanted);
        const before = wanted.size;
        for (const id of wanted) {
          const parentId = categories.get(id)?.parentId;
          if (parentId !== undefined) wanted.add(parentId);
        }
        if (wanted.size === before) return;
      }
    },
  };
}
