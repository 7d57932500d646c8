/** The counters of a finished audit with the sums of all losses and the score, and the audit in a sentence or two. */
import { counted, plural } from "../lib/counted.ts";
import type { RejectedRows } from "./audit-context.ts";
import type { AuditCounters } from "./counters.ts";
import { apportion, hundredths, type Score, scoreCatalog, UNIT } from "./grades.ts";

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

export function ceilingReason(totals: AuditTotals): string {
  const { counters, rejected } = totals;
  const total = counters.items + rejected.count;
  if (total === 0) return "The catalog has no items.";
  const percentage = percent(counters.blocked + rejected.count, total);
  return `${sentence(refusedPhrase(totals))} (${percentage} %).`;
}

const isOrAre = (number: number): string => plural(number, "is", "are");

/** "3 of 48 items are refused by a channel", "4 of 52 rows could not be stored", or both. */
function refusedPhrase({ counters, rejected }: AuditTotals): string {
  const { items, blocked } = counters;
  const { count } = rejected;
  const total = items + count;
  if (count === 0) return `${blocked} of ${counted(total, "item")} ${isOrAre(blocked)} refused by a channel`;
  if (blocked === 0) return `${count} of ${counted(total, "row")} could not be stored`;
  return `of ${counted(total, "item")} ${blocked} ${isOrAre(blocked)} refused by a channel and ${count} could not be stored`;
}

const sentence = (phrase: string): string => phrase.charAt(0).toUpperCase() + phrase.slice(1);

/** One decimal, cut. */
function percent(part: number, whole: number): string {
  return String(Math.floor((part * 1_000) / whole) / 10);
}

/** The ceiling first: it decides what to do next. */
export function summarize(totals: AuditTotals): string {
  const { counters, rejected, score } = totals;
  const now = `${score.score} (${score.grade}).`;
  if (counters.items === 0) {
    return rejected.count === 0
      ? `${now} The catalog has no items.`
      : `${now} ${rejected.count === 1 ? "The only row could not" : `None of ${counted(rejected.count, "row")} could`} be stored.`;
  }
  const phrase = refusedPhrase(totals);
  if (isCapped(score)) return `${now} It would be ${score.raw / 100n}, but ${phrase}.`;
  return counters.blocked + rejected.count === 0 ? now : `${now} ${sentence(phrase)}.`;
}
