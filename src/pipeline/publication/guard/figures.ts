/**
 * What the publish guard compares: figures of the published render and of the new one, and what became of its items.
 */
import type { ItemFacts, FilledField } from "../../render/item-facts.ts";
import { FILLED_FIELDS } from "../../render/item-facts.ts";
import { bucketPrice, FREE, type RenderTotals, type SharedField } from "../../render/render-totals.ts";
import { JUMP_FACTOR } from "./limits.ts";
import { TaxFactors, type TaxFactor } from "./tax-factor.ts";

export type FileFigures = {
  readonly file: string;
  readonly written: number;
  /** Of the written items, those that the destination will refuse. */
  readonly refused: number;
  /** Without what precedes the first item; null if that is not known. */
  readonly bytes: number | null;
};

/** A render without an index of its items has no `totals`. */
export type RenderFigures = {
  readonly items: number;
  readonly files: readonly FileFigures[];
  readonly totals: RenderTotals | null;
};

/** Numbers of items, apart from those that both renders have unchanged. */
export type ItemChanges = {
  readonly removed: number;
  readonly added: number;
  /** In another group than before; they are neither removed nor added. */
  readonly moved: number;
  readonly priceJumps: number;
  readonly currency: Moves;
  readonly outOfStock: number;
  readonly backInStock: number;
  /** The availability was known and is not any more. */
  readonly availabilityLost: number;
  readonly lost: Readonly<Partial<Record<FilledField, number>>>;
  readonly linkHost: Moves;
  readonly imageHost: Moves;
  /** Titles that begin as before and lost a third of their letters or more. */
  readonly titlesCut: number;
  /** Items that have the value that another item had before. */
  readonly swapped: Readonly<Record<SwappedField, number>>;
  readonly tax: TaxFactor | null;
  /** How many items differ for another reason than a change of the merchant here: they are the ones that are judged. */
  readonly judged: number;
};

export const SWAPPED_FIELDS = ["title", "link", "image"] as const;
export type SwappedField = (typeof SWAPPED_FIELDS)[number];

/** How many items went from one value to another, and which change is the commonest. */
export type Moves = { readonly items: number; readonly from: string | null; readonly to: string | null };

export type GuardFigures = {
  readonly before: RenderFigures;
  readonly after: RenderFigures;
  /** Null if the items could not be compared. */
  readonly changes: ItemChanges | null;
  /**
   * The merchant has changed rules, approved values or settings since the published render. What follows from that is
   * no accident: such items are left out of `changes`, and the totals of `before` have them as they are now.
   */
  readonly hasOwnChange?: boolean;
};

/** Hosts of the published render, by hash; those of the new one; and those that a move was announced to. */
export type HostTables = {
  readonly before: Readonly<Record<string, string>>;
  readonly after: Readonly<Record<string, string>>;
  readonly expected?: readonly string[];
};

/** A title counts as cut if it lost a third or more. Removing a shop name at the end shortens it by less. */
const isCut = (was: ItemFacts, is: ItemFacts): boolean =>
  was.title !== is.title && was.titleStart === is.titleStart && 3 * is.titleLength <= 2 * was.titleLength;

export class ChangeCounter {
  private readonly hosts: HostTables;
  private readonly removedIds = new Hashes();
  private readonly addedIds = new Hashes();
  private readonly swapped = SWAPPED_FIELDS.map(() => ({ before: new Hashes(), after: new Hashes() }));
  private readonly taxFactors = new TaxFactors();
  private readonly lost = FILLED_FIELDS.map(() => 0);
  private readonly currencies = new MoveCounter();
  private readonly linkHosts = new MoveCounter();
  private readonly imageHosts = new MoveCounter();
  private priceJumps = 0;
  private outOfStock = 0;
  private backInStock = 0;
  private availabilityLost = 0;
  private titlesCut = 0;
  private judged = 0;

  constructor(hosts: HostTables) {
    this.hosts = hosts;
  }

