/**
 * The decimal mark of the prices of a file or a body. It is looked for only when a price cannot be read without it, and
 * then in all prices: the text is read once more from its beginning.
 */
import { nameCurrency } from "../../catalog/currency.ts";
import type { DecimalMark } from "../../catalog/decimal.ts";
import { DecimalMarkEvidence } from "../../catalog/decimal-mark.ts";
import type { Draft } from "../../catalog/draft.ts";
import { isAmbiguousPrice } from "../../catalog/money.ts";
import type { TextReader } from "../../lib/formats/text-reader.ts";
import type { RowSource } from "../source.ts";

/** A row of a file or a product of a body, or something else, which has no prices. */
type Priced = { readonly kind: string; readonly draft?: Draft; readonly source?: RowSource };

const pricesIn = ({ price, salePrice, listPrice }: Draft): readonly string[] =>
  [price, salePrice, listPrice].filter((text) => text !== undefined);

export function needDecimalMark(rows: readonly Priced[]): boolean {
  return rows.some((row) => (row.source?.prices ?? pricesIn(row.draft ?? {})).some(isAmbiguousPrice));
}

export type MarkOptions = {
  /** The currency of prices that name none. */
  readonly currency?: string | undefined;
  /** The mark of prices that show none. */
  readonly defaultDecimalMark?: DecimalMark | null | undefined;
};

/** Null if the prices do not show the mark. */
export function decimalMarkOf(
  rows: Iterable<Priced>,
  { currency, defaultDecimalMark }: MarkOptions,
): DecimalMark | null {
  const evidence = new DecimalMarkEvidence();
  addPrices(evidence, rows, currency);
  return evidence.mark(defaultDecimalMark);
}

function addPrices(
  evidence: DecimalMarkEvidence,
  rows: Iterable<Priced>,
  currency: string | undefined,
): void {
  for (const { draft } of rows) {
    if (draft === undefined) continue;
    const named = draft.currency === undefined ? null : nameCurrency(draft.currency, currency);
    const code = named?.kind === "named" ? named.code : currency;
    for (const price of pricesIn(draft)) evidence.add(price, code);
  }
}

export type Survey = MarkOptions & {
  readonly texts: () => AsyncIterable<string>;
  readonly reader: TextReader<Priced>;
  /** False for the beginning of a text. */
  readonly isWhole: boolean;
};

/** Reads all prices. Yields empty batches, so that the caller can stop it. */
export async function* surveyDecimalMark({
  texts,
  reader,
  isWhole,
  currency,
  defaultDecimalMark,
}: Survey): AsyncGenerator<readonly [], DecimalMark | null, void> {
  const evidence = new DecimalMarkEvidence();
  for await (const text of texts()) {
    addPrices(evidence, reader.push(text), currency);
    yield [];
  }
  if (isWhole) addPrices(evidence, reader.end(), currency);
  return evidence.mark(defaultDecimalMark);
}
