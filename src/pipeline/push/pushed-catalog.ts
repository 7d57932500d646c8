/**
 * Applies updates to the items that they name, one update after the other, in memory. Decides about each row like a
 * merge (`decideRow`), and counts for each update.
 */
import { encodeItem } from "../../catalog/item.ts";
import { normalize } from "../../catalog/normalize.ts";
import type { CatalogSettings } from "../../catalog/settings.ts";
import type { SyncStats } from "../../contract/syncs.ts";
import type { StoredId } from "../../store/items.ts";
import type { PushedChange } from "../intake.ts";
import { balance, type Ledger } from "../sync/ledger.ts";
import { decideRow, PUSH_ID_OWNERS } from "../sync/merge-staged.ts";
import { idOf, isPatch, patchedItem, readRemoval } from "./patches.ts";

export type AppliedRows = {
  readonly kind: "applied";
  readonly stats: SyncStats;
  /** The items that were changed or removed. */
  readonly itemIds: readonly string[];
};

type PushedItemState = Omit<StoredId, "id"> & { readonly groupId?: string | null };

/** A row that can be applied; without an item it is a removal. */
type PushedRow = { readonly id: string; readonly position: number; readonly item: PushedItemState | null };

const COUNTED_AS = {
  added: "upserted",
  changed: "upserted",
  unchanged: "unchanged",
  deleted: "removed",
} as const;

export class PushedCatalog {
  readonly stored: ReadonlyMap<string, PushedItemState>;
  /** As the updates so far have left the items. Null: removed. */
  readonly changed = new Map<string, PushedItemState | null>();
  private readonly settings: CatalogSettings;

  constructor(stored: readonly StoredId[], settings: CatalogSettings) {
    this.stored = new Map(stored.map((row) => [row.id, row]));
    this.settings = settings;
  }

  /** Applies one update. Its rows see the catalog as it was before this update. */
  apply(changes: readonly PushedChange[], ledger: Ledger): AppliedRows {
    const counts = { upserted: 0, unchanged: 0, removed: 0 };
    const results = new Map<string, PushedItemState | null>();
    const itemIds: string[] = [];
    const named = new Set<string>();
    for (const change of changes) {
      const row = this.readRow(change, ledger);
      if (row === undefined) continue;
      const { id, position, item } = row;
      const fingerprint = item?.fingerprint ?? null;
      const context = { before: this.find(id), isRepeated: named.has(id), idOwners: PUSH_ID_OWNERS };
      const decision = decideRow({ id, position, fingerprint }, context);
      named.add(id);
      if (decision.kind === "rejected") {
        if (item === null) ledger.seen += 1;
        ledger.reject(decision.rejection);
      } else if (decision.kind === "nothing_to_remove") ledger.warn(decision.warning);
      else {
        counts[COUNTED_AS[decision.kind]] += 1;
        if (decision.kind !== "unchanged") itemIds.push(id);
        results.set(id, item);
      }
    }
    for (const [id, state] of results) this.changed.set(id, state);
    const stats = ledger.stats(counts);
    balance(stats);
    return { kind: "applied", stats, itemIds };
  }

  private find(id: string): PushedItemState | undefined {
    const changed = this.changed.get(id);
    return changed === undefined ? this.stored.get(id) : (changed ?? undefined);
  }

  /**
   * Returns undefined if the row itself is invalid. Every item row counts as seen; a removal counts only if it is
   * rejected.
   */
  private readRow(change: PushedChange, ledger: Ledger): PushedRow | undefined {
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
}
