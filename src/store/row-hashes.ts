/**
 * The rows and products that a source's items were read from. A sync skips rows that it finds here. Items whose rows
 * the sync does not find are removed, unless other rows have their ids.
 */
import { isUuid } from "../lib/id.ts";
import { readBytesColumn } from "./copy-binary.ts";
import type { Queries, Session } from "./db.ts";
import { sql } from "./sql.ts";

export type RowOwner = { readonly catalogId: string; readonly sourceId: string };

/** An item that was changed in another way since then has no valid key. */
const HAS_VALID_KEY = sql`substr(i.row_key, 17, 8) = substr(i.fingerprint, 1, 8)`;

/** Yields the hashes of the rows of all items with a valid hash, 16 bytes each, in batches. */
export async function* eachRowHash(
  session: Session,
  { catalogId, sourceId }: RowOwner,
): AsyncGenerator<readonly Buffer[]> {
  // COPY takes no parameters; the ids are checked to be UUIDs.
  if (!isUuid(catalogId) || !isUuid(sourceId)) throw new TypeError("catalogId and sourceId must be UUIDs");
  const rows = session.copyOut(
    `copy (select substr(i.row_key, 1, 16) from items i
            where i.catalog_id = '${catalogId}' and i.source_id = '${sourceId}' and ${HAS_VALID_KEY.text})
       to stdout (format binary)`,
  );
  yield* readBytesColumn(rows as AsyncIterable<Buffer>);
}

const PAGE = 10_000;

/** Yields ids that are staged and belong to items of the owner, with the hashes of the items' rows, in pages. */
export async function* eachStagedItemHash(
  tx: Queries,
  { catalogId, sourceId }: RowOwner,
): AsyncGenerator<readonly { readonly id: string; readonly hash: Buffer }[]> {
  for (let after: string | null = ""; after !== null; ) {
    const page: { last: string | null; count: number } | undefined = await tx.first(sql`
      select max(id) as last, count(*) as count
        from (select distinct id from staged where id > ${after} order by id limit ${PAGE}) page`);
    if (!page || page.last === null) return;
    // `offset 0` makes the planner look up each id in the index. It would rather scan all items than look up a
    // hundredth of them.
    yield await tx.query<{ id: string; hash: Buffer }>(sql`
      select stored.id, stored.hash
        from (select distinct id from staged where id > ${after} and id <= ${page.last}) s
       cross join lateral (
         select i.id, substr(i.row_key, 1, 16) as hash from items i
          where i.catalog_id = ${catalogId} and i.id = s.id and i.source_id = ${sourceId} and ${HAS_VALID_KEY}
         offset 0) stored`);
    after = page.count < PAGE ? null : page.last;
  }
}

/** Stages items as they are stored, as if their rows had been read at these positions. */
export async function stageStored(
  tx: Queries,
  catalogId: string,
  rows: readonly { readonly id: string; readonly position: number }[],
): Promise<void> {
  await tx.execute(sql`
    insert into staged (position, id, sort_key, group_id, fingerprint, body, row_hash, product_key)
    select p.position, i.id, i.sort_key, i.group_id, i.fingerprint, i.body, substr(i.row_key, 1, 16), i.product_key
      from unnest(${rows.map(({ id }) => id)}::text[], ${rows.map(({ position }) => position)}::bigint[])
             as p (id, position)
      join items i on i.catalog_id = ${catalogId} and i.id = p.id`);
}

/**
 * Stages the removal of the owner's items that no row was read for: items with the given hashes, and items without a
 * hash.
 */
export async function stageRemovals(
  tx: Queries,
  { catalogId, sourceId }: RowOwner,
  unseen: Iterable<readonly Buffer[]>,
): Promise<void> {
  await tx.execute(sql`create temporary table unseen (hash bytea primary key) on commit drop`);
  for (const hashes of unseen) await tx.execute(sql`insert into unseen select unnest(${hashes}::bytea[])`);
  await tx.execute(sql`analyze unseen`);
  await tx.execute(sql`
    insert into staged (position, id, sort_key)
    select 0, i.id, i.id from items i
     where i.catalog_id = ${catalogId} and i.source_id = ${sourceId}
       and (${HAS_VALID_KEY} is not true or substr(i.row_key, 1, 16) in (select hash from unseen))
       and not exists (select 1 from staged s where s.id = i.id)`);
}

/** Stages the removal of items of these products that are not staged, because the products no longer have them. */
export async function stageProductRemovals(
  tx: Queries,
  { catalogId, sourceId }: RowOwner,
  products: readonly string[],
): Promise<void> {
  await tx.execute(sql`
    insert into staged (position, id, sort_key)
    select 0, i.id, i.id from items i
     where i.source_id = ${sourceId} and i.product_key = any(${products}::text[]) and i.catalog_id = ${catalogId}
       and not exists (select 1 from staged s where s.id = i.id)`);
}
