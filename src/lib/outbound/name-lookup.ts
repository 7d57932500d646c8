/**
 * Finds the addresses of a name, and lets no name wait for another. The system's own way (`getaddrinfo`) keeps one of
 * two threads until it has its answer: one receiver whose name servers were silent, and nobody's name was found for
 * twenty seconds. So the hosts file is read and DNS is asked directly, for any number of names at once, and short names
 * are completed as the system would. Only what neither can know is left to the system, one name at a time.
 */
import { lookup } from "node:dns/promises";
import { type DnsOptions, dnsResolver } from "./dns-resolver.ts";
import { candidates, parseHosts, parseSearch, watchedFile } from "./resolver-config.ts";

/** All addresses of a name, as text. */
export type Lookup = (host: string) => Promise<readonly string[]>;

export type NameLookup = {
  readonly find: Lookup;
  /** Breaks off what is being asked. */
  readonly close: () => void;
};

export type NameLookupOptions = DnsOptions & {
  readonly hostsFile?: string;
  readonly resolvFile?: string;
  readonly system?: Lookup;
};

export function nameLookup(options: NameLookupOptions = {}): NameLookup {
  const { hostsFile = "/etc/hosts", resolvFile = "/etc/resolv.conf", system = askSystem } = options;
  const hosts = watchedFile(hostsFile, parseHosts);
  const search = watchedFile(resolvFile, parseSearch);
  const dns = dnsResolver(options);
  const systemOneByOne = oneByOne(system);

  const find: Lookup = async (host) => {
    const known = (await hosts()).get(withoutDot(host)) ?? loopback(host);
    if (known) return known;
    const names = candidates(host, await search());
    return dns.ask(names).catch(async (failure: NodeJS.ErrnoException) => {
      if (!isLocal(host) || failure.code === "ECANCELLED") throw failure;
      return systemOneByOne(host).catch(() => {
        throw failure;
      });
    });
  };
  return { find: sharing(find), close: dns.close };
}

/** Never asked of anyone (RFC 6761). */
function loopback(host: string): readonly string[] | undefined {
  return /^(?:.*\.)?localhost\.?$/.test(host) ? ["127.0.0.1", "::1"] : undefined;
}

/** Of the neighborhood: found by means of its own, such as multicast, if DNS does not help. */
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

/** Whoever asks for a name that is being looked up gets the same answer: bursts mostly go to a few hosts. */
function sharing(find: Lookup): Lookup {
  const underWay = new Map<string, Promise<readonly string[]>>();
  return async (host) => {
    const already = underWay.get(host);
    if (already) return already;
    const found = find(host).finally(() => underWay.delete(host));
    underWay.set(host, found);
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

/** As the machine would find it. */
export const lookupName: Lookup = nameLookup().find;
