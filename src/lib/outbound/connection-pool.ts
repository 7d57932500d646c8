/**
 * A pool of clients with one connection each, by origin. The one used last is reused first; unused ones lose their
 * connection and are removed. undici's own pool searches all clients, which at some hundred connections to a host costs
 * as much as a request.
 */
import type { Client } from "undici";

export type PooledClient = Client & {
  readonly isOpen: boolean;
  /** Aborted when the client is not needed any more, so that a connection it is opening is closed. */
  readonly gone: AbortController;
};

export function connectionPool<C extends PooledClient>(make: (origin: string) => C) {
  const all = new Set<C>();
  const idle = new Map<string, C[]>();
  let isDestroyed = false;

  const drop = (client: C) => {
    if (!all.delete(client)) return;
    client.gone.abort();
    void client.destroy();
  };
  const release = (origin: string, client: C) => {
    const others = idle.get(origin);
    if (others) others.push(client);
    else idle.set(origin, [client]);
  };
  const remove = (origin: string, client: C) => {
    const others = idle.get(origin) ?? [];
    const place = others.indexOf(client);
    if (place === -1) return;
    others.splice(place, 1);
    if (others.length === 0) idle.delete(origin);
    drop(client);
  };
  const create = (origin: string): C => {
    const client = make(origin);
    if (isDestroyed) client.gone.abort();
    all.add(client);
    // undici emits it when a client has no request any more, with its connection or without.
    client.on("drain", () => (client.isOpen ? release(origin, client) : drop(client)));
    client.on("disconnect", () => remove(origin, client));
    return client;
  };
  return {
    /** A client without a request; it is busy as soon as it gets one. */
    acquire: (origin: string): C => idle.get(origin)?.pop() ?? create(origin),
    drop,
    /** Aborts what is still running. */
    destroy: async (): Promise<void> => {
      isDestroyed = true;
      idle.clear();
      for (const { gone } of all) gone.abort();
      await Promise.all(Array.from(all, async (client) => client.destroy()));
    },
  };
}
