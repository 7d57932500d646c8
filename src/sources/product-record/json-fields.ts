/**
 * One JSON object to named values. Nested objects become groups, their own nesting folded into names joined by `_`;
 * numbers become the digits that were written, even those that JavaScript cannot represent.
 */
import { isJsonObject, type JsonObject } from "../../lib/json-object.ts";
import { GOOGLE_TABLE, googleNamed } from "../../catalog/google-attributes.ts";
import { unambiguous } from "../../catalog/money.ts";
import { FormatError } from "../../lib/formats/format-error.ts";
import { aliasNames, fold, GROUP_ALIASES, readHeader, TEXT_ALIASES } from "./aliases.ts";
import type { SetField } from "./dynamic-columns.ts";
import type { RecordLimits } from "./limits.ts";
import type { CellGroup, CellValue } from "./cells.ts";

/** Keys of options, or details, as one object, in the spelling of the alias tables. */
const OPTION_NAMES: ReadonlySet<string> = new Set([
  ...aliasNames(GROUP_ALIASES.options),
  ...aliasNames(GROUP_ALIASES.details),
  "details",
]);

const PRICE_NAMES: ReadonlySet<string> = new Set([
  ...aliasNames(TEXT_ALIASES.price ?? ""),
  ...aliasNames(TEXT_ALIASES.salePrice ?? ""),
  ...aliasNames(TEXT_ALIASES.listPrice ?? ""),
]);

const isPriceName = (name: string): boolean => PRICE_NAMES.has(fold(name));

/** Several prices become a text that is no price: which of them counts is not ours to guess. */
function onePrice(value: CellValue): CellValue {
  if (typeof value === "string" || !value.every((part) => typeof part === "string")) return value;
  return [...new Set(value)].join(" / ");
}

export function setJsonFields(object: JsonObject, limits: RecordLimits, set: SetField): void {
  for (const [name, value] of fieldsOf(object)) {
    const read = jsonValue(isOptionDictionary(name, value) ? optionList(value) : value, { name, limits });
    if (read === undefined) continue;
    if (isNested(value)) set(nestedName(name), isPriceName(name) ? onePrice(read) : read);
    else set(name, read);
  }
}

/**
 * The fields of the object. `google`, as the API shows an item's attributes for Google, is the fields inside it; a name
 * in there that is none of Google's stays apart, so that it is counted and feeds nothing.
 */
function fieldsOf(object: JsonObject): [string, unknown][] {
  const { google, ...rest } = object;
  if (!isJsonObject(google) || !Object.keys(google).some(isGoogleField)) return Object.entries(object);
  const inside = new Map(
    Object.entries(google).map(([name, value]) => [isGoogleField(name) ? name : `google ${name}`, value]),
  );
  // If our field has the first value, `google` has the others.
  const joined = [...inside].map(([name, value]): [string, unknown] => [
    name,
    Object.hasOwn(rest, name) ? [rest[name], value].flat() : value,
  ]);
  return [...Object.entries(rest).filter(([name]) => !inside.has(name)), ...joined];
}

function isGoogleField(name: string): boolean {
  return Object.hasOwn(GOOGLE_TABLE, name) || googleNamed(readHeader(name).name) !== undefined;
}

/** As a text, `details` is what some call a description; as a list or an object it is facts, one by one. */
function nestedName(name: string): string {
  return fold(name) === "details" ? "product_details" : name;
}

/** `{"Shoe Size": "42"}`, distinguished from one option as `{"name": "Shoe Size", "value": "42"}`. */
function isOptionDictionary(name: string, value: unknown): value is JsonObject {
  if (!isJsonObject(value) || !OPTION_NAMES.has(fold(name))) return false;
  const keys = new Set(Object.keys(value).map(fold));
  const isPair = (one: string, other: string): boolean => keys.has(one) && keys.has(other);
  return !isPair("name", "value") && !isPair("attribute_name", "attribute_value");
}

/** The keys are the shop's own words: as values, nothing folds them. */
function optionList(dictionary: JsonObject): readonly JsonObject[] {
  return Object.entries(dictionary).map(([name, value]) => ({ name, value }));
}

type NamedJsonField = { readonly name: string; readonly limits: RecordLimits };

function jsonValue(value: unknown, field: NamedJsonField): CellValue | undefined {
  if (Array.isArray(value)) {
    const parts = value.map((part) => jsonPart(part, field)).filter((part) => part !== undefined);
    return parts.length > 0 ? parts : undefined;
  }
  const part = jsonPart(value, field);
  return part === undefined || typeof part === "string" ? part : [part];
}

function jsonPart(value: unknown, field: NamedJsonField): string | CellGroup | undefined {
  if (!isNested(value)) return scalarText(value, field);
  const group: Record<string, string> = {};
  addEntries(group, "", value, { ...field, depth: 1 });
  return group;
}

function addEntries(
  group: Record<string, string>,
  prefix: string,
  value: object,
  { name: of, limits, depth }: NamedJsonField & { readonly depth: number },
): void {
  if (depth > limits.maxDepth) {
    throw new FormatError("too_large", `The JSON nests deeper than ${limits.maxDepth} levels.`);
  }
  for (const [key, inner] of Object.entries(value) as [string, unknown][]) {
    const name = prefix === "" ? fold(key) : `${prefix}_${fold(key)}`;
    if (isNested(inner)) {
      addEntries(group, name, inner, { name: of, limits, depth: depth + 1 });
      continue;
    }
    const text = scalarText(inner, { name: isPriceName(of) ? of : key, limits });
    if (text !== undefined) group[name] = text;
  }
}

function isNested(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function scalarText(value: unknown, { name, limits: { maxFieldChars } }: NamedJsonField): string | undefined {
  // A number has a decimal point; a text such as "1.299" may mean something else.
  if (typeof value === "number") return isPriceName(name) ? unambiguous(String(value)) : String(value);
  if (typeof value === "boolean") return String(value);
  if (typeof value !== "string") return undefined;
  if (value.length <= maxFieldChars) return value;
  throw new FormatError(
    "too_large",
    `A text of ${value.length} characters; ${maxFieldChars} are allowed in one field.`,
  );
}

/** Whether a number in the text may have lost digits: JavaScript keeps fifteen for certain. */
const LONG_NUMBER = /[:[,]\s*-?[\d.]{16,}/;

/** The reviver's third argument (ECMAScript 2026) is not in the compiler's library yet. */
type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;
const parseWith = JSON.parse as (text: string, reviver: Reviver) => unknown;

/** The element with every number that JavaScript would change kept as the text that was written. */
export function exactNumbers(value: unknown, text: string): unknown {
  if (!LONG_NUMBER.test(text)) return value;
  return parseWith(text, (_key, parsed, { source }) =>
    typeof parsed === "number" && source !== undefined ? unambiguous(source) : parsed,
  );
}
