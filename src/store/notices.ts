/** Wake-up signals between processes, by LISTEN and NOTIFY. A notice is only a hint: every receiver also polls. */
import type { DbTarget, Queries } from "./db.ts";
import { reconnectingClient } from "./reconnecting-client.ts";
import { type Sql, sql } from "./sql.ts";

export type Notice =
  /** The listener has connected or reconnected, so notices may have been missed. */
  | { readonly about: "connected" }
  | { readonly about: "work" }
  | { readonly about: "deliveries" }
  /** Deliveries to destinations. */
  | { readonly about: "uploads" }
  | { readonly about: "finished"; readonly id: string }
  | { readonly about: "source tests" }
  | { readonly about: "source test answered"; readonly id: string }
  | { readonly about: "source test canceled"; readonly id: string }
  /** The files that the feed URLs of this catalog serve have changed; sent by a trigger (migration 22). */
  | { readonly about: "published"; readonly id: string }
  /** A run changed its state; sent by a trigger (migration 16). */
  | { readonly about: "run"; readonly id: string; readonly catalogId: string }
  | ({ readonly about: "progress" } & RunProgress)
  /** The state of a catalog's deliveries to webhooks or destinations changed. */
  | { readonly about: "delivered"; readonly catalogId: string }
  | { readonly about: "key revoked"; readonly id: string };

/** The progress of a running run. */
export type RunProgress = {
  readonly id: string;
  readonly catalogId: string;
  readonly phase: string | null;
  readonly done: number;
};

/** Every process that has the system open shares this lock; a command that must run alone takes it exclusively. */
export const IN_USE_LOCK = "in-use";

/** Sends a notice in the statement that the notice is about. */
export const sendNotice = (notice: Notice): Sql =>
  sql`pg_notify(current_schema() || '_notices', ${JSON.stringify(notice)})`;

export async function notify(db: Queries, notice: Notice): Promise<void> {
  await db.execute(sql`select ${sendNotice(notice)}`);
}

export type Notices = {
  readonly on: (listener: (notice: Notice) => void) => () => void;
  readonly close: () => Promise<void>;
};

/** Listens until closed, on a connection of its own, which reconnects. */
export async function listenForNotices(target: DbTarget): Promise<Notices> {
  const listeners = new Set<(notice: Notice) => void>();
  const publish = (notice: Notice) => {
    for (const listener of listeners) listener(notice);
  };
  const connection = reconnectingClient(target, "shelfwire-notices", async (client) => {
    client.on("notification", ({ payload }) => publish(JSON.parse(payload ?? "{}") as Notice));
    await client.query("select pg_advisory_lock_shared(hashtextextended(current_schema() || ':' || $1, 0))", [
      IN_USE_LOCK,
    ]);
    // Channels are per database, not per schema.
    await client.query(`listen ${target.schema}_notices`);
    // Notices that were sent before the connection was open are lost, so every receiver checks once.
    publish({ about: "connected" });
    publish({ about: "work" });
  });
  // Notices are only hints: a database that is down must not prevent a start.
  await connection.open().catch(connection.retry);
  return {
    on: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: connection.close,
  };
}
