/** Checks of lists of details, highlights, options and the like: their number, lengths and required parts. */
import { GOOGLE_ATTRIBUTES } from "../../../catalog/google-attributes.ts";
import { isLonger } from "../../../lib/text-length.ts";
import { limitOf, namesOf, partLimitOf } from "../../kit/field-table.ts";
import type { GoogleFieldName } from "../fields.ts";
import { checkCount, fieldRule } from "./field-rules.ts";
import { FIELDS, type GoogleCheck, type GoogleFindings } from "./rules.ts";
import type { RowGroup } from "../../kit/validate/row.ts";

const hasRule = (name: GoogleFieldName) =>
  fieldRule(name, "count") !== undefined || fieldRule(name, "parts") !== undefined;

const GROUP_FIELDS = namesOf(FIELDS).filter((name) => FIELDS[name].kind === "groups" && hasRule(name));

function checkGroup(name: GoogleFieldName, group: RowGroup, findings: GoogleFindings): void {
  const { parts = [], requiredParts = [] } = FIELDS[name];
  const incomplete = fieldRule(name, "parts");
  if (incomplete !== undefined && !requiredParts.every((part) => group.has(part)))
    findings.add(incomplete, { field: name, value: [...group.values()].join(":") });
  const long = fieldRule(name, "long");
  if (long === undefined) return;
  for (const [part, value] of group)
    if (parts.includes(part) && isLonger(value, partLimitOf(FIELDS[name], part)))
      findings.add(long, { field: `${name}.${part}`, value });
}

const checkGroups: GoogleCheck = (row, findings) => {
  for (const name of GROUP_FIELDS) {
    const groups = row.groups(name);
    if (groups.length === 0) continue;
    checkCount(name, groups.length, findings);
    for (const group of groups) checkGroup(name, group, findings);
    const chars = groups.reduce((sum, group) => sum + [...group.values()].join("").length, 0);
    const total = fieldRule(name, "total");
    if (total !== undefined && chars > (FIELDS[name].total ?? Infinity))
      findings.add(total, { field: name, value: String(chars) });
  }
};

const checkHighlights: GoogleCheck = (row, findings) => {
  const field = "product_highlight";
  checkCount(field, row.list(field).length, findings);
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
  checkCount(field, ids.length, findings);
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
