/**
 * Clients of one connection each, by origin. The one that was used last is used first, found without a search, and
 * those that nobody needs lose their connections and are gone. undici's pool asks them one after the other, which at
 * some hundred connections to one host costs as much as a request.
 */
import type { Client } from "undici";

export type KeptClients<C> = {
  /** One that has no request, and is busy as soon as it gets one. */
  readonly free: (origin: string) => C;
  readonly drop: (client: C) => void;
  /** Breaks what is still running. */
  readonly destroy: () => Promise<void>;
};

export function keptClients<C extends Client & { readonly isOpen: boolean }>(
  make: (origin: string) => C,
): KeptClients<C> {
  const all = new Set<C>();
  const idle = new Map<string, C[]>();

  const drop = (client: C) => {
    if (all.delete(client)) void client.destroy();
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
    all.add(client);
    // undici says so when a client that was busy is free again, with its connection or without.
    client.on("drain", () => (client.isOpen ? keep(origin, client) : drop(client)));
    client.on("disconnect", () => forget(origin, client));
    return client;
  };
  return {
    free: (origin) => idle.get(origin)?.pop() ?? makeFor(origin),
    drop,
    destroy: async () => {
      idle.clear();
      await Promise.all(Array.from(all, async (client) => client.destroy()));
    },
  };
}
