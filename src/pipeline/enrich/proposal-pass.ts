/** The pass of the extractors over the groups of a catalog. What they propose is stored in batches. */
import type { AuditContext } from "../../audit/audit-context.ts";
import { decodeItem, type Item } from "../../catalog/item.ts";
import { isUncategorized } from "../../enrich/extractors/category.ts";
import type { ExtractorContext } from "../../enrich/extractors/extractor.ts";
import { EXTRACTORS, REMOVED_EXTRACTORS } from "../../enrich/extractors/registry.ts";
import { groupWithShopTexts } from "../../enrich/shop-texts.ts";
import type { Catalog } from "../../store/catalogs.ts";
import type { Db } from "../../store/db.ts";
import { findItemVersions, type ItemVersions } from "../../store/items.ts";
import { lockProposals, markStale, type NewProposal, saveProposals } from "../../store/proposals.ts";
import { findVerdicts } from "../../store/verdicts.ts";
import type { StoredGroup } from "../render/item-groups.ts";
import type { OpenItems } from "./ask-model.ts";
import { type Found, newProposal, siblingOf } from "./new-proposal.ts";
import { groupHash, type ReadGroups } from "./read-groups.ts";

const EXTRACTOR_IDS = [...EXTRACTORS.map(({ id }) => id), ...REMOVED_EXTRACTORS];

/** How many items or proposals are stored together. */
const BATCH = 500;

/** What was found in an item, with the fingerprints of the items as they were read. */
export type Read = Found & { readonly fingerprints: ReadonlyMap<string, Buffer> };

type PassOptions = {
  readonly db: Db;
  readonly catalog: Catalog;
  readonly audit: AuditContext;
  readonly runId: string;
  /** Collects what a model is asked about. */
  readonly open?: OpenItems;
  readonly readGroups: ReadGroups;
};

/** A group that was looked at, and becomes known when its proposals are stored. */
type SeenGroup = { readonly hash: Buffer; readonly itemIds: readonly string[] };

export class ProposalPass {
  items = 0;
  /** Items of groups that are as they were in the last pass. */
  skipped = 0;
  proposed = 0;
  stale = 0;
  /** Not stored, because the item has changed since it was read: the next pass reads it again. */
  changed = 0;
  private readonly options: PassOptions;
  private seen: SeenGroup[] = [];
  private seenItems = 0;
  private found: Read[] = [];

  constructor(options: PassOptions) {
    this.options = options;
  }

  async add(groups: readonly StoredGroup[], context: ExtractorContext): Promise<void> {
    const { db, catalog, readGroups } = this.options;
    const ids = groups.flatMap(({ group }) => group.items.map(({ id }) => id));
    const verdicts = await findVerdicts(db, catalog.id, ids);
    for (const stored of groups) {
      const { length } = stored.group.items;
      const hash = groupHash(stored, verdicts);
      this.items += length;
      if (readGroups.isKnown(hash)) {
        this.skipped += length;
        await readGroups.add(hash);
      } else await this.propose(stored, hash, context);
    }
  }

  private async propose(
    { group, fingerprints: inOrder }: StoredGroup,
    hash: Buffer,
    context: ExtractorContext,
  ): Promise<void> {
    const { items } = group;
    const byId = new Map(items.map((item) => [item.id, { item, fields: decidedFields(item, context) }]));
    const fingerprints = new Map(items.map(({ id }, at) => [id, inOrder[at] ?? NO_BYTES]));
    const read = groupWithShopTexts(group);
    for (const extractor of EXTRACTORS) {
      for (const draft of extractor.propose(read, context)) {
        const known = byId.get(draft.itemId);
        if (!known) continue;
        known.fields.add(draft.field);
        this.found.push({ draft, item: known.item, group, fingerprints });
      }
    }
    this.seen.push({ hash, itemIds: [...byId.keys()] });
    this.seenItems += items.length;
    if (this.options.open)
      for (const { item, fields } of byId.values()) await this.options.open.add(item, fields);
    if (this.seenItems >= BATCH || this.found.length >= BATCH) await this.flush();
  }

  async flush(): Promise<void> {
    const { seen, found } = this;
    this.seen = [];
    this.seenItems = 0;
    this.found = [];
    if (seen.length === 0) return;
    const itemIds = seen.flatMap((group) => group.itemIds);
    const changed = await this.store({ itemIds, extractors: EXTRACTOR_IDS, found });
    for (const group of seen)
      if (!group.itemIds.some((id) => changed.has(id))) await this.options.readGroups.add(group.hash);
  }

  /** What these extractors propose for these items now, instead of what they proposed before. Returns items that have changed. */
  async store({
    itemIds,
    extractors,
    found,
  }: {
    readonly itemIds: readonly string[];
    readonly extractors: readonly string[];
    readonly found: readonly Read[];
  }): Promise<ReadonlySet<string>> {
    const { db, catalog, runId } = this.options;
    const { proposals, changed } = await this.proposalsOf(found);
    this.proposed += proposals.length;
    this.changed += changed.size;
    const remade = itemIds.filter((id) => !changed.has(id));
    this.stale += await db.tx(async (tx) => {
      await lockProposals(tx, catalog.id);
      for (let at = 0; at < proposals.length; at += BATCH)
        await saveProposals(tx, { catalogId: catalog.id, runId }, proposals.slice(at, at + BATCH));
      return markStale(tx, catalog.id, { itemIds: remade, extractors, proposals });
    });
    return changed;
  }

  private async proposalsOf(
    found: readonly Read[],
  ): Promise<{ readonly proposals: readonly NewProposal[]; readonly changed: ReadonlySet<string> }> {
    const { db, catalog } = this.options;
    const changed = new Set<string>();
    if (found.length === 0) return { proposals: [], changed };
    const ids = [...new Set(found.flatMap(({ item, draft }) => [item.id, siblingOf(draft) ?? item.id]))];
    const stored = new Map((await findItemVersions(db, catalog.id, ids)).map((row) => [row.id, row]));
    const verdicts = await findVerdicts(db, catalog.id, ids);
    const proposals = found.flatMap((one) => {
      const { id } = one.item;
      const sibling = siblingOf(one.draft);
      const row = unchanged(one, stored.get(id));
      const siblingRow = sibling === null ? row : unchanged(one, stored.get(sibling));
      if (!row || !siblingRow) {
        changed.add(id);
        return [];
      }
      const source = decodeItem(row.source);
      const siblingBody = sibling === null ? null : siblingRow.source;
      return newProposal(one, { source, siblingBody, verdict: verdicts.get(id) }, this.options) ?? [];
    });
    return { proposals, changed };
  }
}

/** Fields that are not searched, because a person has decided about them for the whole path. */
function decidedFields(item: Item, { uncategorized }: ExtractorContext): Set<string> {
  return new Set(isUncategorized(item, uncategorized) ? ["google_category"] : []);
}

const NO_BYTES = Buffer.alloc(0);

/** Undefined if the item is gone or is another one than what was read: the proposal would be bound to what nobody has seen. */
function unchanged({ fingerprints }: Read, row: ItemVersions | undefined): ItemVersions | undefined {
  return row !== undefined && fingerprints.get(row.id)?.equals(row.fingerprint) ? row : undefined;
}
