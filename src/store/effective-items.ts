/** Source items whose effective items are computed, and the results. The caller has the catalog's lock. */
import type { Queries } from "./db.ts";
import { type Sql, sql } from "./sql.ts";

export type ItemToCompute = {
  readonly id: string;
  readonly sourceId: string | null;
  /** As the source has it. */
  readonly body: string;
  readonly fingerprint: Buffer;
  /** That of the effective item so far: the source's, if nothing is done to it. */
  readonly effective: Buffer;
};

const COLUMNS = sql`
  i.id, i.source_id as "sourceId", i.body, i.fingerprint,
  case when i.effective_from = i.fingerprint then i.effective_fingerprint else i.fingerprint end as effective`;

/** Which items: all, or those in the temporary table `touched`. */
export type ComputeScope = "all" | "touched";

/** In order of id. */
export async function listToCompute(
  tx: Queries,
  catalogId: string,
  { scope, after, limit }: { readonly scope: ComputeScope; readonly after: string; readonly limit: number },
): Promise<readonly ItemToCompute[]> {
  // Items that no longer exist are left out before the limit: an empty page is the end.
  const from: Sql = scope === "all" ? sql`items i` : sql`touched t join items i on i.id = t.id`;
  return tx.query<ItemToCompute>(sql`
    select ${COLUMNS} from ${from}
     where i.catalog_id = ${catalogId} and i.id > ${after} order by i.id limit ${limit}`);
}

/** Collects ids of items that have changed. Dropped with the transaction. */
export async function createTouched(tx: Queries): Promise<void> {
  await tx.execute(sql`create temporary table touched (id text collate "C" primary key) on commit drop`);
}

/** Staged items that are new or differ from the stored ones; all staged ones if what is done to them depends on their owner. */
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
}

/** Items with decisions that were made after this version. */
export async function touchDecided(tx: Queries, catalogId: string, version: number): Promise<void> {
  await tx.execute(sql`
    insert into touched select distinct item_id from proposals
     where catalog_id = ${catalogId} and effects_version > ${version}
    on conflict do nothing`);
}

export type ComputedItem = {
  readonly id: string;
  /** Null: the effective item is the source's. */
  readonly effective: { readonly body: string; readonly fingerprint: string } | null;
};

export async function saveComputed(
  tx: Queries,
  catalogId: string,
  items: readonly ComputedItem[],
): Promise<void> {
  const ids = items.map(({ id }) => id);
  const bodies = items.map(({ effective }) => effective?.body ?? null);
  const fingerprints = items.map(({ effective }) => effective?.fingerprint ?? null);
  await tx.execute(sql`
    update items i
       set effective_body = c.body, effective_fingerprint = decode(c.fingerprint, 'hex'),
           effective_from = case when c.body is not null then i.fingerprint end
      from unnest(${ids}::text[], ${bodies}::text[], ${fingerprints}::text[]) as c (id, body, fingerprint)
     where i.catalog_id = ${catalogId} and i.id = c.id`);
}
