/**
 * Sets and clears fields of an item. Every value passes the checks that values of sources pass; one that they do not
 * accept leaves the item as it is.
 */
import type { Draft } from "../../catalog/draft.ts";
import { type Rejection, REJECTION_CODES, type Warning, type WarningCode } from "../../catalog/finding.ts";
import { GOOGLE_NAMES, type GoogleName, type GoogleValue } from "../../catalog/google-attributes.ts";
import { type Item, VARIANT_TRAITS } from "../../catalog/item.ts";
import { quoted } from "../../catalog/normalize/fields.ts";
import { type PatchedField, patchItem } from "../../catalog/patch.ts";
import { readValue, type SingleField } from "../../catalog/read-value.ts";
import type { CatalogSettings } from "../../catalog/settings.ts";
import { NO_SOURCE, type RuleField, type Target } from "./fields.ts";
import { type CountryPrice, ratesWith } from "./shipping-rates.ts";

export type Texts = string | readonly string[];
/** A sentence that says why a value was not used. */
export type Refusal = { readonly refused: string };
export type Written = Item | Refusal;
/** The new item, the same one if it has the value already, or why the value cannot be used. */
export type Write = (item: Item) => Written;

export const isRefusal = (written: object): written is Refusal => "refused" in written;

/** Warnings that say that a value is not used, or not as it was meant. */
const REFUSING: ReadonlySet<string> = new Set<WarningCode>([
  "incomplete_value",
  "unknown_word",
  "invalid_number",
  "invalid_measure",
  "invalid_date",
  "invalid_url",
  "invalid_country",
  "invalid_language",
  "invalid_attribute",
  "invalid_amount",
  "invalid_shipping",
  "invalid_gtin",
  "damaged_gtin",
  "currency_conflict",
  "invalid_sale_price",
  "invalid_list_price",
  "currency_differs",
  "sale_price_not_lower",
  "invalid_sale_window",
  "unknown_availability",
  "unknown_condition",
]);

/** Their messages also say what a sync does with the item; a rule leaves it as it is. */
const UNKNOWN_WORDS: ReadonlySet<string> = new Set<WarningCode>([
  "unknown_availability",
  "unknown_condition",
]);

/** The first problem because of which a value is not used. */
function refusalIn(problems: readonly (Warning | Rejection)[], { field, texts }: Value): Refusal | undefined {
  const problem = problems.find(({ code }) => REFUSING.has(code) || Object.hasOwn(REJECTION_CODES, code));
  if (problem === undefined) return undefined;
  if (!UNKNOWN_WORDS.has(problem.code)) return { refused: problem.message };
  const { name, values = [] } = field;
  return { refused: `${name} ${shown(texts)} is not a known value. Use ${values.join(", ")}.` };
}

const contextOf = (settings: CatalogSettings) => ({ position: 1, settings, decimalMark: "." }) as const;

const asList = (texts: Texts): readonly string[] => (typeof texts === "string" ? [texts] : texts);
const shown = (texts: Texts): string => quoted(asList(texts).join(", "));

/** Sets the field to the texts, which are as a source would have them. */
export function setValue(field: RuleField, texts: Texts, settings: CatalogSettings): Write {
  const { target } = field;
  if (target === undefined) throw new Error(`${field.name} cannot be set`);
  return (item) => {
    const written = writeTo(target, { field, texts, settings, item });
    if (isRefusal(written)) return written;
    if (field.read(written, NO_SOURCE) !== undefined) return written;
    return { refused: `${field.name} ${shown(texts)} counts as empty or does not apply to the item.` };
  };
}

type Value = {
  readonly field: RuleField;
  readonly texts: Texts;
  readonly settings: CatalogSettings;
  readonly item: Item;
};

function writeTo(target: Target, value: Value): Written {
  if (target.via === "field") return writeField(target.field, value);
  if (target.via === "label") return writeLabel(target.index, value);
  if (target.via === "google") return writeGoogle(target.name, value);
  if (target.via === "shipping") return writeShipping(target.country, value);
  return target.via === "patch" ? writePatch(target.field, value) : writeImages(target.via, value);
}

function readAs<Field extends SingleField>(field: Field, draft: Draft, of: Value) {
  const { value, problems } = readValue(field, draft, { ...contextOf(of.settings), item: of.item });
  return refusalIn(problems, of) ?? { value };
}

/** Fields that may have further values for Google, which a new first value makes untrue. */
const FURTHER_VALUES: Readonly<Partial<Record<SingleField, GoogleName>>> = {
  gtin: "gtin",
  sizeType: "size_type",
};

function writeField(field: SingleField, value: Value): Written {
  const { item, texts } = value;
  const isList = value.field.kind === "list" || value.field.kind === "paths";
  const read = readAs(field, { [field]: isList ? asList(texts) : texts }, value);
  if (isRefusal(read)) return read;
  return replaced(item, field, read.value);
}

