/**
 * Wake-up calls between processes, by LISTEN and NOTIFY. A notice is only a hint to look again: whoever waits for
 * one also looks by the clock, so a lost notice costs time and nothing else.
 */
import { Client } from "pg";
import type { DbTarget, Queries } from "./db.ts";
import { connectionConfig } from "./db.ts";
import { sql } from "./sql.ts";

export type Notice =
  | { readonly about: "work" }
  | { readonly about: "deliveries" }
  | { readonly about: "finished"; readonly id: string }
  | { readonly about: "published"; readonly id: string };

/** Channels are per database, not per schema; the schema in the name keeps two installations apart. */
const channelOf = (schema: string): string => `${schema}_notices`;

export async function notify(db: Queries, notice: Notice): Promise<void> {
  await db.execute(sql`select pg_notify(current_schema() || '_notices', ${JSON.stringify(notice)})`);
}

export type Notices = {
  readonly on: (listener: (notice: Notice) => void) => () => void;
  readonly close: () => Promise<void>;
};

const RECONNECT_MS = 1_000;

/** Listens until closed, on a connection of its own, and comes back by itself when that connection breaks. */
export async function listenForNotices(target: DbTarget): Promise<Notices> {
  const listeners = new Set<(notice: Notice) => void>();
  let client: Client | null = null;
  let retry: NodeJS.Timeout | undefined;
  let isClosed = false;

  const tell = (notice: Notice) => {
    for (const listener of listeners) listener(notice);
  };
  const again = () => {
    client = null;
    if (isClosed) return;
    retry = setTimeout(() => void connect().catch(again), RECONNECT_MS);
    retry.unref();
  };
  const connect = async () => {
    const fresh = new Client(connectionConfig(target, "shelfwire-notices"));
    // `error` and `end` both follow a broken connection; `end` alone is always last.
    fresh.on("error", () => undefined);
    await fresh.connect();
    fresh.on("end", again);
    fresh.on("notification", ({ payload }) => tell(JSON.parse(payload ?? "{}") as Notice));
    await fresh.query(`listen ${channelOf(target.schema)}`);
    client = fresh;
    // Whatever was announced while nobody listened: one general call to look again.
    tell({ about: "work" });
  };

  await connect();
  return {
    on: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: async () => {
      isClosed = true;
      clearTimeout(retry);
      await client?.end();
    },
  };
}
