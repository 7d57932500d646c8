/**
 * Builds the events of one read: items numbered without a gap, and at the end one warning for each thing the merchant
 * should know. What is left out of the catalog is counted by reason, so that nothing disappears silently.
 */
import type { JsonObject } from "../../lib/json-object.ts";
import type { Draft } from "../../catalog/draft.ts";
import { counted } from "../../lib/counted.ts";
import { eventNumbering, type PartialRejection, type SourceEvent, sourceWarning } from "../source.ts";
import { newestTime } from "./changes.ts";
import { idIn, textIn } from "./json.ts";
import { roundedNote, roundToCurrency } from "./prices.ts";

/** Why something is left out: what follows the number one, and what follows any other number. */
export type DropReason = { readonly one: string; readonly many: string };

/** For products that are in a state: "3 products are hidden and were left out." */
export function productsThatAre(state: string, noun = "product"): DropReason {
  return { one: `${noun} is ${state} and was left out.`, many: `${noun}s are ${state} and were left out.` };
}

/** For things of a kind: "3 gift cards were left out: feeds do not take them." */
export function leftOutBecause(noun: string, reason: string): DropReason {
  return { one: `${noun} was left out: ${reason}.`, many: `${noun}s were left out: ${reason}.` };
}

/** One sentence for each reason that has a count, in the order of the reasons. */
export function dropSentences<Reason extends string>(
  reasons: Readonly<Record<Reason, DropReason>>,
  counts: ReadonlyMap<Reason, number>,
): readonly string[] {
  return (Object.keys(reasons) as Reason[]).flatMap((reason) => {
    const count = counts.get(reason) ?? 0;
    return count > 0 ? [counted(count, reasons[reason].one, reasons[reason].many)] : [];
  });
}

export type EventBuilderOptions<Reason extends string> = {
  readonly reasons: Readonly<Record<Reason, DropReason>>;
  /** Where the merchant sets how many decimals prices have. If set, prices are rounded to the currency. */
  readonly decimalsSetting?: string;
};

export type EventBuilder<Reason extends string> = ReturnType<typeof eventBuilder<Reason>>;

export function eventBuilder<Reason extends string>({
  reasons,
  decimalsSetting,
}: EventBuilderOptions<Reason>) {
  const dropped = new Map<Reason, number>();
  const notes = new Set<string>();
  const numbering = eventNumbering();
  const newest = newestTime();
  let rounded = 0;

  const warnings = (): readonly SourceEvent[] => [
    ...(rounded === 0 ? [] : [sourceWarning("price_rounded", roundedNote(rounded, decimalsSetting ?? ""))]),
    ...[...notes].map((sentence) => sourceWarning("source_note", sentence)),
    ...dropSentences(reasons, dropped).map((sentence) => sourceWarning("left_out", sentence)),
  ];
  return {
    draft: (draft: Draft, product?: number): SourceEvent => {
      const priced = decimalsSetting === undefined ? draft : roundToCurrency(draft);
      if (priced !== draft) rounded += 1;
      return numbering.draft(priced, ".", product?.toString());
    },
    /** For a row that cannot become an item. */
    reject: (rejection: PartialRejection): SourceEvent => numbering.reject(rejection),
    /** For a product that cannot be read: "Product 7 ("Mug") came without variants, so it cannot be read." */
    rejectProduct: (product: JsonObject, problem: string, advice: string): SourceEvent => {
      const [id, name] = [idIn(product), textIn(product, "name")];
      const title = name === undefined ? "" : ` ("${name.slice(0, 80).toWellFormed()}")`;
      const which = id === undefined ? "A product without an id" : `Product ${id}${title}`;
      const message = `${which} ${problem}, so it cannot be read. ${advice}`;
      return numbering.reject({ message, product: id?.toString() });
    },
    /** Notes when a product was changed last: the next read can begin there. */
    seeChange: newest.see,
    newestChange: newest.get,
    /** Counts something that is left out. One warning says how many there were. */
    countDropped: (reason: Reason, count = 1): void => {
      if (count > 0) dropped.set(reason, (dropped.get(reason) ?? 0) + count);
    },
    /** Adds a sentence to the warnings of this read, once. */
    note: (sentence: string): void => void notes.add(sentence),
    /** The notes, then what was left out. */
    warnings,
    /** The warnings and `end`: the read is complete. */
    end: (): readonly SourceEvent[] => [
      ...warnings(),
      { kind: "end", validators: null, expected: numbering.count(), newestChange: newest.get() },
    ],
  };
}
