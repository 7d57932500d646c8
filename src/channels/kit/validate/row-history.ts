/** Checks that compare a row with the rows before it. */
import { moneyIn } from "./checks/money.ts";
import type { Findings } from "./findings.ts";
import { MAX_IDS } from "./limits.ts";
import type { CheckedRow } from "./row.ts";
import { SeenTexts } from "./seen-texts.ts";

type HistoryValue = {
  readonly field: string;
  /** The name of the value in a sentence. */
  readonly name: string;
  readonly value: string;
  /** The text that is compared, if it is not the value itself. */
  readonly key?: string;
};

export class RowHistory<Rule extends string> {
  private readonly findings: Findings<Rule>;
  private readonly mostIds: number;
  private readonly seen = new Map<string, SeenTexts>();
  private currency: string | undefined;

  constructor(findings: Findings<Rule>, mostIds = MAX_IDS) {
    this.findings = findings;
    this.mostIds = mostIds;
  }

  checkUnique(rule: Rule, { line }: CheckedRow, { field, name, value, key = value }: HistoryValue): void {
    const first = this.seenIn(field).add(key, line);
    if (first === undefined) return;
    this.findings.add(rule, { field, value, detail: `The ${name} was used on line ${first} already.` });
  }

  /** All prices of a file are in the currency of the first. */
  checkCurrency(rule: Rule, row: CheckedRow): void {
    const value = row.text("price");
    const currency = moneyIn(value)?.currency;
    if (currency === undefined) return;
    this.currency ??= currency;
    if (currency === this.currency) return;
    const detail = `The price is in ${currency}, the first one is in ${this.currency}.`;
    this.findings.add(rule, { field: "price", value, detail });
  }

  /** The line on which the field first had the value. */
  lineOf(field: string, value: string): number | undefined {
    return this.seenIn(field).lineOf(value);
  }

  isFull(field: string): boolean {
    return this.seenIn(field).isFull;
  }

  private seenIn(field: string): SeenTexts {
    const seen = this.seen.get(field) ?? new SeenTexts(this.mostIds);
    this.seen.set(field, seen);
    return seen;
  }
}
