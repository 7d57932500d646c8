/**
 * Columns with attributes of Google's specification which are not fields of ours, read by the table of those
 * attributes. A cell has Google's grammar: values separated by commas, the parts of a group by colons, quotes around
 * what has either. XML and JSON have values and parts as separate nodes. A group that cannot be split into its parts
 * stays one text, and `normalize` warns of it.
 */
import { shiftDecimal } from "../../catalog/decimal.ts";
import {
  GOOGLE_COLUMNS,
  GOOGLE_TABLE,
  type GoogleDraft,
  type GoogleGroup,
  type GoogleName,
  type GoogleRawValue,
} from "../../catalog/google-attributes.ts";
import type { GoogleGroupsAttribute } from "../../catalog/google-form.ts";
import {
  trimmedText,
  DECIMAL_COMMA,
  type CellGroup,
  groupParts,
  parseJson,
  splitGroups,
  splitList,
  textEntries,
  textsOf,
  urlList,
  type CellValue,
} from "./cells.ts";
import type { Header } from "./aliases.ts";
import { headerKey, inputsOf, type CellStep } from "./source-text.ts";

type ReadCell = (cell: CellValue) => readonly GoogleRawValue[];

/** How the records' Google attributes get into their drafts; null when no column has one. */
export function googleStep(
  headers: readonly Header[],
  columnsOf: (names: readonly string[]) => readonly number[],
): CellStep | null {
  const attributes = GOOGLE_COLUMNS.flatMap((name) => {
    const columns = columnsOf([name, ...GOOGLE_TABLE[name].aliases]).map((column) => ({
      column,
      read: readerOf(name, headers[column]?.parts ?? []),
    }));
    return columns.length === 0 ? [] : [{ name, columns, isOne: GOOGLE_TABLE[name].shape === "one" }];
  });
  if (attributes.length === 0) return null;
  const inputs = attributes.flatMap(({ name, columns }) =>
    columns.map(({ column }, index) => ({
      column,
      key: `google ${name} ${index} ${headerKey(headers[column])}`,
    })),
  );
  const run: CellStep["run"] = (draft, cells) => {
    const google: { -readonly [Name in GoogleName]?: readonly GoogleRawValue[] } = {};
    let isEmpty = true;
    for (const { name, columns, isOne } of attributes) {
      const values = valuesOf(cells, columns, isOne);
      if (values.length === 0) continue;
      google[name] = values;
      isEmpty = false;
    }
    if (!isEmpty) draft.google = { ...draft.google, ...google };
  };
  return { inputs, run };
}

/** Our fields with one value where Google accepts several. */
const SEVERAL = [
  { name: "gtin", field: "gtin" },
  { name: "size_type", field: "sizeType" },
] as const;

/** The first value is the field's; those after it are for Google alone. */
export function surplusSteps(columnsOf: (names: readonly string[]) => readonly number[]): CellStep[] {
  return SEVERAL.flatMap(({ name, field }) => {
    const columns = columnsOf([name, ...GOOGLE_TABLE[name].aliases]);
    if (columns.length === 0) return [];
    const run: CellStep["run"] = (draft, cells) => {
      if (columns.length === 1 && !isSeveral(cells[columns[0] ?? 0])) return;
      const values = columns.flatMap((column) => textsOf(cells[column] ?? "").flatMap(splitList));
      const [first, ...more] = new Set(values);
      if (first === undefined || more.length === 0) return;
      draft[field] = first;
      draft.google = { ...draft.google, [name]: more };
    };
    return [{ inputs: inputsOf(`surplus ${field}`, columns), run }];
  });
}

/** Most cells have one value: these are recognized without splitting them. */
function isSeveral(cell: CellValue | undefined): boolean {
  return typeof cell === "string" ? cell.includes(",") : (cell?.length ?? 0) > 0;
}

type GoogleColumnReader = { readonly column: number; readonly read: ReadCell };

