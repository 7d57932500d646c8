/** The few numbers that say how the whole installation is doing. */
import type { Queries } from "./db.ts";
import { sql } from "./sql.ts";

export type Health = {
  readonly catalogs: number;
  readonly items: number;
  readonly latenessS: number;
  /** How long the most overdue webhook delivery has been waiting for its attempt; 0 if none is. */
  readonly deliveryLatenessS: number;
  readonly deliveries: readonly { readonly state: string; readonly count: number }[];
  readonly runs: readonly { readonly kind: string; readonly state: string; readonly count: number }[];
};

export async function countHealth(db: Queries): Promise<Health> {
  const [row] = await db.query<Omit<Health, "runs" | "deliveries">>(sql`
    select (select count(*) from catalogs) as catalogs,
           (select coalesce(sum(item_count), 0)::bigint from catalogs) as items,
           (select coalesce(greatest(0, extract(epoch from now() - min(next_sync_at))), 0)::float8
              from sources where enabled) as "latenessS",
           (select coalesce(greatest(0, extract(epoch from now() - min(due_at))), 0)::float8
              from webhook_queue where lease_until is null or lease_until <= now()) as "deliveryLatenessS"`);
  const deliveries = await db.query<Health["deliveries"][number]>(sql`
    select state, count(*) as count from webhook_deliveries group by state`);
  const runs = await db.query<Health["runs"][number]>(sql`
    select kind, state, count(*) as count from runs group by kind, state`);
  const none = { catalogs: 0, items: 0, latenessS: 0, deliveryLatenessS: 0 };
  return { ...none, ...row, deliveries, runs };
}

export type ServerFacts = { readonly version: string; readonly schema: number; readonly now: Date };

/** The database's version, the newest migration it has had, and its clock. */
export async function serverFacts(db: Queries): Promise<ServerFacts | undefined> {
  const rows = await db.query<ServerFacts>(sql`
    select current_setting('server_version') as version, clock_timestamp() as now,
           (select max(version) from schema_migrations) as schema`);
  return rows[0];
}
