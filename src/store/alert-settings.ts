/**
 * The settings of a catalog's alerts: which problems become alerts, who gets mails, and when the catalog was last
 * checked.
 */
import { nextTimeOfDay } from "./daily.ts";
import type { Queries } from "./db.ts";
import { isDue, isRecent } from "./due.ts";
import { storable } from "./json.ts";
import { sql } from "./sql.ts";

export type AlertSettingsRow = {
  readonly recipients: readonly string[];
  /** `HH:MM`; null: no digest. */
  readonly digestAt: string | null;
  readonly timeZone: string;
  readonly maxFeedAgeS: number | null;
  readonly minScoreDrop: number;
  /** Null if the newest mail was sent. */
  readonly mailFailingSince: Date | null;
  readonly mailError: string | null;
};

const COLUMNS = sql`
  recipients, digest_at, time_zone, max_feed_age_s, min_score_drop, mail_failing_since, mail_error`;

/** The same values as the defaults of the columns. */
export const DEFAULT_ALERT_FACTS = {
  maxFeedAgeS: 7 * 86_400,
  minScoreDrop: 5,
  mailFailingSince: null,
  mailError: null,
} as const;

export const DEFAULT_ALERT_SETTINGS: AlertSettingsRow = {
  ...DEFAULT_ALERT_FACTS,
  recipients: [],
  digestAt: "07:00",
  timeZone: "UTC",
};

export async function findAlertSettings(
  db: Queries,
  catalogId: string,
): Promise<AlertSettingsRow | undefined> {
  return db.first<AlertSettingsRow>(
    sql`select ${COLUMNS} from alert_settings where catalog_id = ${catalogId}`,
  );
}

export type AlertFactsRow = Pick<
  AlertSettingsRow,
  "maxFeedAgeS" | "minScoreDrop" | "mailFailingSince" | "mailError"
> & { readonly catalogId: string };

export async function listAlertFacts(db: Queries, ids: readonly string[]): Promise<readonly AlertFactsRow[]> {
  return db.query<AlertFactsRow>(sql`
    select catalog_id, max_feed_age_s, min_score_drop, mail_failing_since, mail_error
      from alert_settings where catalog_id = any (${ids}::uuid[])`);
}

export type ChangedAlertSettings = Partial<
  Pick<AlertSettingsRow, "recipients" | "digestAt" | "timeZone" | "maxFeedAgeS" | "minScoreDrop">
>;

/**
 * Saves the defined settings and keeps the others. A catalog whose check is due later is checked with the new settings
 * at once.
 */
export async function saveAlertSettings(
  tx: Queries,
  catalogId: string,
  changed: ChangedAlertSettings,
): Promise<void> {
  await tx.execute(
    sql`insert into alert_settings (catalog_id) values (${catalogId}) on conflict (catalog_id) do nothing`,
  );
  const { recipients, digestAt, timeZone, maxFeedAgeS, minScoreDrop } = changed;
  await tx.execute(sql`
    update alert_settings s
       set recipients = coalesce(${recipients ?? null}::text[], recipients),
           digest_at = case when ${digestAt === undefined} then digest_at else ${digestAt ?? null}::text end,
           time_zone = coalesce(${timeZone ?? null}::text, time_zone),
           max_feed_age_s = case when ${maxFeedAgeS === undefined} then max_feed_age_s else ${maxFeedAgeS ?? null}::integer end,
           min_score_drop = coalesce(${minScoreDrop ?? null}::integer, min_score_drop),
           -- Without recipients there is no mail that could succeed.
           mail_failing_since = case when ${recipients?.length ?? 1} = 0 then null else mail_failing_since end,
           checked_at = '-infinity'
     where catalog_id = ${catalogId}`);
  await tx.execute(sql`
    update alert_settings s set next_digest_at = ${NEXT_DIGEST_AT} where catalog_id = ${catalogId}`);
}

const NEXT_DIGEST_AT = sql`
  case when s.digest_at is not null and cardinality(s.recipients) > 0
       then ${nextTimeOfDay(sql`s.digest_at`, sql`s.time_zone`)} end`;

/** Returns false if a test mail was sent in the last `everyS` seconds. */
export async function claimTestMail(tx: Queries, catalogId: string, everyS: number): Promise<boolean> {
  const claimed = await tx.execute(sql`
    update alert_settings set last_test_at = now()
     where catalog_id = ${catalogId}
       and (last_test_at is null or not ${isRecent(sql`last_test_at`, everyS)})`);
  return claimed === 1;
}

export type ClaimedCheck = {
  readonly catalogId: string;
  /**
   * Identifies the claim of a check. The worker that applies the check compares it, so that a check that another worker
   * has taken over changes nothing.
   */
  readonly checkedAt: string;
};

