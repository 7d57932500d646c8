/** The few numbers that say how the whole installation is doing. */
import type { Queries } from "./db.ts";
import { sql } from "./sql.ts";

export type Health = {
  readonly catalogs: number;
  readonly items: number;
  readonly latenessS: number;
  readonly runs: readonly { readonly kind: string; readonly state: string; readonly count: number }[];
};

export async function countHealth(db: Queries): Promise<Health> {
  const [row] = await db.query<Omit<Health, "runs">>(sql`
    select (select count(*) from catalogs) as catalogs,
           (select coalesce(sum(item_count), 0)::bigint from catalogs) as items,
           (select coalesce(greatest(0, extract(epoch from now() - min(next_sync_at))), 0)::float8
              from sources where enabled) as "latenessS"`);
  const runs = await db.query<Health["runs"][number]>(sql`
    select kind, state, count(*) as count from runs group by kind, state`);
  return { catalogs: row?.catalogs ?? 0, items: row?.items ?? 0, latenessS: row?.latenessS ?? 0, runs };
}
