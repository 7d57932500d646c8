/** Why a rule is refused, with the place in the rule. */
import type { RULE_PROBLEMS } from "../../contract/rules.ts";

export type Problem = {
  readonly code: keyof typeof RULE_PROBLEMS;
  /** Below the rule: `/action/field`. */
  readonly pointer: string;
  readonly message: string;
};

/** Thrown while a rule is compiled, and caught where its problems are collected. */
export class RuleError extends Error {
  readonly problem: Problem;
  constructor(code: Problem["code"], pointer: string, message: string) {
    super(message);
    this.problem = { code, pointer, message };
  }
}
