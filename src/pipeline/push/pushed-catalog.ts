/**
 * What updates make of the items that they name, one update after the other, in memory. Decides about each row like a merge
 * (`merge-staged.ts`), and counts for each update.
 */
import { encodeItem } from "../../catalog/item.ts";
import { normalize } from "../../catalog/normalize.ts";
import type { CatalogSettings } from "../../catalog/settings.ts";
import type { SyncStats } from "../../contract/syncs.ts";
import type { StoredId } from "../../store/items.ts";
import type { Change } from "../intake.ts";
import { balance, type Ledger } from "../sync/ledger.ts";
import { foreign, nothingToRemove, PUSH_ID_OWNERS, repeated } from "../sync/merge-staged.ts";
import { idOf, isPatch, patchedItem, readRemoval } from "./patches.ts";

export type AppliedRows = {
  readonly kind: "applied";
  readonly stats: SyncStats;
  /** The items that were changed or removed. */
  readonly itemIds: readonly string[];
};

type State = Omit<StoredId, "id"> & { readonly groupId?: string | null };

/** A row that can be applied; without an item it is a removal. */
type Row = { readonly id: string; readonly position: number; readonly item: State | null };

type Effect = "upserted" | "unchanged" | "removed";

export class PushedCatalog {
  readonly stored: ReadonlyMap<string, State>;
  /** As the updates so far have left the items. Null: removed. */
  readonly changed = new Map<string, State | null>();
  private readonly settings: CatalogSettings;

  constructor(stored: readonly StoredId[], settings: CatalogSettings) {
    this.stored = new Map(stored.map((row) => [row.id, row]));
    this.settings = settings;
  }

  /** Applies one update. Its rows see the catalog as it was before this update. */
  apply(changes: readonly Change[], ledger: Ledger): AppliedRows {
    const counts = { upserted: 0, unchanged: 0, removed: 0 };
    const results = new Map<string, State | null>();
    const itemIds: string[] = [];
    const named = new Set<string>();
    for (const change of changes) {
      const row = this.readRow(change, ledger);
      if (row === undefined || this.isRefused(row, named, ledger)) continue;
      const effect = this.effectOf(row, ledger);
      if (effect === undefined) continue;
      counts[effect] += 1;
      if (effect !== "unchanged") itemIds.push(row.id);
      results.set(row.id, row.item);
    }
    for (const [id, state] of results) this.changed.set(id, state);
    const stats = ledger.stats(counts);
    balance(stats);
    return { kind: "applied", stats, itemIds };
  }

  private find(id: string): State | undefined {
    const changed = this.changed.get(id);
    return changed === undefined ? this.stored.get(id) : (changed ?? undefined);
  }

  /** Returns undefined if the row itself is invalid. Every item row counts as seen; a removal counts only if it is rejected. */
  private readRow(change: Change, ledger: Ledger): Row | undefined {
    const { position, draft } = change;
    const { settings } = this;
    if (change.kind === "removal") {
      const removal = readRemoval(change, "update", settings);
      if (typeof removal === "string") return { id: removal, position, item: null };
      ledger.seen += 1;
      ledger.reject(removal);
      return undefined;
    }
    const id = idOf(change, settings);
    const row = isPatch(change, "update")
      ? patchedItem(change, id === undefined ? undefined : this.find(id)?.body, settings)
      : normalize(draft, { position, settings, decimalMark: change.decimalMark });
    ledger.seen += 1;
    if (row.kind === "rejected") {
      ledger.reject(row.rejection);
      return undefined;
    }
    for (const warning of row.warnings) ledger.warn(warning);
    const { id: itemId, groupId = null } = row.item;
    const item = { ...encodeItem(row.item), groupId, isForeign: false, isPushed: true };
    return { id: itemId, position, item };
  }

  /** `named`: the ids of the rows before it. */
  private isRefused({ id, position, item }: Row, named: Set<string>, ledger: Ledger): boolean {
    const message = named.has(id)
      ? repeated(PUSH_ID_OWNERS.same)({ id })
      : this.ownerRefusal(id, item === null);
    named.add(id);
    if (message === null) return false;
    if (item === null) ledger.seen += 1;
    ledger.reject({ itemId: id, position, field: "id", code: "duplicate_item_id", message });
    return true;
  }

  /** An item of a source that is being removed can be taken over, but not deleted. */
  private ownerRefusal(id: string, isRemoval: boolean): string | null {
    const before = this.find(id);
    if (!before || !(before.isForeign || (isRemoval && !before.isPushed))) return null;
    return foreign(PUSH_ID_OWNERS.other)({ id, isPushed: before.isPushed, isRemoval });
  }

  private effectOf({ id, position, item }: Row, ledger: Ledger): Effect | undefined {
    const before = this.find(id);
    if (item !== null) return item.fingerprint === before?.fingerprint ? "unchanged" : "upserted";
    if (before) return "removed";
    ledger.warn(nothingToRemove({ id, position }));
    return undefined;
  }
}