/** Catalogs whose last check is older than the returned time are due now, by the clock of the database. */
export async function checksDueBefore(db: Queries, everyS: number): Promise<string> {
  const row = await db.first<{ time: string }>(
    sql`select (now() - make_interval(secs => ${everyS}))::text as time`,
  );
  return row?.time ?? "-infinity";
}

/** Claims catalogs that were last checked before this time, the longest waiting first. Concurrent calls are safe. */
export async function claimChecks(
  db: Queries,
  { before, limit }: { readonly before: string; readonly limit: number },
): Promise<readonly ClaimedCheck[]> {
  return db.query<ClaimedCheck>(sql`
    update alert_settings set checked_at = clock_timestamp()
     where catalog_id in (
       select catalog_id from alert_settings
        -- A later time was written before the clock was set back.
        where checked_at < ${before}::timestamptz or checked_at > now() + interval '1 hour'
        order by checked_at limit ${limit} for no key update skip locked)
    returning catalog_id, checked_at::text as checked_at`);
}

/** Adds the missing rows, because every catalog must have a row of settings. */
export async function addMissingSettings(db: Queries): Promise<void> {
  await db.execute(sql`
    insert into alert_settings (catalog_id)
    select c.id from catalogs c
     where not exists (select 1 from alert_settings s where s.catalog_id = c.id)
       and c.id not in (select catalog_id from removed_catalogs)
    on conflict (catalog_id) do nothing`);
}

export type CheckedCatalog = AlertSettingsRow & {
  readonly catalogId: string;
  readonly slug: string;
  readonly name: string;
  readonly lastMailAt: Date | null;
  readonly lastDigestAt: Date | null;
  readonly isDigestDue: boolean;
};

/** The next digest is that of the next day at the latest. */
const MAX_DIGEST_AHEAD_S = 2 * 86_400;

/** Locks those of the claimed catalogs that no other worker has claimed since, until the transaction ends. */
export async function lockChecks(
  tx: Queries,
  claimed: readonly ClaimedCheck[],
): Promise<readonly CheckedCatalog[]> {
  return tx.query<CheckedCatalog>(sql`
    select s.catalog_id, c.slug, c.name, ${COLUMNS}, last_mail_at, last_digest_at,
           coalesce(${isDue(sql`next_digest_at`, MAX_DIGEST_AHEAD_S)}, false) as is_digest_due
      from unnest(${claimed.map((one) => one.catalogId)}::uuid[], ${claimed.map((one) => one.checkedAt)}::timestamptz[])
             as claimed (id, at)
      join alert_settings s on s.catalog_id = claimed.id and s.checked_at = claimed.at
      join catalogs c on c.id = s.catalog_id
     order by s.catalog_id
       for no key update of s`);
}

export async function saveMailTime(tx: Queries, catalogId: string, at: Date): Promise<void> {
  await tx.execute(sql`update alert_settings set last_mail_at = ${at} where catalog_id = ${catalogId}`);
}

/** Schedules the next digest for the next day, so that a time that passed during a downtime counts once. */
export async function scheduleDigest(tx: Queries, catalogId: string, at: Date): Promise<void> {
  await tx.execute(sql`
    update alert_settings s set last_digest_at = ${at}, next_digest_at = ${NEXT_DIGEST_AT}
     where catalog_id = ${catalogId}`);
}

/** Clears the failure state after a test mail that reached every recipient. */
export async function clearMailHealth(db: Queries, catalogId: string): Promise<void> {
  await db.execute(sql`
    update alert_settings set mail_failing_since = null, mail_error = null
     where catalog_id = ${catalogId} and mail_failing_since is not null`);
}

/**
 * Saves whether a mail of the catalog was sent or failed. The failure is over when the newest mail to each recipient
 * was sent.
 */
export async function saveMailHealth(tx: Queries, catalogId: string, error: string | null): Promise<void> {
  await tx.execute(
    error === null
      ? sql`update alert_settings set mail_failing_since = null, mail_error = null
             where catalog_id = ${catalogId} and mail_failing_since is not null
               and not exists (
                 select from unnest(recipients) as r (recipient)
                 cross join lateral (
                   select error from alert_mails m
                    where m.catalog_id = ${catalogId} and m.recipient = r.recipient
                    order by m.created_at desc, m.id desc limit 1) newest
                  where newest.error is not null)`
      : sql`update alert_settings set mail_failing_since = coalesce(mail_failing_since, now()), mail_error = ${storable(error)}
             where catalog_id = ${catalogId}`,
  );
}
