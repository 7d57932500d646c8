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
};

/** Sixteen to a doubling: prices of one bucket differ by less than 4.5 %. */
const BUCKETS = 16;
/** Of the price zero. */
export const FREE = -1;

const priceBucket = (price: number): number => (price === 0 ? FREE : Math.floor(Math.log2(price) * BUCKETS));

/** The middle of a bucket, in the smallest unit of the currency. */
export const bucketPrice = (bucket: number): number =>
  bucket === FREE ? 0 : 2 ** ((bucket + 0.5) / BUCKETS);

export class TotalsCounter {
  private items: number;
  private onSale: number;
  private readonly availability: number[];
  private readonly filled: number[];
  private readonly prices: Map<string, Map<number, number>>;

  constructor(start?: RenderTotals) {
    this.items = start?.items ?? 0;
    this.onSale = start?.onSale ?? 0;
    this.availability = AVAILABILITIES.map((name) => start?.availability[name] ?? 0);
    this.filled = FILLED_FIELDS.map((name) => start?.filled[name] ?? 0);
    this.prices = new Map(
      Object.entries(start?.prices ?? {}).map(([currency, buckets]) => [
        currency,
        new Map(Object.entries(buckets).map(([bucket, count]) => [Number(bucket), count])),
      ]),
    );
  }

  /** `change` is 1 for an item that is added, and -1 for one that is taken away. */
  count({ price, currency, isOnSale, availability, filled }: ItemFacts, change: 1 | -1): void {
    this.items += change;
    if (isOnSale) this.onSale += change;
    addTo(this.availability, AVAILABILITIES.indexOf(availability), change);
    for (let bits = filled, at = 0; bits !== 0; bits >>>= 1, at++)
      if ((bits & 1) !== 0) addTo(this.filled, at, change);
    let buckets = this.prices.get(currency);
    if (!buckets) this.prices.set(currency, (buckets = new Map()));
    const bucket = priceBucket(price);
    buckets.set(bucket, (buckets.get(bucket) ?? 0) + change);
  }

  /** In one order: equal catalogs have equal totals, whatever was kept. */
  totals(): RenderTotals {
    const prices = [...this.prices]
      .map(([currency, buckets]) => [currency, filledBuckets(buckets)] as const)
      .filter(([, buckets]) => buckets.length > 0)
      .sort(([a], [b]) => Number(a > b) - Number(a < b));
    return {
      items: this.items,
      onSale: this.onSale,
      availability: named(AVAILABILITIES, this.availability),
      filled: named(FILLED_FIELDS, this.filled),
      prices: Object.fromEntries(
        prices.map(([currency, buckets]) => [currency, Object.fromEntries(buckets)]),
      ),
    };
  }
}

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
