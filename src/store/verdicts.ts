/**
 * The newest audit's result for every item, as bytes that only the audit decodes. Verdicts are staged by COPY in a
 * temporary table during the audit, then merged in the caller's transaction: only rows that differ are written.
 */
import { copyBatches } from "./copy-batches.ts";
import type { Queries, Session } from "./db.ts";
import { type Sql, sql } from "./sql.ts";

/** The range of tags of one catalog: more than there are rule numbers. */
const RULES = 256;
const INT4_OID = 23;

const tagOf = (catalogNumber: number, rule: number): number => catalogNumber * RULES + rule;

export type VerdictStaging = Awaited<ReturnType<typeof openVerdictStaging>>;

export async function openVerdictStaging(session: Session, catalogNumber: number) {
  // Kept until the connection ends: to empty the table takes a third of the time of a new one.
  await session.execute(sql`
    create temporary table if not exists staged_verdicts (
      item_id text collate "C" not null, verdict bytea, tags integer[], is_removed boolean not null default false);
    alter table staged_verdicts alter column item_id set statistics 10;
    truncate staged_verdicts`);
  const batches = copyBatches(
    session,
    "copy staged_verdicts (item_id, verdict, tags) from stdin (format binary)",
  );
  return {
    /** Null for an item without a finding; `rules` are the numbers of those that found something. */
    add: (itemId: string, verdict: Uint8Array | null, rules: readonly number[]) =>
      batches.row([itemId, verdict, verdict === null ? null : tagArray(catalogNumber, rules)]),
    /** Gives up; nothing is written afterwards. */
    abandon: async (): Promise<void> => void (await batches.end().catch(() => undefined)),
    /** Finishes. `removed` are items that no longer exist, if not all items were added. */
    finish: async (removed: readonly string[]): Promise<number> => {
      const rows = await batches.end();
      if (removed.length > 0) {
        // An item that is in another group now was added there.
        await session.execute(sql`
          insert into staged_verdicts (item_id, is_removed)
          select gone.id, true from unnest(${removed}::text[]) as gone (id)
           where not exists (select 1 from staged_verdicts s where s.item_id = gone.id)`);
      }
      // Joins are planned by the number of rows and of different ids, for which a small sample is enough; one of tags
      // takes long. Without it, a few rows are taken for many, and all stored verdicts are read.
      await session.execute(sql`analyze staged_verdicts (item_id)`);
      return rows;
    },
  };
}

/** An integer[] as PostgreSQL's binary format has it: one dimension, no nulls. */
function tagArray(catalogNumber: number, rules: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(20 + 8 * rules.length);
  let at = 0;
  for (const word of [1, 0, INT4_OID, rules.length, 1]) at = bytes.writeInt32BE(word, at);
  for (const rule of rules) {
    at = bytes.writeInt32BE(4, at);
    at = bytes.writeInt32BE(tagOf(catalogNumber, rule), at);
  }
  return bytes;
}

/** How many items changed from one verdict to another. Null: no finding; undefined: the item did not exist. */
export type VerdictChange = {
  readonly was: Uint8Array | null | undefined;
  readonly is: Uint8Array | null | undefined;
  readonly count: number;
};

const FETCHED = 5_000;

/** `all`: all items were staged, and others no longer exist. `some`: only those that may have changed. */
export type StagedVerdicts = "all" | "some";

