/** A connection for LISTEN and advisory locks. When the connection breaks, it reconnects with a growing backoff. */
import { DATABASE_BACKOFF_MS, repeatingLast } from "../lib/backoff.ts";
import { Client } from "pg";
import {
  asUnavailable,
  connectionConfig,
  type DbTarget,
  destroyConnection,
  prepareConnection,
} from "./db.ts";

const CONNECT_MS = 10_000;
const END_MS = 1_000;

/** `prepare` runs on every new connection; if it throws, the connection is closed and retried. */
export function reconnectingClient(
  target: DbTarget,
  name: string,
  prepare: (client: Client) => Promise<void>,
) {
  let current: Client | null = null;
  let timer: NodeJS.Timeout | undefined;
  let failures = 0;
  let isClosed = false;

  const open = async (): Promise<void> => {
    const client = new Client({
      ...connectionConfig(target, name),
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: CONNECT_MS,
    });
    // Without a listener an error on an idle connection would end the process; `end` follows every error.
    client.on("error", () => undefined);
    current = client;
    try {
      await client.connect();
      await prepareConnection(client, target);
      await prepare(client);
    } catch (error) {
      await end(client);
      throw asUnavailable(error);
    }
    failures = 0;
    client.once("end", retry);
  };
  const retry = (): void => {
    if (isClosed) return;
    timer = setTimeout(() => void open().catch(retry), repeatingLast(DATABASE_BACKOFF_MS, failures));
    timer.unref();
    failures += 1;
  };

  return {
    /** Connects for the first time. Rejects if the connection fails; the caller then calls `close` or `retry`. */
    open,
    /** Reconnects later, in the background. */
    retry,
    close: async (): Promise<void> => {
      isClosed = true;
      clearTimeout(timer);
      if (current) await end(current);
    },
  };
}

/** Closes the connection, without waiting long for a server that does not respond. */
async function end(client: Client): Promise<void> {
  const giveUp = setTimeout(() => destroyConnection(client), END_MS);
  await client.end().catch(() => undefined);
  clearTimeout(giveUp);
}
