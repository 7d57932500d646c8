/** Lists of details, highlights, options and the like: how many there may be, how long, and what each must have. */
import { isLongerThan } from "../../kit/validate/checks/text.ts";
import { ATTRIBUTES } from "./attributes.ts";
import type { GmcFindings, Group, RowCheck } from "./row.ts";
import type { GmcRule } from "./rules.ts";

type ListRules = {
  readonly name: string;
  readonly most?: { readonly count: number; readonly rule: GmcRule };
  /** The longest text of each sub-attribute. */
  readonly longest?: { readonly parts: Readonly<Record<string, number>>; readonly rule: GmcRule };
  readonly total?: { readonly chars: number; readonly rule: GmcRule };
  readonly needed?: { readonly parts: readonly string[]; readonly rule: GmcRule };
};

function limitOf(name: string): number {
  return ATTRIBUTES.get(name)?.limit?.codePoints ?? Number.POSITIVE_INFINITY;
}

function mostOf(name: string): number {
  return ATTRIBUTES.get(name)?.most ?? Number.POSITIVE_INFINITY;
}

const LISTS: readonly ListRules[] = [
  {
    name: "variant_option",
    most: { count: mostOf("variant_option"), rule: "gmc.variantoption.count" },
    longest: {
      parts: { name: limitOf("variant_option"), value: limitOf("variant_option") },
      rule: "gmc.variantoption.length",
    },
    total: { chars: 5_000, rule: "gmc.variantoption.total" },
    needed: { parts: ["name", "value"], rule: "gmc.variantoption.missing" },
  },
  {
    name: "product_detail",
    most: { count: mostOf("product_detail"), rule: "gmc.detail.count" },
    longest: {
      parts: { section_name: 140, attribute_name: 140, attribute_value: limitOf("product_detail") },
      rule: "gmc.detail.length",
    },
    needed: { parts: ["attribute_name", "attribute_value"], rule: "gmc.detail.missing" },
  },
  {
    name: "certification",
    needed: { parts: ["certification_authority", "certification_name"], rule: "gmc.cert.missing" },
  },
  {
    name: "question_and_answer",
    most: { count: 30, rule: "gmc.qa.count" },
    longest: { parts: { question: 1_000, answer: 1_000 }, rule: "gmc.qa.length" },
    total: { chars: 10_000, rule: "gmc.qa.total" },
  },
  { name: "related_product", most: { count: 30, rule: "gmc.related.count" } },
];

function sayGroup(rules: ListRules, group: Group, findings: GmcFindings): void {
  sayMissing(rules, group, findings);
  sayLong(rules, group, findings);
}

function sayMissing({ name, needed }: ListRules, group: Group, findings: GmcFindings): void {
  if (needed === undefined || needed.parts.every((part) => group.has(part))) return;
  findings.say(needed.rule, { field: name, value: [...group.values()].join(":") });
}

function sayLong({ name, longest }: ListRules, group: Group, findings: GmcFindings): void {
  if (longest === undefined) return;
  for (const [part, value] of group) {
    const most = longest.parts[part];
    if (most !== undefined && isLongerThan(value, most))
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
  const { least = 2, most = 100 } = ATTRIBUTES.get(field) ?? {};
  if (length > 0 && (length < least || length > most))
    findings.say("gmc.highlight.count", { field, value: String(length) });
};

const RELATIONSHIPS = new Set([
  "part_of_set",
  "required_part",
  "often_bought_with",
  "substitute",
  "different_brand",
  "accessory",
]);

const checkRelated: RowCheck = (row, findings) => {
  const field = "related_product";
  for (const group of row.groups(field)) {
    const isWell =
      RELATIONSHIPS.has(group.get("relationship_type") ?? "") &&
      ["gtin", "id"].includes(group.get("identifier_type") ?? "") &&
      group.has("identifier");
    if (!isWell) findings.say("gmc.related.type", { field, value: [...group.values()].join(":") });
  }
};

const PROMOTION_ID = /^[A-Za-z0-9_-]{1,50}$/;
const MOST_PROMOTIONS = 10;

const checkPromotions: RowCheck = (row, findings) => {
  const field = "promotion_id";
  const ids = row.list(field);
  if (ids.length > MOST_PROMOTIONS) findings.say("gmc.promo.id", { field, value: String(ids.length) });
  for (const value of ids) if (!PROMOTION_ID.test(value)) findings.say("gmc.promo.id", { field, value });
};

export const LIST_CHECKS: readonly RowCheck[] = [checkGroups, checkHighlights, checkRelated, checkPromotions];
