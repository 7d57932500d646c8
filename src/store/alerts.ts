/** Alerts. A row exists from the time a problem is first seen until the problem has stayed away for a while. */
import type { Action, Attention, AttentionCode } from "../contract/status.ts";
import { withSnakeCase } from "../lib/snake-case.ts";
import type { Queries } from "./db.ts";
import { storable, storableJson } from "./json.ts";
import { sql } from "./sql.ts";

export type AlertRow = {
  readonly id: string;
  readonly catalogId: string;
  readonly code: AttentionCode;
  /** Empty: the whole catalog. */
  readonly subject: string;
  readonly severity: Attention["severity"];
  readonly message: string;
  readonly action: Action | null;
  readonly since: Date;
  readonly openedAt: Date;
  readonly lastSeenAt: Date;
  readonly clearedAt: Date | null;
  readonly resolvedAt: Date | null;
  readonly times: number;
  readonly notifiedAt: Date | null;
  readonly resolvedNotifiedAt: Date | null;
  readonly mailId: string | null;
};

const COLUMNS = sql`
  id, catalog_id, code, subject, severity, message, action, since, opened_at, last_seen_at, cleared_at, resolved_at,
  times, notified_at, resolved_notified_at, mail_id`;

/**
 * Lists open alerts and the alerts that were resolved since the given time. For each problem only the newest row is
 * listed.
 */
export async function listRecentAlerts(
  tx: Queries,
  catalogIds: readonly string[],
  since: Date,
): Promise<readonly AlertRow[]> {
  return tx.query<AlertRow>(sql`
    select distinct on (catalog_id, code, subject) ${COLUMNS} from (
      select * from alerts where catalog_id = any (${catalogIds}::uuid[]) and resolved_at is null
      union all
      select * from alerts where catalog_id = any (${catalogIds}::uuid[]) and resolved_at >= ${since}) recent
     order by catalog_id, code, subject, resolved_at desc nulls first`);
}

/** Writes the rows in their present state and inserts new rows. */
export async function saveAlerts(tx: Queries, rows: readonly AlertRow[]): Promise<void> {
  if (rows.length === 0) return;
  const records = rows.map((row) => ({ ...row, message: storable(row.message) }));
  await tx.execute(sql`
    insert into alerts (${COLUMNS})
    select ${COLUMNS} from json_populate_recordset(null::alerts, ${storableJson(withSnakeCase(records))}::json)
    on conflict (id) do update
       set severity = excluded.severity, message = excluded.message, action = excluded.action, since = excluded.since,
           opened_at = excluded.opened_at, last_seen_at = excluded.last_seen_at, cleared_at = excluded.cleared_at,
           resolved_at = excluded.resolved_at, times = excluded.times, notified_at = excluded.notified_at,
           resolved_notified_at = excluded.resolved_notified_at, mail_id = excluded.mail_id`);
}

/** Lists all open alerts, in no order. */
export async function listOpenAlerts(db: Queries, catalogId: string): Promise<readonly AlertRow[]> {
  return db.query<AlertRow>(
    sql`select ${COLUMNS} from alerts where catalog_id = ${catalogId} and resolved_at is null`,
  );
}

export type ResolvedBefore = { readonly at: Date; readonly id: string };

/** Newest first. */
export async function listResolvedAlerts(
  db: Queries,
  catalogId: string,
  { before, limit }: { readonly before?: ResolvedBefore | undefined; readonly limit: number },
): Promise<readonly AlertRow[]> {
  return db.query<AlertRow>(sql`
    select ${COLUMNS} from alerts
     where catalog_id = ${catalogId} and resolved_at is not null
       and (${before === undefined} or (date_trunc('milliseconds', resolved_at), id) < (${before?.at ?? null}::timestamptz, ${before?.id ?? null}::uuid))
     order by date_trunc('milliseconds', resolved_at) desc, id desc limit ${limit}`);
}

/** Lists alerts that were opened or resolved since the given time. */
export async function listAlertsSince(
  tx: Queries,
  catalogId: string,
  since: Date,
): Promise<readonly AlertRow[]> {
  return tx.query<AlertRow>(sql`
    select ${COLUMNS} from alerts
     where catalog_id = ${catalogId} and (resolved_at is null or resolved_at >= ${since})`);
}

export type AlertCount = { readonly catalog: string; readonly code: AttentionCode; readonly count: number };

/**
 * Counts open alerts by catalog and code, without the alerts that seem to be over. At most `limit` counts are returned,
 * the most severe first.
 */
export async function countAlerts(db: Queries, limit: number): Promise<readonly AlertCount[]> {
  return db.query<AlertCount>(sql`
    select c.slug as catalog, a.code, count(*)::integer as count
      from alerts a join catalogs c on c.id = a.catalog_id
     where a.resolved_at is null and a.cleared_at is null and c.id not in (select catalog_id from removed_catalogs)
     group by c.slug, a.code
     order by bool_or(a.severity = 'failing') desc, c.slug, a.code limit ${limit}`);
}

export async function pruneAlerts(db: Queries, before: Date): Promise<void> {
  await db.execute(sql`delete from alerts where resolved_at < ${before}`);
  await db.execute(sql`delete from alert_mails where finished_at < ${before}`);
}
