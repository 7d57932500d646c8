/** Advisory locks between processes. A lock has its own connection; after a reconnect it is acquired again. */
import type { DbTarget } from "./db.ts";
import { reconnectingClient } from "./reconnecting-client.ts";

type LockMode = "exclusive" | "shared";

const TRY: Readonly<Record<LockMode, string>> = {
  exclusive: "pg_try_advisory_lock",
  shared: "pg_try_advisory_lock_shared",
};

/** Returns the function that releases the lock, or undefined if another process holds a conflicting lock. */
export async function acquireLock(
  target: DbTarget,
  name: string,
  mode: LockMode = "exclusive",
): Promise<(() => Promise<void>) | undefined> {
  const conflict = new Error(`the lock ${name} is held by another process`);
  const connection = reconnectingClient(target, `shelfwire-lock-${name}`, async (client) => {
    const { rows } = await client.query<{ held: boolean }>(
      `select ${TRY[mode]}(hashtextextended(current_schema() || ':' || $1, 0)) as held`,
      [name],
    );
    if (!rows[0]?.held) throw conflict;
  });
  try {
    await connection.open();
  } catch (error) {
    await connection.close();
    if (error === conflict) return undefined;
    throw error;
  }
  return connection.close;
}
