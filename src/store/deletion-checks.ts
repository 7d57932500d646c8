/**
 * Checks for deleted products: when each shop is asked next which products it still has, what the shop answered last,
 * and the products that a source has in the catalog.
 */
import type { Queries } from "./db.ts";
import { isDue } from "./due.ts";
import { storableJson } from "./json.ts";
import { IS_LIVE } from "./restores.ts";
import { sql } from "./sql.ts";

/** The result of the last check. */
export type DeletionCheck = {
  /**
   * `events`: the shop listed the deleted products. `id_listing`: the shop listed the ids of its products. Null: the
   * check failed before either.
   */
  readonly method: "events" | "id_listing" | null;
  readonly checkedAt: string;
  /** The number of seconds until the next check is due. */
  readonly everyS: number;
  /** Products that were reported as missing; the next check does not report them again. */
  readonly missing: readonly string[];
  /** Why the check had no effect, in whole sentences. */
  readonly message: string | null;
};

/** The usual time between two checks of a source. */
export const CHECK_EVERY_S = 3_600;

/** A check that took its whole time of ten minutes is repeated after 200 minutes. */
const MAX_CHECK_AHEAD_S = 6 * 3_600;

/**
 * Claims a source of these kinds that was read completely and whose check is due. A source that is being synced waits:
 * the sync may find the same deletions, and the shop should not have to answer both.
 */
export async function claimDueDeletionCheck(
  db: Queries,
  kinds: readonly string[],
): Promise<string | undefined> {
  const row = await db.first<{ id: string }>(sql`
    update sources set next_deletion_check_at = now() + make_interval(secs => ${CHECK_EVERY_S})
     where id = (select s.id from sources s
                  where ${isDue(sql`s.next_deletion_check_at`, MAX_CHECK_AHEAD_S)} and ${IS_LIVE} and s.enabled and s.read_state is not null
                    and s.kind = any(${kinds}::text[])
                    and not exists (select 1 from runs r
                                     where r.source_id = s.id and r.catalog_id = s.catalog_id and r.kind = 'sync'
                                       and r.state in ('queued', 'running'))
                  order by s.next_deletion_check_at limit 1 for update skip locked)
    returning id`);
  return row?.id;
}

export async function saveDeletionCheck(db: Queries, sourceId: string, check: DeletionCheck): Promise<void> {
  await db.execute(sql`
    update sources
       set deletion_check = ${storableJson(check)},
           next_deletion_check_at = now() + make_interval(secs => ${check.everyS})
     where id = ${sourceId}`);
}

const PAGE = 10_000;

/** Yields the items of a source with their products, in pages. */
export async function* eachItemProduct(
  db: Queries,
  { catalogId, sourceId }: { readonly catalogId: string; readonly sourceId: string },
): AsyncGenerator<readonly { readonly id: string; readonly product: string }[], void, void> {
  for (let after: string | undefined = ""; after !== undefined; ) {
    const page: readonly { id: string; product: string }[] = await db.query(sql`
      select id, product_key as product from items
       where catalog_id = ${catalogId} and source_id = ${sourceId} and product_key is not null and id > ${after}
       order by id limit ${PAGE}`);
    yield page;
    after = page.length < PAGE ? undefined : page.at(-1)?.id;
  }
}
