/**
 * Reads the column names of a WooCommerce export in any language. Known languages are a table; the language with most
 * of the file's names wins. Names in an unknown language are read by their place, but only where the values prove it:
 * the types, visibilities and tax classes that an export contains are English in every language.
 */
import { type Header, readHeader } from "../../product-record/aliases.ts";
import { trimmedText } from "../../product-record/cells.ts";
import type { FileHead, Translation } from "./dialect.ts";
import packs from "./woocommerce-columns.json" with { type: "json" };

// The names of WooCommerce's language packs. `%s` is a unit or the name of a custom field, `%d` the number of an
// attribute.

/** The columns of an export, in the order in which WooCommerce writes them. */
export const WOOCOMMERCE_COLUMNS: readonly string[] = packs.columns;

type TranslatedNames = Readonly<Record<string, string | readonly string[]>>;
/** A language pack lists the names that differ from English; several where versions differ. */
const PACKS: Readonly<Record<string, TranslatedNames>> = packs.languages;

/** English names with theirs, by language. */
export const WOOCOMMERCE_TRANSLATIONS: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>> = new Map(
  Object.entries(PACKS).map(([language, pack]) => {
    const columns = [...WOOCOMMERCE_COLUMNS, ...packs.furtherColumns];
    return [language, new Map(columns.map((column) => [column, [pack[column] ?? column].flat()]))];
  }),
);

/**
 * Names are compared without case, byte order marks and unusual spaces; a question mark counts, `Varasto?` is not
 * `Varasto`.
 */
function nameKey(raw: string): string {
  return raw
    .replaceAll("\uFEFF", "")
    .replaceAll("’", "'")
    .replace(/\s+/g, " ")
    .replace(/ (?=[?;])/g, "")
    .trim()
    .toLowerCase();
}

type ExportLanguage = {
  readonly names: ReadonlyMap<string, string>;
  readonly patterns: readonly { readonly pattern: RegExp; readonly english: string }[];
};

const LANGUAGES: readonly ExportLanguage[] = [...WOOCOMMERCE_TRANSLATIONS.values()].map((table) => {
  const spellings = [...table].flatMap(([english, theirs]) =>
    theirs.map((name) => ({ english, name: nameKey(name) })),
  );
  return {
    names: new Map(spellings.filter(isPlain).map(({ english, name }) => [name, english])),
    patterns: spellings.filter((spelling) => !isPlain(spelling)).map(asPattern),
  };
});

function isPlain({ name }: { readonly name: string }): boolean {
  return !/%[sd]/.test(name);
}

function asPattern({ english, name }: { readonly english: string; readonly name: string }) {
  const source = name
    .replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
    .replace("%d", "(\\d{1,3})")
    .replace("%s", "(.{1,200})");
  return { pattern: new RegExp(`^${source}$`), english };
}

/** WooCommerce's own English names are in every language's export that was not fully translated. */
const ENGLISH: ReadonlyMap<string, string> = new Map(
  [...WOOCOMMERCE_COLUMNS, "Brands"].map((name) => [nameKey(name), name]),
);

function englishIn({ names, patterns }: ExportLanguage, raw: string): string | undefined {
  const key = nameKey(raw);
  const plain = names.get(key);
  if (plain !== undefined) return plain;
  for (const { pattern, english } of patterns) {
    const part = pattern.exec(key)?.[1];
    if (part !== undefined) return english.replace(/%[sd]/, part);
  }
  // Every language keeps the abbreviation.
  return key.startsWith("gtin,") ? "GTIN, UPC, EAN, or ISBN" : ENGLISH.get(key);
}

/** Without these a file is not a product export. */
const NEEDED = ["Type", "SKU", "Name", "Regular price"];

export function translatedHeaders(head: FileHead): Translation | undefined {
  return byLanguage(head.header) ?? byPlace(head);
}

function byLanguage(header: readonly string[]): Translation | undefined {
  let best: ReadonlyMap<string, string> = new Map();
  for (const language of LANGUAGES) {
    const found = new Map(
      header.flatMap((raw) => {
        const english = englishIn(language, raw);
        return english === undefined ? [] : [[nameKey(raw), english] as const];
      }),
    );
    if (found.size > best.size) best = found;
  }
  const known = new Set(best.values());
  return NEEDED.every((name) => known.has(name)) ? translationBy(best) : undefined;
}