  removed(id: Uint8Array): void {
    this.judged += 1;
    this.removedIds.add(hashId(id));
  }

  added(id: Uint8Array): void {
    this.judged += 1;
    this.addedIds.add(hashId(id));
  }

  /** An item that both renders have. */
  changed(was: ItemFacts, is: ItemFacts): void {
    this.judged += 1;
    this.prices(was, is);
    this.moves(was, is);
    this.stock(was, is);
    if (isCut(was, is)) this.titlesCut += 1;
    for (const [at, field] of SWAPPED_FIELDS.entries()) {
      if (!hasMoved(was[field], is[field])) continue;
      this.swapped[at]?.before.add(was[field]);
      this.swapped[at]?.after.add(is[field]);
    }
    for (let bits = was.filled & ~is.filled, at = 0; bits !== 0; bits >>>= 1, at++)
      if ((bits & 1) !== 0) this.lost[at] = (this.lost[at] ?? 0) + 1;
  }

  changes(): ItemChanges {
    const moved = this.removedIds.countIn(this.addedIds);
    const lost = FILLED_FIELDS.map((field, at) => [field, this.lost[at] ?? 0] as const);
    return {
      removed: this.removedIds.size - moved,
      added: this.addedIds.size - moved,
      moved,
      priceJumps: this.priceJumps,
      currency: this.currencies.moves(),
      outOfStock: this.outOfStock,
      backInStock: this.backInStock,
      availabilityLost: this.availabilityLost,
      lost: Object.fromEntries(lost.filter(([, items]) => items > 0)),
      linkHost: this.linkHosts.moves(),
      imageHost: this.imageHosts.moves(),
      titlesCut: this.titlesCut,
      swapped: Object.fromEntries(
        SWAPPED_FIELDS.map((field, at) => {
          const { before, after } = this.swapped[at] ?? {};
          return [field, before && after ? after.countIn(before) : 0];
        }),
      ) as Record<SwappedField, number>,
      tax: this.taxFactors.commonest(),
      judged: this.judged,
    };
  }

  /** An availability that is not known is neither in stock nor out of stock. */
  private stock({ availability: was }: ItemFacts, { availability: is }: ItemFacts): void {
    if (was === is || was === "unknown") return;
    if (is === "unknown") this.availabilityLost += 1;
    else if (is === "out_of_stock") this.outOfStock += 1;
    else if (was === "out_of_stock") this.backInStock += 1;
  }

  private prices(was: ItemFacts, is: ItemFacts): void {
    if (was.currency !== is.currency) this.currencies.add(was.currency, is.currency);
    else if (hasJumped(was.price, is.price)) this.priceJumps += 1;
    else this.taxFactors.add(was, is);
  }

  /** A link or an image that is gone is a lost field, not a move to another host; a new one is no move either. */
  private moves(was: ItemFacts, is: ItemFacts): void {
    this.move(this.linkHosts, was.linkHost, is.linkHost);
    this.move(this.imageHosts, was.imageHost, is.imageHost);
  }

  private move(moves: MoveCounter, was: number, is: number): void {
    const { before, after, expected = [] } = this.hosts;
    const to = after[is];
    if (hasMoved(was, is) && (to === undefined || !expected.includes(to))) moves.add(before[was], to);
  }
}

const hasMoved = (was: number, is: number): boolean => was !== is && was !== 0 && is !== 0;

/** From or to zero is no jump: free items have a limit of their own. */
function hasJumped(was: number, is: number): boolean {
  return was > 0 && is > 0 && (is > was * JUMP_FACTOR || is * JUMP_FACTOR < was);
}

/** Pairs that are counted one by one; the others only in the sum. */
const MAX_PAIRS = 100;

class MoveCounter {
  private items = 0;
  private readonly pairs = new Map<
    string,
    { readonly from: string | null; readonly to: string | null; items: number }
  >();

