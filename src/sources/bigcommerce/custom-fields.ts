/**
 * Custom fields are the merchant's own: a name and a value. Those with the name of a feed attribute fill it; all
 * others are details of the product, as the shop shows them.
 */
import type { Draft, TextField } from "../../catalog/draft.ts";
import { type Fields, objectsIn, textIn } from "./wire.ts";

/** By name, in lower case, words parted by `_`. */
const ATTRIBUTES: Readonly<Record<string, TextField>> = {
  google_product_category: "googleCategory",
  google_category: "googleCategory",
  gender: "gender",
  age_group: "ageGroup",
  color: "color",
  colour: "color",
  size: "size",
  size_type: "sizeType",
  size_system: "sizeSystem",
  material: "material",
  pattern: "pattern",
  multipack: "multipack",
  is_bundle: "isBundle",
  adult: "adult",
  energy_efficiency_class: "energyClass",
  unit_pricing_measure: "unitPricingMeasure",
  unit_pricing_base_measure: "unitPricingBaseMeasure",
  identifier_exists: "identifierExists",
  shipping_label: "shippingLabel",
  custom_label_0: "customLabel0",
  custom_label_1: "customLabel1",
  custom_label_2: "customLabel2",
  custom_label_3: "customLabel3",
  custom_label_4: "customLabel4",
  ean: "gtin",
  gtin: "gtin",
  isbn: "gtin",
  mpn: "mpn",
};

export function customFieldsOf(product: Fields): Draft {
  const draft: Draft = {};
  const details: { name: string; value: string }[] = [];
  for (const field of objectsIn(product, "custom_fields")) {
    const name = textIn(field, "name");
    const value = textIn(field, "value");
    if (name === undefined || value === undefined) continue;
    const attribute = attributeOf(name);
    if (attribute !== undefined && draft[attribute] === undefined) draft[attribute] = value;
    else details.push({ name, value });
  }
  return details.length === 0 ? draft : { ...draft, details };
}

function attributeOf(name: string): TextField | undefined {
  const key = name
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, "_");
  return Object.hasOwn(ATTRIBUTES, key) ? ATTRIBUTES[key] : undefined;
}
