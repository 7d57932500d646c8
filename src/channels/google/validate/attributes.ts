/**
 * The attributes of Google's files: those of the field table, and those that Google documented once and we never write.
 * The latter are needed to read files of others: their kind decides how a cell is split.
 */
import { DEFAULT_SHIPPING_PARTS } from "../../../catalog/google-surplus.ts";
import { type Field, namesOf } from "../../kit/field-table.ts";
import { GOOGLE_FIELD_BUILDERS, GOOGLE_FIELD_TABLE, type GoogleKind } from "../fields.ts";
import { fieldRule } from "./field-rules.ts";
import { FIELDS, type GoogleCheck } from "./rules.ts";

type GoogleField = Field & { readonly kind: GoogleKind };
export type DocumentedAttribute = GoogleField & { readonly name: string };

const text = GOOGLE_FIELD_BUILDERS.text("optional", null);

/** Attributes that left the specification, and those of local inventory. */
const UNWRITTEN: Readonly<Record<string, GoogleField>> = {
  tax: GOOGLE_FIELD_BUILDERS.groups("optional", null, {
    parts: ["country", "region", "postal_code", "location_id", "rate", "tax_ship"],
  }),
  tax_category: text,
  cloud_export_additional_properties: text,
  quantity: GOOGLE_FIELD_BUILDERS.number("optional", null),
  instore_product_location: text,
  local_shipping_label: text,
};

/** Sub-attributes that Google reads besides those we write. */
const MORE_PARTS: Readonly<Record<string, readonly string[]>> = {
  shipping: ["shipping_transit_business_days", "shipping_handling_business_days"],
};

/** Google's own order where a header names none. It documents one for shipping that differs from ours. */
const DEFAULT_PARTS: Readonly<Record<string, readonly string[]>> = { shipping: DEFAULT_SHIPPING_PARTS };

/** Attributes whose samples contradict the order that Google documents for a header without sub-attributes. */
const UNCLEAR_ORDER: ReadonlySet<string> = new Set([
  "carrier_shipping",
  "handling_cutoff_time",
  "minimum_order_value",
  "return",
]);

const TABLE: Readonly<Record<string, GoogleField>> = { ...UNWRITTEN, ...GOOGLE_FIELD_TABLE.fields };

export const ATTRIBUTES: ReadonlyMap<string, DocumentedAttribute> = new Map(
  Object.entries(TABLE).map(([name, field]) => [name, { name, ...field }]),
);

export type CellKind = "text" | "list" | "groups";

/** How the cells of an attribute are split; an unknown column is plain text. */
export function cellKind(name: string): CellKind {
  const kind = ATTRIBUTES.get(name)?.kind;
  return kind === "groups" || kind === "list" ? kind : "text";
}

export function isKnownPart({ name, parts = [] }: DocumentedAttribute, part: string): boolean {
  return parts.includes(part) || MORE_PARTS[name]?.includes(part) === true;
}

/** Whether the order of sub-values is unclear in a header that does not name them. */
export function isOrderUnclear({ name }: DocumentedAttribute): boolean {
  return UNCLEAR_ORDER.has(name);
}

export function defaultParts({ name, parts = [] }: DocumentedAttribute): readonly string[] {
  return DEFAULT_PARTS[name] ?? parts;
}

/** The structured attributes that may replace others. */
const INSTEAD: Readonly<Record<string, string>> = {
  title: "structured_title",
  description: "structured_description",
};

/** What every item must have. */
export const REQUIRED = namesOf(FIELDS).filter((name) => FIELDS[name].requirement === "required");

export function isStated(name: string, has: (name: string) => boolean): boolean {
  return has(name) || has(INSTEAD[name] ?? name);
}

export const checkRequired: GoogleCheck = (row, findings) => {
  for (const field of REQUIRED) {
    const rule = fieldRule(field, "missing");
    if (rule !== undefined && !row.absent.has(field) && !isStated(field, (name) => row.has(name)))
      findings.add(rule, { field });
  }
};
