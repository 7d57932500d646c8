/** The counters of a finished audit with the sums of all losses and the score: the input of every part of the report. */
import { apportion, hundredths, UNIT } from "./exact.ts";
import type { RejectedRows } from "./audit-context.ts";
import { type Score, scoreCatalog } from "./grades.ts";
import type { AuditCounters } from "./counters.ts";

/** In `1/UNIT` of a point, not yet divided by the number of items. */
export type LossTotals = {
  readonly whole: bigint;
  /** By rule, in the order of the counters. */
  readonly lost: readonly bigint[];
  readonly lostByItems: bigint;
  /** A rejected row loses all of its points. */
  readonly lostByRejected: bigint;
};

function sumLosses(counters: AuditCounters, rejected: number): LossTotals {
  const lost = counters.rules.map(({ lost: sum }) => sum.inUnits());
  const lostByRejected = 100n * UNIT * BigInt(rejected);
  return {
    whole: 100n * UNIT * BigInt(counters.items) + lostByRejected,
    lost,
    lostByItems: lost.reduce((sum, one) => sum + one, 0n),
    lostByRejected,
  };
}

export type AuditTotals = {
  readonly counters: AuditCounters;
  readonly rejected: RejectedRows;
  readonly losses: LossTotals;
  readonly score: Score;
};

export function totalsOf(counters: AuditCounters, rejected: RejectedRows): AuditTotals {
  const losses = sumLosses(counters, rejected.count);
  const score = scoreCatalog({
    items: counters.items + rejected.count,
    refused: counters.blocked + rejected.count,
    lost: losses.lostByItems + losses.lostByRejected,
  });
  return { counters, rejected, losses, score };
}

/** Points by rule and then by rejected rows, with two decimals that add up to 100 minus the shown raw score. */
export function shownLosses({ losses, score }: AuditTotals): number[] {
  const lost = [...losses.lost, losses.lostByRejected];
  if (lost.every((one) => one === 0n)) return lost.map(() => 0);
  return apportion(
    lost.map((one) => 10_000n * one),
    { per: losses.whole, total: 10_000n - score.raw },
  ).map(hundredths);
}

/** Whether the ceiling lowers the score. */
export const isCapped = ({ score, raw }: Score): boolean => BigInt(score) < raw / 100n;