  add(from: string | null = null, to: string | null = null): void {
    this.items += 1;
    const key = `${from} ${to}`;
    const pair = this.pairs.get(key);
    if (pair) pair.items += 1;
    else if (this.pairs.size < MAX_PAIRS) this.pairs.set(key, { from, to, items: 1 });
  }

  moves(): Moves {
    const [first] = [...this.pairs.values()].sort((a, b) => b.items - a.items);
    return { items: this.items, from: first?.from ?? null, to: first?.to ?? null };
  }
}

/** Hashes of up to 53 bits: 8 bytes for each item that one of the renders lacks, or that has another value. */
class Hashes {
  private hashes = new Float64Array(64);
  size = 0;

  add(hash: number): void {
    if (this.size === this.hashes.length) {
      const larger = new Float64Array(2 * this.size);
      larger.set(this.hashes);
      this.hashes = larger;
    }
    this.hashes[this.size++] = hash;
  }

  /** Hashes that occur several times on both sides are counted as often as on the side that has fewer of them. */
  countIn(other: Hashes): number {
    if (this.size === 0 || other.size === 0) return 0;
    const [a, b] = [this.sorted(), other.sorted()];
    let count = 0;
    for (let i = 0, j = 0; i < a.length && j < b.length; ) {
      const [x = 0, y = 0] = [a[i], b[j]];
      if (x === y) count += 1;
      if (x <= y) i += 1;
      if (y <= x) j += 1;
    }
    return count;
  }

  private sorted(): Float64Array {
    return this.hashes.slice(0, this.size).sort();
  }
}

function hashId(id: Uint8Array): number {
  let [a, b] = [0x811c9dc5, 0x9e3779b9];
  for (const byte of id) {
    a = Math.imul(a ^ byte, 0x01000193);
    b = Math.imul(b ^ byte, 0x85ebca6b) ^ (b >>> 13);
  }
  return ((a ^ (a >>> 15)) >>> 0) * 0x200000 + ((b ^ (b >>> 11)) >>> 11);
}

/** How many items cost nothing. */
export const freeItems = ({ prices }: RenderTotals): number =>
  Object.values(prices).reduce((sum, buckets) => sum + (buckets[FREE] ?? 0), 0);

/** The currency of most items. */
export function mainCurrency({ prices }: RenderTotals): string | null {
  let [main, most]: [string | null, number] = [null, 0];
  for (const [currency, buckets] of Object.entries(prices)) {
    const items = Object.values(buckets).reduce((sum, count) => sum + count, 0);
    if (items > most) [main, most] = [currency, items];
  }
  return main;
}

/** Of the items that cost something, in the smallest unit of the currency, to 2.2 %; and how many these are. */
export function medianPrice(
  { prices }: RenderTotals,
  currency: string,
): { readonly price: number; readonly items: number } | null {
  const buckets = Object.entries(prices[currency] ?? {})
    .map(([bucket, count]) => [Number(bucket), count] as const)
    .filter(([bucket]) => bucket !== FREE)
    .sort(([a], [b]) => a - b);
  const items = buckets.reduce((sum, [, count]) => sum + count, 0);
  let seen = 0;
  for (const [bucket, count] of buckets) {
    seen += count;
    if (2 * seen >= items) return { price: bucketPrice(bucket), items };
  }
  return null;
}

/** Items that can be ordered. */
export const orderableItems = ({ items, availability }: RenderTotals): number =>
  items - availability.out_of_stock - availability.unknown;

/** The value that most groups have: the share of the groups, how many these are, and how many items they have. */
export function commonestValue(
  { groups, shared }: RenderTotals,
  field: SharedField,
): { readonly share: number; readonly groups: number; readonly items: number } {
  let [most, items] = [0, 0];
  for (const [ofGroups, ofItems] of Object.values(shared[field]))
    if (ofGroups > most) [most, items] = [ofGroups, ofItems];
  return { share: groups === 0 ? 0 : most / groups, groups: most, items };
}
