/** The log of who changed what. A row is written in the transaction of the change, and never updated. */
import { newId } from "../lib/id.ts";
import type { Queries } from "./db.ts";
import { sql } from "./sql.ts";

export type Actor =
  | { readonly kind: "key"; readonly keyId: string; readonly handle: string; readonly name: string }
  /** The operating system user who ran the command. */
  | { readonly kind: "cli"; readonly name: string };

export type ChangeTarget = {
  readonly type:
    | "catalog"
    | "source"
    | "webhook"
    | "delivery"
    | "destination"
    | "alerts"
    | "key"
    | "feeds"
    | "render"
    | "publish-guard"
    | "items"
    | "rules"
    | "proposals"
    | "secret-key"
    | "all";
  readonly id?: string;
  /** Names of the fields that were set. Values are never logged. */
  readonly fields?: readonly string[];
  /** The run that was queued. It must already be inserted. */
  readonly runId?: string;
};

export type NewChange = {
  /** Null for changes of the whole installation. */
  readonly catalogId: string | null;
  readonly actor: Actor;
  /** Method and route, or the command. */
  readonly call: string;
  readonly requestId: string | null;
  readonly target: ChangeTarget;
};

export async function insertChange(tx: Queries, change: NewChange): Promise<void> {
  const { catalogId, actor, call, requestId, target } = change;
  const { keyId, handle } = actor.kind === "key" ? actor : { keyId: null, handle: null };
  await tx.execute(sql`
    insert into changes (id, catalog_id, actor, actor_name, key_id, key_handle, call, target_type, target_id, fields,
                         run_id, request_id)
    values (${newId()}, ${catalogId}, ${actor.kind}, ${actor.name}, ${keyId}, ${handle}, ${call}, ${target.type},
            ${target.id ?? null}, ${target.fields ?? []}, ${target.runId ?? null}, ${requestId})`);
}

export type ChangeRow = {
  readonly id: string;
  readonly catalog: string | null;
  readonly at: Date;
  readonly actor: Actor["kind"];
  readonly actorName: string;
  readonly keyId: string | null;
  readonly keyHandle: string | null;
  readonly call: string;
  readonly targetType: string;
  readonly targetId: string | null;
  readonly fields: readonly string[];
  readonly runId: string | null;
  readonly runStatus: "running" | "succeeded" | "failed" | null;
  readonly requestId: string | null;
};

export type ChangePage = {
  readonly catalogId?: string;
  readonly before?: string;
  readonly limit: number;
};

/** Newest first. */
export async function listChanges(
  db: Queries,
  { catalogId, before, limit }: ChangePage,
): Promise<readonly ChangeRow[]> {
  const ofCatalog = catalogId === undefined ? sql`true` : sql`h.catalog_id = ${catalogId}`;
  const older = before === undefined ? sql`true` : sql`h.id < ${before}::uuid`;
  return db.query<ChangeRow>(sql`
    select h.id, c.slug as catalog, h.at, h.actor, h.actor_name, h.key_id, h.key_handle, h.call, h.target_type,
           h.target_id, h.fields, h.run_id, h.request_id,
           case r.state when 'queued' then 'running' else r.state end as run_status
      from changes h left join catalogs c on c.id = h.catalog_id left join runs r on r.id = h.run_id
     where ${ofCatalog} and ${older}
     order by h.id desc
     limit ${limit}`);
}

const BATCH = 1_000;

/** In batches that each commit. */
export async function pruneChanges(db: Queries, olderThan: Date): Promise<number> {
  for (let deleted = 0; ; ) {
    const more = await db.execute(sql`
      delete from changes where id in (select id from changes where at < ${olderThan} limit ${BATCH})`);
    deleted += more;
    if (more < BATCH) return deleted;
  }
}