/** The item with another value; the item itself if the value is the same. */
export function replaced<Field extends SingleField>(
  item: Item,
  field: Field,
  value: Item[Field] | undefined,
): Item {
  if (isSame(item[field], value)) return item;
  const further = FURTHER_VALUES[field];
  const rest = further === undefined ? item : withGoogle(item, further, undefined);
  return { ...rest, [field]: value };
}

export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object") return false;
  return JSON.stringify(a) === JSON.stringify(b);
}

function writeLabel(index: number, value: Value): Written {
  const { item, texts } = value;
  const read = readAs("customLabels", { customLabel0: String(texts) }, value);
  return isRefusal(read) ? read : withLabel(item, index, read.value?.[0] ?? null);
}

export function withLabel(item: Item, index: number, label: string | null): Item {
  const labels = Array.from({ length: 5 }, (_, at) =>
    at === index ? label : (item.customLabels?.[at] ?? null),
  );
  const count = labels.findLastIndex((entry) => entry !== null) + 1;
  return replaced(item, "customLabels", count === 0 ? undefined : labels.slice(0, count));
}

function writeImages(part: "image" | "additionalImages", value: Value): Written {
  const { item, texts } = value;
  const [main = "", ...more] = item.images ?? [];
  const draft: Draft =
    part === "image"
      ? { image: String(texts), additionalImages: more }
      : { image: main, additionalImages: asList(texts) };
  const read = readAs("images", draft, value);
  return isRefusal(read) ? read : replaced(item, "images", read.value);
}

function writeGoogle(name: GoogleName, value: Value): Written {
  const read = readAs("google", { google: { [name]: asList(value.texts) } }, value);
  return isRefusal(read) ? read : withGoogle(value.item, name, read.value?.[name]);
}

export function withGoogle(item: Item, name: GoogleName, value: GoogleValue | undefined): Item {
  const { google = {}, ...rest } = item;
  if (isSame(google[name], value)) return item;
  const values: { [Name in GoogleName]?: GoogleValue } = {};
  for (const known of GOOGLE_NAMES) {
    const kept = known === name ? value : google[known];
    if (kept !== undefined) values[known] = kept;
  }
  return Object.keys(values).length === 0 ? rest : { ...rest, google: values };
}

function writeShipping(country: string, value: Value): Written {
  const read = readAs("shipping", { shipping: [{ country, price: String(value.texts) }] }, value);
  if (isRefusal(read)) return read;
  return withShipping(value.item, { country, price: read.value?.[0]?.price, settings: value.settings });
}

/** The item with one rate for the country; with none if there is no price. */
function withShipping(
  item: Item,
  { settings, ...rate }: CountryPrice & { readonly settings: CatalogSettings },
): Item {
  const { country } = rate;
  const further = item.google?.shipping;
  const others = Array.isArray(further) ? further.filter((entry) => entry["country"] !== country) : [];
  const rest = withGoogle(item, "shipping", others.length === 0 ? undefined : others);
  return replaced(rest, "shipping", ratesWith(item, rate, settings.country));
}

function writePatch(field: keyof Draft, value: Value): Written {
  const { texts, settings, item } = value;
  const result = patchItem(item, { draft: { [field]: String(texts) }, cleared: [] }, contextOf(settings));
  if (result.kind === "rejected") return { refused: result.rejection.message };
  const { currency } = item.price;
  if (result.item.price.currency !== currency)
    return { refused: `${value.field.name} ${shown(texts)} is not in ${currency}.` };
  return refusalIn(result.warnings, value) ?? (isSame(result.item, item) ? item : result.item);
}

/** Removes the field's value. */
export function clearValue(field: RuleField, settings: CatalogSettings): Write {
  return (item) => {
    if (field.read(item, NO_SOURCE) === undefined) return item;
    return cleared(item, field, settings);
  };
}

/** These follow from an option, if there is one. */
const FROM_OPTIONS: ReadonlySet<string> = new Set(VARIANT_TRAITS);

function cleared(item: Item, { name, target, read }: RuleField, settings: CatalogSettings): Written {
  if (target === undefined) throw new Error(`${name} cannot be cleared`);
  if (target.via === "label") return withLabel(item, target.index, null);
  if (target.via === "shipping")
    return withShipping(item, { country: target.country, price: undefined, settings });
  if (target.via === "field" && !FROM_OPTIONS.has(name)) return replaced(item, target.field, undefined);
  const result = patchItem(item, { draft: {}, cleared: [patchedField(target)] }, contextOf(settings));
  if (result.kind === "rejected") return { refused: result.rejection.message };
  if (isSame(read(result.item, NO_SOURCE), read(item, NO_SOURCE)))
    return { refused: `${name} follows from another value of the item and cannot be cleared alone.` };
  return result.item;
}

function patchedField(target: Exclude<Target, { via: "label" | "shipping" }>): PatchedField {
  if (target.via === "google") return target.name;
  return "field" in target ? (target.field as PatchedField) : target.via;
}
