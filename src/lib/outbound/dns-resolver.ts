/**
 * Queries name servers for the A and AAAA records of a name, both at once. Each query has a resolver of its own, which
 * costs next to nothing: a shared one derives its timeout from how fast other queries were answered, fails all queries
 * when one answer is malformed, and cannot cancel a single query.
 */
import { Resolver } from "node:dns/promises";
import { setTimeout as delay } from "node:timers/promises";

export type DnsOptions = {
  /** Name servers, instead of the machine's. */
  readonly servers?: readonly string[];
  /** For all servers together, before a webhook's deadline of ten seconds. */
  readonly timeoutMs?: number;
};

const TRIES = 2;
const TIMEOUT_MS = 8_000;
const MAX_TRY_MS = 4_000;

export function dnsResolver({ servers, timeoutMs = TIMEOUT_MS }: DnsOptions) {
  const running = new Set<Resolver>();
  let firstServer = 0;

  /** The addresses of the first of these names that has any. */
  const resolve = async (names: readonly string[]): Promise<readonly string[]> => {
    const all = servers ?? new Resolver().getServers();
    const timeout = Math.min(MAX_TRY_MS, Math.floor(timeoutMs / TRIES / Math.max(1, all.length)));
    const resolver = new Resolver({ timeout, maxTimeout: timeout, tries: TRIES });
    const first = firstServer % Math.max(1, all.length);
    resolver.setServers([...all.slice(first), ...all.slice(0, first)]);
    running.add(resolver);
    const began = performance.now();
    try {
      return await firstKnown(resolver, names);
    } finally {
      // The first server may be down: the next query starts with another.
      if (performance.now() >= began + timeout) firstServer += 1;
      running.delete(resolver);
      resolver.cancel();
    }
  };
  return {
    resolve,
    /** Cancels running queries: they fail with `ECANCELLED`. */
    close: (): void => {
      for (const resolver of running) resolver.cancel();
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

/** A timeout ends the search, as it does for the system; any other failure is reported if no name has an address. */
async function firstKnown(resolver: Resolver, names: readonly string[]): Promise<readonly string[]> {
  let failed: Error | undefined;
  for (const name of names) {
    const { addresses, failure } = await resolveBothKinds(resolver, name);
    if (addresses.length > 0) return addresses;
    if (failure?.code === "ETIMEOUT" || failure?.code === "ECANCELLED") throw failure;
    failed ??= failure;
  }
  throw failed ?? new NoSuchName(names.at(-1) ?? "");
}

type DnsAnswers = {
  readonly addresses: readonly string[];
  /** Why there are none, if it is not that there is no such name. */
  readonly failure: NodeJS.ErrnoException | undefined;
};

/** Some servers answer for one kind of address and not for the other. */
const OTHER_KIND_MS = 500;

/** IPv4 first: it works nearly everywhere, and where it does not the next address is tried. */
async function resolveBothKinds(resolver: Resolver, name: string): Promise<DnsAnswers> {
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
