/**
 * The shop's category tree, as paths. Products name only the terms they are filed under, so the tree is read once
 * and kept: there are hundreds of categories where there are thousands of products.
 */
import { plainText } from "../../catalog/text.ts";
import type { Row } from "./wire.ts";
import { idIn, rowsIn, textIn } from "./wire.ts";
import { replaceSeparators } from "../../lib/trim-text.ts";

/** Deeper than any shop; a loop in the tree ends here. */
const MOST_LEVELS = 20;
/** Where WooCommerce files what nobody filed. */
const UNFILED = /^uncategori[sz]ed$/;

export type CategoryTree = ReadonlyMap<number, { readonly name: string; readonly parent: number | null }>;

export function treeOf(rows: readonly Row[]): CategoryTree {
  const tree = new Map<number, { name: string; parent: number | null }>();
  for (const row of rows) {
    const [id, name] = [idIn(row), textIn(row, "name")];
    if (id !== null && name !== undefined)
      tree.set(id, { name: levelName(name), parent: idIn(row, "parent") });
  }
  return tree;
}

/** The product's categories as `Broad > Narrow`, without those that another of its paths goes through. */
export function categoryPaths(product: Row, tree: CategoryTree): readonly string[] {
  const paths = rowsIn(product, "categories").flatMap((term) => {
    const name = textIn(term, "name");
    if (name === undefined || UNFILED.test(textIn(term, "slug") ?? "")) return [];
    return [pathOf(idIn(term), tree) ?? levelName(name)];
  });
  return paths.filter((path) => !paths.some((other) => other.startsWith(`${path} > `)));
}

function pathOf(id: number | null, tree: CategoryTree): string | undefined {
  const levels: string[] = [];
  let at = id;
  while (at !== null && levels.length < MOST_LEVELS) {
    const term = tree.get(at);
    if (term === undefined) break;
    levels.unshift(term.name);
    at = term.parent;
  }
  return levels.length === 0 ? undefined : levels.join(" > ");
}

/** In a path `>`, `|` and `;` are signs of ours, so a name may not hold them. */
function levelName(name: string): string {
  return replaceSeparators(plainText(name), /[>|;]/, " / ");
}
