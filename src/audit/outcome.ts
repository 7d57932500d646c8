/**
 * How one rule fares on one item, as a small whole number: the twelfths of the rule's points that the item earns, or
 * why there is nothing to earn. Twelfths, because halves, thirds and quarters of a rule are all whole in them, so the
 * score never needs a rounding on the way.
 */
export type Outcome = number;

/** Into how many parts a rule's points can be split. */
export const STEPS = 12;
export const FINE = 12;
export const FAULT = 0;
/** The rule has nothing to say about this item; its points leave the denominator. */
export const NOT_APPLICABLE = -1;
/** The rule would have something to say, but what it needs to see is not there; its points leave as well. */
export const UNKNOWN = -2;

export function faultIf(isFaulty: boolean): Outcome {
  return isFaulty ? FAULT : FINE;
}
