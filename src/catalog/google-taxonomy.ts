/**
 * What is known of Google's product taxonomy: the id of every category, the names of its roots, which ids are apparel,
 * and a hash of every English path. Read from `reference-data/` at first use and kept. The names below the roots are
 * not part of the program; see docs/adr/0015-google-taxonomy-as-data.md.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

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
