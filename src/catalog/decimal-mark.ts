/**
 * Finds out which mark a file's prices have before their decimals, from all prices together. What one number shows is
 * proof: `12,50` and `1.234.567` show a comma. A whole number that could have a separator and has none shows that marks
 * do not separate thousands. Prices that contradict each other decide nothing: a wrong mark is wrong by a thousand. One
 * odd price among many decides nothing either: it may be a mistake of its own.
 */
import type { DecimalMark } from "./decimal.ts";
import { isWholeInPractice } from "./currency.ts";
import { type Amount, otherMark, readAmount } from "./money.ts";

/** At most this many ambiguous prices are decided by one price that shows the mark. */
const DECIDED_BY_ONE = 20;

export class DecimalMarkEvidence {
  private readonly shown = new Set<DecimalMark>();
  /** How many prices show a mark, are ambiguous, or could have a separator of thousands and have none. */
  private readonly counts = { shown: 0, ambiguous: 0, ungrouped: 0 };
  /** The marks of ambiguous prices, and the least number of digits before them. */
  private readonly ambiguous = new Set<DecimalMark>();
  private shortestHead = Number.POSITIVE_INFINITY;
  private longestWhole = 0;

  /** `currency` is that of prices that name none. A currency that is not known has two decimals, as most have. */
  add(price: string, currency = "USD"): void {
    const amount = readAmount(price, currency);
    if (amount.kind === "valid") this.addAmount(amount.value);
  }

  /** The mark that the prices show; `otherwise` if they show none, and null if they show both or too few show one. */
  mark(otherwise: DecimalMark | null = null): DecimalMark | null {
    const { shown, ambiguous, ungrouped } = this.counts;
    const isByUngrouped = this.shown.size === 0 && this.isUngrouped();
    const marks = isByUngrouped ? this.ambiguous : this.shown;
    const [mark] = marks;
    if (mark === undefined) return otherwise;
    const isEnough = DECIDED_BY_ONE * (isByUngrouped ? ungrouped : shown) >= ambiguous;
    return marks.size > 1 || !isEnough ? null : mark;
  }

  private addAmount({ digits, currency }: Amount): void {
    const { whole } = digits;
    if (!digits.isAmbiguous) {
      if (digits.shows !== null) this.show(digits.shows);
      else this.addWhole(digits.isSpaced ? Infinity : whole.length);
      return;
    }
    // A yen has no tenths, so the mark of 1.500 separates thousands; 990.000 may have three zeros as decimals.
    if (isWholeInPractice(currency) && digits.fraction !== "000") this.show(otherMark(digits.mark));
    this.ambiguous.add(digits.mark);
    this.counts.ambiguous += 1;
    this.shortestHead = Math.min(this.shortestHead, whole.length);
  }

  private show(mark: DecimalMark): void {
    this.shown.add(mark);
    this.counts.shown += 1;
  }

  private addWhole(length: number): void {
    this.longestWhole = Math.max(this.longestWhole, length);
    if (length >= 4) this.counts.ungrouped += 1;
  }

  /**
   * Spanish, Portuguese and Polish separate the thousands of 12.345 and not those of 1234, so 1234 is proof only beside
   * 1.299.
   */
  private isUngrouped(): boolean {
    return this.longestWhole > 4 || (this.longestWhole === 4 && this.shortestHead === 1);
  }
}
