/**
 * The changes of a catalog between two renders: runs that changed items, rules, decisions, and the sources of items.
 */
import type { Queries } from "./db.ts";
import { sql } from "./sql.ts";

export type ChangingRun = {
  readonly id: string;
  readonly kind: "sync" | "push" | "removal";
  /** Null for a push. */
  readonly sourceId: string | null;
  readonly finishedAt: Date;
  readonly upserted: number;
  readonly removed: number;
  /** The items that the run changed or removed; null if they were not recorded. */
  readonly itemIds: readonly string[] | null;
};

/** The times at which two renders read their items. */
export type RenderSpan = { readonly from: Date; readonly until: Date };

/** Lists runs that changed items, the newest first. A removal of a source counts as a run that removed items. */
export async function listChangingRuns(
  db: Queries,
  catalogId: string,
  { from, until }: RenderSpan,
  limit: number,
): Promise<readonly ChangingRun[]> {
  return db.query<ChangingRun>(sql`
    select * from (
      select id, case when kind = 'removal' then 'removal' when cause = 'push' then 'push' else 'sync' end as kind,
             source_id, finished_at, item_ids,
             case when kind = 'removal' then 0 else coalesce((stats->>'upserted')::bigint, 0) end as upserted,
             case when kind = 'removal' then 1 else coalesce((stats->>'removed')::bigint, 0) end as removed
        from runs
       where catalog_id = ${catalogId} and kind in ('sync', 'removal') and state = 'succeeded'
         and finished_at > ${from} and finished_at <= ${until}) changing
     where upserted > 0 or removed > 0
     order by finished_at desc limit ${limit}`);
}

/** The versions of the effects of rules and approved values after one version, up to another. */
export type EffectSpan = { readonly after: number; readonly upTo: number };

export async function listRuleVersions(
  db: Queries,
  catalogId: string,
  { after, upTo }: EffectSpan,
): Promise<readonly number[]> {
  const rows = await db.query<{ version: number }>(sql`
    select version from rule_sets
     where catalog_id = ${catalogId} and version > ${after} and version <= ${upTo} order by version`);
  return rows.map(({ version }) => version);
}

export async function hasMappingsBetween(
  db: Queries,
  catalogId: string,
  { from, until }: RenderSpan,
): Promise<boolean> {
  const found = await db.first(sql`
    select 1 from category_mappings
     where catalog_id = ${catalogId} and decided_at > ${from} and decided_at <= ${until} limit 1`);
  return found !== undefined;
}

/** Lists versions in which decisions about category paths changed. */
export async function listMappingVersions(
  db: Queries,
  catalogId: string,
  { after, upTo }: EffectSpan,
): Promise<readonly number[]> {
  const rows = await db.query<{ version: number }>(sql`
    select version from decisions
     where catalog_id = ${catalogId} and action = 'categories' and version > ${after} and version <= ${upTo}
     order by version`);
  return rows.map(({ version }) => version);
}

/** Counts decisions about proposed values, and decisions that were undone. */
export async function countDecisions(
  db: Queries,
  catalogId: string,
  { after, upTo }: EffectSpan,
): Promise<number> {
  const row = await db.first<{ count: number }>(sql`
    select coalesce(sum(changes), 0)::bigint as count
      from (select changes, version from decisions where catalog_id = ${catalogId} and action in ('approve', 'reject', 'withdraw')
             union all
            select changes, undone_version from decisions
             where catalog_id = ${catalogId} and action in ('approve', 'reject', 'withdraw')) d
     where version > ${after} and version <= ${upTo}`);
  return row?.count ?? 0;
}

/** Whether decisions of the span were undone after it, because the proposals no longer record undone decisions. */
export async function hasUndoneSince(
  db: Queries,
  catalogId: string,
  { after, upTo }: EffectSpan,
): Promise<boolean> {
  const found = await db.first(sql`
    select 1 from decisions
     where catalog_id = ${catalogId} and version > ${after} and version <= ${upTo} and undone_version > ${upTo} limit 1`);
  return found !== undefined;
}

/** What a proposal was before a decision. */
type Earlier = {
  readonly decided_at?: string;
  readonly decision_id?: string;
  readonly before?: Earlier;
};

export type DecidedValue = {
  readonly id: string;
  readonly itemId: string;
  readonly field: string;
  readonly value: string;
  /** The version of the last decision about the proposal. */
  readonly version: number;
  readonly decisionId: string | null;
  readonly before: Earlier | null;
};

/** Lists values of these items that were decided on at any time after a version. */
export async function listDecidedValues(
  db: Queries,
  catalogId: string,
  { after, ids }: { readonly after: number; readonly ids: readonly string[] },
): Promise<readonly DecidedValue[]> {
  return db.query<DecidedValue>(sql`
    select id, item_id, field, value, effects_version as version, decision_id, before
      from proposals
     where catalog_id = ${catalogId} and effects_version > ${after} and item_id = any (${ids}::text[])`);
}

/** Finds the versions of decisions that are still stored, by id; null if no effective item can have changed. */
export async function findDecisionVersions(
  db: Queries,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number | null>> {
  if (ids.length === 0) return new Map();
  const rows = await db.query<{ id: string; version: number | null }>(
    sql`select id, version from decisions where id = any (${ids}::uuid[])`,
  );
  return new Map(rows.map(({ id, version }) => [id, version]));
}