/** All that the columns say. One value under two names (`ads_redirect`, `adwords_redirect`): the first counts. */
function valuesOf(
  cells: readonly (CellValue | undefined)[],
  columns: readonly GoogleColumnReader[],
  isOne: boolean,
): readonly GoogleRawValue[] {
  const values: GoogleRawValue[] = [];
  for (const { column, read } of columns) {
    const cell = cells[column];
    if (cell !== undefined && cell !== "") values.push(...read(cell));
    if (isOne && values.length > 0) break;
  }
  return values;
}

/** The attributes of a variant: its own, and those of its product that it has no value for. */
export function joinGoogle(
  product: GoogleDraft | undefined,
  variant: GoogleDraft | undefined,
): GoogleDraft | undefined {
  return product === undefined || variant === undefined ? (variant ?? product) : { ...product, ...variant };
}

function readerOf(name: GoogleName, headerParts: readonly string[]): ReadCell {
  const attribute = GOOGLE_TABLE[name];
  if (attribute.shape === "groups") return (cell) => groupsIn(cell, name, attribute, headerParts);
  if (attribute.shape === "one") return (cell) => onesIn(cell);
  if (attribute.form.kind === "url") return (cell) => [...urlList(cell), ...groupsWithoutText(cell)];
  // Words and codes of countries have no commas of their own, so that a list of them may be one text anywhere.
  const isSplit = attribute.form.kind === "word" || attribute.form.kind === "country";
  return (cell) => valuesIn(cell, isSplit);
}

function onesIn(cell: CellValue): readonly GoogleRawValue[] {
  if (typeof cell === "string") return textsOf(cell);
  return cell.flatMap((part): readonly GoogleRawValue[] => {
    const amount = typeof part === "string" ? undefined : moneyIn(part, "");
    return amount === undefined ? textOrGroup(part) : [amount];
  });
}

/** A group that has no text stays what it is, so that the item's checks say that it is left out. */
function textOrGroup(part: string | CellGroup): readonly GoogleRawValue[] {
  const texts = textsOf([part]);
  return texts.length > 0 || typeof part === "string" ? texts : [part];
}

function groupsWithoutText(cell: CellValue): readonly GoogleRawValue[] {
  return groupParts(cell).filter((group) => textsOf([group]).length === 0);
}

function valuesIn(cell: CellValue, isSplit: boolean): readonly GoogleRawValue[] {
  if (typeof cell !== "string") {
    const texts = textsOf(cell).flatMap((text) => (isSplit ? splitList(text) : [text]));
    return [...texts, ...groupsWithoutText(cell)];
  }
  const text = trimmedText(cell);
  if (text === undefined) return [];
  const parsed = text.startsWith("[") ? parseJson(text) : undefined;
  return Array.isArray(parsed) ? parsed.map(String) : splitList(text);
}

function groupsIn(
  cell: CellValue,
  name: GoogleName,
  attribute: GoogleGroupsAttribute,
  headerParts: readonly string[],
): GoogleRawValue[] {
  const values = typeof cell === "string" ? jsonGroups(cell) : cell;
  return values.flatMap((value): GoogleRawValue[] => {
    if (typeof value !== "string") return [withPartNames(value, attribute)];
    const text = trimmedText(value);
    return text === undefined ? [] : splitCell(text, name, attribute, headerParts);
  });
}

/** JSON in a cell, or the cell itself. */
function jsonGroups(cell: string): readonly (string | CellGroup)[] {
  const text = cell.trim();
  const parsed = text.startsWith("{") || text.startsWith("[") ? parseJson(text) : undefined;
  const list: readonly unknown[] = Array.isArray(parsed) ? parsed : [parsed];
  if (!list.every((entry) => typeof entry === "object" && entry !== null)) return [cell];
  return list.map((entry) => textEntries(entry ?? {}));
}

