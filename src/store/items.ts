/**
 * Items of a catalog: a stream in feed order, pages, and lookups by id. Unless a name says otherwise, the items are
 * effective items: the source's items with the changes of rules and approved proposals.
 */
import type { Queries, Session } from "./db.ts";
import { type CopyRow, readRows } from "./copy-binary.ts";
import { isUuid } from "../lib/id.ts";
import { sql } from "./sql.ts";

/** Computed values are valid only for the source item that they were computed from. */
const BODY = sql`case when effective_from = fingerprint then effective_body else body end`;
const FINGERPRINT = sql`case when effective_from = fingerprint then effective_fingerprint else fingerprint end`;
/** Null if the item is unchanged from its source. */
const SOURCE = sql`case when effective_from = fingerprint then fingerprint end`;

export type StoredBody = {
  readonly body: string;
  readonly fingerprint: Buffer;
  /** The fingerprint of the source's item; null if the effective item is the same. */
  readonly source: Buffer | null;
};

/** Yields all items of the catalog in feed order, in batches. The stream ends early if the caller stops reading. */
export async function* eachItemBody(
  session: Session,
  catalogId: string,
): AsyncGenerator<readonly StoredBody[]> {
  yield* readRows(
    copyItems(session, catalogId, `${BODY.text}, ${FINGERPRINT.text}, ${SOURCE.text}`),
    (row) => ({
      body: row.text(),
      fingerprint: row.bytes() ?? NO_BYTES,
      source: row.bytes(),
    }),
  );
}

export type BodyWithSource = {
  readonly body: string;
  /** The source's item; null if the effective item is the same. */
  readonly source: string | null;
};

/** Yields all items of the catalog like `eachItemBody`, with the bodies of the source. */
export async function* eachItemWithSource(
  session: Session,
  catalogId: string,
): AsyncGenerator<readonly BodyWithSource[]> {
  const source = "case when effective_from = fingerprint then body end";
  yield* readRows(copyItems(session, catalogId, `${BODY.text}, ${source}`), (row) => ({
    body: row.text(),
    source: row.bytes()?.toString() ?? null,
  }));
}

/**
 * Identifies an item, its version and its position in feed order, as positions in the bytes of many rows. A buffer for
 * each value would cost more than all comparisons.
 */
export class ItemKey {
  readonly data: Buffer;
  /** -1 for an item without a group. */
  readonly groupStart: number;
  readonly groupEnd: number;
  readonly idStart: number;
  readonly idEnd: number;
  readonly fingerprintStart: number;
  /** -1 if the item is unchanged from its source. */
  readonly sourceStart: number;

  constructor(row: CopyRow) {
    this.data = row.data;
    this.groupStart = row.skip();
    this.groupEnd = row.at;
    this.idStart = row.skip();
    this.idEnd = row.at;
    this.fingerprintStart = row.skip();
    this.sourceStart = row.skip();
  }
}

const NO_BYTES = Buffer.alloc(0);

/** The keys of all items in feed order, in batches. */
export async function* eachItemKey(session: Session, catalogId: string): AsyncGenerator<readonly ItemKey[]> {
  yield* readRows(
    copyItems(session, catalogId, `group_id, id, ${FINGERPRINT.text}, ${SOURCE.text}`),
    (row) => new ItemKey(row),
  );
}

function copyItems(session: Session, catalogId: string, columns: string): AsyncIterable<Buffer> {
  // COPY takes no parameters; the id is checked to be a UUID.
  if (!isUuid(catalogId)) throw new TypeError("a catalog id is a UUID");
  return session.copyOut(
    `copy (select ${columns} from items where catalog_id = '${catalogId}' order by sort_key, group_id, id)
       to stdout (format binary)`,
  ) as AsyncIterable<Buffer>;
}

/** Lists the items of these groups, in feed order. A sort key is a group's id, or the id of an item without a group. */
export async function listBySortKey(
  db: Queries,
  catalogId: string,
  sortKeys: readonly string[],
  limit: number,
): Promise<readonly StoredBody[]> {
  return db.query<StoredBody>(sql`
    select ${BODY} as body, ${FINGERPRINT} as fingerprint, ${SOURCE} as source from items
     where catalog_id = ${catalogId} and sort_key = any (${sortKeys}::text[])
     order by sort_key, group_id, id limit ${limit}`);
}

export type ItemRow = { readonly id: string; readonly sourceId: string | null; readonly body: string };

const COLUMNS = sql`id, source_id, ${BODY} as body`;

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

