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
  const hosts = watchedFile(hostsFile, parseHosts);
  const search = watchedFile(resolvFile, parseSearch);
  const dns = questions(options);
  const systemOneByOne = oneByOne(system);

  const find: Lookup = async (host) => {
    const known = (await hosts()).get(withoutDot(host)) ?? loopback(host);
    if (known) return known;
    const names = candidates(host, await search());
    if (!isLocal(host)) return dns.ask(names);
    return dns.ask(names).catch(async (failure: unknown) =>
      systemOneByOne(host).catch(() => {
        throw failure;
      }),
    );
  };
  return { find: sharing(find), close: dns.close };
}

const TRIES = 2;
const PATIENCE_MS = 8_000;
const LONGEST_TRY_MS = 4_000;

/**
 * Each question has a resolver of its own, which costs next to nothing: a shared one takes its patience from how fast others
 * were answered, gives up all questions when one answer is malformed, and cannot take a single question back.
 */
function questions({ servers, patienceMs = PATIENCE_MS }: NameLookupOptions) {
  const asking = new Set<Resolver>();
  let firstServer = 0;

  const ask = async (names: readonly string[]): Promise<readonly string[]> => {
    const all = servers ?? new Resolver().getServers();
    const timeout = Math.min(LONGEST_TRY_MS, Math.floor(patienceMs / TRIES / Math.max(1, all.length)));
    const resolver = new Resolver({ timeout, maxTimeout: timeout, tries: TRIES });
    const first = firstServer % Math.max(1, all.length);
    resolver.setServers([...all.slice(first), ...all.slice(0, first)]);
    asking.add(resolver);
    const began = performance.now();
    try {
      return await firstKnown(resolver, names);
    } finally {
      // Whoever was asked first may be dead: the next one begins with another.
      if (performance.now() >= began + timeout) firstServer += 1;
      asking.delete(resolver);
      resolver.cancel();
    }
  };
  return {
    ask,
    close: () => {
      for (const resolver of asking) resolver.cancel();
    },
  };
}

class NoSuchName extends Error {
  override readonly name = "NoSuchName";
  readonly code = "ENOTFOUND";

  constructor(host: string) {
    super(`There is no ${host}.`);
  }
}

/** Silence ends the search, as it does for the system; a server that fails is only remembered, until all were asked. */
async function firstKnown(resolver: Resolver, names: readonly string[]): Promise<readonly string[]> {
  let remembered: Error | undefined;
  for (const name of names) {
    const { addresses, failure } = await askBothKinds(resolver, name);
    if (addresses.length > 0) return addresses;
    if (failure?.code === "ETIMEOUT" || failure?.code === "ECANCELLED") throw failure;
    remembered ??= failure;
  }
  throw remembered ?? new NoSuchName(names.at(-1) ?? "");
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

type Answers = {
  readonly addresses: readonly string[];
  /** Why there are none, if it is not that there is no such name. */
  readonly failure: NodeJS.ErrnoException | undefined;
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
  return { addresses: [...v4, ...v6], failure: whyNone(failures) };
}

/** A name that is not there for one kind of address is there for none. */
function whyNone(failures: readonly NodeJS.ErrnoException[]): NodeJS.ErrnoException | undefined {
  if (failures.some(({ code }) => code === "ENOTFOUND")) return undefined;
  return failures.find(({ code }) => code !== "ENODATA");
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
