/**
 * The names of an OpenAI row: those of the field table, the aliases that OpenAI still reads, and the names of older
 * revisions with what became of each.
 */
import { LENGTH_UNITS } from "../../../catalog/item.ts";
import type { Field } from "../../kit/field-table.ts";
import { MAX_NAMES } from "../../kit/validate/limits.ts";
import { OPENAI_KIND, OPENAI_FIELD_TABLE, type OpenaiKind } from "../fields.ts";
import type { OpenaiFindings } from "./rules.ts";

export type OpenaiField = Field & { readonly name: string; readonly kind: OpenaiKind };

/** Documented, but never written by us: the older form of the dimensions, and shipping by arrangement. */
const UNWRITTEN = {
  length: OPENAI_KIND.decimal("optional", null),
  width: OPENAI_KIND.decimal("optional", null),
  height: OPENAI_KIND.decimal("optional", null),
  dimensions_unit: OPENAI_KIND.word("conditional", null, { values: LENGTH_UNITS }),
  shipping: OPENAI_KIND.text("arranged", null),
} as const;

const TABLE: Readonly<Record<string, Field & { readonly kind: OpenaiKind }>> = {
  ...OPENAI_FIELD_TABLE.fields,
  ...UNWRITTEN,
};

export const OPENAI_FIELDS: ReadonlyMap<string, OpenaiField> = new Map(
  Object.entries(TABLE).map(([name, field]) => [name, { name, ...field }]),
);

export const REQUIRED: readonly OpenaiField[] = [...OPENAI_FIELDS.values()].filter(
  ({ requirement }) => requirement === "required",
);

/** Names that OpenAI reads for one value, the winner first. The direction is not uniform: it is theirs. */
export const ALIASES: Readonly<Record<string, readonly string[]>> = {
  item_id: ["item_id", "id", "sku"],
  group_id: ["group_id", "item_group_id"],
  is_eligible_search: ["enable_search", "is_eligible_search"],
  is_eligible_checkout: ["enable_checkout", "is_eligible_checkout"],
  is_ads_eligible: ["is_ads_eligible", "is_eligible_ads"],
  return_deadline_in_days: ["return_window", "return_deadline_in_days"],
};

const aliasOf = (name: string) => `It is read as \`${name}\`; write that.`;
const replacedBy = (name: string) => `It is not read any more; \`${name}\` replaced it.`;
const GONE = "It is not read any more, and nothing replaced it.";

/** The problem that is reported for each older name. */
export const OLD_NAMES: ReadonlyMap<string, string> = new Map([
  ["id", aliasOf("item_id")],
  ["sku", aliasOf("item_id")],
  ["item_group_id", aliasOf("group_id")],
  ["enable_search", aliasOf("is_eligible_search")],
  ["enable_checkout", aliasOf("is_eligible_checkout")],
  ["is_eligible_ads", aliasOf("is_ads_eligible")],
  ["return_window", aliasOf("return_deadline_in_days")],
  ["link", replacedBy("url")],
  ["image_link", replacedBy("image_url")],
  ["additional_image_link", replacedBy("additional_image_urls")],
  ["currency", "It is not read; the currency is in `price`."],
  ["product_review_count", replacedBy("review_count")],
  ["product_review_rating", replacedBy("star_rating")],
  ["store_review_rating", replacedBy("store_star_rating")],
  ...["sale_price_effective_date", "sale_price_start_date", "sale_price_end_date"].map(
    (name) => [name, "Sale dates schedule nothing; state the price of the moment."] as const,
  ),
  ...["availability_date", "expiration_date"].map(
    (name) => [name, "The date has no effect; state the availability of the moment."] as const,
  ),
  ...[1, 2, 3].flatMap((n) => [
    [`Custom_variant${n}_category`, replacedBy("variant_dict")] as const,
    [`Custom_variant${n}_option`, replacedBy("variant_dict")] as const,
  ]),
  ...`inventory_quantity delivery_estimate applicable_taxes_fees raw_review_data video_link video_url model_3d_link
    model_3d_url q_and_a reviews popularity_score return_rate warning warning_url age_restriction related_product_id
    relationship_type geo_price geo_availability pricing_trend pickup_method pickup_sla unit_pricing_measure
    base_measure item_group_title`
    .split(/\s+/)
    .map((name) => [name, GONE] as const),
]);

/** Checks the names of a file's columns or keys, each once. */
export class ColumnNameCheck {
  private readonly seen = new Set<string>();
  private readonly findings: OpenaiFindings;

  constructor(findings: OpenaiFindings) {
    this.findings = findings;
  }

  check(name: string): void {
    if (this.seen.has(name) || this.seen.size >= MAX_NAMES) return;
    this.seen.add(name);
    if ((name === "url" || name === "link") && this.seen.has("url") && this.seen.has("link"))
      this.findings.add("MIX", { field: "link" });
    if (OPENAI_FIELDS.has(name)) return;
    const old = OLD_NAMES.get(name);
    if (name === "is_ads_enabled") this.findings.add("ADS-NAME", { field: name });
    else if (old !== undefined) this.findings.add("OLD", { field: name, detail: old });
    else this.findings.add("COLUMN", { field: name });
  }
}
