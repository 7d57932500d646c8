/**
 * Finds prices from which tax was left out, or to which it was added: most of them changed by the factor of one tax
 * rate, exactly up to rounding. Sales and new prices of suppliers have other factors, or prices that end in 99.
 */
import type { ItemFacts } from "../../render/item-facts.ts";

/** Rates of value added and sales taxes in per cent. */
const RATES = [
  5, 5.5, 6, 7, 7.5, 8, 8.1, 9, 10, 11, 12, 13, 13.5, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25.5, 27,
];
/** A price without this tax equals a price reduced by 20 %, so 25 % is recognized only in these currencies. */
const RATE_OF_25 = { rate: 25, currencies: new Set(["SEK", "NOK", "DKK"]) };
/** Below this, in the smallest unit, rounding hides which rate it is. */
const LEAST_PRICE = 500;

export type TaxFactor = {
  readonly rate: number;
  readonly isAdded: boolean;
  readonly items: number;
};

export class TaxFactors {
  private readonly rates = [...RATES, RATE_OF_25.rate];
  private readonly added = this.rates.map(() => 0);
  private readonly leftOut = this.rates.map(() => 0);

  /** Prices of an item in one currency. The beginning and the end of a sale change a price without any tax. */
  add(was: ItemFacts, is: ItemFacts): void {
    if (was.price === is.price || was.isOnSale !== is.isOnSale) return;
    const [least, most] = was.price < is.price ? [was.price, is.price] : [is.price, was.price];
    if (least < LEAST_PRICE) return;
    const counts = most === is.price ? this.added : this.leftOut;
    for (const [at, rate] of this.rates.entries())
      if (canDistinguish(rate, is.currency) && isWith(least, rate, most)) counts[at] = (counts[at] ?? 0) + 1;
  }

  /** Null if no price has changed by such a factor. */
  commonest(): TaxFactor | null {
    let found: TaxFactor | null = null;
    for (const [at, rate] of this.rates.entries()) {
      for (const [isAdded, counts] of [
        [true, this.added],
        [false, this.leftOut],
      ] as const) {
        const items = counts[at] ?? 0;
        if (items > (found?.items ?? 0)) found = { rate, isAdded, items };
      }
    }
    return found;
  }
}

const canDistinguish = (rate: number, currency: string): boolean =>
  rate !== RATE_OF_25.rate || RATE_OF_25.currencies.has(currency);

/** Either price may be the rounded one. */
function isWith(net: number, rate: number, gross: number): boolean {
  const factor = 1 + rate / 100;
  return Math.abs(net * factor - gross) <= 1 || Math.abs(gross / factor - net) <= 1;
}
