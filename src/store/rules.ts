/** A catalog's rules, in versions, and its category mappings. */
import { newId } from "../lib/id.ts";
import { repeatEffects } from "./catalogs.ts";
import type { Queries } from "./db.ts";
import { storableJson } from "./json.ts";
import { enqueueRun } from "./runs.ts";
import { sql } from "./sql.ts";

export type RuleSetRow = {
  readonly version: number;
  /** The rules as JSON. */
  readonly rules: string;
  readonly note: string | null;
  readonly keyId: string | null;
  readonly createdAt: Date;
};

const COLUMNS = sql`version, rules, note, key_id, created_at`;

/** Finds the rules that are in force; undefined if there have never been any. */
export async function findRuleSet(
  db: Queries,
  catalogId: string,
  version?: number,
): Promise<RuleSetRow | undefined> {
  return db.first<RuleSetRow>(sql`
    select ${COLUMNS} from rule_sets
     where catalog_id = ${catalogId} and (${version ?? null}::int is null or version = ${version ?? null})
     order by version desc limit 1`);
}

/** The rules that were in force at a version of the effects. */
export async function findRuleSetBefore(
  db: Queries,
  catalogId: string,
  version: number,
): Promise<RuleSetRow | undefined> {
  return db.first<RuleSetRow>(sql`
    select ${COLUMNS} from rule_sets
     where catalog_id = ${catalogId} and version <= ${version} order by version desc limit 1`);
}

/** The newest first. */
export async function listRuleSets(
  db: Queries,
  catalogId: string,
  limit: number,
): Promise<readonly RuleSetRow[]> {
  return db.query<RuleSetRow>(sql`
    select ${COLUMNS} from rule_sets where catalog_id = ${catalogId} order by version desc limit ${limit}`);
}

/** How many versions of the rules are kept. */
const MAX_VERSIONS = 200;

export async function insertRuleSet(
  tx: Queries,
  catalogId: string,
  { version, rules, note, keyId }: Omit<RuleSetRow, "createdAt">,
): Promise<void> {
  await tx.execute(sql`
    insert into rule_sets (catalog_id, version, rules, note, key_id)
    values (${catalogId}, ${version}, ${rules}, ${note}, ${keyId})`);
  await tx.execute(sql`
    delete from rule_sets where catalog_id = ${catalogId} and version <=
      (select version from rule_sets where catalog_id = ${catalogId} order by version desc offset ${MAX_VERSIONS} limit 1)`);
}

/** Settings or sources of the catalog or the day have changed: the same rules may do something else. */
export async function applyRulesAgain(
  tx: Queries,
  catalogId: string,
  cause: "settings" | "stale" = "settings",
): Promise<void> {
  if (!(await repeatEffects(tx, catalogId))) return;
  if (await enqueueRun(tx, { id: newId(), catalogId, sourceId: null, kind: "rules", cause })) return;
  // The one that waits already renders the feeds, too.
  await tx.execute(sql`
    update runs set cause = ${cause} where catalog_id = ${catalogId} and kind = 'rules' and state = 'queued'`);
}

export type CategoryMapping = {
  readonly path: string;
  /** An id of Google's taxonomy; null: none, by decision. */
  readonly category: string | null;
  readonly keyId: string | null;
  readonly decidedAt: Date;
};

/** In order of path. */
export async function listCategoryMappings(
  db: Queries,
  catalogId: string,
): Promise<readonly CategoryMapping[]> {
  return db.query<CategoryMapping>(sql`
    select path, category, key_id, decided_at
      from category_mappings where catalog_id = ${catalogId} order by path`);
}

/** The same decision again stays that of who made it first. */
export async function saveCategoryMappings(
  tx: Queries,
  catalogId: string,
  {
    mappings,
    keyId,
  }: { readonly mappings: ReadonlyMap<string, string | null>; readonly keyId: string | null },
): Promise<void> {
  await tx.execute(sql`
    insert into category_mappings (catalog_id, path, category, key_id)
    select ${catalogId}::uuid, m.path, m.category, ${keyId}
      from unnest(${[...mappings.keys()]}::text[], ${[...mappings.values()]}::text[]) as m (path, category)
    on conflict (catalog_id, path)
    do update set category = excluded.category, key_id = excluded.key_id, decided_at = clock_timestamp()
     where category_mappings.category is distinct from excluded.category`);
}

/** Returns how many existed. */
export async function deleteCategoryMappings(
  tx: Queries,
  catalogId: string,
  paths: readonly string[],
): Promise<number> {
  return tx.execute(sql`
    delete from category_mappings where catalog_id = ${catalogId} and path = any (${paths}::text[])`);
}

