/** A lock that many processes can see and only one can hold, for exactly as long as it lives. */
import { Client } from "pg";
import { connectionConfig } from "./db.ts";
import type { DbTarget } from "./db.ts";

/** Undefined if someone else holds it; else what gives it up. It sits on a connection of its own. */
export async function holdLock(target: DbTarget, name: string): Promise<(() => Promise<void>) | undefined> {
  const client = new Client(connectionConfig(target, `shelfwire-lock-${name}`));
  client.on("error", () => undefined);
  await client.connect();
  const { rows } = await client.query<{ held: boolean }>(
    "select pg_try_advisory_lock(hashtextextended(current_schema() || ':' || $1, 0)) as held",
    [name],
  );
  if (rows[0]?.held) return async () => client.end();
  await client.end();
  return undefined;
}