function splitCell(
  text: string,
  name: GoogleName,
  attribute: GoogleGroupsAttribute,
  headerParts: readonly string[],
): GoogleRawValue[] {
  const groups = splitGroups(asWritten(text, name, attribute));
  if (attribute.most === 1 && groups.length > 1) return [text];
  const named = groups.map((parts) => nameParts(parts, attribute, headerParts));
  return named.some((group) => group === null) ? [text] : named.filter((group) => group !== null);
}

/** A time of day that is not in quotes: `US:16:00:Europe/Berlin`. */
const BARE_CLOCK = /(?<=^|[:,])\s*((?:[01]\d|2[0-3]):[0-5]\d)\s*(?=[:,]|$)/g;
const STRUCTURED = /^\s*(?:(default|trained_algorithmic_media)\s*)?:\s*(?=[^\s"])(.*)$/i;

/** The cell with quotes where a value has a separator and can be read in one way only. */
function asWritten(text: string, name: GoogleName, { parts }: GoogleGroupsAttribute): string {
  if (name === "structured_title" || name === "structured_description") {
    const [, type = "", content] = STRUCTURED.exec(text) ?? [];
    return content === undefined ? text : `${type}:"${content.replaceAll('"', '""')}"`;
  }
  if (name === "handling_cutoff_time") return text.replace(BARE_CLOCK, '"$1"');
  const hasMoney = Object.values(parts).some(({ form }) => form.kind === "money");
  return hasMoney ? text.replace(DECIMAL_COMMA, "$1.$2") : text;
}

/** Null when there are more values than names, or no order is known for so many. */
function nameParts(
  values: readonly string[],
  { parts, orders }: GoogleGroupsAttribute,
  headerParts: readonly string[],
): GoogleGroup | null {
  const names = headerParts.length > 0 ? headerParts : usualParts(values.length, Object.keys(parts), orders);
  if (names === undefined || values.length > names.length) return null;
  return Object.fromEntries(values.map((value, index) => [names[index] ?? "", value]));
}

function usualParts(
  count: number,
  all: readonly string[],
  orders: GoogleGroupsAttribute["orders"],
): readonly string[] | undefined {
  return orders === undefined ? all : orders.find((order) => order.length === count);
}

/** What the parts are called in Google's APIs, where it is something else. */
const PART_NAMES: ReadonlyMap<string, string> = new Map([
  ["id_type", "identifier_type"],
  ["id", "identifier"],
]);

/** The group under the names of the specification. An amount in several entries becomes one text. */
function withPartNames(group: CellGroup, { parts }: GoogleGroupsAttribute): GoogleGroup {
  const named: Record<string, string> = {};
  const joined = new Set<string>();
  for (const [name, { form }] of Object.entries(parts)) {
    const amount = form.kind === "money" ? moneyIn(group, `${name}_`) : undefined;
    if (amount === undefined) continue;
    named[name] = amount;
    for (const key of MONEY_KEYS) joined.add(`${name}_${key}`);
  }
  for (const [key, text] of Object.entries(group)) {
    if (joined.has(key)) continue;
    const other = PART_NAMES.get(key);
    named[!Object.hasOwn(parts, key) && other !== undefined && Object.hasOwn(parts, other) ? other : key] =
      text;
  }
  return named;
}

const MONEY_KEYS = ["value", "currency", "amount_micros", "currency_code"] as const;

/** An amount as Google's APIs have it: `{"value", "currency"}`, or `{"amountMicros", "currencyCode"}`. */
function moneyIn(group: CellGroup, prefix: string): string | undefined {
  const [value, currency, micros, currencyCode] = MONEY_KEYS.map((key) => group[`${prefix}${key}`]);
  if (value !== undefined && currency !== undefined) return `${value} ${currency}`;
  if (micros === undefined || !/^\d{1,18}$/.test(micros)) return undefined;
  return `${shiftDecimal(micros, -6)} ${currencyCode ?? ""}`.trim();
}
