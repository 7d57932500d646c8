/**
 * What to set when a file's columns are not recognized: the columns it has, the fields that no column feeds, and
 * text for the settings with the likeliest column for each, by its name and its values. The merchant decides. The text
 * can be pasted as it is: it keeps what the setting has already and names only columns of the file.
 */
import type { TextField } from "../../catalog/draft.ts";
import priceNames from "./price-names.json" with { type: "json" };
import type { ColumnSuggestion, SuggestedField } from "../source.ts";
import { fold, isKnownName, readHeader, namesShown } from "../product-record/aliases.ts";
import type { ColumnMapping } from "../product-record/column-settings.ts";
import { columnKey } from "../product-record/link-template.ts";
import { confidenceOf, mayBeCents } from "./column-values.ts";

/**
 * The meaning of a column's name, in the spelling of `fold`. The first pattern that matches decides, so the
 * kinds of values that another word may accompany come first: `Img URL` is an image and no link, `Brand code` no id.
 */
const KINDS: readonly (readonly [field: TextField | "page" | "other", pattern: RegExp])[] = [
  // Prices that a shop pays or asks of retailers, and amounts in cents: as a price they would be wrong, and be
  // published.
  [
    "other",
    /cost|supply|supplier|purchas|wholesale|trade_price|dealer|margin|einkauf|handler|grosshandel|achat|fournisseur|compra|coste|costo|acquisto|ingrosso|inkoop|nakup|zakup|indkob|inkop|cent(?:s|imes|imos)?(?:_|$)|minor|(?:^|_)(?:ek|net|netto|vk2)(?:_|$)/,
  ],
  ["other", /prices(?:_|$)|condition|zustand|marketplace|(?:^|_)(?:is|has|uom|unit)(?:_|$)/],
  [
    "other",
    /video|category|kategorie|categor|tax|steuer|country|currency|waehrung|wahrung|group|gruppe|parent/,
  ],
  [
    "other",
    /weight|gewicht|width|height|length|breite|hohe|lange|(?:^|_)(?:count|old|alt|uvp|ek|date|datum)(?:_|$)/,
  ],
  // Who sells, keeps or buys the goods, and names of other things: `market`, `shop_name`, `Lagerort`, `color_name`.
  [
    "other",
    /(?:^|_)(?:market|marketing|shop|store|seller|merchant|channel|warehouse|user|customer|author|contact|company|firma)(?:_?(?:name|title|id|code|no|nr|number))?$/,
  ],
  [
    "other",
    /(?:colou?r|farb|size|gross|option|attribut|variant|feature|propert|file|datei|first|last|column|sheet|stock|lager|inventory)_?(?:n?name|title|titel|label|location|ort|platz|standort)(?:_|$)|(?:^|_)(?:e_?mail|location|standort)(?:_|$)/,
  ],
  ["other", /review|rating|comment|bewertung/],
  ["image", /image|(?:^|_)(?:img|pic)|bild|photo|foto|picture|thumb|logo/],
  ["description", /descri|beschreib|langtext|(?:^|_)(?:text|body|desc)(?:_|$)/],
  // A quantity alone may be what was sold, ordered or packed.
  [
    "quantity",
    /bestand|(?:stock|inventory|available|lager|verfugbar)[a-z_]{0,12}(?:quantity|qty|menge)|(?:quantity|qty|menge)[a-z_]{0,12}(?:stock|inventory|available|lager|verfugbar)/,
  ],
  ["other", /quantity|(?:^|_)qty(?:_|$)|menge/],
  ["other", /(?:stock|inventory).*_id$/],
  ["availability", /availab|verfugbar|stock|lager|inventory/],
  [
    "other",
    /(?:brand|marke|maker|manufacturer|hersteller|vendor).*(?:code|number|nummer|nr|no|id|url|link)(?:_|$)/,
  ],
  [
    "brand",
    /(?:^|_)(?:(?:(?:product|produkt|artikel|item)_?)?(?:brands?|marken?)(?:_?name)?|maker|manufacturer(?:name)?|hersteller(?:name)?|vendor)(?:_|$)/,
  ],
  ["page", /(?:^|_)(?:slug|url_key|handle|alias|seo|rewrite|path|pfad)(?:_|$)/],
  ["link", /link|(?:^|_)(?:url|href|page|seite)(?:_|$)/],
  ["id", /number|nummer|numero|codigo|kennung|referen|artikelnr|(?:^|_)(?:id|sku|nr|no|code|key|ref)(?:_|$)/],
  [
    "title",
    /title|titel|titul|titol|name|nombre|bezeichnung|label|headline|designation|^(?:product|produkt|producto|produto|prodotto|produit|produs|proizvod|termek|artikel|article|item|nom|nome|nazwa|nazev|nazov|naziv|navn|namn|nimi|urun_adı|denumire|megnevezes|название|наименование|назва|наименование_товара|τιτλος|ονομα|商品名|名称|상품명|اسم|الاسم|שם)$/,
  ],
];

