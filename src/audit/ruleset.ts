/**
 * Every rule there is, and the version and hash by which an audit names them. Audits of the same hash can be
 * compared; any other change makes a new baseline. Whoever changes what a rule finds raises the version: a test
 * judges a fixed set of items and fails while the verdicts differ from those of the version.
 */
import { hash } from "node:crypto";
import type { ItemRule, RuleFacts } from "./rule.ts";
import { ADDRESS_RULES } from "./rules/addresses.ts";
import { CLASSIFICATION_RULES } from "./rules/classification.ts";
import { CONTENT_RULES } from "./rules/content.ts";
import { ELIGIBILITY_RULES } from "./rules/eligibility.ts";
import { FRESHNESS_RULES } from "./rules/freshness.ts";
import { IDENTITY_RULES } from "./rules/identity.ts";
import { OFFER_RULES } from "./rules/offer.ts";
import { SETTINGS_RULES } from "./rules/settings.ts";
import { TERMS_RULES } from "./rules/terms.ts";
import { VARIANT_RULES } from "./rules/variants.ts";

const VERSION = 3;

/** In the order of their numbers. */
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

export const ALL_RULES: readonly (RuleFacts & { readonly dimension: ItemRule["dimension"] })[] = [
  ...ITEM_RULES,
  ...SETTINGS_RULES,
];

export type Ruleset = { readonly version: number; readonly hash: string };

/** The hash covers what decides a score; wording may change without it. */
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

const BY_NUMBER: ReadonlyMap<number, (typeof ALL_RULES)[number]> = new Map(
  ALL_RULES.map((rule) => [rule.number, rule]),
);

export function ruleNumbered(number: number): (typeof ALL_RULES)[number] | undefined {
  return BY_NUMBER.get(number);
}
