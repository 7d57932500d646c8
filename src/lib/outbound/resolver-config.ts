/**
 * The machine's configuration of names: the hosts file, and the search domains for short names. Read again whenever the
 * files have changed.
 */
import { readFile, stat } from "node:fs/promises";
import { isIP } from "node:net";

export type Hosts = ReadonlyMap<string, readonly string[]>;

/**
 * Of `resolv.conf`: a name with fewer dots than `ndots` is tried under the search domains before it is tried as it is.
 */
export type SearchDomains = { readonly domains: readonly string[]; readonly ndots: number };

export function parseHosts(text: string): Hosts {
  const hosts = new Map<string, readonly string[]>();
  for (const line of text.split("\n")) {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().split(/\s+/);
    if (isIP(address) === 0) continue;
    for (const name of names.map((one) => one.toLowerCase())) {
      hosts.set(name, [...(hosts.get(name) ?? []), address]);
    }
  }
  return hosts;
}

const MAX_DOTS = 15;

/** The last value counts, as it does for the system. */
export function parseSearch(text: string): SearchDomains {
  let domains: readonly string[] = [];
  let ndots = 1;
  for (const line of text.split("\n")) {
    const [keyword, ...values] = line
      .replace(/[#;].*/, "")
      .trim()
      .split(/\s+/);
    if (keyword === "search" || keyword === "domain")
      domains = values.map((domain) => domain.replace(/\.$/, ""));
    const dots = keyword === "options" ? values.findLast((value) => /^ndots:\d+$/.test(value)) : undefined;
    if (dots !== undefined) ndots = Math.min(MAX_DOTS, Number(dots.slice("ndots:".length)));
  }
  return { domains: domains.filter((domain) => domain !== ""), ndots };
}

const LONGEST_NAME = 253;

/** The names to try, in this order. One that ends in a dot is complete. */
export function candidates(host: string, { domains, ndots }: SearchDomains): readonly string[] {
  if (host.endsWith(".")) return [host];
  const completed = domains
    .map((domain) => `${host}.${domain}`)
    .filter((name) => name.length <= LONGEST_NAME);
  return host.split(".").length - 1 >= ndots ? [host, ...completed] : [...completed, host];
}

/** A parsed file, parsed again when the file has changed. If it cannot be read, the last value stays. */
export function watchedFile<T>(path: string, parse: (text: string) => T): () => Promise<T> {
  let known: { readonly value: T; readonly mark: string } = { value: parse(""), mark: "" };
  return async () => {
    try {
      const { mtimeNs, size, ino } = await stat(path, { bigint: true });
      const mark = `${mtimeNs} ${size} ${ino}`;
      if (mark !== known.mark) known = { value: parse(await readFile(path, "utf8")), mark };
    } catch {
      // Being replaced, or there is none.
    }
    return known.value;
  };
}
