/** Source items whose effective items are computed, and the results. The caller has the lock of the items. */
import type { Queries } from "./db.ts";
import type { MergeScope } from "./merge.ts";
import { lockProposals, RETIRED_ALONE, type StateChange } from "./proposals.ts";
import { type Sql, sql } from "./sql.ts";

export type ItemToCompute = {
  readonly id: string;
  readonly sourceId: string | null;
  /** The body of the source's item. */
  readonly body: string;
  readonly fingerprint: Buffer;
  /** The fingerprint of the effective item so far; the source's fingerprint if nothing changes the item. */
  readonly effective: Buffer;
};

const COLUMNS = sql`
  i.id, i.source_id, i.body, i.fingerprint,
  case when i.effective_from = i.fingerprint then i.effective_fingerprint else i.fingerprint end as effective`;

/** Which items are computed: all items, or the items in the temporary table `touched`. */
export type ComputeScope = "all" | "touched";

/** Lists items in order of id. */
export async function listToCompute(
  tx: Queries,
  catalogId: string,
  { scope, after, limit }: { readonly scope: ComputeScope; readonly after: string; readonly limit: number },
): Promise<readonly ItemToCompute[]> {
  // Items that no longer exist are omitted before the limit is applied, so an empty page is the end.
  const from: Sql = scope === "all" ? sql`items i` : sql`touched t join items i on i.id = t.id`;
  return tx.query<ItemToCompute>(sql`
    select ${COLUMNS} from ${from}
     where i.catalog_id = ${catalogId} and i.id > ${after} order by i.id limit ${limit}`);
}

/** Collects ids of items that have changed, and new states of approved values. Dropped with the transaction. */
export async function createTouched(tx: Queries): Promise<void> {
  await tx.execute(sql`create temporary table touched (id text collate "C" primary key) on commit drop`);
  await tx.execute(sql`
    create temporary table noted_states (id uuid, state text, conflict_hash bytea) on commit drop`);
}

/**
 * Disables hash joins for the rest of the transaction. A batch looks up its items: a merge has disabled nested loops,
 * and with hash joins every batch would read the whole table.
 */
export async function joinByLookup(tx: Queries): Promise<void> {
  await tx.execute(sql`set local enable_nestloop = on`);
  await tx.execute(sql`set local enable_hashjoin = off`);
  await tx.execute(sql`set local enable_mergejoin = off`);
}

/**
 * Notes staged items that are new or differ from the stored items, and the items whose approved values depend on them.
 * All staged items are noted if the effects depend on the owner of an item.
 */
export async function touchStaged(
  tx: Queries,
  catalogId: string,
  { all }: { readonly all: boolean },
): Promise<void> {
  await tx.execute(sql`
    insert into touched
    select s.id from staged s left join items i on i.catalog_id = ${catalogId} and i.id = s.id
     where s.fingerprint is not null and (${all} or i.fingerprint is distinct from s.fingerprint)
    on conflict do nothing`);
  // These items have approved values whose evidence is a text of one of the changed items.
  await tx.execute(sql`
    insert into touched
    select p.item_id from touched t join proposals p on p.sibling_id = t.id
     where p.catalog_id = ${catalogId} and p.state in ('approved', 'conflicted') and p.sibling_id is not null
    on conflict do nothing`);
}

/** Notes, before a merge, the groups of items that the merge changes or removes. */
export async function noteGroups(tx: Queries, { catalogId, sourceId, mode }: MergeScope): Promise<void> {
  await tx.execute(sql`
    create temporary table touched_groups (sort_key text collate "C" primary key) on commit drop`);
  await noteTouchedGroups(tx, catalogId);
  const isRemoved =
    mode === "replace"
      ? sql`not exists (select 1 from staged s where s.id = i.id)`
      : sql`i.id in (select s.id from staged s where s.fingerprint is null)`;
  await tx.execute(sql`
    insert into touched_groups
    select distinct i.sort_key from items i
     where i.catalog_id = ${catalogId} and i.source_id is not distinct from ${sourceId}
       and i.group_id is not null and ${isRemoved}
    on conflict do nothing`);
}

async function noteTouchedGroups(tx: Queries, catalogId: string): Promise<void> {
  // Without statistics, a push of one item would read the whole table.
  await tx.execute(sql`analyze touched`);
  await tx.execute(sql`
    insert into touched_groups
    select distinct i.sort_key from touched t join items i on i.catalog_id = ${catalogId} and i.id = t.id
     where i.group_id is not null
    on conflict do nothing`);
}

