/** The effective item: the source's, as category mappings, rules and approved values change it, in this order. */
import { inOrder } from "../catalog/channel-view.ts";
import type { Item } from "../catalog/item.ts";
import type { CatalogSettings } from "../catalog/settings.ts";
import type { Day } from "../lib/day.ts";
import { applyOverlay, type Overlay, type OverlayChange, type OverlayOutcome } from "./overlays.ts";
import { applyRules, type RuleResult } from "./rules/apply.ts";
import type { CompiledRules } from "./rules/compile.ts";

export type Effects = {
  readonly rules: CompiledRules;
  /** Whether they depend on which source an item comes from. */
  readonly usesSource: boolean;
  /** Whether they depend on the day. */
  readonly usesDay: boolean;
  readonly today: Day;
  /** Whether they depend on the other variants of a product. */
  readonly usesVariants: boolean;
  /** 0 if there are none. */
  readonly ruleSetVersion: number;
  /** Ids of Google's taxonomy by the merchant's category path, `Home > Mugs`. */
  readonly categories: ReadonlyMap<string, string>;
  /** Paths for which it was decided that no category fits. */
  readonly uncategorized?: ReadonlySet<string>;
  readonly settings: CatalogSettings;
  readonly sourceNames: ReadonlyMap<string, string>;
};

export type Owned = {
  /** Null for a pushed item. */
  readonly sourceId: string | null;
  readonly overlays: readonly Overlay[];
  /** See `RuleSource`; undefined if it is the only one. */
  readonly variants?: readonly Item[] | undefined;
};

export type RefusedValue = { readonly rule: string; readonly field: string; readonly message: string };

export type Effective = {
  /** The source item itself if nothing changes it. */
  readonly item: Item;
  /** Overlays whose state changes because of what the source has now. */
  readonly states: readonly OverlayChange[];
  readonly refused: readonly RefusedValue[];
};

/** Sees each step; for explanations. */
export type StepWatcher = {
  readonly ruled: (result: RuleResult) => void;
  readonly overlaid: (overlay: Overlay, before: Item, outcome: OverlayOutcome) => void;
};

export function effectiveItem(
  source: Item,
  effects: Effects,
  { sourceId, overlays, variants = [source] }: Owned,
  watcher?: StepWatcher,
): Effective {
  const owner = {
    id: sourceId,
    name: sourceId === null ? null : (effects.sourceNames.get(sourceId) ?? null),
    today: effects.today,
    variants,
  };
  const mapped = withMappedCategory(source, effects);
  const ruled = applyRules(mapped, effects.rules, owner, { withTrace: watcher !== undefined });
  watcher?.ruled(ruled);
  const states: OverlayChange[] = [];
  const refused: RefusedValue[] = [...ruled.refused];
  let { item } = ruled;
  for (const overlay of overlays) {
    const outcome = applyOverlay(item, source, overlay, effects.settings);
    watcher?.overlaid(overlay, item, outcome);
    item = outcome.item;
    if (outcome.change) states.push(outcome.change);
    if (outcome.refused !== undefined)
      refused.push({ rule: "approved value", field: overlay.field, message: outcome.refused });
  }
  return { item: item === source ? source : inOrder(item), states, refused };
}

function withMappedCategory(item: Item, effects: Pick<Effects, "categories">): Item {
  const mapping = mappedCategory(item, effects);
  return mapping === undefined ? item : { ...item, googleCategory: mapping.category };
}

/** The decision about a category path that concerns the item; of one that no category fits, `category` is null. */
export function categoryDecision(
  item: Item,
  effects: Pick<Effects, "categories" | "uncategorized">,
): { readonly path: string; readonly category: string | null } | undefined {
  const mapping = mappedCategory(item, effects);
  if (mapping !== undefined || item.googleCategory !== undefined) return mapping;
  const paths = (item.categories ?? []).map((names) => names.join(" > "));
  const path = paths.find((one) => effects.uncategorized?.has(one));
  return path === undefined ? undefined : { path, category: null };
}

/** What a decision about a category path gives the item. A category of the source's own stays. */
function mappedCategory(
  item: Item,
  { categories }: Pick<Effects, "categories">,
): { readonly path: string; readonly category: string } | undefined {
  if (item.googleCategory !== undefined || categories.size === 0) return undefined;
  for (const names of item.categories ?? []) {
    const path = names.join(" > ");
    const category = categories.get(path);
    if (category !== undefined) return { path, category };
  }
  return undefined;
}
