/** Attributes of product feeds by their usual names, for shops where merchants name fields themselves. */
import type { Draft, TextField } from "../../catalog/draft.ts";

export const FEED_ATTRIBUTES = {
  google_product_category: "googleCategory",
  gender: "gender",
  age_group: "ageGroup",
  condition: "condition",
  mpn: "mpn",
  gtin: "gtin",
  brand: "brand",
  color: "color",
  size: "size",
  size_system: "sizeSystem",
  size_type: "sizeType",
  material: "material",
  pattern: "pattern",
  adult: "adult",
  multipack: "multipack",
  is_bundle: "isBundle",
  energy_efficiency_class: "energyClass",
  short_title: "shortTitle",
  availability_date: "availabilityDate",
  shipping_label: "shippingLabel",
  custom_label_0: "customLabel0",
  custom_label_1: "customLabel1",
  custom_label_2: "customLabel2",
  custom_label_3: "customLabel3",
  custom_label_4: "customLabel4",
} as const satisfies Record<string, TextField>;

/** Other names that merchants use. */
const ALIASES = {
  google_category: "googleCategory",
  colour: "color",
  unit_pricing_measure: "unitPricingMeasure",
  unit_pricing_base_measure: "unitPricingBaseMeasure",
  identifier_exists: "identifierExists",
  ean: "gtin",
  isbn: "gtin",
} as const satisfies Record<string, TextField>;

const FIELDS: ReadonlyMap<string, TextField> = new Map(Object.entries({ ...FEED_ATTRIBUTES, ...ALIASES }));

type NamedValue = { readonly name: string; readonly value: string };

/**
 * Custom fields whose names are feed attributes fill these fields of the draft; all others are details of the product.
 * `except`: fields that the shop has under its own names.
 */
export function customFields(fields: readonly NamedValue[], except: readonly TextField[] = []): Draft {
  const draft: Draft = {};
  const details: NamedValue[] = [];
  for (const { name, value } of fields) {
    const key = name.trim().toLowerCase();
    const field = FIELDS.get(key.replace(/[\s_-]+/g, "_"));
    if (field !== undefined && draft[field] === undefined && !except.includes(field)) draft[field] = value;
    else details.push({ name, value });
  }
  return details.length === 0 ? draft : { ...draft, details };
}
