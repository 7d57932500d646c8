/** Rows that a destination has got and whose items were removed since then. */
import type { Queries } from "../store/db.ts";
import { sql } from "../store/sql.ts";

export type VanishedRow = { readonly id: string; readonly row: string };

/** Finds the render of the newest receipt; undefined if nothing was delivered yet. */
export async function lastDeliveredRun(db: Queries, destinationId: string): Promise<string | undefined> {
  const last = await db.first<{ runId: string }>(sql`
    select run_id from destination_deliveries
     where destination_id = ${destinationId} and state = 'delivered' order by id desc limit 1`);
  return last?.runId;
}

/** Adds rows. Rows that are stored already keep their time. */
export async function addVanished(
  db: Queries,
  destinationId: string,
  rows: readonly VanishedRow[],
): Promise<void> {
  await db.execute(sql`
    insert into destination_vanished (destination_id, item_id, row)
    select ${destinationId}::uuid, v.id, v.row
      from unnest(${rows.map(({ id }) => id)}::text[], ${rows.map(({ row }) => row)}::text[]) as v (id, row)
    on conflict do nothing`);
}

export async function removeVanished(
  db: Queries,
  destinationId: string,
  ids: readonly string[],
): Promise<void> {
  await db.execute(sql`
    delete from destination_vanished where destination_id = ${destinationId} and item_id = any (${ids}::text[])`);
}

/** Deletes the rows that were sent for so many days. Returns how many are left. */
export async function expireVanished(db: Queries, destinationId: string, days: number): Promise<number> {
  await db.execute(sql`
    delete from destination_vanished
     where destination_id = ${destinationId} and since <= now() - make_interval(days => ${days})`);
  const row = await db.first<{ count: number }>(
    sql`select count(*) as count from destination_vanished where destination_id = ${destinationId}`,
  );
  return row?.count ?? 0;
}

const PAGE = 500;

export async function* listVanished(
  db: Queries,
  destinationId: string,
): AsyncGenerator<readonly VanishedRow[]> {
  for (let after: string | undefined = ""; after !== undefined; ) {
    const rows: readonly VanishedRow[] = await db.query<VanishedRow>(sql`
      select item_id as id, row from destination_vanished
       where destination_id = ${destinationId} and item_id > ${after} order by item_id limit ${PAGE}`);
    if (rows.length > 0) yield rows;
    after = rows.length < PAGE ? undefined : rows.at(-1)?.id;
  }
}
