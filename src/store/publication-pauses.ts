/** Catalogs whose publication is paused after a rollback. */
import type { Queries } from "./db.ts";
import type { RenderDecision } from "./renders.ts";
import { sql } from "./sql.ts";

export type PublicationPause = {
  readonly since: Date;
  /** The name of the API key, or the user who ran the command. */
  readonly by: string;
  readonly reason: string;
};

/** The publication of a catalog: which render is published, and whether publication is paused. */
export type PublicationState = {
  readonly publishedRunId: string | null;
  readonly pause: PublicationPause | null;
};

/** Finds the state; with `lock`, it locks the catalog like `lockCatalog` and reads the state after that. */
export async function findPublicationState(
  db: Queries,
  catalogId: string,
  { lock = false }: { readonly lock?: boolean } = {},
): Promise<PublicationState> {
  const row = await db.first<{ publishedRunId: string | null } & (PublicationPause | { since: null })>(sql`
    select published_run_id, publication_paused_at as since, publication_paused_by as by,
           publication_pause_reason as reason
      from catalogs where id = ${catalogId} ${lock ? sql`for no key update` : sql``}`);
  return { publishedRunId: row?.publishedRunId ?? null, pause: row?.since ? row : null };
}

export async function findPause(db: Queries, catalogId: string): Promise<PublicationPause | undefined> {
  return db.first<PublicationPause>(sql`
    select publication_paused_at as since, publication_paused_by as by, publication_pause_reason as reason
      from catalogs where id = ${catalogId} and publication_paused_at is not null`);
}

/**
 * Pauses publication. While it is paused, time alone does not make the feeds stale. The caller has the catalog's lock.
 */
export async function pausePublication(
  tx: Queries,
  catalogId: string,
  { reason, by }: RenderDecision,
): Promise<void> {
  await tx.execute(sql`
    update catalogs
       set publication_paused_at = clock_timestamp(), publication_paused_by = ${by.name},
           publication_paused_key_id = ${by.keyId}, publication_pause_reason = ${reason}, stale_at = null
     where id = ${catalogId}`);
}

/** Returns false if publication was not paused. */
export async function releasePublication(tx: Queries, catalogId: string): Promise<boolean> {
  const released = await tx.execute(sql`
    update catalogs
       set publication_paused_at = null, publication_paused_by = null, publication_paused_key_id = null,
           publication_pause_reason = null
     where id = ${catalogId} and publication_paused_at is not null`);
  return released === 1;
}
