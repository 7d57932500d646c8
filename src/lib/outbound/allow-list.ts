/**
 * The setting ALLOW_PRIVATE_TARGETS, parsed. A host name allows whatever it resolves to, an address or CIDR allows
 * those addresses. Loopback, link-local, multicast and cloud metadata are allowed only by an entry inside such a range:
 * `0.0.0.0/0` allows none of them, `127.0.0.0/8` or `169.254.169.254` does.
 *
 * While only this machine is served, `loopback` allows loopback addresses and localhost without an entry. A server
 * elsewhere cannot use it: neither a name that resolves to a loopback address nor a redirect to one is allowed by it.
 */
import { isIP } from "node:net";
import { AppError } from "../../errors.ts";
import { type Address, opens, parseAddress, prefixMask, type IpRange } from "./ip-ranges.ts";

export type AllowList = {
  readonly names: ReadonlySet<string>;
  readonly ranges: readonly IpRange[];
  readonly loopback: boolean;
};

type AllowEntry = { readonly name: string } | { readonly range: IpRange } | { readonly problem: string };

/** Blank entries are ignored; every bad one is listed in a single `config_invalid`. */
export function parseAllowList(entries: readonly string[], { loopback = false } = {}): AllowList {
  const names = new Set<string>();
  const ranges: IpRange[] = [];
  const problems: string[] = [];
  for (const text of entries.map((entry) => entry.trim()).filter((entry) => entry !== "")) {
    const entry = parseEntry(text);
    if ("name" in entry) names.add(entry.name);
    else if ("range" in entry) ranges.push(entry.range);
    else problems.push(`"${text}" ${entry.problem}`);
  }
  if (problems.length === 0) return { names, ranges, loopback };
  throw new AppError("config_invalid", `ALLOW_PRIVATE_TARGETS: ${problems.join("; ")}.`, {
    fields: problems.map((detail) => ({ pointer: "ALLOW_PRIVATE_TARGETS", detail })),
  });
}

/** `host` as the URL parser wrote it. */
export function opensName(allow: AllowList, host: string): boolean {
  return allow.names.has(host);
}

export function opensAddress(allow: AllowList, address: Address): boolean {
  return allow.ranges.some((range) => opens(range, address));
}

function parseEntry(text: string): AllowEntry {
  if (text.includes("/")) return parseCidr(text);
  const literal = text.startsWith("[") && text.endsWith("]") ? text.slice(1, -1) : text;
  const address = literal.includes("%") ? null : parseAddress(literal);
  return address === null ? parseName(text) : { range: { network: address, bits: address.length * 8 } };
}

function parseCidr(text: string): AllowEntry {
  const [, literal = "", length = ""] = /^([^/%]+)\/(0|[1-9]\d{0,2})$/.exec(text) ?? [];
  const network = parseAddress(literal);
  if (network === null) return { problem: "is not a CIDR such as 10.1.0.0/16" };
  if (isIP(literal) === 6 && network.length === 4) return { problem: "has to be written as an IPv4 CIDR" };

  const bits = Number(length);
  if (bits > network.length * 8) return { problem: "has a longer prefix than the address has bits" };
  const isBare = network.every((byte, index) => (byte & ~prefixMask(bits, index)) === 0);
  return isBare ? { range: { network, bits } } : { problem: "has bits set after its prefix" };
}

/** Normalized by the URL parser, exactly as a target will be: lower case, IDNA. */
function parseName(text: string): AllowEntry {
  const problem = "is neither a host name, an IP address nor a CIDR";
  if (/[\s/\\:@?#[\]%]/.test(text) || !URL.canParse(`http://${text}/`)) return { problem };
  const name = new URL(`http://${text}/`).hostname;
  if (isIP(name) !== 0) return { problem: `has to be written as ${name}` };
  return /^[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?$/.test(name) ? { name } : { problem };
}
