/**
 * Locks between processes that last exactly as long as the process that holds them: alone, or shared with others of
 * its kind. Each sits on a connection of its own.
 */
import { Client } from "pg";
import { connectionConfig } from "./db.ts";
import type { DbTarget } from "./db.ts";

export type Hold = "alone" | "shared";

const TRY: Readonly<Record<Hold, string>> = {
  alone: "pg_try_advisory_lock",
  shared: "pg_try_advisory_lock_shared",
};

/** Undefined if someone holds it in a way that does not go together with this one; else what gives it up. */
export async function holdLock(
  target: DbTarget,
  name: string,
  hold: Hold = "alone",
): Promise<(() => Promise<void>) | undefined> {
  const client = new Client(connectionConfig(target, `shelfwire-lock-${name}`));
  client.on("error", () => undefined);
  await client.connect();
  const { rows } = await client.query<{ held: boolean }>(
    `select ${TRY[hold]}(hashtextextended(current_schema() || ':' || $1, 0)) as held`,
    [name],
  );
  if (rows[0]?.held) return async () => client.end();
  await client.end();
  return undefined;
}
