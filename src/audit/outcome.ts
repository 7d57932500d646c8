/**
 * The result of one rule for one item, as a small whole number: the twelfths of the rule's points that the item earns,
 * or a negative number if the rule was not evaluated. Halves, thirds and quarters are whole numbers of twelfths, so no
 * intermediate result is rounded.
 */
export type Outcome = number;

/** Into how many parts a rule's points can be split. */
export const TWELFTHS = 12;
export const PASS = 12;
export const FAIL = 0;
/** The rule does not concern this item: its points leave the denominator. */
export const NOT_APPLICABLE = -1;
/** The rule concerns the item, but the data it needs is not available: its points leave the denominator too. */
export const UNKNOWN = -2;

export function failIf(isFailed: boolean): Outcome {
  return isFailed ? FAIL : PASS;
}
