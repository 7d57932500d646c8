/** Sources: their settings, when they are next due, and what the last read leaves for the next one. */
import { promisify } from "node:util";
import { zstdCompress, zstdDecompress } from "node:zlib";
import type { Rejection } from "../catalog/finding.ts";
import type { Queries } from "./db.ts";
import type { DeletionCheck } from "./deletion-checks.ts";
import { storableJson } from "./json.ts";
import { IS_LIVE } from "./restores.ts";
import { sql } from "./sql.ts";

export type SourceRow = {
  readonly id: string;
  readonly catalogId: string;
  readonly kind: string;
  readonly name: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly secretsEncrypted: Buffer | null;
  readonly enabled: boolean;
  readonly intervalS: number;
  readonly maxRemovedRatio: number;
  /** Null in a restored copy, which syncs nothing by itself until it is resumed. */
  readonly nextSyncAt: Date | null;
  readonly validators: Readonly<Record<string, string>> | null;
  /** What the hashes of its rows were made with. */
  readonly rowContext: string | null;
  /** For reads of some products; null: the next read is a complete one. */
  readonly readState: ReadState | null;
  /** Whether all rejections of the last read are stored (`findRejections`). */
  readonly knowsRejections: boolean;
  /** Whether all files of a feed URL have ended with a line end so far; null: not known. */
  readonly endsWithLineEnd: boolean | null;
  readonly itemCount: number;
  readonly createdAt: Date;
  /** The state of our webhooks at the shop, if there are any. */
  readonly shopWebhooks: {
    readonly status: "pending" | "active" | "off";
    readonly message: string | null;
    readonly checkedAt: string | null;
  } | null;
  /** The last check for deleted products, if there was one. */
  readonly deletionCheck: DeletionCheck | null;
};

/** What a read leaves for reads of some products. */
export type ReadState = {
  /** A hash of the settings that it was made with. */
  readonly context: string;
  /** The newest change that was read, by the shop's clock; null: what changes from here on cannot be requested. */
  readonly since: string | null;
  /** When everything was read last, and how many items the source had then. */
  readonly fullReadAt: string;
  readonly items: number;
};

/** A rejection, and the product that its row belongs to. */
export type ProductRejection = Rejection & { readonly product: string };

const COLUMNS = sql`
  id, catalog_id, kind, name, settings, secrets_sealed as secrets_encrypted, enabled, interval_s, max_removed_ratio,
  case when ${IS_LIVE} then next_sync_at end as next_sync_at, validators, row_context, read_state,
  rejections is not null as knows_rejections, ends_with_line_end, item_count, created_at,
  (select jsonb_build_object('status', w.status, 'message', w.message, 'checkedAt', w.checked_at)
     from shop_webhooks w where w.source_id = sources.id) as shop_webhooks, deletion_check`;

type Configured = Pick<SourceRow, "name" | "settings" | "secretsEncrypted" | "intervalS" | "maxRemovedRatio">;

/** Enabled by default. */
export type NewSourceRow = Pick<SourceRow, "id" | "catalogId" | "kind"> &
  Configured & { readonly enabled?: boolean };

/** False if the catalog already has `most`. */
export async function insertSource(db: Queries, source: NewSourceRow, most = 1_000_000): Promise<boolean> {
  const { id, catalogId, kind, name, settings, secretsEncrypted, enabled = true } = source;
  const inserted = await db.execute(sql`
    insert into sources (id, catalog_id, kind, name, settings, secrets_sealed, enabled, interval_s,
                         max_removed_ratio)
    select ${id}::uuid, ${catalogId}::uuid, ${kind}::text, ${name}::text, ${storableJson(settings)}::jsonb,
           ${secretsEncrypted}::bytea, ${enabled}::boolean, ${source.intervalS}::integer,
           ${source.maxRemovedRatio}::double precision
     where count_sources_under_lock(${catalogId}::uuid) < ${most}`);
  return inserted === 1;
}

export async function findSource(db: Queries, id: string): Promise<SourceRow | undefined> {
  return db.first<SourceRow>(sql`select ${COLUMNS} from sources where id = ${id}`);
}

/** The names of a catalog's sources that start with this text. */
export async function listSourceNames(
  db: Queries,
  catalogId: string,
  start: string,
): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ name: string }>(
    sql`select name from sources where catalog_id = ${catalogId} and starts_with(name, ${start})`,
  );
  return new Set(rows.map(({ name }) => name));
}

export async function lockSource(tx: Queries, id: string): Promise<SourceRow | undefined> {
  return tx.first<SourceRow>(sql`select ${COLUMNS} from sources where id = ${id} for update`);
}

export async function listSources(db: Queries, catalogId: string): Promise<readonly SourceRow[]> {
  return db.query<SourceRow>(
    sql`select ${COLUMNS} from sources where catalog_id = ${catalogId} order by created_at, id`,
  );
}

/** `isDue` makes the source due now, because its next read may have another result. */
export type SourceChange = Configured & {
  readonly enabled: boolean;
  readonly isDue: boolean;
  /** What follows from the change is published with the next sync, even outside the limits of the publish guard. */
  readonly publishesNext: boolean;
};

/**
 * Stores the changed source. It is read in full next time, and it is due now if it was just enabled. A new interval
 * counts from the beginning of the last automatic sync.
 */
