/**
 * The field names of a push. The documented names in snake_case come first; the names that feeds use are aliases, by
 * the same tables as in any feed.
 */
import { isJsonObject } from "../../lib/json-object.ts";
import { type Draft, LIST_FIELDS, TEXT_FIELDS } from "../../catalog/draft.ts";
import { GOOGLE_COLUMNS, googleNamed } from "../../catalog/google-attributes.ts";
import type { PatchedField } from "../../catalog/patch.ts";
import type { Warning } from "../../catalog/finding.ts";
import { isBlank } from "../../catalog/text.ts";
import {
  aliasNames,
  fold,
  GROUP_ALIASES,
  LIST_ALIASES,
  readHeader,
  type ReadName,
  TEXT_ALIASES,
} from "../product-record/aliases.ts";
import { plural } from "../../lib/counted.ts";
import { variantsIn } from "../product-record/json-variants.ts";

export type PushField = {
  /** As documented: `group_id`. */
  readonly name: string;
  /** Other accepted names if our own has no value; the first with a value is used. */
  readonly aliases: readonly string[];
};

const GROUPS = ["options", "details", "shipping", "certifications"] as const;

const NAMES_OF: readonly (readonly [field: keyof Draft, aliases: string])[] = [
  ...TEXT_FIELDS.map((field) => [field, TEXT_ALIASES[field] ?? ""] as const),
  ...LIST_FIELDS.map((field) => [field, LIST_ALIASES[field]] as const),
  ...GROUPS.map((field) => [field, GROUP_ALIASES[field]] as const),
];

/** A name that feeds give to another field (`list_price`, `details`) is not an alias here: it is one of ours. */
const OWN: ReadonlySet<string> = new Set(NAMES_OF.map(([field]) => fold(field)));

export const PUSH_FIELDS: readonly PushField[] = NAMES_OF.map(([field, aliases]) => {
  const name = fold(field);
  return { name, aliases: aliasNames(aliases).filter((alias) => alias !== name && !OWN.has(alias)) };
});

/** Our name to the one by which the tables ask for the field first, so that ours wins over all others. */
const FIRST_NAMES: ReadonlyMap<string, string> = new Map(
  NAMES_OF.flatMap(([field, aliases]) => {
    const [first] = aliasNames(aliases);
    return first === undefined ? [] : [[fold(field), first] as const];
  }),
);

export const readPushName: ReadName = (name) => {
  const header = readHeader(name);
  const first = FIRST_NAMES.get(header.name);
  return first === undefined ? header : { ...header, name: first, isFirst: true };
};

/** The field of a name: our names first, then the names that feeds use. */
const FIELD_OF: ReadonlyMap<string, keyof Draft> = new Map([
  ...NAMES_OF.flatMap(([field, aliases]) =>
    aliasNames(aliases).map((name) => [name, field] as const),
  ).toReversed(),
  ...NAMES_OF.map(([field]) => [fold(field), field] as const),
]);

/** The fields that an element sends as null, and the draft has no other value for. */
export function clearedIn(element: unknown, draft: Draft): readonly PatchedField[] {
  if (!isJsonObject(element)) return [];
  const names = nullNames(element);
  const fields = names.flatMap((name) => FIELD_OF.get(name) ?? []);
  const attributes = [...names, ...googleNulls(element["google"])].flatMap((name) => googleNamed(name) ?? []);
  return [
    ...new Set<PatchedField>([
      ...fields.filter((field) => draft[field] === undefined),
      ...attributes.filter((attribute) => draft.google?.[attribute] === undefined),
    ]),
  ];
}

export type EmptyField = { readonly field: PatchedField; readonly value: unknown };

/**
 * The fields that an element sends with a value without meaning, such as `"NaN"` or `[]`. In a patch of an item they
 * are reported, because the sender meant something by them. Blank texts count as absent.
 */
