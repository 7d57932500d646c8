/**
 * Reads what the database knows about items that differ between two renders, a batch at a time, and only what can
 * decide a cause.
 */
import type { Catalog } from "../../../store/catalogs.ts";
import type { Queries } from "../../../store/db.ts";
import { findItemOwners } from "../../../store/items.ts";
import { isSameFingerprint } from "../../render/render-index.ts";
import { inOrderOfTime, type TwoRenders } from "./between.ts";
import { type BetweenFacts, type CauseFinder, type ItemKnowledge, ownChange } from "./causes.ts";
import type { ItemDifference } from "./compare-files.ts";
import { loadDecisions } from "./decisions.ts";

export class KnowledgeLoader {
  private readonly db: Queries;
  private readonly catalog: Catalog;
  private readonly facts: BetweenFacts;
  private readonly finder: CauseFinder;
  private readonly span: { readonly after: number; readonly upTo: number };

  constructor(
    db: Queries,
    catalog: Catalog,
    {
      facts,
      finder,
      ...renders
    }: TwoRenders & { readonly facts: BetweenFacts; readonly finder: CauseFinder },
  ) {
    const [earlier, later] = inOrderOfTime(renders);
    this.db = db;
    this.catalog = catalog;
    this.facts = facts;
    this.finder = finder;
    this.span = { after: earlier.effects, upTo: later.effects };
  }

  /** By id: of items that have changed themselves, and of those whose change others of their group show. */
  async load(differences: readonly ItemDifference[]): Promise<ReadonlyMap<string, ItemKnowledge>> {
    const changed = differences.filter((difference) => ownChange(difference) !== null);
    const siblings = differences.flatMap((difference) => this.finder.siblingOf(difference)?.id ?? []);
    const ids = [...new Set([...changed.map(({ id }) => id), ...siblings])];
    const owners = await this.ownersOf(changed);
    const { hasUndone } = this.facts;
    const decisions = await loadDecisions(this.db, this.catalog.id, { ids, span: this.span, hasUndone });
    return new Map(
      ids.map((id) => [id, { sourceId: owners.get(id), decisions: decisions.get(id) ?? [] }] as const),
    );
  }

  /**
   * The sources tell which of several runs changed an item. An item that is not the one of the later render any more
   * may come from another source now.
   */
  private async ownersOf(
    differences: readonly ItemDifference[],
  ): Promise<ReadonlyMap<string, string | null>> {
    if (this.facts.runs.length < 2) return new Map();
    const wanted = new Map(
      differences.filter((one) => ownChange(one) === "source").map((one) => [one.id, this.laterOf(one)]),
    );
    const rows = wanted.size === 0 ? [] : await findItemOwners(this.db, this.catalog.id, [...wanted.keys()]);
    return new Map(
      rows
        .filter(({ id, fingerprint }) => {
          const later = wanted.get(id);
          return later && isSameFingerprint(later.entry.sources, later.at, fingerprint, 0);
        })
        .map(({ id, sourceId }) => [id, sourceId]),
    );
  }

  private laterOf({ compared: { before, after } }: ItemDifference): ItemDifference["compared"]["after"] {
    return this.facts.isReversed ? before : after;
  }
}
