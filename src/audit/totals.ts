/** The counters of a finished audit with the sums of all losses and the score, and the audit in a sentence or two. */
import { counted, plural } from "../lib/counted.ts";
import type { RejectedRows } from "./audit-context.ts";
import type { AuditCounters } from "./counters.ts";
import { apportion, hundredths, type CatalogScore, scoreCatalog, UNIT } from "./grades.ts";
import { FORMATS } from "./rule.ts";

/** In `1/UNIT` of a point, before the division by the number of items. */
export type LossTotals = {
  readonly whole: bigint;
  /** One sum per rule, in the order of the counters. */
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
  readonly score: CatalogScore;
};

export function totalsOf(counters: AuditCounters, rejected: RejectedRows): AuditTotals {
  const losses = sumLosses(counters, rejected.count);
  const score = scoreCatalog({
    items: counters.items + rejected.count,
    lost: losses.lostByItems + losses.lostByRejected,
  });
  return { counters, rejected, losses, score };
}

/**
 * Returns the points by rule, and last by rejected rows. They have two decimals and add up to 100 minus the shown raw
 * score.
 */
export function shownLosses({ losses, score }: AuditTotals): number[] {
  const lost = [...losses.lost, losses.lostByRejected];
  if (lost.every((one) => one === 0n)) return lost.map(() => 0);
  return apportion(
    lost.map((one) => 10_000n * one),
    { per: losses.whole, total: 10_000n - score.raw },
  ).map(hundredths);
}

/**
 * Returns the highest score that other fixes can reach while items are refused and rows rejected; null if no item is
 * refused and no row rejected.
 */
export function ceilingOf(totals: AuditTotals): { readonly limit: number; readonly reason: string } | null {
  const { counters, rejected, losses } = totals;
  const total = counters.items + rejected.count;
  if (total === 0) return { limit: 0, reason: "The catalog has no items." };
  const refused = counters.blocked + rejected.count;
  if (refused === 0) return null;
  const { score: limit } = scoreCatalog({
    items: total,
    lost: counters.refused.inUnits() + losses.lostByRejected,
  });
  return { limit, reason: `${sentence(refusedPhrase(totals))} (${percent(refused, total)} %).` };
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

/** Formats a percentage with one decimal, rounded down. */
function percent(part: number, whole: number): string {
  return String(Math.floor((part * 1_000) / whole) / 10);
}

/**
 * Lists the rules for which a channel refuses every item, with the rules about settings first: no other fix has an
 * effect before.
 */
function totalRefusals({ counters: { items, rules, formats } }: AuditTotals) {
  const isSetting = ({ rule }: (typeof rules)[number]): number => (rule.field === "settings" ? 0 : 1);
  const refusing = new Set(formats.filter(({ blocked }) => blocked === items).map(({ name }) => name));
  return rules
    .filter(({ refused }) => refused === items)
    .toSorted((a, b) => isSetting(a) - isSetting(b))
    .map(({ rule }) => ({ rule, blocks: rule.blocks.filter((format) => refusing.has(format)) }))
    .filter(({ blocks }) => blocks.length > 0);
}

/** The sentence begins with what keeps every item out of a channel, because that decides what to do next. */
export function summarize(totals: AuditTotals): string {
  const { counters, rejected, score } = totals;
  const now = `${score.score} (${score.grade}).`;
  if (counters.items === 0) {
    return rejected.count === 0
      ? `${now} The catalog has no items.`
      : `${now} ${rejected.count === 1 ? "The only row could not" : `None of ${counted(rejected.count, "row")} could`} be stored.`;
  }
  const [cause] = totalRefusals(totals);
  if (cause !== undefined) {
    const channels = cause.blocks.map((format) => FORMATS[format].title);
    return `${now} ${joined(channels)} ${plural(channels.length, "refuses", "refuse")} every item: ${cause.rule.title}.`;
  }
  return counters.blocked + rejected.count === 0 ? now : `${now} ${sentence(refusedPhrase(totals))}.`;
}

/** Joins names to "a", "a and b", "a, b and c". */
const joined = (names: readonly string[]): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
