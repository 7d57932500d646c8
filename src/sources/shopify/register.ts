/**
 * What a read has taken so far. Products are known by their numbers, one number each, so that none is taken twice;
 * positions count every event that stands for a variant.
 */
import type { LeftOutCounts, LeftOutReason } from "./left-out.ts";

export type Register = {
  /** False if the product was taken before. */
  readonly take: (number: number) => boolean;
  /** A product without a usable id can only be counted. */
  readonly takeUnreadable: () => void;
  readonly products: () => number;
  readonly highest: () => number;
  readonly nextPosition: () => number;
  readonly positions: () => number;
  readonly leaveOut: (reason: LeftOutReason) => void;
  readonly leftOut: () => LeftOutCounts;
  /** Something the merchant should know of this read. */
  readonly remark: (sentence: string) => void;
  readonly remarks: () => readonly string[];
};

export function register(): Register {
  const taken = new Set<number>();
  const leftOut = new Map<LeftOutReason, number>();
  const remarks: string[] = [];
  let unreadable = 0;
  let highest = 0;
  let positions = 0;
  return {
    take: (number) => {
      if (taken.has(number)) return false;
      taken.add(number);
      highest = Math.max(highest, number);
      return true;
    },
    takeUnreadable: () => {
      unreadable += 1;
    },
    products: () => taken.size + unreadable,
    highest: () => highest,
    nextPosition: () => {
      positions += 1;
      return positions;
    },
    positions: () => positions,
    leaveOut: (reason) => leftOut.set(reason, (leftOut.get(reason) ?? 0) + 1),
    leftOut: () => leftOut,
    remark: (sentence) => remarks.push(sentence),
    remarks: () => remarks,
  };
}
