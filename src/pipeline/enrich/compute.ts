/**
 * Computes effective items: what rules and approved values make of the source's. Runs under the lock of the items, in
 * the transaction of the change that makes it necessary, and writes only what differs. The catalog's row is locked at the end, for
 * a moment: decisions, changes of rules and of settings do not wait.
 */
import { decodeItem, encodeItem, type Item } from "../../catalog/item.ts";
import type { ChangedItem, Plan } from "../../contract/plans.ts";
import { changedFields } from "../../enrich/changed-fields.ts";
import { type Effects, effectiveItem } from "../../enrich/effective.ts";
import type { Overlay } from "../../enrich/overlays.ts";
import { startOf } from "../../lib/day.ts";
import { type Catalog, lockCatalog, markEffectsApplied, scheduleRules } from "../../store/catalogs.ts";
import type { Queries } from "../../store/db.ts";
import {
  type ComputedItem,
  createTouched,
  type ItemToCompute,
  joinByLookup,
  listToCompute,
  noteGroups,
  noteStates,
  saveComputed,
  saveNotedStates,
  touchDecided,
  touchStaged,
  touchVariants,
} from "../../store/effective-items.ts";
import { advanceSnapshot, type ChangedKeys, joinKeys } from "../../store/item-changes.ts";
import { findItem } from "../../store/items.ts";
import type { MergeScope } from "../../store/merge.ts";
import { findOverlays, type StateChange } from "../../store/proposals.ts";
import { loadVariants } from "./variants.ts";

export type CatalogEffects = {
  readonly catalog: Pick<Catalog, "id" | "effects">;
  readonly effects: Effects;
};

export type Computed = {
  /** How many effective items have changed. */
  readonly changed: number;
  readonly examples: readonly ChangedItem[];
  /** How many values the checks of their fields refused. */
  readonly refused: number;
  readonly refusals: Plan["refusals"];
};

/** Merges staged items, and computes the effective items of those that it changes. Returns what the merge returns. */
export async function withEffects<Merged>(
  tx: Queries,
  of: CatalogEffects | undefined,
  scope: MergeScope,
  merge: () => Promise<Merged>,
): Promise<Merged> {
  if (!of) return merge();
  // Before the merge: afterwards the items that it changes cannot be distinguished from the others.
  await createTouched(tx);
  await touchStaged(tx, of.catalog.id, { all: of.effects.usesSource });
  const { usesVariants } = of.effects;
  if (usesVariants) await noteGroups(tx, scope);
  const merged = await merge();
  if (usesVariants) await touchVariants(tx, of.catalog.id);
  await recorded(tx, of, await computePending(tx, of));
  return merged;
}

/** After a change of rules or a decision about proposals. */
export async function computeDecided(tx: Queries, of: CatalogEffects, onItems?: OnItems): Promise<Computed> {
  await createTouched(tx);
  return recorded(tx, of, await computePending(tx, of, onItems));
}

async function recorded(
  tx: Queries,
  { catalog: { id, effects }, effects: { usesDay, today } }: CatalogEffects,
  computed: Totals,
): Promise<Computed> {
  await lockCatalog(tx, id);
  await saveNotedStates(tx, id);
  // Only now have all items been computed on this day.
  if (effects.rules > effects.applied) await scheduleRules(tx, id, usesDay ? startOf(today + 1) : null);
  if (effects.applied < effects.version) await markEffectsApplied(tx, id, effects.version);
  if (computed.changed > 0) await advanceSnapshot(tx, id, { itemDelta: 0, changed: computed.keys });
  return computed;
}

/** Is called with the number of items of each batch. */
export type OnItems = (items: number) => void;

/** The items that were noted or decided on; all items if the rules have changed. */
async function computePending(tx: Queries, of: CatalogEffects, onItems?: OnItems): Promise<Totals> {
  const { id, effects } = of.catalog;
  const scope = effects.rules > effects.applied ? "all" : "touched";
  if (scope === "touched" && effects.applied < effects.version) await touchDecided(tx, id, effects.applied);
  await joinByLookup(tx);
  const totals = new Totals();
  for (let after = ""; ; ) {
    const rows = await listToCompute(tx, id, { scope, after, limit: BATCH });
    const last = rows.at(-1);
    if (!last) return totals;
    const computed = await computeBatch(tx, of, rows, totals);
    if (computed.length > 0) totals.keys = joinKeys(totals.keys, await saveComputed(tx, id, computed));
    onItems?.(rows.length);
    after = last.id;
  }
}

const BATCH = 1_000;
const MAX_EXAMPLES = 10;

class Totals implements Computed {
  changed = 0;
  /** Of the groups of these items. */
  keys: ChangedKeys = [];
  readonly examples: ChangedItem[] = [];
  refused = 0;
  readonly refusals: Plan["refusals"][number][] = [];
}

async function computeBatch(
  tx: Queries,
  { catalog, effects }: CatalogEffects,
  rows: readonly ItemToCompute[],
  totals: Totals,
): Promise<readonly ComputedItem[]> {
  const found = await findOverlays(
    tx,
    catalog.id,
    rows.map(({ id }) => id),
  );
  const overlays = Map.groupBy(found, ({ itemId }) => itemId);
  const computed: ComputedItem[] = [];
  const states: StateChange[] = [];
  const sources = rows.map(({ body }) => decodeItem(body));
  const variantsOf = effects.usesVariants ? await loadVariants(tx, catalog.id, sources) : () => undefined;
  for (const [at, row] of rows.entries()) {
    const source = sources[at] as Item;
    const own: readonly Overlay[] = overlays.get(row.id) ?? [];
    const { item, ...result } = effectiveItem(source, effects, {
      sourceId: row.sourceId,
      overlays: own,
      variants: variantsOf(source),
    });
    states.push(...result.states);
    noteRefused(totals, row.id, result.refused);
    const saved = differing(row, source, item);
    if (!saved) continue;
    computed.push(saved);
    if (totals.examples.length < MAX_EXAMPLES) totals.examples.push(await exampleOf(tx, catalog.id, item));
  }
  totals.changed += computed.length;
  await noteStates(tx, states);
  return computed;
}

function noteRefused(
  totals: Totals,
  itemId: string,
  refused: readonly Omit<Plan["refusals"][number], "item_id">[],
): void {
  totals.refused += refused.length;
  const room = MAX_EXAMPLES - totals.refusals.length;
  for (const one of refused.slice(0, room)) totals.refusals.push({ item_id: itemId, ...one });
}

/** Undefined if the stored effective item is the same. */
function differing(
  { id, fingerprint, effective }: ItemToCompute,
  source: Item,
  item: Item,
): ComputedItem | undefined {
  if (item === source) return effective.equals(fingerprint) ? undefined : { id, effective: null };
  const encoded = encodeItem(item);
  if (effective.toString("hex") === encoded.fingerprint) return undefined;
  return { id, effective: encoded.fingerprint === fingerprint.toString("hex") ? null : encoded };
}

/** Before it is saved. */
async function exampleOf(tx: Queries, catalogId: string, item: Item): Promise<ChangedItem> {
  const row = await findItem(tx, catalogId, item.id);
  return { item_id: item.id, changes: changedFields(row ? decodeItem(row.body) : item, item) };
}
