/**
 * What a given Google category is: known or not, broad or specific, apparel or not. It may be given as an id or as a
 * path. Only English paths can be checked: a path whose root is not an English one may be right in another language.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

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

/** `root`: one of the broadest. `apparel`: below Apparel & Accessories. `sized`: of these, clothing and shoes. */
export type CategoryMark = "root" | "apparel" | "sized" | "";

export type GoogleTaxonomy = {
  /** The date Google gave this version. */
  readonly version: string;
  readonly byId: ReadonlyMap<number, CategoryMark>;
  /** The names of the roots, as `pathKey` makes them. */
  readonly roots: ReadonlySet<string>;
  /** Of a path as `pathKey` makes it, in US or UK English. */
  readonly hasPath: (key: string) => boolean;
};

const FOLDER = join(import.meta.dirname, "../../reference-data");
const VERSION = /version (\d{4}-\d\d-\d\d)/;
const CATEGORY = /^(\d+)(?:\t(\w*))?(?:\t(.+))?$/gm;
const HASH = /^[0-9a-f]{8}$/gm;
/** The UK name of Apparel & Accessories; the other roots have one English name. */
const BRITISH_APPAREL = "clothing & accessories";

let loaded: GoogleTaxonomy | undefined;

export function googleTaxonomy(): GoogleTaxonomy {
  loaded ??= load();
  return loaded;
}

/** A path as it is compared: levels in lower case, separated by `>` without spaces. */
export function pathKey(path: string): string {
  return path
    .replaceAll("&amp;", "&")
    .split(">")
    .map((name) => name.trim().replace(/\s+/g, " ").toLowerCase())
    .join(">");
}

function load(): GoogleTaxonomy {
  const byId = new Map<number, CategoryMark>();
  const roots = new Set([BRITISH_APPAREL]);
  const text = readFileSync(join(FOLDER, "google-categories.tsv"), "utf8");
  for (const [, id, mark = "", name = ""] of text.matchAll(CATEGORY)) {
    byId.set(Number(id), mark as CategoryMark);
    if (mark === "root") roots.add(pathKey(name));
  }
  const paths = readFileSync(join(FOLDER, "google-category-paths.txt"), "utf8");
  const hashes = new Set(Array.from(paths.matchAll(HASH), ([hex]) => Number.parseInt(hex, 16)));
  const hasPath = (key: string): boolean => hashes.has(hashOf(key));
  return { version: VERSION.exec(text)?.[1] ?? "", byId, roots, hasPath };
}

/** FNV-1a over the bytes of UTF-16. */
function hashOf(path: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < path.length; at += 1) {
    const unit = path.charCodeAt(at);
    hash = Math.imul(hash ^ (unit & 0xff), 0x01000193);
    hash = Math.imul(hash ^ (unit >>> 8), 0x01000193);
  }
  return hash >>> 0;
}
