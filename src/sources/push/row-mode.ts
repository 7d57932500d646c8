/**
 * What a row of an update does with a stored item: `"mode": "replace"` replaces the whole item. Any other row changes
 * the fields that it has, because that loses nothing; an unknown word is reported.
 */
import { isJsonObject } from "../../lib/json-object.ts";
import type { Draft } from "../../catalog/draft.ts";
import type { Warning } from "../../catalog/finding.ts";

export type RowMode =
  | { readonly kind: "replace" | "update" }
  /** The word as it was sent, shortened. */
  | { readonly kind: "unknown"; readonly word: string };

const LONGEST_SHOWN = 40;

export const isModeName = (name: string): boolean => name.toLowerCase() === "mode";

export function rowModeIn(element: unknown): RowMode {
  const stated = isJsonObject(element)
    ? Object.entries(element).find(([name]) => isModeName(name))?.[1]
    : undefined;
  const word = typeof stated === "string" ? stated.trim().toLowerCase() : stated;
  if (word === undefined || word === null || word === "" || word === "update") return { kind: "update" };
  if (word === "replace") return { kind: "replace" };
  return { kind: "unknown", word: JSON.stringify(stated).slice(0, LONGEST_SHOWN).toWellFormed() };
}

export function unknownMode(
  mode: RowMode,
  { draft, position }: { readonly draft: Draft; readonly position: number },
): readonly Warning[] {
  if (mode.kind !== "unknown") return [];
  const message = `"mode" must be "replace" or "update", but is ${mode.word}; it is not used.`;
  return [{ itemId: draft.id ?? null, position, field: "mode", code: "unknown_word", message }];
}
