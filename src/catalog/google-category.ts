/**
 * The properties of a Google category: known or unknown, broad or specific, apparel or not. A category may be given as
 * an id or as a path.
 */
import { memoize } from "../lib/memoize.ts";
import {
  type Category,
  categoryById,
  categoryByPath,
  findCategory,
  followPath,
  lineage,
} from "./google-taxonomy.ts";

/**
 * `root`: known, but as broad as possible. `unchecked`: a path that may be right: in a language whose names we do not
 * have, or below a category that has children whose names we do not know. `unrecognized`: an id or an English path that
 * does not exist, or text that is neither an id nor a path.
 */
export type CategoryKind = "specific" | "root" | "unrecognized" | "unchecked";

export function categoryKind(category: string): CategoryKind {
  if (!isId(category)) return pathKind(category);
  const known = categoryById(Number(category));
  return known === undefined ? "unrecognized" : knownKind(known);
}

const knownKind = ({ parent }: Category): CategoryKind => (parent === undefined ? "root" : "specific");

const pathKind: (path: string) => CategoryKind = memoize(10_000, (path) => {
  const known = categoryByPath(path);
  return known === undefined ? unknownPathKind(path) : knownKind(known);
});

function unknownPathKind(path: string): CategoryKind {
  const { deepest } = followPath(path, "en");
  if (deepest !== undefined) return lineage(deepest).some(hasUnnamedChild) ? "unchecked" : "unrecognized";
  // The lines of Google's own list, `2271 - Apparel & Accessories > …`, are neither an id nor a path.
  return path.includes(">") && !/^\d+ ?-/.test(path) ? "unchecked" : "unrecognized";
}

const hasUnnamedChild = ({ children }: Category): boolean => children.some(({ name }) => name === "");

const APPAREL = 166;
const CLOTHING = 1604;
const SHOES = 187;
const MEDIA = 783;
const BABY = 537;
const BABY_CLOTHING = 182;

/**
 * Returns whether Google expects a color, a gender and an age group for the category, and whether it expects a size as
 * well.
 */
export function apparelKind(category: string | undefined): "none" | "apparel" | "sized" {
  if (category === undefined) return "none";
  const ids = lineageIds(category);
  if (ids.includes(CLOTHING) || ids.includes(SHOES)) return "sized";
  return ids.includes(APPAREL) ? "apparel" : "none";
}

/**
 * Returns whether the category is for children of up to five years, as Google counts them: "Baby & Toddler" and the
 * clothing of that name.
 */
export const isForBabies = (category: string): boolean =>
  lineageIds(category).some((id) => id === BABY || id === BABY_CLOTHING);

/** Returns whether the category belongs to books, films or recordings. */
export const isMedia = (category: string): boolean => lineageIds(category).includes(MEDIA);

/** The ids from the root to the category; of an unknown path, to the last level that is known. */
const lineageIds: (category: string) => readonly number[] = memoize(10_000, (category) => {
  const known = findCategory(category) ?? (isId(category) ? undefined : followPath(category, "en").deepest);
  return known === undefined ? [] : lineage(known).map(({ id }) => id);
});

function isId(category: string): boolean {
  return /^\d+$/.test(category);
}
