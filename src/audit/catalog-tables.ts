/**
 * The tables in which an audit looks up whether an earlier item has the same GTIN, description, image or link, with a log of
 * the lookups of one group. The log can be repeated without the items: if all lookups have the same results again, so have
 * all rules that compare the group with the items before it.
 */
import type { HashKey } from "../lib/hash-table.ts";
import { type Seen, SeenTable, SharedTable } from "./key-tables.ts";

/** A page or image of so many unrelated products shows none of them. */
export const MANY_PRODUCTS = 5;

/** What the rules distinguish: no product, some, or `MANY_PRODUCTS`. */
const SHARED_COUNTS = [0, 1, MANY_PRODUCTS] as const;
const SEEN: readonly Seen[] = ["new", "seen", "full"];

/** `currency`: the first item of a market, whose currency is that of the market. */
const TABLES = { gtin: 0, description: 1, image: 2, link: 3, currency: 4 } as const;

const KEY_BYTES = 9;
const SHARED_BYTES = KEY_BYTES + 4;

/** The tables, keys and results of a log; `currency` entries are left out. */
function* lookupsIn(log: Buffer): Generator<{ readonly at: number; readonly table: number }> {
  for (let at = 0; at < log.length; ) {
    const table = (log[at] ?? 0) >> 2;
    if (table !== TABLES.currency) yield { at, table };
    at += bytesAt(log, at);
  }
}

function bytesAt(log: Buffer, at: number): number {
  const table = (log[at] ?? 0) >> 2;
  if (table === TABLES.currency) return 2 + (log[at + 1] ?? 0);
  return table >= TABLES.image ? SHARED_BYTES : KEY_BYTES;
}

/** What a log looks up, as texts: two groups can affect each other only if they have a key in common. */
export function* lookupKeys(log: Buffer): Generator<string> {
  for (const { at, table } of lookupsIn(log)) yield keyAt(log, at, table);
}

const keyAt = (log: Buffer, at: number, table: number): string =>
  String.fromCharCode(table) + log.toString("latin1", at + 1, at + KEY_BYTES);

/** Calls `visit` with two hashes of each key of a log. */
export function eachKeyHash(log: Buffer, visit: (first: number, second: number) => void): void {
  for (const { at, table } of lookupsIn(log)) {
    const [high, low] = [log.readUInt32LE(at + 1), log.readUInt32LE(at + 5)];
    visit(Math.imul(low ^ table, 0x9e3779b1) >>> 0, (Math.imul(high ^ low, 0x85ebca6b) | 1) >>> 0);
  }
}

/** Whether two groups look up the same, so that the results of the one are those of the other. */
export function areSameLookups(a: Buffer, b: Buffer): boolean {
  return textOf(a) === textOf(b);
}

function textOf(log: Buffer): string {
  let text = "";
  for (const { at, table } of lookupsIn(log)) {
    const prefix = table >= TABLES.image ? log.toString("latin1", at + KEY_BYTES, at + SHARED_BYTES) : "";
    text += keyAt(log, at, table) + prefix;
  }
  return text;
}

/** Whether a later group depends on the log's group, because that is the first one of its market. */
export function setsCurrency(log: Buffer): boolean {
  for (let at = 0; at < log.length; at += bytesAt(log, at))
    if ((log[at] ?? 0) >> 2 === TABLES.currency) return true;
  return false;
}

/** The log does not decide alone: the currency of a market changed for items without a lookup. */
export class MarketChanged extends Error {}

export class CatalogTables {
  private readonly seen = [new SeenTable(), new SeenTable()] as const;
  private readonly shared = [new SharedTable(), new SharedTable()] as const;
  private readonly currencies = new Map<string, string>();
  private readonly key: HashKey = { high: 0, low: 0 };
  private log = Buffer.alloc(1024);
  private logged = 0;
  /** The results of the last repeated log as they are now, and its currencies. */
  private results: number[] = [];
  private repeatedCurrencies: Buffer[] = [];
  /** While a group is evaluated whose lookups were already repeated: how many results have been used. */
  private used = -1;
  /** The keys whose results may have changed; null: all keys. */
  private readonly affected: ReadonlySet<string> | null;

  constructor(affected: ReadonlySet<string> | null = null) {
    this.affected = affected;
  }

  /** How many keys each table has. */
  get keyCounts(): readonly number[] {
    return [...this.seen, ...this.shared].map(({ keys }) => keys);
  }

  startLog(): void {
    this.logged = 0;
  }

  /** The lookups since `startLog`. Valid until the next one. */
  logBytes(): Uint8Array {
    return this.log.subarray(0, this.logged);
  }

  addGtin(high: number, low: number): Seen {
    return SEEN[this.lookUp(TABLES.gtin, high, low, 0)] ?? "full";
  }

  addDescription({ high, low }: HashKey): Seen {
    return SEEN[this.lookUp(TABLES.description, high, low, 0)] ?? "full";
  }

  countImage({ high, low }: HashKey, titlePrefix: number): number {
    return SHARED_COUNTS[this.lookUp(TABLES.image, high, low, titlePrefix)] ?? 0;
  }

