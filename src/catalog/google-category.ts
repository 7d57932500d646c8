/**
 * What a given Google category is: known or not, broad or specific, apparel or not. It may be given as an id or as a
 * path. Only English paths can be checked: a path whose root is not an English one may be right in another language.
 */
import { googleTaxonomy, pathKey } from "./google-taxonomy.ts";

/**
 * `root`: known, but as broad as possible. `foreign`: a path whose root is not an English one, so it cannot be checked.
 * `unrecognized`: an id or an English path that does not exist, or text that is neither an id nor a path.
 */
export type CategoryKind = "specific" | "root" | "unrecognized" | "foreign";

export function categoryKind(category: string): CategoryKind {
  const { byId, roots, hasPath } = googleTaxonomy();
  if (isId(category)) {
    const mark = byId.get(Number(category));
    if (mark === undefined) return "unrecognized";
    return mark === "root" ? "root" : "specific";
  }
  const key = pathKey(category);
  const levels = key.split(">");
  const isEnglish = roots.has(levels[0] ?? "");
  if (levels.length === 1) return isEnglish ? "root" : "unrecognized";
  if (isEnglish) return hasPath(key) ? "specific" : "unrecognized";
  // The lines of Google's own list, `2271 - Apparel & Accessories > …`, are neither an id nor a path.
  return /^\d+ ?-/.test(category) ? "unrecognized" : "foreign";
}

const APPAREL_ID = 166;
const APPAREL_ROOTS: ReadonlySet<string> = new Set(["apparel & accessories", "clothing & accessories"]);
const SIZED_BRANCHES: ReadonlySet<string | undefined> = new Set(["clothing", "shoes"]);

/** Whether Google expects a color, a gender and an age group of it, and a size as well. */
export function apparelKind(category: string | undefined): "none" | "apparel" | "sized" {
  if (category === undefined) return "none";
  if (isId(category)) {
    const id = Number(category);
    const mark = googleTaxonomy().byId.get(id);
    if (mark === "sized" || mark === "apparel") return mark;
    return id === APPAREL_ID ? "apparel" : "none";
  }
  const [root = "", branch] = pathKey(category).split(">");
  if (!APPAREL_ROOTS.has(root)) return "none";
  return SIZED_BRANCHES.has(branch) ? "sized" : "apparel";
}

/** Media, books, films, music and sound recordings. */
const MEDIA_IDS: ReadonlySet<string> = new Set(["783", "784", "839", "855"]);

/** Whether it is one of the categories of books, films and recordings, as far as that is known of an id. */
export function isMedia(category: string): boolean {
  return MEDIA_IDS.has(category) || pathKey(category).split(">")[0] === "media";
}

function isId(category: string): boolean {
  return /^\d+$/.test(category);
}
