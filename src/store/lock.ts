/**
 * Locks between processes that last exactly as long as the process that holds them: alone, or shared with others of
 * its kind. Each sits on a connection of its own. A lock that is lost with its connection is taken again as soon as the
 * database is back.
 */
import type { DbTarget } from "./db.ts";
import { reconnectingClient } from "./reconnecting-client.ts";

export type Hold = "alone" | "shared";

const TRY: Readonly<Record<Hold, string>> = {
  alone: "pg_try_advisory_lock",
  shared: "pg_try_advisory_lock_shared",
};

/** Undefined if someone holds it in a way that does not go together with this one; else what gives it up. */
export async function acquireLock(
  target: DbTarget,
  name: string,
  hold: Hold = "alone",
): Promise<(() => Promise<void>) | undefined> {
  const refused = new Error(`the lock ${name} is held by another process`);
  const connection = reconnectingClient(target, `shelfwire-lock-${name}`, async (client) => {
    const { rows } = await client.query<{ held: boolean }>(
      `select ${TRY[hold]}(hashtextextended(current_schema() || ':' || $1, 0)) as held`,
      [name],
    );
    if (!rows[0]?.held) throw refused;
  });
  try {
    await connection.open();
  } catch (error) {
    await connection.close();
    if (error === refused) return undefined;
    throw error;
  }
  return connection.close;
}
