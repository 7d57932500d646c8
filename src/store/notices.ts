/**
 * Wake-up calls between processes, by LISTEN and NOTIFY. A notice is only a hint to look again: whoever waits for
 * one also looks by the clock, so a lost notice costs time and nothing else.
 */
import type { DbTarget, Queries } from "./db.ts";
import { keptConnection } from "./kept-connection.ts";
import { sql } from "./sql.ts";

export type Notice =
  /** The connection for notices is there, for the first time or again: any notice may have been missed. */
  | { readonly about: "connected" }
  | { readonly about: "work" }
  | { readonly about: "deliveries" }
  | { readonly about: "finished"; readonly id: string }
  | { readonly about: "source tests" }
  | { readonly about: "source test answered"; readonly id: string }
  | { readonly about: "source test canceled"; readonly id: string }
  | { readonly about: "published"; readonly id: string };

/** Channels are per database, not per schema; the schema in the name keeps two installations apart. */
const channelOf = (schema: string): string => `${schema}_notices`;

/** Held shared by every process that has the system open; alone by a command that nothing else may run beside. */
export const IN_USE_LOCK = "in-use";

export async function notify(db: Queries, notice: Notice): Promise<void> {
  await db.execute(sql`select pg_notify(current_schema() || '_notices', ${JSON.stringify(notice)})`);
}

export type Notices = {
  readonly on: (listener: (notice: Notice) => void) => () => void;
  readonly close: () => Promise<void>;
};

/** Listens until closed, on a connection of its own, and comes back by itself when that connection breaks. */
export async function listenForNotices(target: DbTarget): Promise<Notices> {
  const listeners = new Set<(notice: Notice) => void>();
  const tell = (notice: Notice) => {
    for (const listener of listeners) listener(notice);
  };
  const connection = keptConnection(target, "shelfwire-notices", async (client) => {
    client.on("notification", ({ payload }) => tell(JSON.parse(payload ?? "{}") as Notice));
    await client.query("select pg_advisory_lock_shared(hashtextextended(current_schema() || ':' || $1, 0))", [
      IN_USE_LOCK,
    ]);
    await client.query(`listen ${channelOf(target.schema)}`);
    // Whatever was announced before the connection was there: one general call to look again.
    tell({ about: "connected" });
    tell({ about: "work" });
  });
  // Notices are only hints: a database that is away at this moment must not keep anyone from starting.
  await connection.open().catch(connection.retry);
  return {
    on: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: connection.close,
  };
}
