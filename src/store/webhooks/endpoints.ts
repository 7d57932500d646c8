/** Webhook endpoints: where to send, what about, signed with which sealed secret, and how it has been going. */
import type { EventType } from "../../contract/events.ts";
import type { Queries } from "../db.ts";
import { sql } from "../sql.ts";

export type EndpointRow = {
  readonly id: string;
  readonly catalogId: string;
  readonly url: string;
  readonly events: readonly EventType[];
  readonly secretSealed: Buffer;
  readonly previousSecretSealed: Buffer | null;
  readonly previousSecretUntil: Date | null;
  readonly createdAt: Date;
  readonly lastSuccessAt: Date | null;
  /** Null while the newest word is a success. */
  readonly failingSince: Date | null;
  readonly lastFailureAt: Date | null;
  readonly lastFailure: string | null;
};

const COLUMNS = sql`
  id, catalog_id as "catalogId", url, events, secret_sealed as "secretSealed",
  previous_secret_sealed as "previousSecretSealed", previous_secret_until as "previousSecretUntil",
  created_at as "createdAt", last_success_at as "lastSuccessAt", failing_since as "failingSince",
  last_failure_at as "lastFailureAt", last_failure as "lastFailure"`;

export type NewEndpoint = Pick<
  EndpointRow,
  "id" | "catalogId" | "url" | "events" | "secretSealed" | "createdAt"
>;

/** False if the catalog has `most` already. */
export async function insertEndpoint(db: Queries, endpoint: NewEndpoint, most: number): Promise<boolean> {
  const { catalogId, id, url, events, secretSealed, createdAt } = endpoint;
  const inserted = await db.execute(sql`
    insert into webhook_endpoints (catalog_id, id, url, events, secret_sealed, created_at)
    select ${catalogId}::uuid, ${id}::uuid, ${url}::text, ${events}::text[], ${secretSealed}::bytea, ${createdAt}::timestamptz
     where count_under_lock('webhooks', ${catalogId}::uuid) < ${most}`);
  return inserted === 1;
}

export async function findEndpoint(
  db: Queries,
  { catalogId, id }: { readonly catalogId: string; readonly id: string },
): Promise<EndpointRow | undefined> {
  const rows = await db.query<EndpointRow>(
    sql`select ${COLUMNS} from webhook_endpoints where catalog_id = ${catalogId} and id = ${id}`,
  );
  return rows[0];
}

export async function listEndpoints(db: Queries, catalogId: string): Promise<readonly EndpointRow[]> {
  return db.query<EndpointRow>(sql`
    select ${COLUMNS} from webhook_endpoints where catalog_id = ${catalogId} order by created_at, id`);
}

/**
 * Removes an endpoint with everything queued for it and its log. False if there is none. Whoever finishes a delivery
 * locks its place in the queue, its log and its endpoint in this order, and two who do alike never wait for each other.
 */
export async function deleteEndpoint(
  tx: Queries,
  { catalogId, id }: { readonly catalogId: string; readonly id: string },
): Promise<boolean> {
  await tx.execute(sql`delete from webhook_queue where catalog_id = ${catalogId} and endpoint_id = ${id}`);
  await tx.execute(
    sql`delete from webhook_deliveries where catalog_id = ${catalogId} and endpoint_id = ${id}`,
  );
  const deleted = await tx.execute(
    sql`delete from webhook_endpoints where catalog_id = ${catalogId} and id = ${id}`,
  );
  return deleted === 1;
}

export type NewEndpointSecret = {
  readonly catalogId: string;
  readonly id: string;
  readonly secretSealed: Buffer;
  /** The present secret signs until then, beside the new one. Null: not any more. */
  readonly previousUntil: Date | null;
  readonly now: Date;
};

/**
 * False if there is no such endpoint, or if the secret before the present one still signs and would have to go: only a
 * rotation without overlap may end an overlap.
 */
export async function rotateEndpointSecret(db: Queries, secret: NewEndpointSecret): Promise<boolean> {
  const { catalogId, id, secretSealed, previousUntil, now } = secret;
  const rotated = await db.execute(sql`
    update webhook_endpoints
       set previous_secret_sealed = case when ${previousUntil}::timestamptz is null then null else secret_sealed end,
           previous_secret_until = ${previousUntil}, secret_sealed = ${secretSealed}
     where catalog_id = ${catalogId} and id = ${id}
       and (${previousUntil}::timestamptz is null or previous_secret_until is null or previous_secret_until <= ${now})`);
  return rotated === 1;
}
