/** An audit in a sentence or two. */
import { counted, plural } from "../lib/counted.ts";
import { type AuditTotals, isCapped } from "./totals.ts";

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
