/** Totals of the facts of all items of a render. A render that keeps groups starts from the totals of the previous one. */
import { AVAILABILITIES, type Availability } from "../../catalog/item.ts";
import { FILLED_FIELDS, type FilledField, type ItemFacts } from "./item-facts.ts";

export type RenderTotals = {
  readonly items: number;
  readonly onSale: number;
  readonly availability: Readonly<Record<Availability, number>>;
  readonly filled: Readonly<Record<FilledField, number>>;
  /** By currency, how many items have a price of each size: the key is that of `priceBucket`. */
  readonly prices: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Items whose title is their id, that have garbled text, or a price far from others: see `ItemFacts`. */
  readonly titleIds: number;
  readonly garbled: number;
  readonly farApart: number;
  readonly groups: number;
  /** How often values are repeated: see `SharedValues`. */
  readonly shared: Readonly<Record<SharedField, SharedValues>>;
};

/** Of these fields, different products have different values. */
export const SHARED_FIELDS = ["title", "description", "link", "image", "price"] as const;
export type SharedField = (typeof SHARED_FIELDS)[number];

/**
 * For each of 1,024 classes of values, by hash: how many groups have such a value, and how many items these groups have. The value
 * of a group is that of its first item, since the items of a group share texts and addresses. A class with far more groups than
 * the others is one value that many groups have. Classes can be added and subtracted, so that kept groups are not read again.
 */
export type SharedValues = Readonly<Record<string, readonly [groups: number, items: number]>>;

const CLASSES = 1_024;

/** Totals that are one number. */
const SUMS = ["items", "onSale", "titleIds", "garbled", "farApart", "groups"] as const;
type Sum = (typeof SUMS)[number];

/** Sixteen to a doubling: prices of one bucket differ by less than 4.5 %. */
const BUCKETS = 16;
/** Of the price zero. */
export const FREE = -1;

const priceBucket = (price: number): number => (price === 0 ? FREE : Math.floor(Math.log2(price) * BUCKETS));

/** The middle of a bucket, in the smallest unit of the currency. */
export const bucketPrice = (bucket: number): number =>
  bucket === FREE ? 0 : 2 ** ((bucket + 0.5) / BUCKETS);

export class TotalsCounter {
  private readonly sums: Record<Sum, number>;
  private readonly availability: number[];
  private readonly filled: number[];
  private readonly prices: Map<string, Map<number, number>>;
  /** For each field the groups of each class, then the items. */
  private readonly shared: readonly Float64Array[];

  constructor(start?: RenderTotals) {
    this.sums = Object.fromEntries(SUMS.map((sum) => [sum, start?.[sum] ?? 0])) as Record<Sum, number>;
    this.availability = AVAILABILITIES.map((name) => start?.availability[name] ?? 0);
    this.filled = FILLED_FIELDS.map((name) => start?.filled[name] ?? 0);
    this.prices = new Map(
      Object.entries(start?.prices ?? {}).map(([currency, buckets]) => [
        currency,
        new Map(Object.entries(buckets).map(([bucket, count]) => [Number(bucket), count])),
      ]),
    );
    this.shared = SHARED_FIELDS.map((field) => sharedCounts(start?.shared[field]));
  }

  /**
   * `change` is 1 for an item that is added, and -1 for one that is taken away. `groupItems` is the number of items of the group
   * for its first item, and 0 for the others.
   */
  count(facts: ItemFacts, change: 1 | -1, groupItems = 1): void {
    const { price, currency, availability, filled } = facts;
    this.countMarks(facts, change);
    if (groupItems > 0) this.countGroup(facts, change, groupItems);
    addTo(this.availability, AVAILABILITIES.indexOf(availability), change);
    for (let bits = filled, at = 0; bits !== 0; bits >>>= 1, at++)
      if ((bits & 1) !== 0) addTo(this.filled, at, change);
    let buckets = this.prices.get(currency);
    if (!buckets) this.prices.set(currency, (buckets = new Map()));
    const bucket = priceBucket(price);
    buckets.set(bucket, (buckets.get(bucket) ?? 0) + change);
  }

  private countMarks({ isOnSale, isTitleId, isGarbled, isFarApart }: ItemFacts, change: 1 | -1): void {
    this.sums.items += change;
    if (isOnSale) this.sums.onSale += change;
    if (isTitleId) this.sums.titleIds += change;
    if (isGarbled) this.sums.garbled += change;
    if (isFarApart) this.sums.farApart += change;
  }

  private countGroup(facts: ItemFacts, change: 1 | -1, items: number): void {
    this.sums.groups += change;
    for (const [index, field] of SHARED_FIELDS.entries()) {
      const counts = this.shared[index];
      const value = facts[field];
      // A value that is missing, or a price of zero, is found otherwise.
      if (counts === undefined || value === 0) continue;
      const at = field === "price" ? classOfPrice(value) : value % CLASSES;
      counts[at] = (counts[at] ?? 0) + change;
      counts[CLASSES + at] = (counts[CLASSES + at] ?? 0) + change * items;
    }
  }

  /** In one order: equal catalogs have equal totals, whatever was kept. */
  totals(): RenderTotals {
    const prices = [...this.prices]
      .map(([currency, buckets]) => [currency, filledBuckets(buckets)] as const)
      .filter(([, buckets]) => buckets.length > 0)
      .sort(([a], [b]) => Number(a > b) - Number(a < b));
    return {
      ...this.sums,
      availability: named(AVAILABILITIES, this.availability),
      filled: named(FILLED_FIELDS, this.filled),
      prices: Object.fromEntries(
        prices.map(([currency, buckets]) => [currency, Object.fromEntries(buckets)]),
      ),
      shared: Object.fromEntries(
        SHARED_FIELDS.map((field, index) => [field, sharedValues(this.shared[index])]),
      ) as RenderTotals["shared"],
    };
  }
}

function sharedCounts(values: SharedValues = {}): Float64Array {
  const counts = new Float64Array(2 * CLASSES);
  for (const [at, [groups, items]] of Object.entries(values)) {
    counts[Number(at)] = groups;
    counts[CLASSES + Number(at)] = items;
  }
  return counts;
}

function sharedValues(counts: Float64Array | undefined): SharedValues {
  const values: Record<string, readonly [number, number]> = {};
  for (let at = 0; at < CLASSES; at++) {
    const groups = counts?.[at] ?? 0;
    if (groups !== 0) values[at] = [groups, counts?.[CLASSES + at] ?? 0];
  }
  return values;
}

/** Prices that are next to each other, such as 9.99 and 10.00, are in different classes. */
const classOfPrice = (price: number): number => (Math.imul(price % 0x7fffffff, 0x9e3779b1) >>> 0) % CLASSES;

function addTo(counts: number[], at: number, change: number): void {
  counts[at] = (counts[at] ?? 0) + change;
}

const filledBuckets = (buckets: ReadonlyMap<number, number>): readonly (readonly [number, number])[] =>
  [...buckets].filter(([, count]) => count !== 0).sort(([a], [b]) => a - b);

function named<Name extends string>(
  names: readonly Name[],
  counts: readonly number[],
): Readonly<Record<Name, number>> {
  return Object.fromEntries(names.map((name, at) => [name, counts[at] ?? 0])) as Record<Name, number>;
}
