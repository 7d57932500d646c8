/** Webhook endpoints: address, events, encrypted secrets, and the health that their deliveries show. */
import type { EventType } from "../contract/events.ts";
import { BEFORE_ALL_IDS } from "../lib/id.ts";
import type { Queries } from "../store/db.ts";
import { sql } from "../store/sql.ts";
import type { EncryptedSecrets, EncryptedUrl } from "./signing.ts";

export type Endpoint = EncryptedSecrets &
  EncryptedUrl & {
    readonly id: string;
    readonly catalogId: string;
    readonly events: readonly EventType[];
    readonly createdAt: Date;
    readonly lastSuccessAt: Date | null;
    /** Null while the newest attempt is a success. */
    readonly failingSince: Date | null;
    readonly lastFailureAt: Date | null;
    readonly lastFailure: string | null;
    /** Since when it gets no new deliveries, and why; null while it does. */
    readonly disabledAt: Date | null;
    readonly disabledBy: "failures" | "request" | null;
  };

export type EndpointRef = Pick<Endpoint, "catalogId" | "id">;

const COLUMNS = sql`
  id, catalog_id, url, url_sealed as url_encrypted, events, secret_sealed as secret_encrypted,
  previous_secret_sealed as previous_secret_encrypted, previous_secret_until, created_at, last_success_at,
  failing_since, last_failure_at, last_failure, disabled_at, disabled_by`;

export type NewEndpoint = Pick<
  Endpoint,
  "id" | "catalogId" | "url" | "events" | "secretEncrypted" | "createdAt"
> &
  Partial<Pick<Endpoint, "urlEncrypted">>;

/** False if the catalog already has `max` endpoints. */
export async function insertEndpoint(db: Queries, endpoint: NewEndpoint, max: number): Promise<boolean> {
  const { catalogId, id, url, urlEncrypted = null, events, secretEncrypted, createdAt } = endpoint;
  const inserted = await db.execute(sql`
    insert into webhook_endpoints (catalog_id, id, url, url_sealed, events, secret_sealed, created_at)
    select ${catalogId}::uuid, ${id}::uuid, ${url}::text, ${urlEncrypted}::bytea, ${events}::text[], ${secretEncrypted}::bytea, ${createdAt}::timestamptz
     where count_under_lock('webhooks', ${catalogId}::uuid) < ${max}`);
  return inserted === 1;
}

export async function findEndpoint(
  db: Queries,
  { catalogId, id }: EndpointRef,
): Promise<Endpoint | undefined> {
  const rows = await db.query<Endpoint>(
    sql`select ${COLUMNS} from webhook_endpoints where catalog_id = ${catalogId} and id = ${id}`,
  );
  return rows[0];
}

export async function listEndpoints(db: Queries, catalogId: string): Promise<readonly Endpoint[]> {
  return db.query<Endpoint>(sql`
    select ${COLUMNS} from webhook_endpoints where catalog_id = ${catalogId} order by created_at, id`);
}

export type EndpointChange = {
  readonly address?: EncryptedUrl;
  readonly events?: readonly EventType[];
  readonly enabled?: boolean;
};

/**
 * Updates the defined fields and keeps the others. The health of an endpoint that is enabled again starts anew. Returns
 * false if there is no such endpoint.
 */
export async function updateEndpoint(
  db: Queries,
  { catalogId, id }: EndpointRef,
  { address, events, enabled }: EndpointChange,
): Promise<boolean> {
  const isDisabled = enabled === false;
  const isEnabled = enabled === true;
  const { url, urlEncrypted } = address ?? { url: null, urlEncrypted: null };
  const updated = await db.execute(sql`
    update webhook_endpoints
       set url = coalesce(${url}::text, url),
           url_sealed = case when ${url}::text is null then url_sealed else ${urlEncrypted}::bytea end,
           events = coalesce(${events ?? null}::text[], events),
           failing_since = case when ${isEnabled} and disabled_at is not null then null else failing_since end,
           disabled_at = case when ${isEnabled} then null when ${isDisabled} then coalesce(disabled_at, now())
                              else disabled_at end,
           disabled_by = case when ${isEnabled} then null when ${isDisabled} then coalesce(disabled_by, 'request')
                              else disabled_by end
     where catalog_id = ${catalogId} and id = ${id}`);
  return updated === 1;
}

