/** Counts the merchant's own category paths in a pass over the catalog, with a few titles of each. Memory is bounded. */
import type { Item } from "../../catalog/item.ts";

export type CategoryPath = {
  /** `Home > Mugs`. */
  readonly path: string;
  readonly items: number;
  /** Of these, how many have a Google category of their own. */
  readonly categorized: number;
  readonly titles: readonly string[];
};

type Counted = { items: number; categorized: number; readonly titles: string[] };

/** Further paths of a catalog are not counted. */
export const MAX_PATHS = 20_000;
const MAX_TITLES = 5;

export class CategoryPaths {
  /** Items whose path is not among the first ones of the catalog. */
  uncounted = 0;
  private readonly byPath = new Map<string, Counted>();

  /** As the source has it: mappings are for its paths, and a category that rules have set is none of its own. */
  add({ categories, googleCategory, title }: Item): void {
    const path = categories?.[0]?.join(" > ");
    if (path === undefined) return;
    const counted = this.at(path);
    if (!counted) {
      this.uncounted += 1;
      return;
    }
    counted.items += 1;
    if (googleCategory !== undefined) counted.categorized += 1;
    if (counted.titles.length < MAX_TITLES) counted.titles.push(title);
  }

  /** Paths with the most items first. */
  list(): readonly CategoryPath[] {
    return [...this.byPath]
      .map(([path, counted]) => ({ path, ...counted }))
      .sort((a, b) => b.items - a.items || Number(a.path > b.path) - Number(a.path < b.path));
  }

  /** Titles of a few items with the path. */
  titlesOf(path: string): readonly string[] {
    return this.byPath.get(path)?.titles ?? [];
  }

  private at(path: string): Counted | undefined {
    const known = this.byPath.get(path);
    if (known || this.byPath.size >= MAX_PATHS) return known;
    const counted = { items: 0, categorized: 0, titles: [] };
    this.byPath.set(path, counted);
    return counted;
  }
}
