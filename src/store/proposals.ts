/** Values that were proposed for items, and what was decided about them. */
import type { Evidence, ProposalState } from "../contract/proposals.ts";
import type { Queries } from "./db.ts";
import { storableJson } from "./json.ts";
import { type Sql, sql } from "./sql.ts";

/** An approved value. */
export type OverlayRow = {
  readonly id: string;
  readonly itemId: string;
  readonly field: string;
  readonly value: string;
  /** Of the source's value that it was decided against. */
  readonly sourceHash: Buffer;
  readonly state: "approved" | "conflicted";
  readonly isGenerated: boolean;
  readonly decidedAt: Date | null;
  readonly keyId: string | null;
};

export async function findOverlays(
  db: Queries,
  catalogId: string,
  itemIds: readonly string[],
): Promise<readonly OverlayRow[]> {
  return db.query<OverlayRow>(sql`
    select id, item_id as "itemId", field, value, source_hash as "sourceHash", state, is_generated as "isGenerated",
           decided_at as "decidedAt", key_id as "keyId"
      from proposals
     where catalog_id = ${catalogId} and item_id = any (${itemIds}::text[]) and state in ('approved', 'conflicted')
     order by item_id, field`);
}

export type StateChange = {
  readonly id: string;
  readonly state: ProposalState;
  /** Of a conflicted one: the hash of the source's value now. */
  readonly conflictHash?: Buffer;
};

/** Only of proposals that are in one of the states `from`: a person may have decided meanwhile. */
export async function saveStates(
  tx: Queries,
  from: readonly ProposalState[],
  changes: readonly StateChange[],
): Promise<void> {
  if (changes.length === 0) return;
  await tx.execute(sql`
    update proposals p set state = c.state, conflict_hash = decode(c.hash, 'hex')
      from unnest(${changes.map(({ id }) => id)}::uuid[], ${changes.map(({ state }) => state)}::text[],
                  ${changes.map(({ conflictHash }) => conflictHash?.toString("hex") ?? null)}::text[]) as c (id, state, hash)
     where p.id = c.id and p.state = any (${from}::text[])`);
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
  readonly confidence: number;
  readonly isGrounded: boolean;
  readonly isGenerated: boolean;
  readonly rule: string | null;
  readonly gain: number;
  readonly groupKey: Buffer;
  /** Why, in the words of who proposed it. */
  readonly note?: string | null;
  /** Of a model's instructions, in hex. */
  readonly promptHash?: string | null;
};

/** A proposal that was decided on stays decided. A pending or stale one is replaced by what was found now. */
export async function saveProposals(
  tx: Queries,
  { catalogId, runId }: { readonly catalogId: string; readonly runId: string | null },
  proposals: readonly NewProposal[],
): Promise<void> {
  const rows = proposals.map(({ sourceHash, groupKey, ...proposal }) => ({
    ...proposal,
    sourceHash: sourceHash.toString("hex"),
    groupKey: groupKey.toString("hex"),
  }));
  await tx.execute(sql`
    insert into proposals as p
      (id, catalog_id, item_id, field, value, current, source_hash, extractor, version, evidence, confidence, is_grounded,
       is_generated, rule, gain, group_key, note, prompt_hash, run_id)
    select id, ${catalogId}::uuid, "itemId", field, value, current, decode("sourceHash", 'hex'), extractor, version, evidence,
           confidence, "isGrounded", "isGenerated", rule, gain, decode("groupKey", 'hex'), note, "promptHash",
           ${runId}::uuid
      from jsonb_to_recordset(${storableJson(rows)}::jsonb) as r
        (id uuid, "itemId" text, field text, value text, current text, "sourceHash" text, extractor text, version int,
         evidence jsonb, confidence real, "isGrounded" bool, "isGenerated" bool, rule text, gain float8, "groupKey" text,
         note text, "promptHash" text)
    on conflict (catalog_id, item_id, field, extractor, md5(value))
    do update set current = excluded.current, source_hash = excluded.source_hash, version = excluded.version,
                  evidence = excluded.evidence, confidence = excluded.confidence, is_grounded = excluded.is_grounded,
                  rule = excluded.rule, gain = excluded.gain, note = excluded.note, prompt_hash = excluded.prompt_hash, run_id = excluded.run_id, state = 'pending'
     where p.state in ('pending', 'stale', 'retired')`);
}

