/** Decisions about proposals. The caller has the catalog's lock. */
import type { ProposalState } from "../contract/proposals.ts";
import type { Queries } from "./db.ts";
import { type Sql, sql } from "./sql.ts";

/** Which proposals a decision is about: these, or all of a group, or those of a group in one state. */
export type Chosen =
  | { readonly ids: readonly string[] }
  | { readonly group: string; readonly state?: ProposalState | undefined };

const chosen = (catalogId: string, which: Chosen): Sql =>
  "ids" in which
    ? sql`catalog_id = ${catalogId} and id = any (${which.ids}::uuid[])`
    : sql`catalog_id = ${catalogId} and group_key = decode(${which.group}, 'hex')
          and ${which.state === undefined ? sql`true` : sql`state = ${which.state}`}`;

/**
 * For a dry run: from here on, what this transaction reads and writes as `proposals` is a temporary copy of those that it may
 * need, so that no live row is locked.
 */
export async function copyProposals(tx: Queries, catalogId: string, which: Chosen): Promise<void> {
  await tx.execute(sql`
    create temporary table proposals on commit drop as
    select * from proposals
     where catalog_id = ${catalogId}
       and (state in ('approved', 'conflicted') or item_id in (select item_id from proposals where ${chosen(catalogId, which)}))`);
  await tx.execute(sql`create index on proposals (catalog_id, item_id)`);
  await tx.execute(sql`analyze proposals`);
}

/** How many of the chosen ones there are in each state. */
export async function countChosen(
  tx: Queries,
  catalogId: string,
  which: Chosen,
): Promise<ReadonlyMap<ProposalState, number>> {
  const rows = await tx.query<{ state: ProposalState; count: number }>(sql`
    select state, count(*) from proposals where ${chosen(catalogId, which)} group by state`);
  return new Map(rows.map(({ state, count }) => [state, count]));
}

export type Decision = {
  readonly from: readonly ProposalState[];
  readonly to: ProposalState;
  readonly keyId: string | null;
  readonly reason: string | null;
  /** Of the decision, if it changes effective items. */
  readonly version: number | null;
};

/** Returns how many have changed. */
export async function decideProposals(
  tx: Queries,
  catalogId: string,
  which: Chosen,
  { from, to, keyId, reason, version }: Decision,
): Promise<number> {
  return tx.execute(sql`
    update proposals
       set state = ${to}, decided_at = clock_timestamp(), key_id = ${keyId}, reason = ${reason},
           effects_version = coalesce(${version}, effects_version)
     where ${chosen(catalogId, which)} and state = any (${from}::text[])`);
}

/** A conflicted value that is approved again is bound to what the source has now. */
export async function rebindConflicted(tx: Queries, catalogId: string, which: Chosen): Promise<void> {
  await tx.execute(sql`
    update proposals set source_hash = conflict_hash, conflict_hash = null
     where ${chosen(catalogId, which)} and state = 'conflicted'`);
}

/** Whether two of the chosen ones are for the same field of an item: only one value can be in force. */
export async function hasRivals(tx: Queries, catalogId: string, which: Chosen): Promise<boolean> {
  const found = await tx.first(sql`
    select item_id from proposals where ${chosen(catalogId, which)} and state in ('pending', 'conflicted')
     group by item_id, field having count(*) > 1 limit 1`);
  return found !== undefined;
}

export async function countUngrounded(tx: Queries, catalogId: string, which: Chosen): Promise<number> {
  const row = await tx.first<{ count: number }>(sql`
    select count(*) from proposals where ${chosen(catalogId, which)} and state = 'pending' and not is_grounded`);
  return row?.count ?? 0;
}

/** A newly approved value replaces an earlier one of the same field. Returns how many it replaced. */
export async function retireReplaced(
  tx: Queries,
  catalogId: string,
  which: Chosen,
  version: number,
): Promise<number> {
  return tx.execute(sql`
    update proposals o set state = 'retired', effects_version = ${version}
      from proposals n
     where o.catalog_id = ${catalogId} and o.state in ('approved', 'conflicted') and n.catalog_id = o.catalog_id
       and n.item_id = o.item_id and n.field = o.field and n.id <> o.id and n.state = 'pending'
       and n.id in (select id from proposals where ${chosen(catalogId, which)})`);
}

/** Approved, rejected or withdrawn after this version of the effects. */
export async function countDecidedSince(db: Queries, catalogId: string, version: number): Promise<number> {
  const row = await db.first<{ count: number }>(sql`
    select count(*) from proposals where catalog_id = ${catalogId} and effects_version > ${version}`);
  return row?.count ?? 0;
}
