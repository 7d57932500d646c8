/**
 * What an audit says, in a shape that is stored and shown as it is: the score, its ceiling, and where every missing
 * point went. Shown numbers have two decimals and add up as they are shown; `exact` has the same as fractions, with
 * `exact.raw` and all of `exact.lost` making exactly 100. Names are those of the API.
 */
import type { RejectionReason } from "./audit-context.ts";
import type { Dimension, Format, Severity } from "./rule.ts";
import type { Ruleset } from "./ruleset.ts";
import type { Grade } from "./grades.ts";
import type { Example } from "./counters.ts";

/** What a fix brings, computed as the score itself is: ceiling and cut included. */
export type Fix = {
  readonly score_if_fixed: number;
  readonly grade_if_fixed: Grade;
  /** The points by which the score rises; 0 while the ceiling holds it down. */
  readonly gain: number;
};

export type RuleReport = Fix & {
  readonly number: number;
  readonly id: string;
  readonly title: string;
  readonly dimension: Dimension;
  readonly severity: Severity;
  readonly points: number;
  /** Points of the catalog's raw score that went here. */
  readonly lost: number;
  /** Items found wanting. */
  readonly items: number;
  /** Items that a channel refuses for it. */
  readonly refused: number;
  readonly judged: number;
  readonly unknown: number;
  readonly not_applicable: number;
  /** What is wrong, where it is not about single items. */
  readonly message: string | null;
  readonly advice: string;
  readonly reference: string;
  /** The first items that were found wanting. */
  readonly examples: readonly Example[];
};

/** All refusals together: several rules can refuse the same items, and then no single fix lifts the ceiling. */
export type Refusals = Fix & {
  /** Refused items and rejected rows. */
  readonly items: number;
  /** The rules to fix, those that refuse most items first. */
  readonly rules: readonly string[];
};

export type AuditReport = {
  readonly ruleset: Ruleset;
  readonly as_of: string;
  readonly items: number;
  /** Rows that could not be stored. Each counts as an item without points that every channel refuses. */
  readonly rejected: number;
  /** Why they were rejected, the commonest reason first. */
  readonly rejection_reasons: readonly RejectionReason[];
  readonly score: number;
  readonly grade: Grade;
  /** The score before the ceiling, cut after two decimals. */
  readonly raw: number;
  readonly ceiling: { readonly limit: number; readonly reason: string } | null;
  /** Stored items that at least one format refuses. */
  readonly blocked: number;
  /** Null when nothing is refused or rejected. */
  readonly refusals: Refusals | null;
  readonly summary: string;
  /** How many answers the rules could give. */
  readonly coverage: {
    readonly judged: number;
    readonly unknown: number;
    readonly not_applicable: number;
  };
  readonly dimensions: readonly {
    readonly id: Dimension;
    readonly title: string;
    /** Of the catalog's 100 points, those that were at stake here and those that were lost. */
    readonly stake: number;
    readonly lost: number;
    /** The share that was kept, cut to a whole number; null when nothing was at stake. */
    readonly score: number | null;
  }[];
  readonly formats: readonly {
    readonly id: Format;
    readonly files: readonly string[];
    /** A refused item has no score here, so this is never above the share of items that are ready. */
    readonly score: number;
    readonly ready: number;
    /** Stored items and rejected rows. */
    readonly total: number;
    /** What fixing all refusals of this format brings to the score of the catalog. */
    readonly refusals: Refusals | null;
  }[];
  /** Those that bring most when fixed first. */
  readonly rules: readonly RuleReport[];
  readonly exact: {
    readonly denominator: string;
    readonly raw: string;
    readonly lost: Readonly<Record<string, string>>;
  };
};

/** What the event `audit.completed` says of an audit, beside the id of its run. */
export function completedData(report: AuditReport, previousScore: number | null) {
  const { score, grade, items } = report;
  return { catalog_score: score, grade, previous_score: previousScore, items };
}

/** Fields that reports of earlier versions lack, with their neutral values; the next audit fills them in. */
const EARLIER = { rejected: 0, rejection_reasons: [], refusals: null } as const;

/** A stored report, also one of an earlier version. */
export function readReport(text: string): AuditReport {
  const stored = JSON.parse(text) as AuditReport;
  const { score, grade } = stored;
  const unchanged: Fix = { score_if_fixed: score, grade_if_fixed: grade, gain: 0 };
  return {
    ...EARLIER,
    ...stored,
    formats: stored.formats.map((format) => Object.assign({ refusals: null }, format)),
    rules: stored.rules.map((rule) => Object.assign({ ...unchanged, refused: 0 }, rule)),
  };
}