/** Deletes those of all other paths. */
export async function keepCategoryMappings(
  tx: Queries,
  catalogId: string,
  paths: readonly string[],
): Promise<number> {
  return tx.execute(sql`
    delete from category_mappings where catalog_id = ${catalogId} and path <> all (${paths}::text[])`);
}

export type CategoryPathRow = {
  readonly path: string;
  readonly items: number;
  readonly categorized: number;
  readonly titles: readonly string[];
  /** The best first. */
  readonly suggestions: readonly StoredSuggestion[];
};

export type StoredSuggestion = {
  readonly id: number;
  readonly confidence: number;
  readonly matched: readonly string[];
};

/** Replaces the counts of a catalog's category paths. */
export async function saveCategoryPaths(
  tx: Queries,
  catalogId: string,
  paths: readonly CategoryPathRow[],
): Promise<void> {
  await tx.execute(sql`delete from category_paths where catalog_id = ${catalogId}`);
  await tx.execute(sql`
    insert into category_paths (catalog_id, path, items, categorized, titles, suggestions)
    select ${catalogId}::uuid, path, items, categorized, titles, suggestions
      from jsonb_to_recordset(${storableJson(paths)}::jsonb) as r
        (path text, items bigint, categorized bigint, titles text[], suggestions jsonb)`);
}

export type ListedPath = CategoryPathRow & {
  /** Undefined: not decided. */
  readonly isDecided: boolean;
  readonly category: string | null;
  readonly decidedAt: Date | null;
  readonly keyId: string | null;
};

/** Those with the most items that need a decision first. */
export async function listCategoryPaths(
  db: Queries,
  catalogId: string,
  {
    undecided,
    limit,
    offset,
  }: { readonly undecided: boolean; readonly limit: number; readonly offset: number },
): Promise<readonly ListedPath[]> {
  return db.query<ListedPath>(sql`
    select path, coalesce(p.items, 0) as items, coalesce(p.categorized, 0) as categorized,
           coalesce(p.titles, '{}') as titles, coalesce(p.suggestions, '[]') as suggestions, m.path is not null as is_decided, m.category,
           m.decided_at, m.key_id
      from (select * from category_paths where catalog_id = ${catalogId}) p
      full join (select * from category_mappings where catalog_id = ${catalogId}) m using (path)
     where not ${undecided} or m.path is null and p.items > p.categorized
     order by m.path is null and p.items > p.categorized desc, coalesce(p.items, 0) desc, path
     limit ${limit} offset ${offset}`);
}

/**
 * Of the paths, those that no item has: up to `limit` of them, and none if paths were not counted, or not all of them.
 */
export async function listPathsWithoutItems(
  db: Queries,
  catalogId: string,
  { paths, limit, maxPaths }: { readonly paths: readonly string[]; limit: number; maxPaths: number },
): Promise<readonly string[]> {
  const rows = await db.query<{ path: string }>(sql`
    select given.path from unnest(${paths}::text[]) with ordinality as given (path, place)
     where (select count(*) between 1 and ${maxPaths}::int - 1 from category_paths where catalog_id = ${catalogId})
       and not exists (select 1 from category_paths p where p.catalog_id = ${catalogId} and p.path = given.path)
     order by given.place limit ${limit}`);
  return rows.map(({ path }) => path);
}

export type PathTotals = {
  readonly items: number;
  readonly categorized: number;
  readonly paths: number;
  readonly undecided: number;
};

/** What the last search for proposals said about the language of the paths; null: nothing. */
export async function findCategoryNote(db: Queries, catalogId: string): Promise<string | null> {
  const row = await db.first<{ note: string | null }>(sql`
    select stats->>'categoryNote' as note from runs
     where catalog_id = ${catalogId} and kind = 'proposals' and state = 'succeeded'
     order by created_at desc limit 1`);
  return row?.note ?? null;
}

export async function countCategoryPaths(db: Queries, catalogId: string): Promise<PathTotals> {
  const row = await db.first<PathTotals>(sql`
    select coalesce(sum(p.items), 0)::bigint as items,
           coalesce(sum(case when m.category is null then p.categorized else p.items end), 0)::bigint as categorized,
           count(*) as paths, count(*) filter (where m.path is null and p.items > p.categorized) as undecided
      from category_paths p
      left join category_mappings m on m.catalog_id = p.catalog_id and m.path = p.path
     where p.catalog_id = ${catalogId}`);
  return row ?? { items: 0, categorized: 0, paths: 0, undecided: 0 };
}