  countLink({ high, low }: HashKey, titlePrefix: number): number {
    return SHARED_COUNTS[this.lookUp(TABLES.link, high, low, titlePrefix)] ?? 0;
  }

  /** The currency of the first item of the country. */
  marketCurrency(country: string, currency: string): string {
    const known = this.currencies.get(country);
    if (known !== undefined) return known;
    this.logBytesOf(encodeCurrency(country, currency));
    this.currencies.set(country, currency);
    return currency;
  }

  /** Repeats the lookups of a group; false if the result of one of them is another than it was. */
  repeat(log: Buffer): boolean {
    const isSame = this.repeatLookups(log);
    for (let at = 0; at < log.length; at += bytesAt(log, at))
      if ((log[at] ?? 0) >> 2 === TABLES.currency) this.repeatCurrency(log, at);
    return isSame;
  }

  /** The same without the currencies, for a group that has changed: its prices may have other currencies now. */
  repeatLookups(log: Buffer): boolean {
    return this.recall(log, (at, table) =>
      this.affected === null || this.affected.has(keyAt(log, at, table))
        ? this.findLogged(log, at, table)
        : undefined,
    );
  }

  /** Takes the results of the log as they were; `find` may replace them. False if it replaces one by another. */
  recall(log: Buffer, find: (at: number, table: number) => number | undefined = () => undefined): boolean {
    this.results = [];
    this.repeatedCurrencies = [];
    let isSame = true;
    for (const { at, table } of lookupsIn(log)) {
      const before = (log[at] ?? 0) & 3;
      const result = find(at, table) ?? before;
      this.results.push(result);
      if (result !== before) isSame = false;
    }
    return isSame;
  }

  private findLogged(log: Buffer, at: number, table: number): number {
    const prefix = table >= TABLES.image ? log.readUInt32LE(at + KEY_BYTES) : 0;
    return this.find(table, log.readUInt32LE(at + 1), log.readUInt32LE(at + 5), prefix);
  }

  /** Evaluates the group whose log was repeated last, with the results of that. */
  withRepeated<T>(evaluate: () => T): T {
    this.used = 0;
    this.startLog();
    for (const currency of this.repeatedCurrencies) this.logBytesOf(currency);
    try {
      return evaluate();
    } finally {
      this.used = -1;
    }
  }

  /** After a group was replaced or removed: throws if it had set the currency of a market, which is now another. */
  checkReplaced(log: Buffer): void {
    for (let at = 0; at < log.length; at += bytesAt(log, at)) {
      if ((log[at] ?? 0) >> 2 !== TABLES.currency) continue;
      const { country, currency } = readCurrency(log, at);
      if (this.currencies.get(country) !== currency) throw new MarketChanged(country);
    }
  }

  private lookUp(table: number, high: number, low: number, prefix: number): number {
    const result = this.used < 0 ? this.find(table, high, low, prefix) : (this.results[this.used++] ?? 0);
    this.reserve(SHARED_BYTES);
    this.log[this.logged] = (table << 2) | result;
    this.log.writeUInt32LE(high >>> 0, this.logged + 1);
    this.log.writeUInt32LE(low >>> 0, this.logged + 5);
    if (table >= TABLES.image) this.log.writeUInt32LE(prefix >>> 0, this.logged + KEY_BYTES);
    this.logged += table >= TABLES.image ? SHARED_BYTES : KEY_BYTES;
    return result;
  }

  private find(table: number, high: number, low: number, prefix: number): number {
    if (table < TABLES.image) {
      const seen = table === TABLES.gtin ? this.seen[0] : this.seen[1];
      return SEEN.indexOf(seen.add(high, low));
    }
    const shared = table === TABLES.image ? this.shared[0] : this.shared[1];
    this.key.high = high;
    this.key.low = low;
    const count = shared.count(this.key, prefix);
    return count === 0 ? 0 : count < MANY_PRODUCTS ? 1 : 2;
  }

  private logBytesOf(bytes: Buffer): void {
    this.reserve(bytes.length);
    bytes.copy(this.log, this.logged);
    this.logged += bytes.length;
  }

  private repeatCurrency(log: Buffer, at: number): void {
    const { country, currency, bytes } = readCurrency(log, at);
    const known = this.currencies.get(country);
    if (known !== undefined && known !== currency) throw new MarketChanged(country);
    this.currencies.set(country, currency);
    this.repeatedCurrencies.push(Buffer.from(log.subarray(at, at + bytes)));
  }

  private reserve(bytes: number): void {
    if (this.logged + bytes <= this.log.length) return;
    const larger = Buffer.alloc(2 * (this.logged + bytes));
    this.log.copy(larger, 0, 0, this.logged);
    this.log = larger;
  }
}

function encodeCurrency(country: string, currency: string): Buffer {
  const text = Buffer.from(`${country}\t${currency}`);
  return Buffer.concat([Buffer.of(TABLES.currency << 2, text.length), text]);
}

function readCurrency(log: Buffer, at: number) {
  const bytes = 2 + (log[at + 1] ?? 0);
  const [country = "", currency = ""] = log.toString("utf8", at + 2, at + bytes).split("\t");
  return { country, currency, bytes };
}
