/** Decisions about proposals. The caller has the lock of the catalog and the lock of its proposals. */
import { BULK_CONFIDENCE, type ProposalState } from "../contract/proposals.ts";
import type { Queries } from "./db.ts";
import { RETIRED_BY_SOURCE } from "./proposals.ts";
import { type Sql, sql } from "./sql.ts";

/**
 * The proposals that a decision is about: a list of ids, all proposals of a group, or those of a group in one state.
 */
export type Chosen =
  | { readonly ids: readonly string[] }
  | { readonly group: string; readonly state?: ProposalState | undefined };

const STATES = ["pending", "approved", "rejected", "stale", "conflicted", "retired"] as const;

export const chosen = (catalogId: string, which: Chosen): Sql =>
  "ids" in which
    ? sql`catalog_id = ${catalogId} and id = any (${which.ids}::uuid[])`
    : sql`catalog_id = ${catalogId} and group_key = decode(${which.group}, 'hex')
          and state = any (${which.state === undefined ? STATES : [which.state]}::text[])`;

export type ChosenCount = {
  readonly state: ProposalState;
  readonly count: number;
  /** Values with words that are not in the evidence. */
  readonly ungrounded: number;
  /** Values with a lower confidence than values that are approved together. */
  readonly unsure: number;
};

/** Counts the chosen proposals in each state. */
export async function countChosen(
  tx: Queries,
  catalogId: string,
  which: Chosen,
): Promise<readonly ChosenCount[]> {
  if ("ids" in which)
    return tx.query<ChosenCount>(sql`
      select state, count(*), count(*) filter (where not is_grounded) as ungrounded,
             count(*) filter (where confidence < ${BULK_CONFIDENCE}::real) as unsure
        from proposals where ${chosen(catalogId, which)} group by state`);
  return tx.query<ChosenCount>(sql`
    select state, items as count, ungrounded, case when confidence < ${BULK_CONFIDENCE}::real then items else 0 end as unsure
      from proposal_groups where ${chosen(catalogId, which)}`);
}

/**
 * Lists the chosen proposals in these states, in order of item. Each id takes 16 bytes, because there may be a million
 * proposals.
 */
export async function listChosen(
  tx: Queries,
  catalogId: string,
  which: Chosen,
  states: readonly ProposalState[],
): Promise<Buffer> {
  const row = await tx.first<{ ids: Buffer | null }>(sql`
    select string_agg(uuid_send(id), ''::bytea order by item_id) as ids
      from proposals where ${chosen(catalogId, which)} and state = any (${states}::text[])`);
  return row?.ids ?? Buffer.alloc(0);
}

/** How many proposals are decided on in one transaction, so that other transactions do not wait long for their turn. */
const DECISION_STEP = 2_000;
const ID_BYTES = 16;

/** Splits the result of `listChosen` into parts. */
export function* inSteps(ids: Buffer): Generator<readonly string[], undefined> {
  for (let from = 0; from < ids.length; from += DECISION_STEP * ID_BYTES) {
    const part = ids.subarray(from, from + DECISION_STEP * ID_BYTES);
    yield Array.from({ length: part.length / ID_BYTES }, (_, at) =>
      part.toString("hex", at * ID_BYTES, (at + 1) * ID_BYTES),
    );
  }
}

/** The state that an undo restores. Earlier decisions can be undone after it, as long as their states still match. */
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
  /** The version of the decision, if it changes effective items. */
  readonly version: number | null;
};

/**
 * Decides proposals and returns how many have changed. A conflicted value that is approved again is bound to the
 * source's present value.
 */
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

/** Whether two of the chosen proposals are for the same field of an item: only one value can be effective. */
export async function hasRivals(tx: Queries, catalogId: string, which: Chosen): Promise<boolean> {
  // A group has one value for each item, so it has no rivals.
  if ("group" in which) return false;
  const found = await tx.first(sql`
    select item_id from proposals where ${chosen(catalogId, which)} and state in ('pending', 'conflicted')
     group by item_id, field having count(*) > 1 limit 1`);
  return found !== undefined;
}

/**
 * Retires the earlier value of a field when a value is newly approved, including a value that the source has brought
 * itself.
 */
export async function retireReplaced(
  tx: Queries,
  catalogId: string,
  ids: readonly string[],
  { decisionId, version }: { readonly decisionId: string; readonly version: number },
): Promise<void> {
  // The statement makes one lookup for each value, because the planner cannot know how many values were approved a
  // moment ago.
  await tx.execute(sql`
    update proposals p
       set state = 'retired', effects_version = ${version}, decision_id = ${decisionId}, before = ${BEFORE}, conflict_hash = null
      from (select id, item_id, field from proposals
             where ${chosen(catalogId, { ids })} and state = 'pending' offset 0) n
     cross join lateral (
       select p.id from proposals p
        where p.catalog_id = ${catalogId} and p.item_id = n.item_id and p.field = n.field and p.id <> n.id
          and (p.state in ('approved', 'conflicted') or ${RETIRED_BY_SOURCE})
       offset 0) o
     where p.id = o.id`);
}

type UndoStep = { readonly decisionId: string; readonly version: number | null };

/**
 * Restores the state that the proposals of a decision had before it. Returns how many were restored, and whether there
 * are no more.
 */
export async function undoStep(
  tx: Queries,
  catalogId: string,
  { decisionId, version }: UndoStep,
): Promise<{ readonly undone: number; readonly isLast: boolean }> {
  const bringBack = (which: Sql): Sql => sql`
    update proposals p
       set state = p.before ->> 'state', source_hash = decode(p.before ->> 'source_hash', 'hex'),
           conflict_hash = decode(p.before ->> 'conflict_hash', 'hex'), decided_at = (p.before ->> 'decided_at')::timestamptz,
           key_id = p.before ->> 'key_id', reason = p.before ->> 'reason',
           decision_id = (p.before ->> 'decision_id')::uuid, before = p.before -> 'before',
           effects_version = coalesce(${version}, effects_version)
     where p.id = any (array(
       select p.id from proposals p
        where p.catalog_id = ${catalogId} and p.decision_id = ${decisionId} and p.before is not null and ${which}
        limit ${DECISION_STEP}))`;
  // Values that were not effective are restored first, because only one value of a field can be effective.
  const first = await tx.execute(bringBack(sql`p.before ->> 'state' not in ('approved', 'conflicted')`));
  if (first === DECISION_STEP) return { undone: first, isLast: false };
  const second = await tx.execute(
    bringBack(sql`
      p.before ->> 'state' in ('approved', 'conflicted')
        and not exists (
          select from proposals o
           where o.catalog_id = p.catalog_id and o.item_id = p.item_id and o.field = p.field and o.id <> p.id
             and o.state in ('approved', 'conflicted'))`),
  );
  return { undone: first + second, isLast: second < DECISION_STEP };
}
