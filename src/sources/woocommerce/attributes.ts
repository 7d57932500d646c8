/**
 * A product's attributes, as the shop's API has them. The names are the shop's own, in its own language; a field that
 * the settings name an attribute for is looked for there alone.
 */
import type { Draft } from "../../catalog/draft.ts";
import { wordKey } from "../../catalog/words.ts";
import type { OwnFields } from "./settings.ts";
import { isFalse, isTrue, type Row, rowsIn, textIn, textsIn } from "./wire.ts";

type Attribute = { readonly name: string; readonly slug: string; readonly values: readonly string[] };

/**
 * The attributes of a row that describe the product to visitors: not those that make its variations, and not those that
 * are not "visible on the product page". The Store API does not even send the latter.
 */
export function describingAttributes(product: Row): readonly Attribute[] {
  return attributesIn(product, (row) => !isFalse(row, "visible"));
}

function attributesIn(product: Row, isTaken: (row: Row) => boolean): readonly Attribute[] {
  return rowsIn(product, "attributes").flatMap((row) => {
    if (!isTaken(row)) return [];
    const name = textIn(row, "name");
    if (name === undefined || isTrue(row, "variation") || isTrue(row, "has_variations")) return [];
    const terms = rowsIn(row, "terms").flatMap((term) => textIn(term, "name") ?? []);
    const values = [...textsIn(row, "options"), ...terms];
    const slug = textIn(row, "slug") ?? textIn(row, "taxonomy") ?? name;
    return values.length === 0 ? [] : [{ name, slug, values }];
  });
}

/** Fields that the settings say are in an attribute, be it hidden, or a custom field of this product or variation. */
export function ownFieldsIn(row: Row, own: OwnFields): Draft {
  const draft: Draft = {};
  for (const field of ["brand", "gtin", "mpn"] as const) {
    const name = own[field];
    const value = name === undefined ? undefined : (attributeNamed(row, name) ?? customField(row, name));
    if (value !== undefined) draft[field] = value;
  }
  return draft;
}

function attributeNamed(row: Row, name: string): string | undefined {
  const key = wordKey(name);
  const found = attributesIn(row, () => true).find((attribute) =>
    [attribute.name, attribute.slug, attribute.slug.replace(/^pa_/, "")].some(
      (known) => wordKey(known) === key,
    ),
  );
  return found?.values[0];
}

function customField(row: Row, key: string): string | undefined {
  const field = rowsIn(row, "meta_data").find((meta) => meta["key"] === key);
  return field === undefined ? undefined : textIn(field, "value");
}