export async function updateSourceRow(db: Queries, id: string, source: SourceChange): Promise<void> {
  await db.execute(sql`
    with checked_again as (update shop_webhooks set next_check_at = now() where source_id = ${id})
    update sources
       set name = ${source.name}, settings = ${storableJson(source.settings)},
           secrets_sealed = ${source.secretsEncrypted}, enabled = ${source.enabled},
           interval_s = ${source.intervalS}, max_removed_ratio = ${source.maxRemovedRatio}, validators = null, read_state = null, deletion_check = null,
           ends_with_line_end = case when settings = ${storableJson(source.settings)}::jsonb then ends_with_line_end end,
           edited_at = case when ${source.publishesNext}::boolean then clock_timestamp() else edited_at end,
           next_sync_at = case when ${source.enabled}::boolean and (${source.isDue}::boolean or not enabled) then now()
                          when next_sync_at <= now() then next_sync_at
                          else greatest(now(), least(next_sync_at - make_interval(secs => interval_s), now())
                                               + make_interval(secs => ${source.intervalS})) end
     where id = ${id}`);
}

/** Ends the edit that a sync has read the source with; false if there was none before the sync began. */
export async function endSourceEdit(tx: Queries, id: string, syncStartedAt: Date): Promise<boolean> {
  const ended = await tx.first(
    sql`update sources set edited_at = null where id = ${id} and edited_at <= ${syncStartedAt} returning id`,
  );
  return ended !== undefined;
}

export type DueSource = {
  readonly id: string;
  readonly catalogId: string;
  /** The source was synced on demand before its first automatic sync, which is then skipped. */
  readonly hasFirstSync: boolean;
};

/** A sync that is further ahead than its interval was scheduled before the clock was set back. */
const IS_DUE = sql`(next_sync_at <= now() or next_sync_at > now() + make_interval(secs => interval_s + 60))`;

/**
 * Claims sources whose automatic sync is due. Until that sync begins (`scheduleNextSync`), the next due time is an
 * interval from now: after a downtime of three intervals a source is synced once. The limit spreads sources that became
 * due together, as after an outage; from then on each is due an interval after its own sync began.
 */
export async function claimDueSources(db: Queries, limit: number): Promise<readonly DueSource[]> {
  const due = await db.query<DueSource>(sql`
    update sources s set next_sync_at = now() + make_interval(secs => s.interval_s)
      from (select id, next_sync_at from sources where enabled and ${IS_DUE} and ${IS_LIVE}
             order by next_sync_at limit ${limit} for update skip locked) due
     where s.id = due.id
    returning s.id, s.catalog_id,
              due.next_sync_at = s.created_at and exists (
                select from runs r where r.source_id = s.id and r.kind = 'sync' and r.state <> 'failed') as has_first_sync`);
  // Their runs are queued in this order, by every worker.
  return due.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/**
 * An automatic sync begins: the next one is due exactly an interval later, however long this one has waited in the
 * queue.
 */
export async function scheduleNextSync(db: Queries, runId: string): Promise<void> {
  await db.execute(sql`
    update sources s set next_sync_at = r.started_at + make_interval(secs => s.interval_s)
      from runs r where r.id = ${runId} and s.id = r.source_id`);
}

/** The other sources are read in full next time: an id that was rejected as a duplicate may be free now. */
export async function clearValidators(db: Queries, catalogId: string, except: string | null): Promise<void> {
  await db.execute(sql`
    update sources set validators = null
     where catalog_id = ${catalogId} and id is distinct from ${except}`);
}

/** What a read leaves for the next one; undefined: it stays as it is. */
export type LeftByRead = {
  /** Null if the source sent none. */
  readonly validators?: SourceRow["validators"] | undefined;
  /** What its rows were hashed with; null: the next sync compares no rows. */
  readonly rowContext?: string | null | undefined;
  /** For reads of some products. */
  readonly readState?: ReadState | null | undefined;
  /** Null: they are not known with their products. */
  readonly rejections?: readonly ProductRejection[] | null | undefined;
  readonly endsWithLineEnd?: boolean | undefined;
};

const jsonOf = (value: object | null): string | null => (value === null ? null : storableJson(value));

export async function saveRead(
  db: Queries,
  id: string,
  { validators, rowContext, readState, rejections, endsWithLineEnd }: LeftByRead,
): Promise<void> {
  const packed = rejections ? await promisify(zstdCompress)(JSON.stringify(rejections)) : null;
  await db.execute(sql`
    update sources
       set validators = ${validators === undefined ? sql`validators` : sql`${jsonOf(validators)}`},
           row_context = ${rowContext === undefined ? sql`row_context` : sql`${rowContext}`},
           read_state = ${readState === undefined ? sql`read_state` : sql`${jsonOf(readState)}`},
           rejections = ${rejections === undefined ? sql`rejections` : sql`${packed}`},
           ends_with_line_end = ${endsWithLineEnd === undefined ? sql`ends_with_line_end` : sql`${endsWithLineEnd}`}
     where id = ${id}`);
}

/** The rejections of the last read of a source. */
export async function findRejections(db: Queries, id: string): Promise<readonly ProductRejection[]> {
  const row = await db.first<{ rejections: Buffer | null }>(
    sql`select rejections from sources where id = ${id}`,
  );
  if (!row?.rejections) return [];
  const text = (await promisify(zstdDecompress)(row.rejections)).toString();
  return JSON.parse(text) as readonly ProductRejection[];
}
