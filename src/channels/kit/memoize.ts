/**
 * Memoizes the last result only. The writers get the same group one after another, and consecutive items share their
 * brand, seller and category, so one result saves most of the work.
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

/** The same for a function of one argument, compared by `===`. */
export function memoizeLastArgument<Argument, T>(
  compute: (argument: Argument) => T,
): (argument: Argument) => T {
  let newest: { argument: Argument; answer: T } | undefined;

  return (argument) => {
    if (newest === undefined || newest.argument !== argument)
      newest = { argument, answer: compute(argument) };
    return newest.answer;
  };
}
