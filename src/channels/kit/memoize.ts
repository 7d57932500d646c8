/**
 * Memoizes the last result only. The writers get the same group one after another, and neighbors in a catalog share their
 * brand, seller and category, so one result saves most of the work, and nothing older is kept. A result depends on its
 * arguments alone.
 */
import type { ItemGroup } from "../../catalog/item-group.ts";
import type { FeedContext } from "../channel.ts";

type OfGroup<T> = (group: ItemGroup, context: FeedContext) => T;

export function memoizeLast<T>(compute: OfGroup<T>): OfGroup<T> {
  let newest: { group: ItemGroup; context: FeedContext; answer: T } | undefined;

  return (group, context) => {
    if (newest === undefined || newest.group !== group || newest.context !== context) {
      newest = { group, context, answer: compute(group, context) };
    }
    return newest.answer;
  };
}

/** For texts that repeat from item to item; equal questions are found by `===`. */
export function memoizeLastText<Question>(
  write: (question: Question) => string,
): (question: Question) => string {
  let newest: { question: Question; answer: string } | undefined;

  return (question) => {
    if (newest === undefined || newest.question !== question) newest = { question, answer: write(question) };
    return newest.answer;
  };
}
