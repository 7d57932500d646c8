/**
 * What the publish guard needs to know of an item, in a few bytes of the render index: the price of today, the availability,
 * which fields are filled, and the hosts of its addresses. Two renders are compared by these facts, without their files.
 */
import { AVAILABILITIES, type Availability, type Item, type Money } from "../../catalog/item.ts";
import { isSaleOn } from "../../catalog/price-now.ts";

/** Fields whose filling is recorded, by the names of the API. The place in the list is a bit: append only. */
export const FILLED_FIELDS = [
  "description",
  "image",
  "brand",
  "gtin",
  "mpn",
  "group_id",
  "additional_images",
  "condition",
  "google_category",
  "categories",
  "color",
  "size",
  "material",
  "gender",
  "age_group",
  "shipping",
  "shipping_weight",
  "unit_pricing",
  "energy_class",
  "quantity",
  "link",
] as const;

export type FilledField = (typeof FILLED_FIELDS)[number];

/** Written out, for speed: calls of so many functions took 0.6 µs an item. */
function filledBits(item: Item): number {
  return (
    bit(item.description, 0) |
    bit(item.images, 1) |
    bit(item.brand, 2) |
    bit(item.gtin, 3) |
    bit(item.mpn, 4) |
    bit(item.groupId, 5) |
    bit(item.images?.[1], 6) |
    bit(item.condition, 7) |
    bit(item.googleCategory, 8) |
    bit(item.categories, 9) |
    bit(item.color, 10) |
    bit(item.size, 11) |
    bit(item.material, 12) |
    bit(item.gender, 13) |
    bit(item.ageGroup, 14) |
    bit(item.shipping, 15) |
    bit(item.shippingWeight, 16) |
    bit(item.unitPricing, 17) |
    bit(item.energyClass, 18) |
    bit(item.quantity, 19) |
    bit(item.link, 20)
  );
}

const bit = (value: unknown, at: number): number => (value === undefined ? 0 : 1 << at);

export type ItemFacts = {
  /** What a customer pays now, in the smallest unit of the currency. */
  readonly price: number;
  readonly currency: string;
  readonly isOnSale: boolean;
  readonly availability: Availability;
  /** Bits in the order of `FILLED_FIELDS`. */
  readonly filled: number;
  /** Hashes; 0 for none. */
  readonly linkHost: number;
  readonly imageHost: number;
};

/** Price (8), hosts (4 and 4), filled fields with availability and sale (4), currency (2). */
export const FACTS_BYTES = 22;
const AVAILABILITY_SHIFT = 24;
const SALE_BIT = 1 << 27;
const FILLED_MASK = (1 << AVAILABILITY_SHIFT) - 1;

export class FactsWriter {
  private readonly now: string;
  private readonly hosts: HostNames;

  /** The price of an item depends on the time. */
  constructor(asOf: Date, hosts: HostNames) {
    this.now = asOf.toISOString();
    this.hosts = hosts;
  }

  /** Returns where the facts end. */
  write(item: Item, to: Buffer, start: number): number {
    const { salePrice } = item;
    const isOnSale = salePrice !== undefined && isSaleOn(item, this.now);
    const now = isOnSale ? salePrice : item.price;
    const image = item.images?.[0];
    let at = to.writeDoubleLE(minorUnits(now), start);
    at = to.writeUInt32LE(item.link === undefined ? 0 : this.hosts.hashOf(item.link), at);
    at = to.writeUInt32LE(image === undefined ? 0 : this.hosts.hashOf(image), at);
    const availability = AVAILABILITIES.indexOf(item.availability) << AVAILABILITY_SHIFT;
    const sale = isOnSale ? SALE_BIT : 0;
    at = to.writeUInt32LE(filledBits(item) | availability | sale, at);
    return to.writeUInt16LE(encodeCurrency(now.currency), at);
  }
}

export function readFacts(from: Buffer, start: number): ItemFacts {
  const bits = from.readUInt32LE(start + 16);
  return {
    price: from.readDoubleLE(start),
    currency: decodeCurrency(from.readUInt16LE(start + 20)),
    isOnSale: (bits & SALE_BIT) !== 0,
    availability: AVAILABILITIES[(bits >>> AVAILABILITY_SHIFT) & 7] ?? "unknown",
    filled: bits & FILLED_MASK,
    linkHost: from.readUInt32LE(start + 8),
    imageHost: from.readUInt32LE(start + 12),
  };
}

/** Amounts of one currency have the same number of decimals: without the point they are comparable. */
export function minorUnits({ amount }: Money): number {
  let value = 0;
  for (let at = 0; at < amount.length; at++) {
    const digit = amount.charCodeAt(at) - 48;
    if (digit >= 0) value = value * 10 + digit;
  }
  return value;
}

/** Three capital letters, five bits each. */
function encodeCurrency(code: string): number {
  return ((code.charCodeAt(0) & 31) << 10) | ((code.charCodeAt(1) & 31) << 5) | (code.charCodeAt(2) & 31);
}

const CURRENCY_CODES = new Map<number, string>();

function decodeCurrency(bits: number): string {
  let code = CURRENCY_CODES.get(bits);
  if (code === undefined) {
    code = String.fromCharCode(64 + (bits >> 10), 64 + ((bits >> 5) & 31), 64 + (bits & 31));
    CURRENCY_CODES.set(bits, code);
  }
  return code;
}

/** How many hosts are remembered by name: most catalogs have two. */
const MAX_HOSTS = 100;

/** Hosts of addresses as numbers. The names of the first ones are kept, so that a message can name them. */
export class HostNames {
  private readonly names: Map<number, string>;
  /** Most addresses begin like the one before. */
  private last = { start: "", hash: 0 };
  private other = { start: "", hash: 0 };

  constructor(names: Readonly<Record<string, string>> = {}) {
    this.names = new Map(Object.entries(names).map(([hash, name]) => [Number(hash), name]));
  }

  hashOf(url: string): number {
    const { last, other } = this;
    if (last.hash !== 0 && url.startsWith(last.start)) return last.hash;
    if (other.hash !== 0 && url.startsWith(other.start)) return other.hash;
    const start = startOf(url);
    const host = start.slice(start.indexOf("//") + 2, -1);
    const hash = hashText(host);
    if (start.length <= url.length) [this.last, this.other] = [{ start, hash }, last];
    if (this.names.size < MAX_HOSTS) this.names.set(hash, host);
    return hash;
  }

  toJSON(): Record<string, string> {
    return Object.fromEntries(this.names);
  }
}

/** The scheme and the host, with the slash that follows. */
function startOf(url: string): string {
  const from = url.indexOf("//") + 2;
  const end = url.indexOf("/", from);
  if (end >= 0) return url.slice(0, end + 1);
  const other = url.slice(from).search(/[?#]/);
  return `${other < 0 ? url : url.slice(0, from + other)}/`;
}

/** Never 0. */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0 || 1;
}
