/** An audit in a sentence or two. */
import { counted, plural } from "../lib/counted.ts";
import { type Findings, isHeldDown } from "./sums.ts";

export function ceilingReason(found: Findings): string {
  const { tally, rejected } = found;
  const total = tally.items + rejected.count;
  if (total === 0) return "The catalog has no items.";
  const percentage = percent(tally.blocked + rejected.count, total);
  return `${sentence(refusedPhrase(found))} (${percentage} %).`;
}

const isOrAre = (number: number): string => plural(number, "is", "are");

/** "3 of 48 items are refused by a channel", "4 of 52 rows could not be stored", or both. */
function refusedPhrase({ tally, rejected }: Findings): string {
  const { items, blocked } = tally;
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
export function summarize(found: Findings): string {
  const { tally, rejected, score } = found;
  const now = `${score.score} (${score.grade}).`;
  if (tally.items === 0) {
    return rejected.count === 0
      ? `${now} The catalog has no items.`
      : `${now} ${rejected.count === 1 ? "The only row could not" : `None of ${counted(rejected.count, "row")} could`} be stored.`;
  }
  const phrase = refusedPhrase(found);
  if (isHeldDown(score)) return `${now} It would be ${score.raw / 100n}, but ${phrase}.`;
  return tally.blocked + rejected.count === 0 ? now : `${now} ${sentence(phrase)}.`;
}