function translationBy(english: ReadonlyMap<string, string>): Translation {
  return {
    readName: (raw): Header => readHeader(english.get(nameKey(raw)) ?? raw),
    isKnown: (raw) => english.has(nameKey(raw)),
  };
}

const FLAG = /^(?:[01])?$/;
const AMOUNT = /^(?:\d{1,12}(?:[.,]\d{1,6})?)?$/;

/** What the cells of a column can be, in every language. */
const PROOFS: Readonly<Record<string, RegExp>> = {
  ID: /^\d{1,12}$/,
  Type: /^(?:simple|variable|variation|grouped|external)(?:, ?(?:virtual|downloadable))*$/,
  Published: /^(?:1|0|-1)$/,
  "Is featured?": FLAG,
  "Visibility in catalog": /^(?:visible|catalog|search|hidden)$/,
  "Tax status": /^(?:taxable|shipping|none)?$/,
  "In stock?": /^(?:1|0|backorder)?$/,
  Stock: /^(?:-?\d{1,9}(?:\.\d+)?|parent)?$/,
  "Backorders allowed?": /^(?:1|0|notify)?$/,
  "Sold individually?": FLAG,
  "Allow customer reviews?": FLAG,
  "Sale price": AMOUNT,
  "Regular price": AMOUNT,
  Images: /^(?:https?:\/\/\S.*)?$/s,
  Position: /^(?:-?\d{1,9})?$/,
};
/** Columns that must have a value somewhere, so that empty columns prove nothing. */
const NOT_EMPTY = ["Type", "Visibility in catalog", "In stock?", "Regular price", "Position"];

/** Columns that younger versions of WooCommerce have added. */
const ADDED = ["GTIN, UPC, EAN, or ISBN", "Low stock amount"] as const;
const LAYOUTS: readonly (readonly string[])[] = [
  WOOCOMMERCE_COLUMNS,
  ...ADDED.map((added) => WOOCOMMERCE_COLUMNS.filter((name) => name !== added)),
  WOOCOMMERCE_COLUMNS.filter((name) => !ADDED.some((added) => added === name)),
];

function byPlace({ header, rows }: FileHead): Translation | undefined {
  const fitting = LAYOUTS.filter((layout) => isProven(layout, header, rows));
  const [layout, ...others] = fitting;
  // Two orders that both fit prove neither.
  if (layout === undefined || others.length > 0) return undefined;
  return translationBy(
    new Map([
      ...layout.map(
        (name, index) => [nameKey(header[index] ?? ""), inEnglish(name, header[index] ?? "")] as const,
      ),
      ...attributesByPlace(header, layout.length),
    ]),
  );
}

function isProven(
  layout: readonly string[],
  header: readonly string[],
  rows: readonly (readonly string[])[],
): boolean {
  if (header.length < layout.length || rows.length === 0) return false;
  const cells = (name: string): string[] =>
    rows.map((row) => trimmedText(row[layout.indexOf(name)] ?? "") ?? "");
  const isFitting = Object.entries(PROOFS).every(([name, proof]) =>
    cells(name).every((cell) => proof.test(cell)),
  );
  return isFitting && NOT_EMPTY.every((name) => cells(name).some((cell) => cell !== ""));
}

/** Keeps the unit of their name: `Weight (%s)` for `Вага (кг)` has none that is known. */
function inEnglish(name: string, theirs: string): string {
  return name.replace("%s", /\(([^()]{1,20})\)/.exec(theirs)?.[1] ?? "");
}

const ATTRIBUTE_PARTS = ["name", "value(s)", "visible", "global", "default"];

/** Attributes follow the fixed columns: four or five columns with the same number, from 1 on. */
function attributesByPlace(header: readonly string[], from: number): [string, string][] {
  const found: [string, string][] = [];
  let column = from;
  for (let number = 1; ; number += 1) {
    const isOfThis = new RegExp(`(?:^|\\D)${number}(?:\\D|$)`);
    const next = header.slice(column, column + ATTRIBUTE_PARTS.length);
    const end = next.findIndex((raw) => !isOfThis.test(raw));
    const count = end === -1 ? next.length : end;
    if (count < ATTRIBUTE_PARTS.length - 1) return found;
    for (const [part, raw] of next.slice(0, count).entries())
      found.push([nameKey(raw), `Attribute ${number} ${ATTRIBUTE_PARTS[part] ?? ""}`]);
    column += count;
  }
}
