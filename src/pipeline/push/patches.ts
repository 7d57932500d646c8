/**
 * Applies patches, changes of single fields, in batches. Only one push of a catalog runs at a time, and the merge
 * rejects items that a source owns by then, so the items that are read here are those that are changed.
 */
import type { Rejection, Warning } from "../../catalog/finding.ts";
import { decodeItem } from "../../catalog/item.ts";
import { normalize, type NormalizeContext, type Normalized } from "../../catalog/normalize.ts";
import { readId } from "../../catalog/normalize/identity.ts";
import { patchItem } from "../../catalog/patch.ts";
import { snakeCase } from "../../lib/snake-case.ts";
import type { EmptyField } from "../../sources/push/push-fields.ts";
import type { PushedDraft } from "../../sources/push/read.ts";
import type { Push } from "../../store/pushes.ts";
import type { Queries } from "../../store/db.ts";
import { findSourceItems } from "../../store/items.ts";
import type { CatalogSettings } from "../../catalog/settings.ts";
import type { PushedChange } from "../intake.ts";
import { stage, type StagingContext } from "../sync/stage.ts";

const BATCH = 1_000;

/** Whether a row changes the fields that it has. A row that replaces its item is stored like a row of a full push. */
export const isPatch = ({ isReplacement = false }: PushedDraft, mode: Push["mode"]): boolean =>
  mode === "update" && !isReplacement;

export type Patches = ReturnType<typeof openPatches>;

export type PushContext = StagingContext & { readonly settings: CatalogSettings };

export function openPatches(db: Queries, catalogId: string, context: PushContext) {
  let waiting: PushedDraft[] = [];
  const flush = async (): Promise<void> => {
    const batch = waiting;
    waiting = [];
    if (batch.length > 0) await stagePatches(batch, { db, catalogId, context });
  };
  return {
    /** Returns a promise when a batch is full and is being staged. */
    add: (patch: PushedDraft): Promise<void> | undefined => {
      waiting.push(patch);
      return waiting.length >= BATCH ? flush() : undefined;
    },
    flush,
  };
}

type PatchContext = { readonly db: Queries; readonly catalogId: string; readonly context: PushContext };

async function stagePatches(
  batch: readonly PushedDraft[],
  { db, catalogId, context }: PatchContext,
): Promise<void> {
  const items = await patchedItems(db, { catalogId, settings: context.settings }, batch);
  for (const [i, item] of items.entries()) {
    const full = stage(item, batch[i]?.position ?? 0, context);
    if (full) await full;
  }
}

type PatchedCatalog = { readonly catalogId: string; readonly settings: CatalogSettings };

/** The items that the patches make of the stored ones. */
export async function patchedItems(
  db: Queries,
  { catalogId, settings }: PatchedCatalog,
  batch: readonly PushedDraft[],
): Promise<readonly Normalized[]> {
  const ids = batch.map((patch) => idOf(patch, settings));
  const rows = await findSourceItems(db, catalogId, [...new Set(ids.filter((id) => id !== undefined))]);
  const stored = new Map(rows.map(({ id, body }) => [id, body]));
  return batch.map((patch, i) => patchedItem(patch, stored.get(ids[i] ?? ""), settings));
}

/** The id that a row names; undefined if it is not valid. */
export function idOf(
  { draft, position }: Pick<PushedDraft, "draft" | "position">,
  settings: CatalogSettings,
): string | undefined {
  const id = readId({ draft, position, settings, decimalMark: undefined, warnings: [], itemId: null });
  return id.kind === "valid" ? id.value : undefined;
}

/** Returns the stored item with the row's changes, or a new item if none is stored. */
export function patchedItem(
  { draft, cleared = [], empty = [], position, decimalMark }: PushedDraft,
  body: string | undefined,
  settings: CatalogSettings,
): Normalized {
  const context: NormalizeContext = { position, settings, decimalMark };
  if (body !== undefined) {
    const patched = patchItem(decodeItem(body), { draft, cleared }, context);
    if (patched.kind === "rejected" || empty.length === 0) return patched;
    const { item, warnings } = patched;
    return { ...patched, warnings: [...warnings, ...empty.map(emptyWarning(item.id, position))] };
  }
  const result = normalize(draft, context);
  if (result.kind === "item" || result.rejection.itemId === null) return result;
  const { itemId, message } = result.rejection;
  const why = `${message} There is no item "${itemId}" that the other fields could change; to add it, send its title and price.`;
  return { kind: "rejected", rejection: { ...result.rejection, message: why } };
}

const LONGEST_SHOWN = 40;

const emptyWarning =
  (itemId: string, position: number) =>
  ({ field, value }: EmptyField): Warning => {
    const text = JSON.stringify(value);
    const shown = text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN).toWellFormed()}…` : text;
    const message = `${snakeCase(field)} is ${shown}, which is not a value; the field is unchanged. To clear a field, send null.`;
    return { itemId, position, field, code: "empty_value", message };
  };

/** The id of the item to delete, or why the deletion is rejected. */
export function readRemoval(
  { draft, position }: Extract<PushedChange, { kind: "removal" }>,
  mode: Push["mode"],
  settings: CatalogSettings,
): string | Rejection {
  const id = readId({ draft, position, settings, decimalMark: undefined, warnings: [], itemId: null });
  if (id.kind === "rejected") return id.rejection;
  return mode === "update" ? id.value : refusedRemoval(id.value, position);
}

function refusedRemoval(itemId: string, position: number): Rejection {
  const message = "A full replacement takes no deletions: leave the item out, or use PATCH.";
  return { itemId, position, field: "delete", code: "unreadable_row", message };
}
