/** Items of a catalog: a stream in feed order, pages, and lookups by id. */
import type { Queries, Session } from "./db.ts";
import { readTextColumn } from "./copy-binary.ts";
import { isUuid } from "../lib/id.ts";
import { sql } from "./sql.ts";

/** All item bodies of the catalog, ordered by group, in batches. Ends early if the caller stops reading. */
export async function* eachItemBody(session: Session, catalogId: string): AsyncGenerator<readonly string[]> {
  // COPY takes no parameters; the id is checked to be a UUID.
  if (!isUuid(catalogId)) throw new TypeError("a catalog id is a UUID");
  const rows = session.copyOut(
    `copy (select body from items where catalog_id = '${catalogId}' order by sort_key, group_id, id)
       to stdout (format binary)`,
  );
  yield* readTextColumn(rows as AsyncIterable<Buffer>);
}

export type ItemRow = { readonly id: string; readonly sourceId: string | null; readonly body: string };

const COLUMNS = sql`id, source_id as "sourceId", body`;

export async function findItem(db: Queries, catalogId: string, id: string): Promise<ItemRow | undefined> {
  return (await findItems(db, catalogId, [id]))[0];
}

export async function findItems(
  db: Queries,
  catalogId: string,
  ids: readonly string[],
): Promise<readonly ItemRow[]> {
  return db.query<ItemRow>(sql`
    select ${COLUMNS} from items where catalog_id = ${catalogId} and id = any (${ids}::text[])`);
}

/** The first items of each group, in feed order. */
export async function listGroups(
  db: Queries,
  catalogId: string,
  { groupIds, limit }: { readonly groupIds: readonly string[]; readonly limit: number },
): Promise<readonly ItemRow[]> {
  return db.query<ItemRow>(sql`
    select i.*
      from unnest(${groupIds}::text[]) as g (id)
     cross join lateral (
       select ${COLUMNS} from items
        where catalog_id = ${catalogId} and sort_key = g.id and group_id = g.id
        order by items.id
        limit ${limit}) i`);
}

export async function listItems(
  db: Queries,
  catalogId: string,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<readonly ItemRow[]> {
  return db.query<ItemRow>(sql`
    select ${COLUMNS} from items where catalog_id = ${catalogId} and id > ${after} order by id limit ${limit}`);
}
