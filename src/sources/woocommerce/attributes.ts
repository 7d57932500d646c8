/**
 * A product's attributes: those that say what one of our fields means fill it, the others are details. The names are
 * the shop's own, in its own language; a field that the settings name an attribute for is looked for there alone.
 */
import type { Draft } from "../../catalog/draft.ts";
import { OPTION_NAME_WORDS } from "../../catalog/vocabulary/traits.ts";
import { meaningOf, wordKey, wordTable } from "../../catalog/words.ts";
import type { OwnFields } from "./settings.ts";
import { isFalse, isTrue, type Row, rowsIn, textIn, textsIn } from "./wire.ts";

const FIELD_WORDS = wordTable({
  brand: `brands, product brand, marke, hersteller, manufacturer, marque, marques, fabricant, marca, marcas, fabricante,
    produttore, merk, fabrikant, marka, producent, varumärke, mærke, merke, tuotemerkki`,
  gtin: "ean, ean13, ean code, upc, isbn, isbn13, barcode, gtin13, gtin14, jan",
  mpn: `manufacturer part number, part number, herstellernummer, hersteller artikelnummer, hersteller-nr,
    référence fabricant, codice produttore, referencia del fabricante`,
  condition: "zustand, état, estado, condizione, staat, stan, skick, stand",
  gender: "geschlecht, sexe, sexo, sesso, genre, género, genere, geslacht, płeć, kön, køn",
  ageGroup: "age, altersgruppe, tranche d'âge, grupo de edad, fascia d'età, leeftijdsgroep",
});

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

export function attributeFields(attributes: readonly Attribute[]): Draft {
  const draft: Draft = {};
  const details: { name: string; value: string }[] = [];
  for (const { name, values } of attributes) {
    const field = meaningOf(FIELD_WORDS, name) ?? meaningOf(OPTION_NAME_WORDS, name);
    const [value = ""] = values;
    // A choice of colors that makes no variations does not say which color the item has.
    if (field !== undefined && values.length === 1) draft[field] ??= value;
    else details.push({ name, value: values.join(", ") });
  }
  return details.length === 0 ? draft : { ...draft, details };
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
