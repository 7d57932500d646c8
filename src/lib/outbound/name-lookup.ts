/**
 * Finds the addresses of a name, and lets no name wait for another. The system's own way (`getaddrinfo`) keeps one of
 * two threads until it has its answer: one receiver whose name servers were silent, and nobody's name was found for
 * twenty seconds. So the hosts file is read and DNS is asked directly, for any number of names at once, and short names
 * are completed as the system would. Only what neither can know is left to the system, one name at a time.
 */
import { lookup, Resolver } from "node:dns/promises";
import { setTimeout as delay } from "node:timers/promises";
import { candidates, parseHosts, parseSearch, watchedFile } from "./name-config.ts";

/** All addresses of a name, as text. */
export type Lookup = (host: string) => Promise<readonly string[]>;

export type NameLookup = {
  readonly find: Lookup;
  /** Breaks off what is being asked. */
  readonly close: () => void;
};

export type NameLookupOptions = {
  /** Name servers, instead of those in the file. */
  readonly servers?: readonly string[];
  readonly hostsFile?: string;
  readonly resolvFile?: string;
  readonly system?: Lookup;
  /** For all servers together, before a webhook's deadline of ten seconds. */
  readonly patienceMs?: number;
};

export function nameLookup(options: NameLookupOptions = {}): NameLookup {
  const { hostsFile = "/etc/hosts", resolvFile = "/etc/resolv.conf", system = askSystem } = options;
  const fresh = () => newResolver(options);
  const hosts = watchedFile(hostsFile, parseHosts);
  let resolver = fresh();
  const search = watchedFile(resolvFile, (text) => {
    resolver = fresh();
    return parseSearch(text);
  });
  const systemOneByOne = oneByOne(system);

  const find: Lookup = async (host) => {
    const known = (await hosts()).get(host.replace(/\.$/, "")) ?? loopback(host);
    if (known) return known;
    for (const name of candidates(host, await search())) {
      const addresses = await askDns(name, resolver, fresh);
      if (addresses.length > 0) return addresses;
    }
    if (isLocal(host)) return systemOneByOne(host);
    throw new NoSuchName(host);
  };
  return { find: sharing(find), close: () => resolver.cancel() };
}

class NoSuchName extends Error {
  override readonly name = "NoSuchName";
  readonly code = "ENOTFOUND";

  constructor(host: string) {
    super(`There is no ${host}.`);
  }
}

const TRIES = 2;
const PATIENCE_MS = 8_000;
const LONGEST_TRY_MS = 2_000;

function newResolver({ servers, patienceMs = PATIENCE_MS }: NameLookupOptions): Resolver {
  const count = Math.max(1, (servers ?? new Resolver().getServers()).length);
  const timeout = Math.min(LONGEST_TRY_MS, Math.floor(patienceMs / TRIES / count));
  const resolver = new Resolver({ timeout, maxTimeout: timeout, tries: TRIES });
  if (servers) resolver.setServers(servers);
  return resolver;
}

/** Never asked of anyone (RFC 6761). */
function loopback(host: string): readonly string[] | undefined {
  return /^(?:.*\.)?localhost\.?$/.test(host) ? ["127.0.0.1", "::1"] : undefined;
}

/** Of the neighborhood: found by means of its own, such as multicast, if DNS does not know it. */
function isLocal(host: string): boolean {
  return !host.includes(".") || host.endsWith(".local");
}

async function askSystem(host: string): Promise<readonly string[]> {
  const answers = await lookup(host, { all: true });
  return answers.map(({ address }) => address);
}

const DOES_NOT_EXIST = new Set(["ENOTFOUND", "ENODATA"]);
/** The servers' own fault, or ours. After any other a look at somebody else's answer may have gone wrong for all. */
const IS_FINAL = new Set([...DOES_NOT_EXIST, "ETIMEOUT", "ESERVFAIL", "EREFUSED", "ECANCELLED"]);

/** None if there is no such name. A server that is silent or broken is no such answer. */
async function askDns(name: string, resolver: Resolver, fresh: () => Resolver): Promise<readonly string[]> {
  const first = await askBothKinds(resolver, name);
  const isOdd = first.addresses.length === 0 && first.failures.some(({ code }) => !IS_FINAL.has(code ?? ""));
  const { addresses, failures } = isOdd ? await askBothKinds(fresh(), name) : first;
  const failure = failures.find(({ code }) => !DOES_NOT_EXIST.has(code ?? ""));
  if (addresses.length === 0 && failure) throw failure;
  return addresses;
}

type Answers = {
  readonly addresses: readonly string[];
  readonly failures: readonly NodeJS.ErrnoException[];
};

/** Some servers answer for one kind of address and are silent about the other. */
const OTHER_KIND_MS = 500;

/** IPv4 first: it works nearly everywhere, and where it does not the next address is tried. */
async function askBothKinds(resolver: Resolver, name: string): Promise<Answers> {
  const v4: string[] = [];
  const v6: string[] = [];
  const failures: NodeJS.ErrnoException[] = [];
  const note = async (found: string[], asked: Promise<string[]>): Promise<void> => {
    try {
      found.push(...(await asked));
    } catch (error) {
      failures.push(error as NodeJS.ErrnoException);
    }
  };
  const asked = [note(v4, resolver.resolve4(name)), note(v6, resolver.resolve6(name))];
  const both = Promise.all(asked);
  const enough = async (): Promise<unknown> =>
    v4.length + v6.length > 0 ? delay(OTHER_KIND_MS, undefined, { ref: false }) : both;
  await Promise.race([both, ...asked.map(async (one) => one.then(enough))]);
  return { addresses: [...v4, ...v6], failures };
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
