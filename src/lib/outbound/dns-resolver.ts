/**
 * Asks name servers for the addresses of a name, both kinds at once. Each question has a resolver of its own, which costs
 * next to nothing: a shared one takes its patience from how fast others were answered, gives up all questions when one
 * answer is malformed, and cannot take a single question back.
 */
import { Resolver } from "node:dns/promises";
import { setTimeout as delay } from "node:timers/promises";

export type DnsOptions = {
  /** Name servers, instead of the machine's. */
  readonly servers?: readonly string[];
  /** For all servers together, before a webhook's deadline of ten seconds. */
  readonly patienceMs?: number;
};

export type DnsResolver = {
  /** The addresses of the first of these names that has any. */
  readonly ask: (names: readonly string[]) => Promise<readonly string[]>;
  /** Breaks off what is being asked: it fails with `ECANCELLED`. */
  readonly close: () => void;
};

const TRIES = 2;
const PATIENCE_MS = 8_000;
const LONGEST_TRY_MS = 4_000;

export function dnsResolver({ servers, patienceMs = PATIENCE_MS }: DnsOptions): DnsResolver {
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