type MadeBy = {
  readonly catalogId: string;
  readonly runId: string;
  /** Only of these. */
  readonly itemIds?: readonly string[];
};

/** Pending proposals of these extractors that this pass has not made again. Returns how many. */
export async function markStale(
  tx: Queries,
  { catalogId, runId, itemIds }: MadeBy,
  extractors: readonly string[],
): Promise<number> {
  const ofItems = itemIds === undefined ? sql`true` : sql`item_id = any (${itemIds}::text[])`;
  return tx.execute(sql`
    update proposals set state = 'stale'
     where catalog_id = ${catalogId} and state = 'pending' and extractor = any (${extractors}::text[])
       and run_id is distinct from ${runId} and ${ofItems}`);
}

export type ProposalGroupRow = {
  /** In hex. */
  readonly key: string;
  readonly extractor: string;
  readonly field: string;
  readonly value: string;
  readonly rule: string | null;
  readonly items: number;
  readonly gain: number;
  readonly confidence: number;
  readonly isGrounded: boolean;
  readonly isGenerated: boolean;
};

/** What groups are listed: the most points first. `after` is the last of the page before. */
export type GroupPage = {
  readonly state: ProposalState;
  readonly field?: string | undefined;
  readonly limit: number;
  readonly offset: number;
};

export async function listProposalGroups(
  db: Queries,
  catalogId: string,
  { state, field, limit, offset }: GroupPage,
): Promise<readonly ProposalGroupRow[]> {
  const ofField = field === undefined ? sql`true` : sql`field = ${field}`;
  return db.query<ProposalGroupRow>(sql`
    select encode(group_key, 'hex') as key, min(extractor) as extractor, min(field) as field, min(value) as value,
           min(rule) as rule, count(*) as items, sum(gain) as gain, min(confidence) as confidence,
           bool_and(is_grounded) as "isGrounded", bool_or(is_generated) as "isGenerated"
      from proposals where catalog_id = ${catalogId} and state = ${state} and ${ofField}
     group by group_key order by sum(gain) desc, count(*) desc, group_key
     limit ${limit} offset ${offset}`);
}

export type ProposalRow = NewProposal & {
  readonly state: ProposalState;
  readonly createdAt: Date;
  readonly decidedAt: Date | null;
  readonly keyId: string | null;
  readonly reason: string | null;
};

const COLUMNS = sql`
  id, item_id as "itemId", field, value, current, source_hash as "sourceHash", extractor, version, evidence, confidence,
  is_grounded as "isGrounded", is_generated as "isGenerated", rule, gain, group_key as "groupKey", state,
  created_at as "createdAt", decided_at as "decidedAt", key_id as "keyId", reason, note, prompt_hash as "promptHash"`;

export type ProposalFilter = {
  readonly state?: ProposalState | undefined;
  readonly group?: string | undefined;
  readonly itemId?: string | undefined;
  readonly field?: string | undefined;
};

const filtered = (catalogId: string, { state, group, itemId, field }: ProposalFilter): Sql => sql`
  catalog_id = ${catalogId}
  and ${state === undefined ? sql`true` : sql`state = ${state}`}
  and ${group === undefined ? sql`true` : sql`group_key = decode(${group}, 'hex')`}
  and ${itemId === undefined ? sql`true` : sql`item_id = ${itemId}`}
  and ${field === undefined ? sql`true` : sql`field = ${field}`}`;

/** In order of item and id. */
export async function listProposals(
  db: Queries,
  catalogId: string,
  filter: ProposalFilter & {
    readonly after?: { itemId: string; id: string } | undefined;
    readonly limit: number;
  },
): Promise<readonly ProposalRow[]> {
  const { after, limit } = filter;
  const later = after === undefined ? sql`true` : sql`(item_id, id) > (${after.itemId}, ${after.id}::uuid)`;
  return db.query<ProposalRow>(sql`
    select ${COLUMNS} from proposals where ${filtered(catalogId, filter)} and ${later}
     order by item_id, id limit ${limit}`);
}

export async function countProposals(
  db: Queries,
  catalogId: string,
): Promise<Readonly<Partial<Record<ProposalState, number>>>> {
  const rows = await db.query<{ state: ProposalState; count: number }>(sql`
    select state, count(*) from proposals where catalog_id = ${catalogId} group by state`);
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}
