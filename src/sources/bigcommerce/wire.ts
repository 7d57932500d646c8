/**
 * What BigCommerce sends, read with care: the documents say which field holds what, shops hold nulls, texts for
 * numbers and nothing at all. A value of another kind than asked for is absent; nothing here throws.
 */

/** One JSON object whose fields nobody has looked at yet. */
export type Fields = Readonly<Record<string, unknown>>;

export function asFields(value: unknown): Fields | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : null;
}

/** The objects of a list; whatever else is in it says nothing. */
export function objectsOf(list: readonly unknown[]): readonly Fields[] {
  return list.map(asFields).filter((fields) => fields !== null);
}

export function objectsIn(fields: Fields, name: string): readonly Fields[] {
  return objectsOf(listIn(fields, name));
}

export function listIn(fields: Fields, name: string): readonly unknown[] {
  const value = fields[name];
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

/** A text with something in it. Codes such as `upc` come as numbers from some shops. */
export function textIn(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  const text = typeof value === "number" && Number.isFinite(value) ? String(value) : value;
  return typeof text === "string" && text.trim() !== "" ? text : undefined;
}

const NUMBER = /^-?\d{1,15}(?:\.\d{1,15})?$/;

/** A number, or the text of one: the older parts of the API write prices as texts. */
export function numberIn(fields: Fields, name: string): number | undefined {
  const value = fields[name];
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  return typeof value === "string" && NUMBER.test(value.trim()) ? Number(value) : undefined;
}

/** An id is a whole number above zero; zero is how BigCommerce says "none". */
export function idIn(fields: Fields, name: string): number | undefined {
  const value = numberIn(fields, name);
  return value !== undefined && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

export function idsIn(fields: Fields, name: string): readonly number[] {
  return listIn(fields, name).flatMap((entry) => idIn({ entry }, "entry") ?? []);
}

export function isTrue(fields: Fields, name: string): boolean {
  return fields[name] === true;
}
