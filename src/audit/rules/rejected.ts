/** Rows that never became items, reported in the form of a rule. */
import { REFERENCES } from "../references.ts";
import type { RuleFacts } from "../rule.ts";

/** Not one of the rules that judge items: it has no share in their 100 points. */
export const REJECTED_RULE = {
  number: 57,
  id: "eligibility.rejected",
  title: "Rows of the source are rejected",
  dimension: "eligibility",
  field: "settings",
  points: 100,
  severity: "critical",
  formats: ["acp", "gmc", "jsonld"],
  blocks: ["acp", "gmc", "jsonld"],
  sight: "catalog",
  when: "to every row of the newest successful sync of each source, except rows that the shop itself marks as unpublished",
  expects:
    "Every row becomes an item. A rejected row earns no points, and every channel counts it as refused.",
  advice: "Correct these rows in the shop, or remove them from the source.",
  reference: REFERENCES.productData,
} as const satisfies RuleFacts & { readonly dimension: string };