/** A column with the name of a currency has amounts. */
const CURRENCIES = /^(?:eur|usd|gbp)$/;

/** In the order in which they are suggested. */
const SUGGESTED = [
  "id",
  "title",
  "link",
  "price",
  "image",
  "description",
  "availability",
  "quantity",
  "brand",
] as const;

/** Items are rejected without these. */
const NEEDED: readonly TextField[] = ["id", "title", "link", "price"];

/** Longer ones are not names. */
const MAX_NAME_CHARS = 200;

export type FileSeen = {
  /** Names of the columns, as the file spells them. */
  readonly columns: readonly string[];
  /** Values of a column in the first rows. */
  readonly valuesOf: (column: string) => readonly string[];
  /** Whether a column feeds the field. */
  readonly has: (field: TextField) => boolean;
  /** What the merchant has mapped already. */
  readonly mapping: ColumnMapping;
};

/** The fields that no column feeds although every item needs them. */
function neededFields(has: FileSeen["has"]): TextField[] {
  return NEEDED.filter((field) => !has(field) && !(field === "id" && has("sku")));
}

/** Enough to see what a column has, and short enough for a message. */
const SHOWN_VALUES = 3;
const SHOWN_CHARS = 40;

export function suggestColumns(seen: FileSeen): ColumnSuggestion | null {
  const { columns, has, mapping } = seen;
  const missing = neededFields(has);
  if (missing.length === 0) return null;
  const byKind = freeColumns(columns, mapping);
  const candidates = (field: TextField) =>
    (byKind.get(field) ?? []).flatMap((column) => suggested(field, column, seen));
  const wanted = SUGGESTED.filter(
    (field) => missing.includes(field) || (field !== "id" && !isFed(field, has)),
  );
  const prices = missing.includes("price") ? candidates("price") : [];
  const isPriceClear =
    prices.length === 1 &&
    prices.every(
      ({ column }) => !mayBeCents(valuesAt(column, seen)) && taxSigns(column, columns).length === 0,
    );
  const fields = wanted.flatMap((field): readonly SuggestedField[] => {
    // Only the merchant knows which of two prices customers pay, whether whole numbers are cents, and whether tax is
    // included.
    if (field === "price" && !isPriceClear) return [];
    return candidates(field).toSorted(surestFirst).slice(0, 1);
  });
  const page = byKind.get("page")?.find((column) => isPathPart(valuesAt(column, seen)));
  const isLinkOpen = missing.includes("link") && !fields.some(({ field }) => field === "link");
  const set = [...mapping.values()].map(({ line }) => line);
  return {
    seen: columns.slice(0, 200).map((name) => name.slice(0, MAX_NAME_CHARS)),
    missing: missing.map(fold),
    fields,
    columns:
      fields.length === 0
        ? ""
        : [...set, ...fields.map(({ field, column }) => `${column} = ${field}`)].join("\n"),
    link_template: isLinkOpen && page !== undefined ? `https://your-shop.example/{${page}}` : null,
    prices: isPriceClear ? [] : prices,
  };
}

function suggested(field: TextField, column: string, seen: FileSeen): readonly SuggestedField[] {
  const values = valuesAt(column, seen);
  const confidence = confidenceOf(field, values);
  if (confidence === null) return [];
  const shown = [...new Set(values)].slice(0, SHOWN_VALUES).map(shortened);
  return [{ field: fold(field), column, confidence, values: shown }];
}

/** Addresses differ at their ends. */
function shortened(value: string): string {
  if (value.length <= SHOWN_CHARS) return value;
  return `${value.slice(0, SHOWN_CHARS / 2)}…${value.slice(-SHOWN_CHARS / 2)}`.toWellFormed();
}

