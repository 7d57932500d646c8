/** Checks of lists of details, highlights, options and the like: their number, lengths and required parts. */
import { GOOGLE_ATTRIBUTES } from "../../../catalog/google-attributes.ts";
import { isLonger } from "../../../lib/text-length.ts";
import { limitOf, partLimitOf } from "../../kit/field-table.ts";
import { FIELDS, type GoogleRule, type GoogleFindings, type GoogleCheck } from "./rules.ts";
import type { Group } from "../../kit/validate/row.ts";

type ListRules = {
  readonly name:
    | "variant_option"
    | "product_detail"
    | "certification"
    | "question_and_answer"
    | "related_product";
  /** Too many groups, a sub-value that is too long, too many characters in all groups. */
  readonly count?: GoogleRule;
  readonly length?: GoogleRule;
  readonly total?: GoogleRule;
  readonly required?: { readonly parts: readonly string[]; readonly rule: GoogleRule };
};

/** The limits are in the field table. */
const LISTS: readonly ListRules[] = [
  {
    name: "variant_option",
    count: "gmc.variantoption.count",
    length: "gmc.variantoption.length",
    total: "gmc.variantoption.total",
    required: { parts: ["name", "value"], rule: "gmc.variantoption.missing" },
  },
  {
    name: "product_detail",
    count: "gmc.detail.count",
    length: "gmc.detail.length",
    required: { parts: ["attribute_name", "attribute_value"], rule: "gmc.detail.missing" },
  },
  {
    name: "certification",
    required: { parts: ["certification_authority", "certification_name"], rule: "gmc.cert.missing" },
  },
  { name: "question_and_answer", count: "gmc.qa.count", length: "gmc.qa.length", total: "gmc.qa.total" },
  { name: "related_product", count: "gmc.related.count" },
];

function checkGroup(group: Group, { name, length, required }: ListRules, findings: GoogleFindings): void {
  if (required !== undefined && !required.parts.every((part) => group.has(part)))
    findings.add(required.rule, { field: name, value: [...group.values()].join(":") });
  if (length === undefined) return;
  for (const [part, value] of group)
    if (FIELDS[name].parts?.includes(part) === true && isLonger(value, partLimitOf(FIELDS[name], part)))
      findings.add(length, { field: `${name}.${part}`, value });
}

const checkGroups: GoogleCheck = (row, findings) => {
  for (const rules of LISTS) {
    const { name, count, total } = rules;
    const groups = row.groups(name);
    if (count !== undefined && groups.length > (FIELDS[name].most ?? Infinity))
      findings.add(count, { field: name, value: String(groups.length) });
    for (const group of groups) checkGroup(group, rules, findings);
    const chars = groups.reduce((sum, group) => sum + [...group.values()].join("").length, 0);
    if (total !== undefined && chars > (FIELDS[name].total ?? Infinity))
      findings.add(total, { field: name, value: String(chars) });
  }
};

const checkHighlights: GoogleCheck = (row, findings) => {
  const field = "product_highlight";
  const { length } = row.list(field);
  if (length > 0 && (length < (FIELDS[field].least ?? 0) || length > (FIELDS[field].most ?? Infinity)))
    findings.add("gmc.highlight.count", { field, value: String(length) });
};

/** The words that Google documents for a part of related products. */
function wordsOf(part: "relationship_type" | "identifier_type"): readonly string[] {
  return GOOGLE_ATTRIBUTES.related_product.parts[part]?.form.values ?? [];
}

const RELATIONSHIPS = wordsOf("relationship_type");
const IDENTIFIERS = wordsOf("identifier_type");

const checkRelated: GoogleCheck = (row, findings) => {
  const field = "related_product";
  for (const group of row.groups(field)) {
    const isValid =
      RELATIONSHIPS.includes(group.get("relationship_type") ?? "") &&
      IDENTIFIERS.includes(group.get("identifier_type") ?? "") &&
      group.has("identifier");
    if (!isValid) findings.add("gmc.related.type", { field, value: [...group.values()].join(":") });
  }
};

const PROMOTION_ID = /^[A-Za-z0-9_-]+$/;
const LONGEST_PROMOTION_ID = limitOf(FIELDS.promotion_id);

const checkPromotions: GoogleCheck = (row, findings) => {
  const field = "promotion_id";
  const ids = row.list(field);
  if (ids.length > (FIELDS[field].most ?? Infinity))
    findings.add("gmc.promo.id", { field, value: String(ids.length) });
  for (const value of ids)
    if (value.length > LONGEST_PROMOTION_ID || !PROMOTION_ID.test(value))
      findings.add("gmc.promo.id", { field, value });
};

export const LIST_CHECKS: readonly GoogleCheck[] = [
  checkGroups,
  checkHighlights,
  checkRelated,
  checkPromotions,
];
