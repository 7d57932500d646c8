/**
 * What to set when a file's columns were not understood: the columns it has, the fields that no column feeds, and
 * the text of the `columns` setting with the likeliest column for each. Only names are compared; the merchant decides.
 */
import type { TextField } from "../../catalog/draft.ts";
import type { ColumnSuggestion } from "../source.ts";
import { isKnownName } from "../product-record/aliases.ts";
import { fold, readHeader } from "../product-record/header.ts";
import { namesShown } from "../product-record/reading.ts";

/** Words that often stand in the name of a field's column, in the spelling of the alias tables. */
const HINTS: readonly (readonly [field: TextField, words: readonly string[]])[] = [
  [
    "id",
    [
      "sku",
      "article",
      "artikel",
      "articulo",
      "item",
      "product",
      "produkt",
      "code",
      "number",
      "nummer",
      "ref",
      "id",
      "key",
    ],
  ],
  [
    "title",
    [
      "title",
      "titel",
      "name",
      "bezeichnung",
      "label",
      "product",
      "produkt",
      "nom",
      "headline",
      "nombre",
      "designation",
    ],
  ],
  ["link", ["link", "url", "href", "permalink", "page", "lien", "enlace"]],
  ["price", ["price", "preis", "prix", "precio", "prezzo", "cost", "amount", "brutto", "gross", "rate"]],
  ["image", ["image", "img", "bild", "photo", "foto", "picture", "thumbnail", "media", "imagen"]],
  [
    "description",
    ["description", "beschreibung", "descripcion", "text", "body", "detail", "details", "desc"],
  ],
  ["availability", ["availability", "available", "stock", "lager", "inventory", "verfugbar"]],
  ["brand", ["brand", "marke", "maker", "manufacturer", "hersteller", "vendor"]],
];

/** Items are rejected without these. */
const NEEDED: readonly TextField[] = ["id", "title", "link", "price"];
/** Columns that name a page: a link can be made of them. */
const PAGE_NAME = /(?:^|_)(?:slug|url_key|handle|permalink|alias|seo|rewrite|path)(?:_|$)/;

type Has = (field: TextField) => boolean;

/** The fields that no column feeds although every item needs them. */
function neededFields(has: Has): TextField[] {
  return NEEDED.filter((field) => !has(field) && !(field === "id" && has("sku")));
}

export function suggestColumns(columns: readonly string[], has: Has): ColumnSuggestion | null {
  const missing = neededFields(has);
  if (missing.length === 0) return null;
  const lines = suggestedLines(columns, { has, missing });
  const isLinkOpen = missing.includes("link") && !lines.some((line) => line.endsWith(" = link"));
  return {
    seen: columns.slice(0, 200),
    missing: missing.map(fold),
    columns: lines.join("\n"),
    link_template: isLinkOpen ? templateFor(columns) : null,
  };
}

type Wanted = { readonly has: Has; readonly missing: readonly TextField[] };

/** A line for each field that a column may well be meant for; `???` where one is needed and none is likely. */
function suggestedLines(columns: readonly string[], { has, missing }: Wanted): string[] {
  const unused = new Set(columns.filter((column) => !isKnownName(readHeader(column).name)));
  return HINTS.filter(([field]) => missing.includes(field) || (field !== "id" && !has(field))).flatMap(
    ([field, words]) => {
      const column = likeliest([...unused], field, words);
      if (column === undefined)
        return missing.includes(field) && field !== "link" ? [`??? = ${fold(field)}`] : [];
      unused.delete(column);
      return [`${column} = ${fold(field)}`];
    },
  );
}

/** Fields whose values are addresses. */
const ADDRESS_FIELDS: ReadonlySet<TextField> = new Set(["link", "image"]);
const ADDRESS_NAME = /url|link|href/;
const IMAGE_NAME = /image|img|bild|photo|foto|picture|imagen|thumb/;

/** Whether a column of this name can hold values of the field at all: an address is no title, an image is no page. */
function isPossible(field: TextField, name: string): boolean {
  if (field !== "id" && /(?:^|_)id$/.test(name)) return false;
  if (field === "image") return true;
  return !IMAGE_NAME.test(name) && (ADDRESS_FIELDS.has(field) || !ADDRESS_NAME.test(name));
}

/** A long word may begin one of the name's words ("artikel" in `artikelnr`); a short one must be one of them. */
const LONG_WORD = 5;

function hasWord(name: string, word: string): boolean {
  return name.split("_").some((part) => part === word || (word.length >= LONG_WORD && part.startsWith(word)));
}

/** By the first word that any name has; of several such names the shortest, which says little else. */
function likeliest(
  columns: readonly string[],
  field: TextField,
  words: readonly string[],
): string | undefined {
  const possible = columns.filter((column) => isPossible(field, fold(column)));
  for (const word of words) {
    const found = possible.filter((column) => {
      const name = fold(column);
      // German writes `Produktbild`; no other word ends like one for an image.
      return hasWord(name, word) || (field === "image" && name.includes(word));
    });
    const [shortest] = found.toSorted((a, b) => a.length - b.length);
    if (shortest !== undefined) return shortest;
  }
  return undefined;
}

function templateFor(columns: readonly string[]): string {
  const page = columns.find((column) => PAGE_NAME.test(fold(column))) ?? "column";
  return `https://your-shop.example/{${page}}`;
}

/** The suggestion as a message. */
export function suggestionText({ seen, missing, columns, link_template }: ColumnSuggestion): string {
  const set = [
    ...(columns === "" ? [] : [`columns to\n${columns}\n`]),
    ...(link_template === null ? [] : [`link_template to ${link_template}`]),
  ];
  const advice = set.length === 0 ? "" : ` Set ${set.join("and ")}${columns === "" ? "." : ""}`;
  return `No column was understood as ${missing.join(" or ")}. Columns found: ${namesShown(seen)}.${advice}`;
}
