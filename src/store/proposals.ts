/** Values that were proposed for items. Every writer has the lock of the catalog's proposals. */
import type { Evidence, ProposalState } from "../contract/proposals.ts";
import { withSnakeCase } from "../lib/snake-case.ts";
import type { Queries } from "./db.ts";
import { storableJson } from "./json.ts";
import { type Sql, sql } from "./sql.ts";

/**
 * Serializes writers of one catalog's proposals until the end of the transaction. A transaction that also needs the
 * catalog's lock takes the catalog's lock first.
 */
export async function lockProposals(tx: Queries, catalogId: string): Promise<void> {
  await tx.execute(sql`
    select pg_advisory_xact_lock(hashtextextended(current_schema() || ':proposals:' || ${catalogId}::text, 0))`);
}

/** An approved value, including a value that is retired because the source has the same value. */
export type OverlayRow = {
  readonly id: string;
  readonly itemId: string;
  readonly field: string;
  readonly value: string;
  /** The hash of the values that the decision was based on. */
  readonly sourceHash: Buffer;
  readonly conflictHash: Buffer | null;
  readonly evidence: readonly Evidence[];
  /** The source's item of the variant that has the evidence; null if no other variant has it. */
  readonly siblingBody: string | null;
  /** `retired`: the source has brought the value itself. */
  readonly state: "approved" | "conflicted" | "retired";
  readonly isGenerated: boolean;
  readonly decidedAt: Date | null;
  readonly keyId: string | null;
};

/**
 * Selects approved values in `proposals p` that the source has brought itself. A value that was replaced has no hash.
 */
export const RETIRED_BY_SOURCE = sql`p.state = 'retired' and p.conflict_hash is not null`;

/** Selects the retired values whose field has no other approved value: only these can become effective again. */
export const RETIRED_ALONE = sql`
  ${RETIRED_BY_SOURCE} and not exists (
    select from proposals o
     where o.catalog_id = p.catalog_id and o.item_id = p.item_id and o.field = p.field
       and o.state in ('approved', 'conflicted'))`;

export async function findOverlays(
  db: Queries,
  catalogId: string,
  itemIds: readonly string[],
): Promise<readonly OverlayRow[]> {
  const overlays = (states: Sql): Sql => sql`
    select p.id, p.item_id, p.field, p.value, p.source_hash, p.conflict_hash, p.evidence, s.body as sibling_body,
           p.state, p.is_generated, p.decided_at, p.key_id
      from proposals p left join items s on s.catalog_id = p.catalog_id and s.id = p.sibling_id
     where p.catalog_id = ${catalogId} and p.item_id = any (${itemIds}::text[]) and ${states}`;
  // Few catalogs have retired values, so the second part of the query is skipped if there are none.
  return db.query<OverlayRow>(sql`
    ${overlays(sql`p.state in ('approved', 'conflicted')`)}
    union all
    ${overlays(sql`${RETIRED_ALONE} and exists (
      select from proposals where catalog_id = ${catalogId} and state = 'retired')`)}
    order by item_id, field`);
}

export type StateChange = {
  readonly id: string;
  readonly state: ProposalState;
  /** For a conflicted or retired value: the hash of the source's present value. */
  readonly conflictHash?: Buffer;
};

/**
 * Saves states only of proposals that are still in one of the states `from`, because a person may have decided
 * meanwhile.
 */
export async function saveStates(
  tx: Queries,
  { catalogId, from }: { readonly catalogId: string; readonly from: readonly ProposalState[] },
  changes: readonly StateChange[],
): Promise<void> {
  if (changes.length === 0) return;
  await lockProposals(tx, catalogId);
  await tx.execute(sql`
    update proposals p set state = c.state, conflict_hash = decode(c.hash, 'hex')
      from unnest(${changes.map(({ id }) => id)}::uuid[], ${changes.map(({ state }) => state)}::text[],
                  ${changes.map(({ conflictHash }) => conflictHash?.toString("hex") ?? null)}::text[]) as c (id, state, hash)
     where p.id = c.id and p.catalog_id = ${catalogId} and p.state = any (${from}::text[])`);
}