/** Notes, after the merge, all variants of the noted groups, and of the groups that changed items have now. */
export async function touchVariants(tx: Queries, catalogId: string): Promise<void> {
  await noteTouchedGroups(tx, catalogId);
  await tx.execute(sql`analyze touched_groups`);
  await tx.execute(sql`
    insert into touched
    select i.id from touched_groups g join items i on i.catalog_id = ${catalogId} and i.sort_key = g.sort_key
     where i.group_id is not null
    on conflict do nothing`);
}

/** The first product with more variants than this. */
export async function findLargeGroup(
  db: Queries,
  catalogId: string,
  limit: number,
): Promise<string | undefined> {
  const row = await db.first<{ id: string }>(sql`
    select sort_key as id from items where catalog_id = ${catalogId} and group_id is not null
     group by sort_key having count(*) > ${limit} order by sort_key limit 1`);
  return row?.id;
}

/** The source's items of groups, in order of id; up to `limit` of each. */
export async function listVariants(
  db: Queries,
  catalogId: string,
  groupIds: readonly string[],
  limit: number,
): Promise<readonly { readonly groupId: string; readonly body: string }[]> {
  if (groupIds.length === 0) return [];
  return db.query<{ groupId: string; body: string }>(sql`
    select g.id as group_id, v.body
      from unnest(${groupIds}::text[]) as g (id)
     cross join lateral (select i.id, i.body from items i
                          where i.catalog_id = ${catalogId} and i.sort_key = g.id and i.group_id is not null
                          order by i.id limit ${limit}) v
     order by g.id, v.id`);
}

/** Notes items with decisions that were made after this version. */
export async function touchDecided(tx: Queries, catalogId: string, version: number): Promise<void> {
  await tx.execute(sql`
    insert into touched select distinct item_id from proposals
     where catalog_id = ${catalogId} and effects_version > ${version}
    on conflict do nothing`);
}

export type ComputedItem = {
  readonly id: string;
  /** Null if the effective item is the same as the source's item. */
  readonly effective: { readonly body: string; readonly fingerprint: string } | null;
};

/** Returns the sort keys of the items. */
export async function saveComputed(
  tx: Queries,
  catalogId: string,
  items: readonly ComputedItem[],
): Promise<readonly string[]> {
  const ids = items.map(({ id }) => id);
  const bodies = items.map(({ effective }) => effective?.body ?? null);
  const fingerprints = items.map(({ effective }) => effective?.fingerprint ?? null);
  const saved = await tx.query<{ key: string }>(sql`
    update items i
       set effective_body = c.body, effective_fingerprint = decode(c.fingerprint, 'hex'),
           effective_from = case when c.body is not null then i.fingerprint end
      from unnest(${ids}::text[], ${bodies}::text[], ${fingerprints}::text[]) as c (id, body, fingerprint)
     where i.catalog_id = ${catalogId} and i.id = c.id
    returning i.sort_key as key`);
  return saved.map(({ key }) => key);
}

/**
 * Notes which approved values change their state. The states are saved at the end of the transaction, so that decisions
 * need not wait until then.
 */
export async function noteStates(tx: Queries, changes: readonly StateChange[]): Promise<void> {
  if (changes.length === 0) return;
  await tx.execute(sql`
    insert into noted_states
    select c.id, c.state, decode(c.hash, 'hex')
      from unnest(${changes.map(({ id }) => id)}::uuid[], ${changes.map(({ state }) => state)}::text[],
                  ${changes.map(({ conflictHash }) => conflictHash?.toString("hex") ?? null)}::text[]) as c (id, state, hash)`);
}

/**
 * Saves the noted states. The caller has the lock of the catalog's row, as a decision does. A person may have decided
 * meanwhile: that decision stays, and a value that was approved meanwhile prevents an earlier value from becoming
 * effective again.
 */
export async function saveNotedStates(tx: Queries, catalogId: string): Promise<void> {
  await lockProposals(tx, catalogId);
  await tx.execute(sql`
    update proposals p set state = n.state, conflict_hash = n.conflict_hash from noted_states n
     where p.id = n.id
       and (p.state in ('approved', 'conflicted') or ${RETIRED_ALONE})`);
}
