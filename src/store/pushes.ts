/**
 * Pushes and their bodies, in chunks. While a body arrives its run is `running` under the receiver's lease, so a
 * receiver that dies is handled like a worker that dies; when the body is complete, the run is queued.
 */
import type { Queries } from "./db.ts";
import { storableJson } from "./json.ts";
import type { Lease } from "./runs.ts";
import { sql } from "./sql.ts";

export type PushMode = "replace" | "update";

export type PushFile = {
  readonly charset: string | null;
  /** `format`, `store_url`, `decimal_mark`, `columns`, `link_template`: as those of a feed URL. */
  readonly settings: Readonly<Record<string, string>>;
};

export type Push = {
  readonly runId: string;
  readonly mode: PushMode;
  /** `file`: any format that a feed URL may have, recognized by its content. */
  readonly format: "json" | "json_lines" | "file";
  /** Null unless the format is `file`. */
  readonly file: PushFile | null;
  readonly maxRemovedRatio: number;
  /** Null until the whole body has arrived. */
  readonly parts: number | null;
};

export type NewPush = Omit<Push, "parts"> & { readonly catalogId: string };

/** Opens a push for its receiver. False if another push to the catalog is open. */
export async function openPush(tx: Queries, push: NewPush, { owner, leaseMs }: Lease): Promise<boolean> {
  // As if claimed once: releasing the run then queues it with no attempts.
  const opened = await tx.execute(sql`
    insert into runs (id, catalog_id, kind, state, cause, started_at, owner, attempts, lease_until)
    values (${push.runId}, ${push.catalogId}, 'sync', 'running', 'push', clock_timestamp(), ${owner}, 1,
            clock_timestamp() + make_interval(secs => ${leaseMs / 1000}))
    on conflict (catalog_id) where cause = 'push' and state in ('queued', 'running') do nothing`);
  if (opened === 0) return false;
  await tx.execute(sql`
    insert into pushes (run_id, mode, format, file, max_removed_ratio)
    values (${push.runId}, ${push.mode}, ${push.format}, ${push.file && storableJson(push.file)},
            ${push.maxRemovedRatio})`);
  return true;
}

export async function findOpenPush(db: Queries, catalogId: string): Promise<string | undefined> {
  const row = await db.first<{ id: string }>(sql`
    select id from runs where catalog_id = ${catalogId} and cause = 'push' and state in ('queued', 'running')`);
  return row?.id;
}

export async function findPush(db: Queries, runId: string): Promise<Push | undefined> {
  return db.first<Push>(sql`
    select run_id as "runId", mode, format, file, max_removed_ratio as "maxRemovedRatio", parts
      from pushes where run_id = ${runId}`);
}

export async function addChunk(db: Queries, runId: string, part: number, bytes: Uint8Array): Promise<void> {
  await db.execute(sql`
    insert into push_chunks (run_id, part, bytes) values (${runId}, ${part}, ${Buffer.from(bytes)})`);
}

export async function findChunk(db: Queries, runId: string, part: number): Promise<Buffer | undefined> {
  const row = await db.first<{ bytes: Buffer }>(sql`
    select bytes from push_chunks where run_id = ${runId} and part = ${part}`);
  return row?.bytes;
}

export async function completePush(tx: Queries, runId: string, parts: number): Promise<void> {
  await tx.execute(sql`update pushes set parts = ${parts} where run_id = ${runId}`);
}

export async function recordReplacement(tx: Queries, catalogId: string, runId: string): Promise<void> {
  await tx.execute(sql`update catalogs set replaced_run_id = ${runId} where id = ${catalogId}`);
}

export async function dropPush(db: Queries, runId: string): Promise<void> {
  await db.execute(sql`delete from pushes where run_id = ${runId}`);
}

export async function prunePushes(db: Queries): Promise<number> {
  return db.execute(sql`
    delete from pushes p using runs r where r.id = p.run_id and r.state in ('succeeded', 'failed')`);
}

/** How many items no source owns, computed from the stored counts. */
export async function countPushedItems(db: Queries, catalogId: string): Promise<number> {
  const row = await db.first<{ count: number }>(sql`
    select c.item_count - coalesce((select sum(item_count) from sources where catalog_id = c.id), 0)::bigint
                        - coalesce((select sum(item_count) from removed_sources where catalog_id = c.id), 0)::bigint
             as count
      from catalogs c where c.id = ${catalogId}`);
  return row?.count ?? 0;
}