export type NewProposal = {
  readonly id: string;
  readonly itemId: string;
  readonly field: string;
  readonly value: string;
  readonly current: string | null;
  readonly sourceHash: Buffer;
  readonly extractor: string;
  readonly version: number;
  readonly evidence: readonly Evidence[];
  /** The variant that has the evidence, if it is not the item itself. */
  readonly siblingId: string | null;
  readonly confidence: number;
  readonly isGrounded: boolean;
  readonly isGenerated: boolean;
  readonly rule: string | null;
  /** Points of the item's own score. */
  readonly gain: number;
  readonly groupKey: Buffer;
  /** The reason, in the words of the proposer. */
  readonly note?: string | null;
  /** The hash of a model's instructions, in hex. */
  readonly promptHash?: string | null;
};

/**
 * Saves proposals. A proposal that was decided on stays decided, and a value that was rejected is not stored again,
 * whoever proposes it. A pending or stale proposal is replaced by the new one; an equal proposal is not written.
 */
export async function saveProposals(
  tx: Queries,
  { catalogId, runId }: { readonly catalogId: string; readonly runId: string | null },
  proposals: readonly NewProposal[],
): Promise<void> {
  if (proposals.length === 0) return;
  const rows = proposals.map((proposal) => ({
    ...proposal,
    sourceHash: bytesText(proposal.sourceHash),
    groupKey: bytesText(proposal.groupKey),
  }));
  await tx.execute(sql`
    insert into proposals as p
      (id, catalog_id, item_id, field, value, current, source_hash, extractor, version, evidence, sibling_id, confidence,
       is_grounded, is_generated, rule, gain, group_key, note, prompt_hash, run_id)
    select id, ${catalogId}::uuid, item_id, field, value, current, source_hash, extractor, version, evidence, sibling_id,
           confidence, is_grounded, is_generated, rule, gain, group_key, note, prompt_hash, ${runId}::uuid
      from jsonb_populate_recordset(null::proposals, ${storableJson(withSnakeCase(rows))}::jsonb) r
     where not exists (
       select from proposals p
        where p.catalog_id = ${catalogId} and p.item_id = r.item_id and p.field = r.field and md5(p.value) = md5(r.value)
          and (p.state = 'rejected'
               or p.extractor = r.extractor and p.state in ('approved', 'conflicted')
               or p.extractor = r.extractor and p.state = 'pending'
                  and (p.current, p.source_hash, p.version, p.evidence, p.sibling_id, p.confidence, p.is_grounded, p.rule,
                       p.gain, p.note, p.prompt_hash)
                      is not distinct from
                      (r.current, r.source_hash, r.version, r.evidence, r.sibling_id, r.confidence, r.is_grounded, r.rule,
                       r.gain, r.note, r.prompt_hash)))
    on conflict (catalog_id, item_id, field, extractor, md5(value))
    do update set current = excluded.current, source_hash = excluded.source_hash, version = excluded.version,
                  evidence = excluded.evidence, sibling_id = excluded.sibling_id, confidence = excluded.confidence,
                  is_grounded = excluded.is_grounded, rule = excluded.rule, gain = excluded.gain, note = excluded.note,
                  prompt_hash = excluded.prompt_hash, run_id = excluded.run_id, state = 'pending',
                  conflict_hash = null
     where p.state in ('pending', 'stale', 'retired')`);
}

const bytesText = (bytes: Buffer): string => `\\x${bytes.toString("hex")}`;

type Remade = {
  /** The items for which the extractors have been asked again. */
  readonly itemIds: readonly string[];
  readonly extractors: readonly string[];
  /** The proposals that the extractors make now. */
  readonly proposals: readonly Pick<NewProposal, "itemId" | "groupKey">[];
};

/** Marks pending proposals that the extractors no longer make. Returns how many. */
export async function markStale(
  tx: Queries,
  catalogId: string,
  { itemIds, extractors, proposals }: Remade,
): Promise<number> {
  return tx.execute(sql`
    update proposals p set state = 'stale'
     where p.catalog_id = ${catalogId} and p.item_id = any (${itemIds}::text[]) and p.state = 'pending'
       and p.extractor = any (${extractors}::text[])
       and not exists (
         select from unnest(${proposals.map(({ itemId }) => itemId)}::text[],
                            ${proposals.map(({ groupKey }) => groupKey.toString("hex"))}::text[]) as m (item_id, key)
          where m.item_id = p.item_id and decode(m.key, 'hex') = p.group_key)`);
}

/** Lists pending proposals of items that no longer exist. */
export async function listLost(db: Queries, catalogId: string, limit: number): Promise<readonly string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select p.id from proposals p
     where p.catalog_id = ${catalogId} and p.state = 'pending'
       and not exists (select from items i where i.catalog_id = p.catalog_id and i.id = p.item_id)
     limit ${limit}`);
  return rows.map(({ id }) => id);
}
