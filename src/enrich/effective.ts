/** The effective item: the source's, as category mappings, rules and approved values change it, in this order. */
import { inOrder } from "../catalog/channel-view.ts";
import type { Item } from "../catalog/item.ts";
import type { CatalogSettings } from "../catalog/settings.ts";
import { applyOverlay, type Overlay, type OverlayChange } from "./overlays.ts";
import { applyRules } from "./rules/apply.ts";
import type { CompiledRules } from "./rules/compile.ts";

export type Effects = {
  readonly rules: CompiledRules;
  /** Whether they depend on which source an item comes from. */
  readonly usesSource: boolean;
  /** 0 if there are none. */
  readonly ruleSetVersion: number;
  /** Ids of Google's taxonomy by the merchant's category path, `Home > Mugs`. */
  readonly categories: ReadonlyMap<string, string>;
  readonly settings: CatalogSettings;
  readonly sourceNames: ReadonlyMap<string, string>;
};

export type Owned = {
  /** Null for a pushed item. */
  readonly sourceId: string | null;
  readonly overlays: readonly Overlay[];
};

export type RefusedValue = { readonly rule: string; readonly field: string; readonly message: string };

export type Effective = {
  /** The source item itself if nothing changes it. */
  readonly item: Item;
  /** Overlays whose state changes because of what the source has now. */
  readonly states: readonly OverlayChange[];
  readonly refused: readonly RefusedValue[];
};

export function effectiveItem(source: Item, effects: Effects, { sourceId, overlays }: Owned): Effective {
  const owner = {
    id: sourceId,
    name: sourceId === null ? null : (effects.sourceNames.get(sourceId) ?? null),
  };
  const ruled = applyRules(withMappedCategory(source, effects), effects.rules, owner);
  const states: OverlayChange[] = [];
  const refused: RefusedValue[] = [...ruled.refused];
  let { item } = ruled;
  for (const overlay of overlays) {
    const outcome = applyOverlay(item, source, overlay, effects.settings);
    item = outcome.item;
    if (outcome.change) states.push(outcome.change);
    if (outcome.refused !== undefined)
      refused.push({ rule: "approved value", field: overlay.field, message: outcome.refused });
  }
  return { item: item === source ? source : inOrder(item), states, refused };
}

/** A category of the source's own stays. */
export function withMappedCategory(item: Item, { categories }: Pick<Effects, "categories">): Item {
  if (item.googleCategory !== undefined || categories.size === 0) return item;
  for (const path of item.categories ?? []) {
    const category = categories.get(path.join(" > "));
    if (category !== undefined) return { ...item, googleCategory: category };
  }
  return item;
}
