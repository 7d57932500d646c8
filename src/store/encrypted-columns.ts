/** All columns with encrypted values, the purpose of each, and the rotation to another key. */
import { AppError } from "../errors.ts";
import type { Queries } from "./db.ts";
import { sql } from "./sql.ts";

/**
 * The purpose is authenticated with each value: a value that is moved to a column with another purpose cannot be
 * decrypted.
 */
export const ENCRYPTION_PURPOSES = {
  destinationSecrets: "destination-secrets",
  feedToken: "feed-token",
  sourceSecrets: "source-secrets",
  webhookSecret: "webhook-secret",
  webhookUrl: "webhook-url",
} as const;

type EncryptedColumn = { readonly table: string; readonly column: string; readonly purpose: string };

const { destinationSecrets, feedToken, sourceSecrets, webhookSecret, webhookUrl } = ENCRYPTION_PURPOSES;
export const ENCRYPTED_COLUMNS: readonly EncryptedColumn[] = [
  { table: "catalogs", column: "feed_token_sealed", purpose: feedToken },
  { table: "sources", column: "secrets_sealed", purpose: sourceSecrets },
  { table: "shop_webhooks", column: "secrets_sealed", purpose: sourceSecrets },
  { table: "shop_webhooks", column: "secret_sealed", purpose: webhookSecret },
  { table: "destinations", column: "secrets_sealed", purpose: destinationSecrets },
  { table: "webhook_endpoints", column: "secret_sealed", purpose: webhookSecret },
  { table: "webhook_endpoints", column: "previous_secret_sealed", purpose: webhookSecret },
  { table: "webhook_endpoints", column: "url_sealed", purpose: webhookUrl },
  { table: "webhook_events", column: "feed_token_sealed", purpose: feedToken },
];

export type Reencrypt = (encrypted: Buffer, purpose: string) => Buffer;

const BATCH = 500;

/** Re-encrypts every value in the caller's transaction. Returns the number of values. */
export async function reencryptAll(tx: Queries, reencrypt: Reencrypt): Promise<number> {
  let count = 0;
  for (const column of ENCRYPTED_COLUMNS) count += await reencryptColumn(tx, column, reencrypt);
  return count;
}

/** The cursor reads a snapshot: updates during the loop do not affect it. */
async function reencryptColumn(
  tx: Queries,
  { table, column, purpose }: EncryptedColumn,
  reencrypt: Reencrypt,
): Promise<number> {
  const run = async (text: string) => tx.execute({ text, values: [] });
  await run(
    `declare encrypted_values no scroll cursor for select distinct ${column} as encrypted from ${table} where ${column} is not null`,
  );
  let count = 0;
  while (true) {
    const rows = await tx.query<{ encrypted: Buffer }>({
      text: `fetch ${BATCH} from encrypted_values`,
      values: [],
    });
    if (rows.length === 0) break;
    const before = rows.map(({ encrypted }) => encrypted);
    const after = before.map((encrypted) => reencrypted(encrypted, { table, column, purpose }, reencrypt));
    await tx.execute({
      text: `update ${table} t set ${column} = v.after
               from unnest($1::bytea[], $2::bytea[]) as v (before, after) where t.${column} = v.before`,
      values: [before, after],
    });
    count += rows.length;
  }
  await run("close encrypted_values");
  return count;
}

function reencrypted(
  encrypted: Buffer,
  { table, column, purpose }: EncryptedColumn,
  reencrypt: Reencrypt,
): Buffer {
  try {
    return reencrypt(encrypted, purpose);
  } catch (cause) {
    throw new AppError(
      "config_invalid",
      `A value in ${table}.${column} cannot be decrypted with the current key, so nothing was changed. Enter that secret again, or remove what it belongs to, then rotate the key.`,
      { cause },
    );
  }
}

/** Returns any encrypted value. Every catalog has one; without a catalog the result is undefined. */
export async function anyEncryptedValue(
  db: Queries,
): Promise<{ readonly encrypted: Buffer; readonly purpose: string } | undefined> {
  const row = await db.first<{ encrypted: Buffer }>(
    sql`select feed_token_sealed as encrypted from catalogs limit 1`,
  );
  return row && { encrypted: row.encrypted, purpose: feedToken };
}
