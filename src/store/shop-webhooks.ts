/** Our webhooks at shops: one row for each source, until they are removed from the shop. */
import type { Queries } from "./db.ts";
import { isDue } from "./due.ts";
import { storableJson } from "./json.ts";
import { IS_LIVE } from "./restores.ts";
import { sql } from "./sql.ts";

export type ShopWebhookRow = {
  readonly id: string;
  /** Null: the source was removed. */
  readonly sourceId: string | null;
  readonly kind: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly secretsEncrypted: Buffer | null;
  readonly secretEncrypted: Buffer;
  readonly failures: number;
};

const COLUMNS = sql`
  id, source_id, kind, settings, secrets_sealed as secrets_encrypted, secret_sealed as secret_encrypted, failures`;

/** Enabled sources of these kinds that were read once, allow webhooks, and have none. */
export async function sourcesWithoutWebhooks(
  db: Queries,
  kinds: readonly string[],
): Promise<readonly string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select s.id from sources s
     where s.enabled and s.kind = any(${kinds}::text[]) and s.read_state is not null
       and s.settings->>'webhooks' is distinct from 'no'
       and not exists (select 1 from shop_webhooks w where w.source_id = s.id)
     limit 50`);
  return rows.map(({ id }) => id);
}

/** Does nothing if another worker was first. */
export async function addShopWebhook(
  db: Queries,
  { id, sourceId, secretEncrypted }: { id: string; sourceId: string; secretEncrypted: Buffer },
): Promise<void> {
  await db.execute(sql`
    insert into shop_webhooks (id, source_id, kind, settings, secrets_sealed, secret_sealed, status)
    select ${id}::uuid, s.id, s.kind, s.settings, s.secrets_sealed, ${secretEncrypted}::bytea, 'pending'
      from sources s where s.id = ${sourceId}
    on conflict (source_id) do nothing`);
}

/** Each is checked every day. */
const MAX_CHECK_AHEAD_S = 2 * 86_400;

/** Claims one that is to be checked; no other worker gets it for ten minutes. */
export async function claimDueShopWebhook(db: Queries): Promise<ShopWebhookRow | undefined> {
  return db.first<ShopWebhookRow>(sql`
    update shop_webhooks set next_check_at = now() + interval '10 minutes'
     where id = (select id from shop_webhooks where ${isDue(sql`next_check_at`, MAX_CHECK_AHEAD_S)} and ${IS_LIVE}
                  order by next_check_at limit 1 for update skip locked)
    returning ${COLUMNS}`);
}

export async function findShopWebhook(db: Queries, id: string): Promise<ShopWebhookRow | undefined> {
  return db.first<ShopWebhookRow>(sql`select ${COLUMNS} from shop_webhooks where id = ${id}`);
}

export type WebhookState = {
  readonly status: "active" | "off";
  readonly message: string | null;
  readonly failures: number;
  readonly nextCheckS: number;
};

/** With the settings that it was registered with: they are needed to remove it, even if they change. */
export async function saveWebhookState(
  db: Queries,
  { id, settings, secretsEncrypted }: Pick<ShopWebhookRow, "id" | "settings" | "secretsEncrypted">,
  { status, message, failures, nextCheckS }: WebhookState,
): Promise<void> {
  await db.execute(sql`
    update shop_webhooks
       set status = ${status}, message = ${message}, failures = ${failures}, checked_at = now(),
           next_check_at = now() + make_interval(secs => ${nextCheckS}),
           settings = ${storableJson(settings)}, secrets_sealed = ${secretsEncrypted}
     where id = ${id}`);
}

export async function retryShopWebhook(
  db: Queries,
  id: string,
  failures: number,
  delayS: number,
): Promise<void> {
  await db.execute(sql`
    update shop_webhooks set failures = ${failures}, next_check_at = now() + make_interval(secs => ${delayS})
     where id = ${id}`);
}

export async function deleteShopWebhook(db: Queries, id: string): Promise<void> {
  await db.execute(sql`delete from shop_webhooks where id = ${id}`);
}

/** All are checked at once: after a restore, the shops may have given up on this address or have another one. */
export async function checkShopWebhooksNow(db: Queries): Promise<void> {
  await db.execute(sql`update shop_webhooks set next_check_at = now()`);
}