export type ItemOwner = {
  readonly id: string;
  readonly sourceId: string | null;
  /** The fingerprint of the source's item. */
  readonly fingerprint: Buffer;
};

export async function findItemOwners(
  db: Queries,
  catalogId: string,
  ids: readonly string[],
): Promise<readonly ItemOwner[]> {
  return db.query<ItemOwner>(sql`
    select id, source_id, fingerprint
      from items where catalog_id = ${catalogId} and id = any (${ids}::text[])`);
}

/** Finds items as their source has them. */
export async function findSourceItems(
  db: Queries,
  catalogId: string,
  ids: readonly string[],
): Promise<readonly ItemRow[]> {
  return db.query<ItemRow>(sql`
    select id, source_id, body from items where catalog_id = ${catalogId} and id = any (${ids}::text[])`);
}

/** The source's item and the effective item, read at the same moment. */
export type ItemVersions = {
  readonly id: string;
  readonly source: string;
  readonly body: string;
  /** The fingerprint of `body`. */
  readonly fingerprint: Buffer;
};

export async function findItemVersions(
  db: Queries,
  catalogId: string,
  ids: readonly string[],
): Promise<readonly ItemVersions[]> {
  return db.query<ItemVersions>(sql`
    select id, body as source, ${BODY} as body, ${FINGERPRINT} as fingerprint
      from items where catalog_id = ${catalogId} and id = any (${ids}::text[])`);
}

/** The stored values that a merge compares new rows with. */
export type StoredId = {
  readonly id: string;
  /** The body of the source's item. */
  readonly body: string;
  /** The fingerprint of `body`, in hex. */
  readonly fingerprint: string;
  /** The item belongs to another source or, for a source, to pushes. Items of removed sources can be taken over. */
  readonly isForeign: boolean;
  readonly isPushed: boolean;
};

export async function findStoredIds(
  db: Queries,
  { catalogId, sourceId }: { readonly catalogId: string; readonly sourceId: string | null },
  ids: readonly string[],
): Promise<readonly StoredId[]> {
  return db.query<StoredId>(sql`
    select i.id, i.body, encode(i.fingerprint, 'hex') as fingerprint, i.source_id is null as is_pushed,
           i.source_id is distinct from ${sourceId} and not i.is_left_behind
             and not exists (select 1 from removed_sources r where r.id = i.source_id) as is_foreign
      from items i where i.catalog_id = ${catalogId} and i.id = any (${ids}::text[])`);
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

/** How many items one query looks at: 1,000,000 take seconds on a busy machine. */
const WINDOW = 20_000;

/** Ids in order of id, and the last id that was looked at; null at the end of the catalog. */
export type IdWindow = { readonly ids: readonly string[]; readonly last: string | null };

/** Lists the ids of one source's items, or of pushed items (null), among the next items of the catalog. */
export async function listSourceIds(
  db: Queries,
  catalogId: string,
  { sourceId, after, limit }: { readonly sourceId: string | null } & IdPage,
): Promise<IdWindow> {
  const isOwn = sourceId === null ? sql`source_id is null` : sql`source_id = ${sourceId}::uuid`;
  const [row] = await db.query<{ ids: string[]; last: string | null; seen: number }>(sql`
    with seen as materialized (
      select id, source_id from items where catalog_id = ${catalogId} and id > ${after} order by id limit ${WINDOW})
    select array(select id from seen where ${isOwn} order by id limit ${limit}) as ids,
           (select max(id) from seen) as last, (select count(*) from seen) as seen`);
  const { ids = [], last = null, seen = 0 } = row ?? {};
  if (ids.length === limit) return { ids, last: ids.at(-1) ?? null };
  return { ids, last: seen < WINDOW ? null : last };
}

/** A page of all ids, ordered by id. */
export async function listItemIds(
  db: Queries,
  catalogId: string,
  { after, limit }: IdPage,
): Promise<readonly string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id from items where catalog_id = ${catalogId} and id > ${after} order by id limit ${limit}`);
  return rows.map(({ id }) => id);
}

export type IdPage = { readonly after: string; readonly limit: number };

/** A page of the ids of a group, ordered by id. */
export async function listGroupIds(
  db: Queries,
  catalogId: string,
  { groupId, after, limit }: { readonly groupId: string } & IdPage,
): Promise<readonly string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id from items
     where catalog_id = ${catalogId} and sort_key = ${groupId} and group_id = ${groupId} and id > ${after}
     order by id limit ${limit}`);
  return rows.map(({ id }) => id);
}
