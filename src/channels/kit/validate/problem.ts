/**
 * What a validator says about a feed. Every kind of complaint is a rule with a stable id, a severity and a sentence,
 * kept in tables, so that the report, the command line and the documentation all say the same.
 */
export const SEVERITIES = ["error", "warning", "info"] as const;
/** `error`: the file or the item is refused. `warning`: a value is dropped or the item reaches fewer people. */
export type Severity = (typeof SEVERITIES)[number];

export type Problem = {
  /** Counted from 1; null where the whole file is meant. */
  readonly line: number | null;
  readonly itemId: string | null;
  /** The file's own name for what is wrong. */
  readonly field: string | null;
  readonly rule: string;
  readonly severity: Severity;
  readonly message: string;
  /** What was found there, cut to 80 characters. */
  readonly value: string | null;
};

export type Rule = {
  readonly severity: Severity;
  readonly sentence: string;
  /** The lesser severity, and the end of a sentence that says where it applies. */
  readonly mild?: { readonly severity: Severity; readonly when: string };
};

export type RuleTable = Readonly<Record<string, Rule>>;

const ruleOf =
  (severity: Severity) =>
  (sentence: string, mild?: Rule["mild"]): Rule =>
    mild === undefined ? { severity, sentence } : { severity, sentence, mild };

export const error = ruleOf("error");
export const warning = ruleOf("warning");
export const info = ruleOf("info");

export function mildly(severity: Severity, when: string): Rule["mild"] {
  return { severity, when };
}
