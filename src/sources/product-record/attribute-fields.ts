/**
 * The attributes that a shop gives a product, under names of its own and in its own language: those that mean one of
 * our fields fill it, the others are details.
 */
import type { Draft } from "../../catalog/draft.ts";
import { OPTION_NAME_WORDS } from "../../catalog/vocabulary/traits.ts";
import { meaningOf, wordTable } from "../../catalog/words.ts";

const FIELD_WORDS = wordTable({
  brand: `brands, product brand, marke, hersteller, manufacturer, marque, marques, fabricant, marca, marcas, fabricante,
    produttore, merk, fabrikant, marka, producent, výrobce, výrobca, бренд, производитель, виробник, varumärke, mærke, merke, tuotemerkki`,
  gtin: "ean, ean13, ean code, upc, isbn, isbn13, barcode, gtin13, gtin14, jan",
  mpn: `manufacturer part number, part number, herstellernummer, hersteller artikelnummer, hersteller-nr,
    référence fabricant, codice produttore, referencia del fabricante, kod producenta, kód výrobce, kód výrobcu`,
  condition: "zustand, état, estado, condizione, staat, stan, skick, stand, kondycja, stav",
  gender: "geschlecht, sexe, sexo, sesso, genre, género, genere, geslacht, płeć, kön, køn",
  ageGroup: "age, altersgruppe, tranche d'âge, grupo de edad, fascia d'età, leeftijdsgroep",
});

export type Attribute = { readonly name: string; readonly values: readonly string[] };

/** The field that an attribute of this name fills. */
export function attributeField(name: string) {
  return meaningOf(FIELD_WORDS, name) ?? meaningOf(OPTION_NAME_WORDS, name);
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
