/**
 * Resolves host names, any number at the same time (docs/adr/0009). The system's `getaddrinfo` blocks one of two
 * threads until it has an answer. So the hosts file is read and DNS is queried directly, and short names are completed
 * as the system would. Only what neither knows is left to the system, one name at a time.
 */
import { lookup } from "node:dns/promises";
import { type DnsOptions, dnsResolver } from "./dns-resolver.ts";
import { candidates, parseHosts, parseSearch, watchedFile } from "./resolver-config.ts";

export type Lookup = (host: string) => Promise<readonly string[]>;

export type NameLookupOptions = DnsOptions & {
  readonly hostsFile?: string;
  readonly resolvFile?: string;
  readonly system?: Lookup;
};

/** `close` cancels running queries. */
export function nameLookup(options: NameLookupOptions = {}): { find: Lookup; close: () => void } {
  const { hostsFile = "/etc/hosts", resolvFile = "/etc/resolv.conf", system = askSystem } = options;
  const hosts = watchedFile(hostsFile, parseHosts);
  const search = watchedFile(resolvFile, parseSearch);
  const dns = dnsResolver(options);
  const systemOneByOne = oneByOne(system);

  const find: Lookup = async (host) => {
    const known = (await hosts()).get(withoutDot(host));
    if (known) return known;
    if (isLocalhost(host)) return ["127.0.0.1", "::1"];
    const names = candidates(host, await search());
    return dns.resolve(names).catch(async (failure: NodeJS.ErrnoException) => {
      if (!isLocal(host) || failure.code === "ECANCELLED") throw failure;
      return systemOneByOne(host).catch(() => {
        throw failure;
      });
    });
  };
  return { find: shared(find), close: dns.close };
}

/** `localhost` and the names below it: never sent to a name server (RFC 6761). */
export function isLocalhost(host: string): boolean {
  return /^(?:.*\.)?localhost\.?$/.test(host);
}

/** Of the local network: the system may find it by other means, such as multicast. */
function isLocal(host: string): boolean {
  const name = withoutDot(host);
  return !name.includes(".") || name.endsWith(".local");
}

function withoutDot(host: string): string {
  return host.replace(/\.$/, "");
}

async function askSystem(host: string): Promise<readonly string[]> {
  const answers = await lookup(host, { all: true });
  return answers.map(({ address }) => address);
}

/** Concurrent lookups of one name share one query: bursts mostly go to a few hosts. */
function shared(find: Lookup): Lookup {
  const pending = new Map<string, Promise<readonly string[]>>();
  return async (host) => {
    const already = pending.get(host);
    if (already) return already;
    const found = find(host).finally(() => pending.delete(host));
    pending.set(host, found);
    return found;
  };
}

function oneByOne(find: Lookup): Lookup {
  let last: Promise<unknown> = Promise.resolve();
  return async (host) => {
    const found = last.then(async () => find(host));
    last = found.catch(() => undefined);
    return found;
  };
}

export const lookupName: Lookup = nameLookup().find;
