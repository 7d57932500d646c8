/** Reads what the database knows about items that differ between two renders, a batch at a time, and only what can decide a cause. */
import { decodeItem } from "../../catalog/item.ts";
import { fieldNamed } from "../../enrich/rules/field-names.ts";
import type { Catalog } from "../../store/catalogs.ts";
import type { Queries } from "../../store/db.ts";
import { findItem, findItems } from "../../store/items.ts";
import { type Decision, listDecisions } from "../../store/render-facts.ts";
import { loadGroup } from "../audit/item-view.ts";
import { fileColumns } from "../explain/columns.ts";
import { feedContext } from "../render/item-in-feeds.ts";
import { inOrderOfTime, type TwoRenders } from "./between.ts";
import { type BetweenFacts, columnKey, type ItemKnowledge, NOTHING_KNOWN, ownChange } from "./causes.ts";
import type { ItemDifference } from "./compare-files.ts";

export class KnowledgeLoader {
  private readonly db: Queries;
  private readonly catalog: Catalog;
  private readonly facts: BetweenFacts;
  private readonly effects: { readonly after: number; readonly upTo: number };

  constructor(
    db: Queries,
    catalog: Catalog,
    { facts, ...renders }: TwoRenders & { readonly facts: BetweenFacts },
  ) {
    const [earlier, later] = inOrderOfTime(renders);
    this.db = db;
    this.catalog = catalog;
    this.facts = facts;
    this.effects = { after: earlier.effects, upTo: later.effects };
  }

  /** By id. */
  async load(differences: readonly ItemDifference[]): Promise<ReadonlyMap<string, ItemKnowledge>> {
    const changed = differences.filter((difference) => ownChange(difference) !== null);
    const sources = await this.sourcesOf(changed);
    const decisions = await this.decisionsOf(changed);
    const known = new Map<string, ItemKnowledge>();
    for (const difference of changed) {
      const { id } = difference;
      const own = decisions.get(id) ?? [];
      const columns = this.needsColumns(difference, own)
        ? await this.columnsOf(id, own)
        : NOTHING_KNOWN.columns;
      known.set(id, { sourceId: sources.get(id), decisions: own, columns });
    }
    return known;
  }

  /** The sources tell which of several runs changed an item. */
  private async sourcesOf(
    differences: readonly ItemDifference[],
  ): Promise<ReadonlyMap<string, string | null>> {
    if (this.facts.runs.length < 2) return new Map();
    const ids = differences.filter((one) => ownChange(one) === "source").map(({ id }) => id);
    const rows = ids.length === 0 ? [] : await findItems(this.db, this.catalog.id, ids);
    return new Map(rows.map(({ id, sourceId }) => [id, sourceId]));
  }

  private async decisionsOf(
    differences: readonly ItemDifference[],
  ): Promise<ReadonlyMap<string, readonly Decision[]>> {
    const { after, upTo } = this.effects;
    if (after === upTo || differences.length === 0) return new Map();
    const ids = differences.map(({ id }) => id);
    const decisions = await listDecisions(this.db, this.catalog.id, { after, ids });
    return Map.groupBy(decisions, ({ itemId }) => itemId);
  }

  /** Whether a decision is only one of several things that can have changed the item. */
  private needsColumns(difference: ItemDifference, decisions: readonly Decision[]): boolean {
    if (decisions.length === 0) return false;
    return decisions.length > 1 || this.facts.haveRulesChanged || ownChange(difference) === "source";
  }

  private async columnsOf(id: string, decisions: readonly Decision[]): Promise<ItemKnowledge["columns"]> {
    const columns = new Map<string, Decision>();
    const row = await findItem(this.db, this.catalog.id, id);
    const fields = decisions.map(({ field }) => fieldNamed(field)).filter((field) => field !== undefined);
    if (!row) return columns;
    const item = decodeItem(row.body);
    const group = await loadGroup(this.db, this.catalog.id, item);
    const placed = { group, at: group.items.findIndex((one) => one.id === id) };
    for (const { file, origins, empty } of fileColumns(placed, feedContext(this.catalog), fields)) {
      for (const decision of decisions) {
        const shown = [...origins].filter(([, origin]) => origin.fields.has(decision.field));
        const own = [...shown.map(([column]) => column), ...(empty.get(decision.field) ?? [])];
        for (const column of own) columns.set(columnKey(file, column), decision);
      }
    }
    return columns;
  }
}
