/** What every part of a report is made from: the counts of the audit, and the sums of all losses. */
import { apportion, hundredths, UNIT } from "./exact.ts";
import type { RejectedRows } from "./rejected.ts";
import { type Score, scoreCatalog } from "./score.ts";
import type { Tally } from "./tally.ts";

/** The sums of an audit in UNITths of points, not yet divided by the number of items. */
export type Sums = {
  readonly whole: bigint;
  /** By rule, in the order of the tally. */
  readonly lost: readonly bigint[];
  readonly lostByItems: bigint;
  /** A rejected row loses all of its points. */
  readonly lostByRejected: bigint;
};

function sumUp(tally: Tally, rejected: number): Sums {
  const lost = tally.rules.map(({ missed }) => missed.inUnits());
  const lostByRejected = 100n * UNIT * BigInt(rejected);
  return {
    whole: 100n * UNIT * BigInt(tally.items) + lostByRejected,
    lost,
    lostByItems: lost.reduce((sum, one) => sum + one, 0n),
    lostByRejected,
  };
}

export type Findings = {
  readonly tally: Tally;
  readonly rejected: RejectedRows;
  readonly sums: Sums;
  readonly score: Score;
};

export function findingsOf(tally: Tally, rejected: RejectedRows): Findings {
  const sums = sumUp(tally, rejected.count);
  const score = scoreCatalog({
    items: tally.items + rejected.count,
    refused: tally.blocked + rejected.count,
    lost: sums.lostByItems + sums.lostByRejected,
  });
  return { tally, rejected, sums, score };
}

/** Hundredths of a point by rule and then by rejected rows, adding up to what is missing from the shown raw score. */
export function shownLosses({ sums, score }: Findings): number[] {
  const lost = [...sums.lost, sums.lostByRejected];
  if (lost.every((one) => one === 0n)) return lost.map(() => 0);
  return apportion(
    lost.map((one) => 10_000n * one),
    { per: sums.whole, total: 10_000n - score.raw },
  ).map(hundredths);
}

/** Whether the ceiling decides the score. */
export const isHeldDown = ({ score, raw }: Score): boolean => BigInt(score) < raw / 100n;
