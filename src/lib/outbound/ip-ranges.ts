/**
 * Which IP addresses are public. The ranges are IANA's two special-purpose registries in full, including the few that
 * are called globally reachable: no shop and no receiver is there. A range that is not allocated yet is not public.
 */
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** Four or sixteen bytes. IPv4-mapped addresses (`::ffff:0:0/96`) are unwrapped. */
export type Address = readonly number[];

export type IpRange = { readonly network: Address; readonly bits: number };

export const SPECIAL_IPV4 = [
  "0.0.0.0/8", // this network, RFC 791
  "10.0.0.0/8", // private, RFC 1918
  "100.64.0.0/10", // shared by carriers, RFC 6598
  "127.0.0.0/8", // loopback, RFC 1122
  "169.254.0.0/16", // link-local, RFC 3927
  "172.16.0.0/12", // private, RFC 1918
  "192.0.0.0/24", // protocol assignments, RFC 6890
  "192.0.2.0/24", // documentation, RFC 5737
  "192.31.196.0/24", // AS112, RFC 7535
  "192.52.193.0/24", // automatic multicast tunnels, RFC 7450
  "192.88.99.0/24", // 6to4 relays, RFC 7526
  "192.168.0.0/16", // private, RFC 1918
  "192.175.48.0/24", // AS112, RFC 7534
  "198.18.0.0/15", // benchmarks, RFC 2544
  "198.51.100.0/24", // documentation, RFC 5737
  "203.0.113.0/24", // documentation, RFC 5737
  "224.0.0.0/4", // multicast, RFC 5771
  "240.0.0.0/4", // reserved and broadcast, RFC 1112
  "168.63.129.16/32", // Azure's host service: a public address that is answered inside the machine
] as const;

export const SPECIAL_IPV6 = [
  "::/96", // unspecified, loopback and IPv4-compatible, RFC 4291
  "64:ff9b:1::/48", // local NAT64, RFC 8215
  "100::/64", // discard, RFC 6666
  "100:0:0:1::/64", // dummy prefix, RFC 9780
  "2001::/23", // protocol assignments (Teredo, benchmarks, ORCHID and more), RFC 2928
  "2001:db8::/32", // documentation, RFC 3849
  "2002::/16", // 6to4, RFC 3056
  "2620:4f:8000::/48", // AS112, RFC 7534
  "3fff::/20", // documentation, RFC 9637
  "5f00::/16", // segment routing, RFC 9602
  "fc00::/7", // unique local, RFC 4193
  "fe80::/10", // link-local, RFC 4291
  "fec0::/10", // site-local, RFC 3879
  "ff00::/8", // multicast, RFC 4291
] as const;

/** The machine itself, its local network and the credentials of its cloud: only an entry inside a range allows it. */
const SENSITIVE = [
  "0.0.0.0/8",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "224.0.0.0/4",
  "255.255.255.255/32",
  "100.100.100.200/32", // Alibaba Cloud metadata
  "192.0.0.192/32", // Oracle Cloud metadata
  "168.63.129.16/32",
  "fe80::/10",
  "ff00::/8",
  "fd00:ec2::/32", // AWS metadata and similar services
  "fd20:ce::254/128", // Google Cloud metadata
].map(parseRange);

/**
 * Addresses that contain an IPv4 address, which may be a sensitive one: each is allowed only by an entry of its own.
 */
const CARRIERS = ["::/96", "64:ff9b::/96", "2001::/32", "2002::/16"].map(parseRange);

const SPECIAL = [...SPECIAL_IPV4, ...SPECIAL_IPV6].map(parseRange);
const LOOPBACK = ["127.0.0.0/8", "::1/128"].map(parseRange);
const GLOBAL_UNICAST_IPV6 = parseRange("2000::/3");
const NAT64 = parseRange("64:ff9b::/96");

/** Null for anything but the plain spelling of an address. A zone (`fe80::1%eth0`) is dropped. */
export function parseAddress(text: string): Address | null {
  const plain = text.replace(/%.*$/s, "");
  return isIP(plain) === 0 ? null : ipaddr.process(plain).toByteArray();
}

export function isWithin(address: Address, { network, bits }: IpRange): boolean {
  if (address.length !== network.length) return false;
  return network.every((byte, index) => ((byte ^ (address[index] ?? 0)) & prefixMask(bits, index)) === 0);
}

/** The part of one byte that a prefix of `bits` bits covers. */
export function prefixMask(bits: number, byteIndex: number): number {
  return (0xff00 >> Math.min(8, Math.max(0, bits - byteIndex * 8))) & 0xff;
}

export function isPublic(address: Address): boolean {
  // DNS64 assigns these on networks without IPv4, so a public address inside is allowed.
  if (isWithin(address, NAT64)) return isPublic(address.slice(-4));
  if (address.length === 16 && !isWithin(address, GLOBAL_UNICAST_IPV6)) return false;
  return !SPECIAL.some((range) => isWithin(address, range));
}

export function isLoopback(address: Address): boolean {
  return LOOPBACK.some((range) => isWithin(address, range));
}

/** Whether an allow entry allows the address: it contains it, and is narrow enough if the address is sensitive. */
export function opens(entry: IpRange, address: Address): boolean {
  if (!isWithin(address, entry)) return false;
  if (CARRIERS.some((range) => isWithin(address, range))) return entry.bits === address.length * 8;
  return entry.bits >= (SENSITIVE.find((range) => isWithin(address, range))?.bits ?? 0);
}

function parseRange(cidr: string): IpRange {
  const [network, bits] = ipaddr.parseCIDR(cidr);
  return { network: network.toByteArray(), bits };
}
