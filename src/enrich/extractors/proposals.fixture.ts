/** Items and proposals for the tests of extractors. */
import assert from "node:assert/strict";
import type { Draft } from "../../catalog/draft.ts";
import type { Item, ItemGroup } from "../../catalog/item.ts";
import { normalize } from "../../catalog/normalize.ts";
import type { CatalogSettings } from "../../catalog/settings.ts";
import { CatalogFactsCollector } from "./catalog-facts.ts";
import type { ExtractorContext, ProposalDraft, SuggestCategory } from "./extractor.ts";
import { EXTRACTORS } from "./registry.ts";

export function itemOf(draft: Partial<Draft>): Item {
  const required = { id: "1", title: "Thing", link: "https://shop.example/1", price: "9.50 EUR" };
  const result = normalize({ ...required, ...draft }, { position: 1, settings: {} });
  assert.ok(result.kind === "item", JSON.stringify(result));
  return result.item;
}

/** A group of its own for one item, a group of variants for several. */
export function groupOf(...drafts: readonly Partial<Draft>[]): ItemGroup {
  const groupId = drafts.length > 1 ? "g" : null;
  const items = drafts.map((draft, at) =>
    itemOf({ id: `${at + 1}`, ...(groupId !== null && { groupId }), ...draft }),
  );
  return { groupId, items, isWhole: true };
}

export function contextOf(
  groups: readonly ItemGroup[],
  settings: CatalogSettings = {},
  suggestCategory?: SuggestCategory,
): ExtractorContext {
  const collector = new CatalogFactsCollector();
  for (const group of groups) collector.add(group);
  return { settings, facts: collector.facts(), suggestCategory };
}

export function propose(id: string, group: ItemGroup, context = contextOf([])): readonly ProposalDraft[] {
  const extractor = EXTRACTORS.find((known) => known.id === id);
  assert.ok(extractor, id);
  return [...extractor.propose(group, context)];
}

/** What an extractor proposes for a single item: the value, or undefined. */
export function valueFor(
  id: string,
  draft: Partial<Draft>,
  settings: CatalogSettings = {},
): string | undefined {
  const [proposal, another] = propose(id, groupOf(draft), contextOf([], settings));
  assert.equal(another, undefined);
  return proposal?.value;
}
