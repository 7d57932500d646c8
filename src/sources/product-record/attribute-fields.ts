/**
 * The attributes that a shop gives a product, under names of its own and in its own language: those that mean one of
 * our fields fill it, the others are details.
 */
import type { Draft } from "../../catalog/draft.ts";
import { ATTRIBUTE_NAME_WORDS, OPTION_NAME_WORDS } from "../../catalog/vocabulary/traits.ts";
import { meaningOf } from "../../catalog/words.ts";

export type Attribute = { readonly name: string; readonly values: readonly string[] };

/** The field that an attribute of this name fills. */
export function attributeField(name: string) {
  return meaningOf(ATTRIBUTE_NAME_WORDS, name) ?? meaningOf(OPTION_NAME_WORDS, name);
}

export function attributeFields(attributes: readonly Attribute[]): Draft {
  const draft: Draft = {};
  const details: { name: string; value: string }[] = [];
  for (const { name, values } of attributes) {
    const field = attributeField(name);
    const [value = ""] = values;
    // A choice of colors that makes no variations does not say which color the item has.
    if (field !== undefined && values.length === 1) draft[field] ??= value;
    else details.push({ name, value: values.join(", ") });
  }
  return details.length === 0 ? draft : { ...draft, details };
}
