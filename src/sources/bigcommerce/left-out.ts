/** What the shop has and shoppers do not get to see: no items, but counted, so that nobody has to ask where they went. */
import { counted, plural } from "../../lib/counted.ts";
import type { SourceEvent } from "../source.ts";

const REASONS = {
  hidden: "not visible on the storefront",
  elsewhere: "not assigned to this channel",
  priceHidden: "set to hide the price",
} as const satisfies Record<string, string>;
export type LeftOutReason = keyof typeof REASONS;

/** The sentence for a number of products, or null for none. */
export function leftOutSentence(reason: LeftOutReason, count: number): string | null {
  if (count <= 0) return null;
  const which = counted(count, "product is", "products are");
  return `${which} ${REASONS[reason]} and ${plural(count, "was", "were")} left out.`;
}

export function leftOutWarnings(counts: Readonly<Record<LeftOutReason, number>>): readonly SourceEvent[] {
  const reasons = Object.keys(REASONS) as readonly LeftOutReason[];
  return reasons.flatMap((reason): SourceEvent[] => {
    const message = leftOutSentence(reason, counts[reason]);
    if (message === null) return [];
    return [{ kind: "warning", warning: { ...OF_THE_SOURCE, message } }];
  });
}

/** A warning about the source as a whole, not about one item. */
const OF_THE_SOURCE = { itemId: null, position: null, field: null, code: "left_out" } as const;
