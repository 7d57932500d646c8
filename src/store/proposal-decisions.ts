/** Decisions about proposals. The caller has the lock of the catalog and that of its proposals. */
import type { ProposalState } from "../contract/proposals.ts";
import type { Queries } from "./db.ts";
import { type Sql, sql } from "./sql.ts";

/** Which proposals a decision is about: these, or all of a group, or those of a group in one state. */
export type Chosen =
  | { readonly ids: readonly string[] }
  | { readonly group: string; readonly state?: ProposalState | undefined };

const STATES = ["pending", "approved", "rejected", "stale", "conflicted", "retired"] as const;

const chosen = (catalogId: string, which: Chosen): Sql =>
  "ids" in which
    ? sql`catalog_id = ${catalogId} and id = any (${which.ids}::uuid[])`
    : sql`catalog_id = ${catalogId} and group_key = decode(${which.group}, 'hex')
          and state = any (${which.state === undefined ? STATES : [which.state]}::text[])`;

export type ChosenCount = {
  readonly state: ProposalState;
  readonly count: number;
  /** Values with words that are not in the evidence. */
  readonly ungrounded: number;
};

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
): Promise<readonly ChosenCount[]> {
  if ("ids" in which)
    return tx.query<ChosenCount>(sql`
      select state, count(*), count(*) filter (where not is_grounded) as ungrounded
        from proposals where ${chosen(catalogId, which)} group by state`);
  return tx.query<ChosenCount>(sql`
    select state, items as count, ungrounded from proposal_groups where ${chosen(catalogId, which)}`);
}

/** How many proposals one statement changes. API calls have a limit on the time of a statement. */
export const DECISION_BATCH = 10_000;

/** The next ones to decide on, in one of these states. */
export async function listChosen(
  tx: Queries,
  catalogId: string,
  which: Chosen,
  states: readonly ProposalState[],
): Promise<readonly string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    select id from proposals where ${chosen(catalogId, which)} and state = any (${states}::text[])
     order by item_id limit ${DECISION_BATCH}`);
  return rows.map(({ id }) => id);
}

/** What an undo brings back. Earlier decisions can be undone after it, as long as they fit. */
const BEFORE = sql`
  jsonb_strip_nulls(jsonb_build_object(
    'state', p.state, 'source_hash', encode(p.source_hash, 'hex'), 'conflict_hash', encode(p.conflict_hash, 'hex'),
    'decided_at', p.decided_at, 'key_id', p.key_id, 'reason', p.reason, 'decision_id', p.decision_id,
    'before', case when pg_column_size(p.before) < 2000 then p.before end))`;

export type Decision = {
  readonly decisionId: string;
  readonly from: readonly ProposalState[];
  readonly to: ProposalState;
  readonly keyId: string | null;
  readonly reason: string | null;
  /** Of the decision, if it changes effective items. */
  readonly version: number | null;
};

/** Returns how many have changed. A conflicted value that is approved again is bound to what the source has now. */
export async function decideProposals(
  tx: Queries,
  catalogId: string,
  ids: readonly string[],
  { decisionId, from, to, keyId, reason, version }: Decision,
): Promise<number> {
  return tx.execute(sql`
    update proposals p
       set state = ${to}, decided_at = clock_timestamp(), key_id = ${keyId}, reason = ${reason},
           effects_version = coalesce(${version}, effects_version), decision_id = ${decisionId}, before = ${BEFORE},
           source_hash = case when ${to === "approved"} then coalesce(conflict_hash, source_hash) else source_hash end,
           conflict_hash = null
     where ${chosen(catalogId, { ids })} and state = any (${from}::text[])`);
}

/** Whether two of the chosen ones are for the same field of an item: only one value can be in force. */
export async function hasRivals(tx: Queries, catalogId: string, which: Chosen): Promise<boolean> {
  // A group has one value for each item.
  if ("group" in which) return false;
  const found = await tx.first(sql`
    select item_id from proposals where ${chosen(catalogId, which)} and state in ('pending', 'conflicted')
     group by item_id, field having count(*) > 1 limit 1`);
  return found !== undefined;
}

/** A newly approved value replaces an earlier one of the same field. */
export async function retireReplaced(
  tx: Queries,
  catalogId: string,
  ids: readonly string[],
  { decisionId, version }: { readonly decisionId: string; readonly version: number },
): Promise<void> {
  await tx.execute(sql`
    update proposals p
       set state = 'retired', effects_version = ${version}, decision_id = ${decisionId}, before = ${BEFORE}, conflict_hash = null
      from (select id, item_id, field from proposals where ${chosen(catalogId, { ids })} and state = 'pending') n
     where p.catalog_id = ${catalogId} and p.state in ('approved', 'conflicted') and p.item_id = n.item_id
       and p.field = n.field and p.id <> n.id`);
}

/** Brings back what the proposals of a decision were before it. Returns how many. */
export async function undoProposals(
  tx: Queries,
  catalogId: string,
  { decisionId, version }: { readonly decisionId: string; readonly version: number | null },
): Promise<number> {
  const undone = (which: Sql): Sql => sql`
    update proposals p
       set state = p.before ->> 'state', source_hash = decode(p.before ->> 'source_hash', 'hex'),
           conflict_hash = decode(p.before ->> 'conflict_hash', 'hex'), decided_at = (p.before ->> 'decided_at')::timestamptz,
           key_id = p.before ->> 'key_id', reason = p.before ->> 'reason',
           decision_id = (p.before ->> 'decision_id')::uuid, before = p.before -> 'before',
           effects_version = coalesce(${version}, effects_version)
     where p.id = any (array(
       select p.id from proposals p
        where p.catalog_id = ${catalogId} and p.decision_id = ${decisionId} and p.before is not null and ${which}
        limit ${DECISION_BATCH}))`;
  const all = async (which: Sql): Promise<number> => {
    for (let total = 0; ; ) {
      const changed = await tx.execute(undone(which));
      total += changed;
      if (changed < DECISION_BATCH) return total;
    }
  };
  // Values that were not in force first: only one value of a field can be.
  const first = await all(sql`p.before ->> 'state' not in ('approved', 'conflicted')`);
  const second = await all(sql`
    p.before ->> 'state' in ('approved', 'conflicted')
      and not exists (
        select from proposals o
         where o.catalog_id = p.catalog_id and o.item_id = p.item_id and o.field = p.field and o.id <> p.id
           and o.state in ('approved', 'conflicted'))`);
  return first + second;
}
