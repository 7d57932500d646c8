/** All columns with encrypted values, the purpose of each, and the rotation to another key. */
import { AppError } from "../errors.ts";
import type { Queries } from "./db.ts";
import { sql } from "./sql.ts";

/** Authenticated with each value: a value that is moved to a column with another purpose cannot be decrypted. */
export const SEAL_PURPOSES = {
  feedToken: "feed-token",
  sourceSecrets: "source-secrets",
  webhookSecret: "webhook-secret",
} as const;

type SealedColumn = { readonly table: string; readonly column: string; readonly purpose: string };

const { feedToken, sourceSecrets, webhookSecret } = SEAL_PURPOSES;
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: "catalogs", column: "feed_token_sealed", purpose: feedToken },
  { table: "sources", column: "secrets_sealed", purpose: sourceSecrets },
  { table: "webhook_endpoints", column: "secret_sealed", purpose: webhookSecret },
  { table: "webhook_endpoints", column: "previous_secret_sealed", purpose: webhookSecret },
  { table: "webhook_events", column: "feed_token_sealed", purpose: feedToken },
];

export type Reseal = (sealed: Buffer, purpose: string) => Buffer;

const BATCH = 500;

/** Re-encrypts every value in the caller's transaction. Returns how many there are. */
export async function resealAll(tx: Queries, reseal: Reseal): Promise<number> {
  let count = 0;
  for (const column of SEALED_COLUMNS) count += await resealColumn(tx, column, reseal);
  return count;
}

/** The cursor reads a snapshot: updates during the loop do not affect it. */
async function resealColumn(
  tx: Queries,
  { table, column, purpose }: SealedColumn,
  reseal: Reseal,
): Promise<number> {
  const run = async (text: string) => tx.execute({ text, values: [] });
  await run(
    `declare sealed_values no scroll cursor for select distinct ${column} as sealed from ${table} where ${column} is not null`,
  );
  let count = 0;
  while (true) {
    const rows = await tx.query<{ sealed: Buffer }>({
      text: `fetch ${BATCH} from sealed_values`,
      values: [],
    });
    if (rows.length === 0) break;
    const before = rows.map(({ sealed }) => sealed);
    const after = before.map((sealed) => resealed(sealed, { table, column, purpose }, reseal));
    await tx.execute({
      text: `update ${table} t set ${column} = v.after
               from unnest($1::bytea[], $2::bytea[]) as v (before, after) where t.${column} = v.before`,
      values: [before, after],
    });
    count += rows.length;
  }
  await run("close sealed_values");
  return count;
}

function resealed(sealed: Buffer, { table, column, purpose }: SealedColumn, reseal: Reseal): Buffer {
  try {
    return reseal(sealed, purpose);
  } catch (cause) {
    throw new AppError(
      "config_invalid",
      `A value in ${table}.${column} cannot be decrypted with the current key, so nothing was changed. Enter that secret again, or remove what it belongs to, then rotate the key.`,
      { cause },
    );
  }
}

/** Any encrypted value: every catalog has one, and without a catalog there is none. */
export async function anySealedValue(
  db: Queries,
): Promise<{ readonly sealed: Buffer; readonly purpose: string } | undefined> {
  const row = await db.first<{ sealed: Buffer }>(
    sql`select feed_token_sealed as sealed from catalogs limit 1`,
  );
  return row && { sealed: row.sealed, purpose: feedToken };
}
