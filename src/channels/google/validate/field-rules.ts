/** The rules for what the field table says of each field. */
import type { GoogleFieldName } from "../fields.ts";
import { FIELDS, type GoogleFindings, type GoogleRule } from "./rules.ts";

/** For its values, for their number and total length, and for their required parts. */
type FieldRules = {
  readonly [Fault in "missing" | "long" | "address" | "count" | "total" | "parts"]?: GoogleRule;
};

const FIELD_RULES: Readonly<Record<string, FieldRules>> = {
  id: { missing: "gmc.id.missing", long: "gmc.id.length" },
  title: { missing: "gmc.title.missing", long: "gmc.title.long" },
  description: { missing: "gmc.desc.missing", long: "gmc.desc.long" },
  link: { missing: "gmc.link.missing" },
  image_link: { missing: "gmc.image.missing", address: "gmc.image.invalid" },
  additional_image_link: { count: "gmc.image.extra", address: "gmc.image.invalid" },
  availability: { missing: "gmc.avail.missing" },
  price: { missing: "gmc.price.missing" },
  brand: { long: "gmc.brand.long" },
  product_type: { long: "gmc.producttype.long" },
  item_group_id: { long: "gmc.group.idlength" },
  variant_option: {
    count: "gmc.variantoption.count",
    long: "gmc.variantoption.length",
    total: "gmc.variantoption.total",
    parts: "gmc.variantoption.missing",
  },
  shipping_label: { long: "gmc.label.length" },
  product_highlight: { count: "gmc.highlight.count", long: "gmc.highlight.length" },
  product_detail: { count: "gmc.detail.count", long: "gmc.detail.length", parts: "gmc.detail.missing" },
  certification: { parts: "gmc.cert.missing" },
  video_link: { address: "gmc.video.link" },
  lifestyle_image_link: { address: "gmc.image.invalid" },
  document_link: { count: "gmc.doc.count", address: "gmc.doc.link" },
  question_and_answer: { count: "gmc.qa.count", long: "gmc.qa.length", total: "gmc.qa.total" },
  related_product: { count: "gmc.related.count" },
  promotion_id: { count: "gmc.promo.id" },
} satisfies { readonly [Name in GoogleFieldName]?: FieldRules };

/** Undefined for a field that has no rule of its own. */
export function fieldRule(name: string, fault: keyof FieldRules): GoogleRule | undefined {
  return FIELD_RULES[name.startsWith("custom_label_") ? "shipping_label" : name]?.[fault];
}

/** Checks how many values the field has, if there is a rule for that. */
export function checkCount(name: GoogleFieldName, length: number, findings: GoogleFindings): void {
  const rule = fieldRule(name, "count");
  const { least = 0, most = Infinity } = FIELDS[name];
  if (rule !== undefined && length > 0 && (length < least || length > most))
    findings.add(rule, { field: name, value: String(length) });
}