/** Whether the values can be parts of addresses: a `seo_title` is text. */
function isPathPart(values: readonly string[]): boolean {
  return values.length > 0 && values.every((value) => /^[^\s<>"]{1,200}$/u.test(value));
}

/** The settings spell some names differently than the file. */
function valuesAt(column: string, { columns, valuesOf }: FileSeen): readonly string[] {
  const name = columns.find((one) => settable(one) === column);
  return name === undefined ? [] : valuesOf(name);
}

function surestFirst(a: SuggestedField, b: SuggestedField): number {
  if (a.confidence !== b.confidence) return a.confidence === "high" ? -1 : 1;
  return a.column.length - b.column.length;
}

/** Stock is a word or a number. */
function isFed(field: TextField, has: FileSeen["has"]): boolean {
  return (
    has(field) ||
    (field === "availability" && has("quantity")) ||
    (field === "quantity" && has("availability"))
  );
}

/** The unused columns by the meaning of their names, spelled as the settings accept them. */
function freeColumns(
  columns: readonly string[],
  mapping: ColumnMapping,
): ReadonlyMap<string, readonly string[]> {
  const free = columns.filter(
    (name) =>
      name.length <= MAX_NAME_CHARS &&
      !mapping.has(columnKey(name)) &&
      !isKnownName(readHeader(name).name) &&
      columnKey(settable(name)) === columnKey(name),
  );
  return Map.groupBy(free.map(settable), (name) => kindOf(fold(name)));
}

/** Lines and semicolons separate the entries of the setting, and braces enclose names in a template. */
function settable(name: string): string {
  return name.replaceAll(/[\r\n;{}]+/g, " ").trim();
}

const words = (lists: readonly string[]): ReadonlySet<string> =>
  new Set(lists.flatMap((list) => list.split(" ").map(fold)));
const PRICE_WORDS = words(priceNames.price);
const NEUTRAL_WORDS = words(priceNames.neutral);

/** A column of another amount must never be suggested as the price, so each word of the name must be known. */
function mayBePrice(name: string): boolean {
  const parts = name.split("_");
  return (
    parts.some((part) => PRICE_WORDS.has(part) || CURRENCIES.test(part)) &&
    parts.every((part) => PRICE_WORDS.has(part) || NEUTRAL_WORDS.has(part))
  );
}

const GROSS_WORDS = words(priceNames.gross);
const NET_WORDS = words(priceNames.net);
const TAX_WORDS = words(priceNames.tax);

/** The columns that tell of prices without tax, beside a price whose name does not say that it includes tax. */
function taxSigns(price: string, columns: readonly string[]): readonly string[] {
  if (hasWord(price, GROSS_WORDS)) return [];
  return columns.filter(
    (name) => settable(name) !== price && (hasWord(name, NET_WORDS) || hasWord(name, TAX_WORDS)),
  );
}

const hasWord = (name: string, list: ReadonlySet<string>): boolean =>
  fold(name)
    .split("_")
    .some((part) => list.has(part));

function kindOf(name: string): string {
  if (mayBePrice(name)) return "price";
  return KINDS.find(([, pattern]) => pattern.test(name))?.[0] ?? "other";
}

/** The suggestion as a message. */
export function suggestionText({ seen, missing, ...suggestion }: ColumnSuggestion): string {
  const advice = adviceParts({ ...suggestion, seen }).join(" ");
  return `No column was recognized as ${missing.join(" or ")}. Columns found: ${namesShown(seen)}. ${advice}`;
}

/** What to set, in sentences. Values are quoted, so that nothing after them is copied. */
export function adviceParts({
  columns,
  fields,
  link_template,
  prices,
  seen,
}: Pick<ColumnSuggestion, "columns" | "fields" | "link_template" | "prices" | "seen">): string[] {
  const parts = [
    ...priceQuestion(prices, seen),
    ...(columns === "" ? [] : [`Set columns, e.g. to "${columns.replaceAll("\n", "; ")}".`]),
    ...(fields.length === 0 ? [] : [`Check the values first: ${fields.map(fieldText).join("; ")}.`]),
    ...(link_template === null
      ? []
      : [`Set link_template, e.g. to "${link_template}" with your shop's address.`]),
  ];
  return parts.length > 0
    ? parts
    : ['Set columns to say which is which: "Their name = our_name", one per line.'];
}

export function priceQuestion(prices: ColumnSuggestion["prices"], seen: ColumnSuggestion["seen"]): string[] {
  const [first, ...others] = prices;
  if (first === undefined) return [];
  const signs = others.length === 0 ? taxSigns(first.column, seen) : [];
  if (signs.length > 0)
    return [
      `${namesShown([first.column])} could be the price with tax or without it, as the file also has ${namesShown(signs)}: if it is what customers pay, tax included, map it to price.`,
    ];
  if (others.length === 0)
    return [
      `${namesShown([first.column])} could be the price, or a number of cents (${first.values.join(", ")}): if it is what customers pay, map it to price.`,
    ];
  const names = namesShown(prices.map(({ column }) => column));
  return [`${names} could be the price: map the one that customers pay to price.`];
}

/** "Code as id, likely, A-3" */
export function fieldText({ field, column, confidence, values }: SuggestedField): string {
  return `${column} as ${field}, ${confidence === "high" ? "likely" : "possibly"}: ${values.join(", ")}`;
}
