/**
 * Clients of one connection each, by origin. The one that was used last is used first, found without a search, and
 * those that nobody needs lose their connections and are gone. undici's pool asks them one after the other, which at
 * some hundred connections to one host costs as much as a request.
 */
import type { Client } from "undici";

export type PooledClient = Client & {
  readonly isOpen: boolean;
  /** Aborted when nobody needs the client any more, so that what it is just opening is closed. */
  readonly gone: AbortController;
};

export type ConnectionPool<C> = {
  /** One that has no request, and is busy as soon as it gets one. */
  readonly acquire: (origin: string) => C;
  readonly drop: (client: C) => void;
  /** Breaks what is still running. */
  readonly destroy: () => Promise<void>;
};

export function connectionPool<C extends PooledClient>(make: (origin: string) => C): ConnectionPool<C> {
  const all = new Set<C>();
  const idle = new Map<string, C[]>();
  let isOver = false;

  const drop = (client: C) => {
    if (!all.delete(client)) return;
    client.gone.abort();
    void client.destroy();
  };
  const keep = (origin: string, client: C) => {
    const others = idle.get(origin);
    if (others) others.push(client);
    else idle.set(origin, [client]);
  };
  const forget = (origin: string, client: C) => {
    const others = idle.get(origin) ?? [];
    const place = others.indexOf(client);
    if (place === -1) return;
    others.splice(place, 1);
    if (others.length === 0) idle.delete(origin);
    drop(client);
  };
  const makeFor = (origin: string): C => {
    const client = make(origin);
    if (isOver) client.gone.abort();
    all.add(client);
    // undici says so when a client that was busy is free again, with its connection or without.
    client.on("drain", () => (client.isOpen ? keep(origin, client) : drop(client)));
    client.on("disconnect", () => forget(origin, client));
    return client;
  };
  return {
    acquire: (origin) => idle.get(origin)?.pop() ?? makeFor(origin),
    drop,
    destroy: async () => {
      isOver = true;
      idle.clear();
      for (const { gone } of all) gone.abort();
      await Promise.all(Array.from(all, async (client) => client.destroy()));
    },
  };
}
