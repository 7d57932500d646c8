/**
 * What a refusal costs an item. Each channel that refuses the item takes the channel's weight, which is divided among
 * the rules that are the cause.
 */
import { TWELFTHS } from "./outcome.ts";
import { ALL_FORMATS, weightOfBits } from "./rule.ts";

/** `blocks` has a bit for every channel that refuses the item because of the rule. */
type RefusalCause = { readonly blocks: number };

/** Visits each cause with its share, in the units of `LossSum`: `missed` at the stake `causes`. */
export function shareRefusals<Rule extends RefusalCause>(
  refusing: readonly Rule[],
  visit: (rule: Rule, causes: number, missed: number) => void,
): void {
  for (let at = 0; at < ALL_FORMATS.length; at++) {
    const causes = refusing.filter(({ blocks }) => (blocks >> at) & 1);
    for (const rule of causes) visit(rule, causes.length, TWELFTHS * weightOfBits(1 << at));
  }
}

export function refusedBits(refusing: readonly RefusalCause[]): number {
  return refusing.reduce((bits, { blocks }) => bits | blocks, 0);
}
