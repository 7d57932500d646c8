/**
 * Finds the addresses of a name, and lets no name wait for another. The system's own way (`getaddrinfo`) keeps one of
 * two threads until it has its answer: one receiver whose name servers were silent, and nobody's name was found for
 * twenty seconds. So DNS is asked directly, for any number of names at once. Only what is likely to be the machine's
 * own affair is left to the system: names without a dot, names in the hosts file, and those that DNS does not know,
 * such as what a search domain or a local resolver adds.
 */
import { lookup, Resolver } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";

/** All addresses of a name, as text. */
export type Lookup = (host: string) => Promise<readonly string[]>;

export type NameLookupOptions = {
  /** Name servers, instead of the machine's. */
  readonly servers?: readonly string[];
  readonly hostsFile?: string;
  readonly system?: Lookup;
  readonly patienceMs?: number;
};

/** Two servers, asked twice each, have had their time before a webhook's deadline of ten seconds. */
const PATIENCE_MS = 2_000;
const TRIES = 2;
/** Some servers answer for one kind of address and are silent about the other. */
const OTHER_KIND_MS = 500;
/** Hosts file and name servers may change while we run. */
const RENEWED_MS = 10_000;

export function nameLookup(options: NameLookupOptions = {}): Lookup {
  const { system = askSystem } = options;
  let knowledge: Promise<Knowledge> | undefined;
  let isOldAt = 0;
  const current = async (): Promise<Knowledge> => {
    if (!knowledge || performance.now() >= isOldAt) {
      isOldAt = performance.now() + RENEWED_MS;
      knowledge = learn(options);
    }
    return knowledge;
  };
  const find = async (host: string): Promise<readonly string[]> => {
    const { hosts, resolver } = await current();
    if (!host.includes(".") || hosts.has(host)) return system(host);
    const { addresses, failures } = await askDns(resolver, host);
    if (addresses.length > 0) return addresses;
    // The system would wait for the same silent servers, and everyone else behind it.
    const noAnswer = failures.find(({ code }) => code === "ETIMEOUT" || code === "ESERVFAIL");
    if (noAnswer) throw noAnswer;
    return system(host);
  };
  return oneAtATime(find);
}

/** Whoever asks for a name that is being looked up gets the same answer: bursts mostly go to a few hosts. */
function oneAtATime(find: Lookup): Lookup {
  const underWay = new Map<string, Promise<readonly string[]>>();
  return async (host) => {
    const already = underWay.get(host);
    if (already) return already;
    const found = find(host).finally(() => underWay.delete(host));
    underWay.set(host, found);
    return found;
  };
}

type Knowledge = { readonly hosts: ReadonlySet<string>; readonly resolver: Resolver };

async function learn(options: NameLookupOptions): Promise<Knowledge> {
  const { servers, hostsFile = "/etc/hosts", patienceMs = PATIENCE_MS } = options;
  const resolver = new Resolver({ timeout: patienceMs, maxTimeout: patienceMs, tries: TRIES });
  if (servers) resolver.setServers(servers);
  const text = await readFile(hostsFile, "utf8").catch(() => "");
  const names = text.split("\n").flatMap((line) => line.replace(/#.*/, "").trim().split(/\s+/).slice(1));
  return { hosts: new Set(names.map((name) => name.toLowerCase())), resolver };
}

async function askSystem(host: string): Promise<readonly string[]> {
  const answers = await lookup(host, { all: true });
  return answers.map(({ address }) => address);
}

type DnsAnswer = {
  readonly addresses: readonly string[];
  readonly failures: readonly NodeJS.ErrnoException[];
};

/** IPv4 first: it works nearly everywhere, and where it does not the next address is tried. */
async function askDns(resolver: Resolver, host: string): Promise<DnsAnswer> {
  const found: { v4: readonly string[]; v6: readonly string[] } = { v4: [], v6: [] };
  const failures: NodeJS.ErrnoException[] = [];
  const note = async (kind: "v4" | "v6", asked: Promise<string[]>): Promise<void> => {
    try {
      found[kind] = await asked;
    } catch (error) {
      failures.push(error as NodeJS.ErrnoException);
    }
  };
  const v4 = note("v4", resolver.resolve4(host));
  const v6 = note("v6", resolver.resolve6(host));
  await v4;
  await Promise.race(found.v4.length > 0 ? [v6, delay(OTHER_KIND_MS, undefined, { ref: false })] : [v6]);
  return { addresses: [...found.v4, ...found.v6], failures };
}

/** With the machine's own name servers. */
export const lookupName: Lookup = nameLookup();
