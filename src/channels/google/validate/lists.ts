/** Lists of details, highlights, options and the like: how many there may be, how long, and what each must have. */
import { GOOGLE_ATTRIBUTES } from "../../../catalog/google-attributes.ts";
import { isLonger } from "../../../lib/text-length.ts";
import type { Field } from "../../kit/field-table.ts";
import { limitOf, mostOf, partLimitOf, totalOf } from "../../kit/limits.ts";
import { FIELDS } from "./limits.ts";
import type { GoogleFindings, Group, RowCheck } from "./row.ts";
import type { GoogleRule } from "./rules.ts";

type ListRules = {
  readonly name: string;
  readonly most?: { readonly count: number; readonly rule: GoogleRule };
  /** The longest text of each sub-attribute. */
  readonly longest?: { readonly parts: Readonly<Record<string, number>>; readonly rule: GoogleRule };
  readonly total?: { readonly chars: number; readonly rule: GoogleRule };
  readonly needed?: { readonly parts: readonly string[]; readonly rule: GoogleRule };
};

/** The longest that each part of a group may be. */
function partLimitsOf(field: Field): Readonly<Record<string, number>> {
  return Object.fromEntries((field.parts ?? []).map((part) => [part, partLimitOf(field, part)]));
}

const LISTS: readonly ListRules[] = [
  {
    name: "variant_option",
    most: { count: mostOf(FIELDS.variant_option), rule: "gmc.variantoption.count" },
    longest: { parts: partLimitsOf(FIELDS.variant_option), rule: "gmc.variantoption.length" },
    total: { chars: totalOf(FIELDS.variant_option), rule: "gmc.variantoption.total" },
    needed: { parts: ["name", "value"], rule: "gmc.variantoption.missing" },
  },
  {
    name: "product_detail",
    most: { count: mostOf(FIELDS.product_detail), rule: "gmc.detail.count" },
    longest: { parts: partLimitsOf(FIELDS.product_detail), rule: "gmc.detail.length" },
    needed: { parts: ["attribute_name", "attribute_value"], rule: "gmc.detail.missing" },
  },
  {
    name: "certification",
    needed: { parts: ["certification_authority", "certification_name"], rule: "gmc.cert.missing" },
  },
  {
    name: "question_and_answer",
    most: { count: mostOf(FIELDS.question_and_answer), rule: "gmc.qa.count" },
    longest: { parts: partLimitsOf(FIELDS.question_and_answer), rule: "gmc.qa.length" },
    total: { chars: totalOf(FIELDS.question_and_answer), rule: "gmc.qa.total" },
  },
  { name: "related_product", most: { count: mostOf(FIELDS.related_product), rule: "gmc.related.count" } },
];

function sayGroup(rules: ListRules, group: Group, findings: GoogleFindings): void {
  sayMissing(rules, group, findings);
  sayLong(rules, group, findings);
}

function sayMissing({ name, needed }: ListRules, group: Group, findings: GoogleFindings): void {
  if (needed === undefined || needed.parts.every((part) => group.has(part))) return;
  findings.say(needed.rule, { field: name, value: [...group.values()].join(":") });
}

function sayLong({ name, longest }: ListRules, group: Group, findings: GoogleFindings): void {
  if (longest === undefined) return;
  for (const [part, value] of group) {
    const most = longest.parts[part];
    if (most !== undefined && isLonger(value, most))
      findings.say(longest.rule, { field: `${name}.${part}`, value });
  }
}

const checkGroups: RowCheck = (row, findings) => {
  for (const rules of LISTS) {
    const groups = row.groups(rules.name);
    if (groups.length === 0) continue;
    const { name, most, total } = rules;
    if (most !== undefined && groups.length > most.count)
      findings.say(most.rule, { field: name, value: String(groups.length) });
    for (const group of groups) sayGroup(rules, group, findings);
    const chars = groups.reduce((sum, group) => sum + [...group.values()].join("").length, 0);
    if (total !== undefined && chars > total.chars)
      findings.say(total.rule, { field: name, value: String(chars) });
  }
};

const checkHighlights: RowCheck = (row, findings) => {
  const field = "product_highlight";
  const { length } = row.list(field);
  if (length > 0 && (length < (FIELDS[field].least ?? 0) || length > mostOf(FIELDS[field])))
    findings.say("gmc.highlight.count", { field, value: String(length) });
};

/** The words that Google documents for a part of related products. */
function wordsOf(part: "relationship_type" | "identifier_type"): readonly string[] {
  return GOOGLE_ATTRIBUTES.related_product.parts[part]?.form.values ?? [];
}

const RELATIONSHIPS = wordsOf("relationship_type");
const IDENTIFIERS = wordsOf("identifier_type");

const checkRelated: RowCheck = (row, findings) => {
  const field = "related_product";
  for (const group of row.groups(field)) {
    const isWell =
      RELATIONSHIPS.includes(group.get("relationship_type") ?? "") &&
      IDENTIFIERS.includes(group.get("identifier_type") ?? "") &&
      group.has("identifier");
    if (!isWell) findings.say("gmc.related.type", { field, value: [...group.values()].join(":") });
  }
};

const PROMOTION_ID = /^[A-Za-z0-9_-]+$/;
const LONGEST_PROMOTION_ID = limitOf(FIELDS.promotion_id);

const checkPromotions: RowCheck = (row, findings) => {
  const field = "promotion_id";
  const ids = row.list(field);
  if (ids.length > mostOf(FIELDS[field])) findings.say("gmc.promo.id", { field, value: String(ids.length) });
  for (const value of ids)
    if (value.length > LONGEST_PROMOTION_ID || !PROMOTION_ID.test(value))
      findings.say("gmc.promo.id", { field, value });
};

export const LIST_CHECKS: readonly RowCheck[] = [checkGroups, checkHighlights, checkRelated, checkPromotions];
