/**
 * All rules, with the version and hash that identify them. Only audits with the same hash are compared. A change of
 * what a rule finds needs a new version: a test compares the verdicts on a fixed set of items with the recorded
 * verdicts of the version.
 */
import { hash } from "node:crypto";
import { ALL_FORMATS, type AnyRule, type ItemRule, REFERENCES, type RuleInfo } from "./rule.ts";
import { ADDRESS_RULES } from "./rules/addresses.ts";
import { ELIGIBILITY_RULES } from "./rules/eligibility.ts";
import { SETTINGS_RULES } from "./rules/settings.ts";
import { CLASSIFICATION_RULES } from "./rules/classification.ts";
import { CONTENT_RULES } from "./rules/content.ts";
import { FRESHNESS_RULES } from "./rules/freshness.ts";
import { IDENTITY_RULES } from "./rules/identity.ts";
import { OFFER_RULES } from "./rules/offer.ts";
import { TERMS_RULES } from "./rules/terms.ts";
import { VARIANT_RULES } from "./rules/variants.ts";

const VERSION = 7;

/** All rules about items, in the order of their numbers. */
export const ITEM_RULES: readonly ItemRule[] = [
  ...ELIGIBILITY_RULES,
  ...ADDRESS_RULES,
  ...IDENTITY_RULES,
  ...VARIANT_RULES,
  ...OFFER_RULES,
  ...TERMS_RULES,
  ...CONTENT_RULES,
  ...CLASSIFICATION_RULES,
  ...FRESHNESS_RULES,
].sort((a, b) => a.number - b.number);

export const ALL_RULES: readonly AnyRule[] = [...ITEM_RULES, ...SETTINGS_RULES];

/**
 * Rejected rows, reported in the form of a rule. This rule does not evaluate items and has no share in their 100
 * points.
 */
export const REJECTED_RULE = {
  number: 57,
  id: "eligibility.rejected",
  title: "Rows of the source were rejected",
  dimension: "eligibility",
  field: "settings",
  points: 100,
  severity: "critical",
  formats: ALL_FORMATS,
  blocks: ALL_FORMATS,
  scope: "catalog",
  when: "to every row of the newest successful sync of each source, except rows that the shop itself marks as unpublished",
  expects:
    "Every row becomes an item. A rejected row earns no points, and every channel counts it as refused.",
  advice: "Correct these rows in the shop, or remove them from the source.",
  reference: REFERENCES.productData,
} as const satisfies RuleInfo & { readonly dimension: string };

export type Ruleset = { readonly version: number; readonly hash: string };

/** The hash covers what affects scores, but not the wording. */
export const RULESET: Ruleset = {
  version: VERSION,
  hash: hash(
    "sha256",
    JSON.stringify([
      VERSION,
      ...ALL_RULES.map(({ number, id, points, severity, formats, blocks }) => [
        number,
        id,
        points,
        severity,
        formats,
        blocks,
      ]),
    ]),
    "hex",
  ).slice(0, 16),
};

const BY_NUMBER: ReadonlyMap<number, AnyRule> = new Map(ALL_RULES.map((rule) => [rule.number, rule]));

export function ruleByNumber(number: number): AnyRule | undefined {
  return BY_NUMBER.get(number);
}
