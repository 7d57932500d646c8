/**
 * The report of an audit, which is stored and shown without changes: the score, its ceiling, and the cause of every
 * missing point. Shown numbers have two decimals and add up as they are shown. `exact` has the same numbers as
 * fractions; `exact.raw` and all of `exact.lost` add up to exactly 100. Field names are those of the API.
 */
import type { Audit } from "../contract/audits.ts";
import { requirementOf } from "./rule.ts";
import { REJECTED_RULE, ruleByNumber } from "./ruleset.ts";

/** The audit without the fields that the run adds when it stores the audit. */
export type AuditReport = Omit<
  Audit,
  "run_id" | "created_at" | "catalog_score" | "previous_score" | "change"
> & { readonly score: number };

export type RuleReport = AuditReport["rules"][number];
export type RefusalReport = NonNullable<AuditReport["refusals"]>;
/** What a fix gains. It is computed as the score itself is, including the rounding down. */
export type FixGain = Pick<RuleReport, "score_if_fixed" | "grade_if_fixed" | "gain">;

/** The data of the event `audit.completed`, without the id of the run. */
export function completedData(report: AuditReport, previousScore: number | null) {
  const { score, grade, items } = report;
  return { catalog_score: score, grade, previous_score: previousScore, items };
}

/** Neutral values for fields that reports of earlier versions lack; the next audit fills them in. */
const EARLIER = { rejected: 0, rejection_reasons: [], refusals: null } as const;

const rangeOf = ({ gain = 0 }: Partial<RuleReport>) => ({ gain_min: gain, gain_max: gain });

/** Reads a stored report, including reports of earlier versions. */
export function readReport(text: string): AuditReport {
  const stored = JSON.parse(text) as AuditReport;
  const { score, grade } = stored;
  const unchanged: FixGain = { score_if_fixed: score, grade_if_fixed: grade, gain: 0 };
  return {
    ...EARLIER,
    ...stored,
    formats: stored.formats.map((format) => Object.assign({ refusals: null }, format)),
    rules: stored.rules.map((rule) =>
      Object.assign(
        {
          ...unchanged,
          ...rangeOf(rule),
          refused: 0,
          ...requirementOf(ruleByNumber(rule.number) ?? REJECTED_RULE),
        },
        rule,
      ),
    ),
  };
}

/** Reads a stored explanation of how the score changed. */
export function readChange(text: string): NonNullable<Audit["change"]> {
  return JSON.parse(text) as NonNullable<Audit["change"]>;
}