/**
 * Deletes an endpoint with its queue and its log. Returns false if there is no such endpoint. Finishing a delivery
 * locks its row of the queue, then the row of the log, then the endpoint; deleting takes the same order, so that there
 * is no deadlock.
 */
export async function deleteEndpoint(tx: Queries, { catalogId, id }: EndpointRef): Promise<boolean> {
  await tx.execute(sql`delete from webhook_queue where catalog_id = ${catalogId} and endpoint_id = ${id}`);
  await tx.execute(
    sql`delete from webhook_deliveries where catalog_id = ${catalogId} and endpoint_id = ${id}`,
  );
  const deleted = await tx.execute(
    sql`delete from webhook_endpoints where catalog_id = ${catalogId} and id = ${id}`,
  );
  return deleted === 1;
}

const BATCH = 1_000;

/**
 * Deletes an endpoint's finished deliveries in batches that each commit by themselves. Done before `deleteEndpoint`,
 * which blocks those who finish deliveries of this endpoint and therefore must be short.
 */
export async function deleteFinishedDeliveries(
  db: Queries,
  { catalogId, id, batch = BATCH }: EndpointRef & { readonly batch?: number },
): Promise<void> {
  for (let after: string | undefined = BEFORE_ALL_IDS; after !== undefined; ) {
    const rows: readonly { last: string | null }[] = await db.query(sql`
      with ended as (
        select id from webhook_deliveries
         where catalog_id = ${catalogId} and id > ${after}::uuid and endpoint_id = ${id} and state <> 'pending'
         order by id limit ${batch}
      ), gone as (
        delete from webhook_deliveries where id = any (array(select id from ended))
      )
      select max(id::text)::uuid as last from ended`);
    after = rows[0]?.last ?? undefined;
  }
}

export type NewEndpointSecret = EndpointRef & {
  readonly secretEncrypted: Buffer;
  /** The current secret also signs until then. Null: it stops at once. */
  readonly previousUntil: Date | null;
  readonly now: Date;
};

/**
 * False if there is no such endpoint, or if the secret before the current one still signs and would have to stop: only
 * a rotation without overlap may end an overlap.
 */
export async function rotateEndpointSecret(db: Queries, secret: NewEndpointSecret): Promise<boolean> {
  const { catalogId, id, secretEncrypted, previousUntil, now } = secret;
  const rotated = await db.execute(sql`
    update webhook_endpoints
       set previous_secret_sealed = case when ${previousUntil}::timestamptz is null then null else secret_sealed end,
           previous_secret_until = ${previousUntil}, secret_sealed = ${secretEncrypted}
     where catalog_id = ${catalogId} and id = ${id}
       and (${previousUntil}::timestamptz is null or previous_secret_until is null or previous_secret_until <= ${now})`);
  return rotated === 1;
}

/** After so many days without a success, an endpoint is disabled when the schedule of a delivery has ended. */
const DISABLE_AFTER_DAYS = 5;

/**
 * Disables those of the endpoints that have failed for days, in the transaction that ends the schedule of their
 * deliveries.
 */
export async function disableFailing(tx: Queries, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.execute(sql`
    with failing as (
      select id from webhook_endpoints
       where id = any (${ids}::uuid[]) and disabled_at is null
         and failing_since <= now() - make_interval(days => ${DISABLE_AFTER_DAYS})
       order by id for no key update)
    update webhook_endpoints p set disabled_at = now(), disabled_by = 'failures'
     where p.id = any (array(select id from failing))`);
}

export type FailingEndpoint = Pick<Endpoint, "catalogId" | "id" | "url" | "lastFailure"> & {
  readonly failingSince: Date | null;
  /** Only if it was disabled because it failed. */
  readonly disabledAt: Date | null;
};

/**
 * Lists the endpoints of these catalogs whose newest attempt failed, or that were disabled because of failures.
 * Endpoints that a person disabled are not listed.
 */
export async function listFailingEndpoints(
  db: Queries,
  catalogIds: readonly string[],
): Promise<readonly FailingEndpoint[]> {
  return db.query<FailingEndpoint>(sql`
    select catalog_id, id, url, last_failure, failing_since, disabled_at
      from webhook_endpoints
     where catalog_id = any (${catalogIds}::uuid[])
       and (disabled_by = 'failures' or disabled_by is null and failing_since is not null)
     order by coalesce(disabled_at, failing_since), id`);
}
