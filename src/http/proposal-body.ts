/** Proposals as the API shows them, with the texts of their items around the evidence. */
import { categoryPath, findCategory } from "../catalog/google-taxonomy.ts";
import { decodeItem, type Item } from "../catalog/item.ts";
import type { Evidence, Proposal } from "../contract/proposals.ts";
import { isSameValue } from "../enrich/basis.ts";
import { textOf } from "../enrich/extractors/evidence.ts";
import { withShopTexts } from "../enrich/shop-texts.ts";
import { withSnakeCase } from "../lib/snake-case.ts";
import { currentText } from "../pipeline/enrich/new-proposal.ts";
import type { Queries } from "../store/db.ts";
import { findItems, findSourceItems } from "../store/items.ts";
import type { ProposalRow } from "../store/proposal-lists.ts";

type Items = ReadonlyMap<string, Item>;

/** `share`: of the catalog's score, for each point of an item's own. */
export async function proposalBodies(
  db: Queries,
  { catalogId, share }: { readonly catalogId: string; readonly share: number },
  rows: readonly ProposalRow[],
): Promise<Proposal[]> {
  const ids = [...new Set(rows.map(({ itemId }) => itemId))];
  const siblings = rows.flatMap(({ evidence }) => evidence.flatMap(({ item_id: id }) => id ?? []));
  const items = decoded(await findItems(db, catalogId, [...new Set([...ids, ...siblings])]));
  const sources = decoded(await findSourceItems(db, catalogId, ids));
  return rows.map((row) => ({
    ...bodyOf(row, items, sources.get(row.itemId)),
    gain: row.gain * share,
  }));
}

const decoded = (rows: readonly { readonly id: string; readonly body: string }[]): Items =>
  new Map(rows.map(({ id, body }) => [id, decodeItem(body)]));

function bodyOf(row: ProposalRow, items: Items, source: Item | undefined): Proposal {
  const { evidence, sourceHash: _source, conflictHash: _conflict, groupKey, keyId: decidedBy, ...rest } = row;
  const { itemId, field, value } = rest;
  return {
    ...withSnakeCase({ ...rest, decidedBy }),
    title: items.get(itemId)?.title ?? null,
    source_value: source ? currentText(source, field) : null,
    value_name: valueName(field, value),
    evidence: evidence.map((found) => inContext(found, items.get(found.item_id ?? itemId))),
    conflict: conflictOf(row),
    group: groupKey.toString("hex"),
  };
}

function conflictOf({ state, sourceHash, conflictHash }: ProposalRow): Proposal["conflict"] {
  if (state !== "conflicted" || conflictHash === null) return null;
  return isSameValue(sourceHash, conflictHash) ? "evidence" : "source_value";
}

function valueName(field: string, value: string): string | null {
  const category = field === "google_category" ? findCategory(value) : undefined;
  return category === undefined ? null : categoryPath(category);
}

/** How many characters around the evidence are shown. */
const AROUND = 80;

/** The item may have changed since the evidence was found: then nothing is around it. */
function inContext(evidence: Evidence, item: Item | undefined): Evidence {
  const { field, from, to, text } = evidence;
  const whole = item && textOf(withShopTexts(item), field);
  if (typeof whole !== "string" || whole.slice(from, to) !== text) return evidence;
  return {
    ...evidence,
    before: whole.slice(Math.max(0, from - AROUND), from).toWellFormed(),
    after: whole.slice(to, to + AROUND).toWellFormed(),
  };
}
