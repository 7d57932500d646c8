/** Lists of proposals and of groups of proposals, and their counts. */
import type { ProposalState } from "../contract/proposals.ts";
import type { Queries } from "./db.ts";
import type { NewProposal } from "./proposals.ts";
import { type Sql, sql } from "./sql.ts";

export type ProposalGroupRow = {
  /** The key in hex. */
  readonly key: string;
  readonly items: number;
  /** The sum of the points of the items' own scores. */
  readonly gain: number;
  /** The exact gain, which determines the position in the list. */
  readonly exactGain: string;
  readonly confidence: number;
  readonly isGrounded: boolean;
  readonly isGenerated: boolean;
};

/** The group after which a page begins. */
export type GroupPlace = Pick<ProposalGroupRow, "exactGain" | "items" | "key">;

export type GroupPage = {
  readonly state: ProposalState;
  readonly field?: string | undefined;
  readonly after?: GroupPlace | undefined;
  readonly limit: number;
};

/** Lists groups with the most points first. */
export async function listProposalGroups(
  db: Queries,
  catalogId: string,
  { state, field, after, limit }: GroupPage,
): Promise<readonly ProposalGroupRow[]> {
  const ofField = field === undefined ? sql`true` : sql`field = ${field}`;
  const later =
    after === undefined
      ? sql`true`
      : sql`(g.gain, g.items, g.group_key) < (${after.exactGain}::numeric, ${after.items}::bigint, decode(${after.key}, 'hex'))`;
  return db.query<ProposalGroupRow>(sql`
    select encode(group_key, 'hex') as key, items, gain::float8 as gain, gain::text as exact_gain, confidence,
           ungrounded = 0 as is_grounded, generated > 0 as is_generated
      from proposal_groups g where catalog_id = ${catalogId} and state = ${state} and ${ofField} and ${later}
     order by g.gain desc, g.items desc, g.group_key desc limit ${limit}`);
}

export type ProposalRow = NewProposal & {
  readonly state: ProposalState;
  readonly conflictHash: Buffer | null;
  readonly decisionId: string | null;
  readonly createdAt: Date;
  readonly decidedAt: Date | null;
  readonly keyId: string | null;
  readonly reason: string | null;
  readonly note: string | null;
  readonly promptHash: string | null;
};

const COLUMNS = sql`
  id, item_id, field, value, current, source_hash, conflict_hash, extractor, version, evidence, sibling_id, confidence,
  is_grounded, is_generated, rule, gain, group_key, state, decision_id, created_at, decided_at, key_id, reason, note,
  prompt_hash`;

/** Lists the first proposals of each group in one state, in order of item. */
export async function listExamples(
  db: Queries,
  catalogId: string,
  {
    state,
    groups,
    limit,
  }: { readonly state: ProposalState; readonly groups: readonly string[]; readonly limit: number },
): Promise<readonly ProposalRow[]> {
  return db.query<ProposalRow>(sql`
    select e.* from unnest(${groups}::text[]) as g (key)
     cross join lateral (
       select ${COLUMNS} from proposals
        where catalog_id = ${catalogId} and state = ${state} and group_key = decode(g.key, 'hex')
        order by item_id limit ${limit}) e`);
}

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

/** Lists proposals in order of item and id. */
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
  const rows = await db.query<{ state: ProposalState; items: number }>(sql`
    select state, items from proposal_counts where catalog_id = ${catalogId} and items > 0`);
  return Object.fromEntries(rows.map(({ state, items }) => [state, items]));
}