export function emptyIn(element: unknown, draft: Draft): readonly EmptyField[] {
  if (!isJsonObject(element)) return [];
  const isIdle = Object.keys(draft).every((field) => field === "id" || field === "sku");
  return Object.entries(element).flatMap(([written, value]): EmptyField[] => {
    if (isAbsent(value)) return [];
    const { name } = readHeader(written);
    const field = FIELD_OF.get(name) ?? googleNamed(name);
    if (field === undefined || hasField(draft, field) || (hasValue(value) && !isIdle)) return [];
    return [{ field, value }];
  });
}

const isAbsent = (value: unknown): boolean =>
  value === null || (typeof value === "string" && value.trim() === "");

function hasField(draft: Draft, field: PatchedField): boolean {
  const values: Readonly<Record<string, unknown>> = { ...draft.google, ...draft };
  return values[field] !== undefined;
}

function hasValue(value: unknown): boolean {
  if (typeof value === "string") return !isBlank(value);
  if (typeof value !== "object" || value === null) return value !== null;
  return Object.values(value).some(hasValue);
}

/** Null in place of all attributes is null for each. */
function googleNulls(google: unknown): readonly string[] {
  if (google === null) return GOOGLE_COLUMNS;
  return isJsonObject(google) ? nullNames(google) : [];
}

function nullNames(object: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(object).flatMap(([written, value]) =>
    value === null ? [readHeader(written).name] : [],
  );
}

/** These may be one object of names and values. */
const DICTIONARIES: ReadonlySet<string> = new Set(["options", "details"]);

/** Warnings about groups that cannot be read: options whose value is a list, a certification that is a word. */
export function unreadGroups(element: unknown, draft: Draft, position: number): Warning[] {
  if (!isJsonObject(element)) return [];
  const stated = new Map(Object.entries(element).map(([name, value]) => [fold(name), value]));
  return GROUPS.flatMap((field): Warning[] => {
    const read =
      (draft[field]?.length ?? 0) + (field === "shipping" ? (draft.google?.shipping?.length ?? 0) : 0);
    const missing = entriesIn(stated.get(field), DICTIONARIES.has(field)) - read;
    if (missing <= 0) return [];
    const message = `${missing} of the item's ${field} cannot be read and ${plural(missing, "is", "are")} left out; each must be an object of texts, as docs/push.md shows.`;
    return [{ itemId: draft.id ?? null, position, field, code: "incomplete_value", message }];
  });
}

/**
 * These may have several values: images, and what Google takes more of than our field has. Several prices are rejected.
 */
const MAY_BE_SEVERAL: ReadonlySet<string> = new Set(["image", "gtin", "sizeType", "price", "salePrice"]);
const SINGLE_FIELDS: ReadonlySet<string> = new Set(TEXT_FIELDS.filter((field) => !MAY_BE_SEVERAL.has(field)));

/** Warnings about fields with one value that were sent as a list of several, of the product and of its variants. */
export function surplusValues(element: unknown, draft: Draft, position: number): Warning[] {
  if (!isJsonObject(element)) return [];
  const own = Object.entries(element).flatMap(([name, value]): Warning[] => {
    const field = Array.isArray(value) ? FIELD_OF.get(readHeader(name).name) : undefined;
    if (field === undefined || !SINGLE_FIELDS.has(field)) return [];
    const count = new Set((value as readonly unknown[]).filter(isMeaningful)).size;
    if (count < 2) return [];
    const message = `${name} is one value, but a list of ${count} was sent; only the first is used.`;
    return [{ itemId: draft.id ?? null, position, field, code: "too_many_values", message }];
  });
  const variants = variantsIn(element) ?? [];
  return [...own, ...variants.flatMap((variant) => surplusValues(variant, draft, position))];
}

/** How many things are said. Null and empty texts say nothing. */
function entriesIn(value: unknown, isDictionary: boolean): number {
  if (Array.isArray(value)) return value.filter(isMeaningful).length;
  if (!isJsonObject(value)) return isMeaningful(value) ? 1 : 0;
  const isPair = Object.keys(value).some((key) => /^(?:attribute_)?(?:name|value)$/.test(fold(key)));
  return isDictionary && !isPair ? Object.values(value).filter(isMeaningful).length : 1;
}

const isMeaningful = (value: unknown): boolean => value !== undefined && value !== null && value !== "";