/** Compares stored and staged verdicts, `most` at most; equal changes are counted together by the database. */
export async function* eachVerdictChange(
  tx: Queries,
  catalogId: string,
  staged: StagedVerdicts,
  most: number,
): AsyncGenerator<VerdictChange> {
  const join = staged === "all" ? sql`full join` : sql`right join`;
  const changes = sql`
    select v.item_id is not null as had, s.item_id is not null and not s.is_removed as has, v.verdict as was,
           s.verdict as is, count(*) as count
      from (select item_id, verdict from verdicts where catalog_id = ${catalogId}) v
      ${join} staged_verdicts s on s.item_id = v.item_id
     group by 1, 2, 3, 4`;
  const hasCursor = most > FETCHED;
  if (hasCursor) await tx.execute(sql`declare verdict_changes no scroll cursor for ${changes}`);
  const next: Sql = hasCursor ? { text: `fetch ${FETCHED} from verdict_changes`, values: [] } : changes;
  while (true) {
    const rows = await tx.query<VerdictChangeRow>(next);
    yield* rows.map(changeOf);
    if (!hasCursor || rows.length < FETCHED) break;
  }
  if (hasCursor) await tx.execute(sql`close verdict_changes`);
}

type VerdictChangeRow = VerdictChange & { readonly had: boolean; readonly has: boolean };

const changeOf = ({ had, has, was, is, count }: VerdictChangeRow): VerdictChange => ({
  was: had ? was : undefined,
  is: has ? is : undefined,
  count,
});

/** Replaces the stored verdicts by the staged ones; only rows that differ are written. */
export async function replaceVerdicts(tx: Queries, catalogId: string, staged: StagedVerdicts): Promise<void> {
  if (staged === "all") {
    // The order makes the planner use the primary key, whatever it assumes about the catalog.
    const [stored] = await tx.query(
      sql`select from verdicts where catalog_id = ${catalogId} order by item_id limit 1`,
    );
    if (!stored) return insertFirst(tx, catalogId);
    // Right after a large audit the planner's statistics are outdated; see `prepareMerge` in merge.ts.
    await tx.execute(sql`set local enable_nestloop = off`);
    await tx.execute(sql`
      delete from verdicts v
       where v.catalog_id = ${catalogId} and not exists (select 1 from staged_verdicts s where s.item_id = v.item_id)`);
  }
  await tx.execute(sql`
    merge into verdicts v using staged_verdicts s on v.catalog_id = ${catalogId} and v.item_id = s.item_id
     when matched and s.is_removed then delete
     when matched and v.verdict is distinct from s.verdict then update set verdict = s.verdict, tags = s.tags
     when not matched and not s.is_removed then
          insert (catalog_id, item_id, verdict, tags) values (${catalogId}, s.item_id, s.verdict, s.tags)`);
}

/**
 * The verdicts of a catalog that has none: there is nothing to compare them with. In order, which the primary key takes
 * faster.
 */
async function insertFirst(tx: Queries, catalogId: string): Promise<void> {
  await tx.execute(sql`
    insert into verdicts (catalog_id, item_id, verdict, tags)
    select ${catalogId}::uuid, item_id, verdict, tags from staged_verdicts where not is_removed
     order by item_id`);
}

/** By item; items that the audit has not seen are missing. */
export async function findVerdicts(
  db: Queries,
  catalogId: string,
  itemIds: readonly string[],
): Promise<ReadonlyMap<string, Buffer | null>> {
  const rows = await db.query<{ itemId: string; verdict: Buffer | null }>(sql`
    select item_id, verdict from verdicts
     where catalog_id = ${catalogId} and item_id = any (${itemIds}::text[])`);
  return new Map(rows.map(({ itemId, verdict }) => [itemId, verdict]));
}

export type VerdictQuery = {
  /** Items with a finding of at least one of these rules; null: of any rule. */
  readonly rules: readonly number[] | null;
  readonly from: string;
  readonly limit: number;
};

export async function listFindings(
  db: Queries,
  { id, number }: { readonly id: string; readonly number: number },
  { rules, from, limit }: VerdictQuery,
): Promise<readonly { readonly itemId: string; readonly verdict: Buffer }[]> {
  const tags = rules?.map((rule) => tagOf(number, rule)) ?? null;
  const isWanted = tags === null ? sql`tags is not null` : sql`tags && ${tags}::integer[]`;
  return db.query(sql`
    select item_id, verdict from verdicts
     where catalog_id = ${id} and item_id >= ${from} and ${isWanted}
     order by item_id
     limit ${limit}`);
}
