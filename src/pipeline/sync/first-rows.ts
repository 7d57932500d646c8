/** Shows what a merge would do with the first rows of a source or of a push, without staging. */
import type { Rejection, Warning } from "../../catalog/finding.ts";
import { decodeItem, encodeItem, type Item, type SourceField } from "../../catalog/item.ts";
import { clearedFields } from "../../catalog/patch.ts";
import type { Queries } from "../../store/db.ts";
import { findSourceItems, findStoredIds } from "../../store/items.ts";
import { decideRow, type IdOwners } from "./merge-staged.ts";

/** A row that was read; without an item it is a deletion. */
export type FirstRow = { readonly position: number; readonly id: string; readonly item: Item | null };

/** The ids of the rows, by what happens to their items. */
export type Effect = {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly unchanged: readonly string[];
  readonly deleted: readonly string[];
};

/** A stored item, and the fields that it would lose. */
export type Cleared = { readonly itemId: string; readonly fields: readonly SourceField[] };

export type MergedRows = {
  readonly items: readonly Item[];
  readonly rejections: readonly Rejection[];
  readonly warnings: readonly Warning[];
  readonly effect: Effect;
  readonly cleared: readonly Cleared[];
};

export type FirstRowsScope = {
  readonly catalogId: string;
  /** Null for a push. */
  readonly sourceId: string | null;
  readonly idOwners: IdOwners;
};

export async function mergeFirstRows(
  db: Queries,
  { idOwners, ...scope }: FirstRowsScope,
  rows: readonly FirstRow[],
): Promise<MergedRows> {
  const ids = rows.map(({ id }) => id);
  const stored = new Map((await findStoredIds(db, scope, ids)).map((row) => [row.id, row]));
  const seen = new Set<string>();
  const items: Item[] = [];
  const rejections: Rejection[] = [];
  const warnings: Warning[] = [];
  const effect = { added: [], changed: [], unchanged: [], deleted: [] } as Record<keyof Effect, string[]>;
  for (const { id, item, position } of rows) {
    const fingerprint = item && encodeItem(item).fingerprint;
    const context = { before: stored.get(id), isRepeated: seen.has(id), idOwners };
    const decision = decideRow({ id, position, fingerprint }, context);
    seen.add(id);
    if (decision.kind === "rejected") rejections.push(decision.rejection);
    else if (decision.kind === "nothing_to_remove") warnings.push(decision.warning);
    else {
      if (item !== null) items.push(item);
      effect[decision.kind].push(id);
    }
  }
  const cleared = await clearedIn(db, scope.catalogId, { items, changed: effect.changed });
  return { items, rejections, warnings, effect, cleared };
}

async function clearedIn(
  db: Queries,
  catalogId: string,
  { items, changed }: { readonly items: readonly Item[]; readonly changed: readonly string[] },
): Promise<readonly Cleared[]> {
  const stored = await findSourceItems(db, catalogId, changed);
  const bodies = new Map(stored.map(({ id, body }) => [id, body]));
  return items.flatMap((item): Cleared[] => {
    const body = bodies.get(item.id);
    const fields = body === undefined ? [] : clearedFields(decodeItem(body), item);
    return fields.length === 0 ? [] : [{ itemId: item.id, fields }];
  });
}
