/**
 * Typed access to JSON from outside. Shops send nulls, strings for numbers and fields that their documentation does not
 * have. A value of another type than asked for counts as absent, so one unusual field costs that field and no more.
 */
import { isJsonObject, type JsonObject } from "../../lib/json-object.ts";

/** The value itself, or an empty object if it is something else. */
export function toObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

export function objectIn(object: JsonObject, name: string): JsonObject {
  return toObject(object[name]);
}

export function listIn(object: JsonObject, name: string): readonly unknown[] {
  const value = object[name];
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

export function objectsIn(object: JsonObject, name: string): readonly JsonObject[] {
  return listIn(object, name).filter(isJsonObject);
}

/** A string with something in it. Numbers count: codes and 64-bit ids come as either. */
export function textIn(object: JsonObject, name: string): string | undefined {
  const value = object[name];
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : undefined;
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

export function textsIn(object: JsonObject, name: string): readonly string[] {
  return listIn(object, name).flatMap((text) =>
    typeof text === "string" && text.trim() !== "" ? [text] : [],
  );
}

const NUMBER = /^-?\d{1,15}(?:\.\d{1,15})?$/;

/** A number, or the text of one. */
export function numberIn(object: JsonObject, name: string): number | undefined {
  const value = object[name];
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  return typeof value === "string" && NUMBER.test(value.trim()) ? Number(value) : undefined;
}

/** An id is an integer above zero. Zero is how shops write "none". */
export function idIn(object: JsonObject, name = "id"): number | undefined {
  const value = numberIn(object, name);
  return value !== undefined && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

export function idsIn(object: JsonObject, name: string): readonly number[] {
  return listIn(object, name).flatMap((id) => idIn({ id }) ?? []);
}

/** A boolean, or one of the texts and numbers that PHP plugins write for it. */
export function flagIn(object: JsonObject, name: string): boolean | undefined {
  const value = object[name];
  if ([true, 1, "1", "yes", "true"].some((yes) => value === yes)) return true;
  return [false, 0, "0", "no", "false"].some((no) => value === no) ? false : undefined;
}

export function isTrue(object: JsonObject, name: string): boolean {
  return flagIn(object, name) === true;
}

export function isFalse(object: JsonObject, name: string): boolean {
  return flagIn(object, name) === false;
}

/** Name and value of each object that has both, such as the options of a variant. */
export function pairsOf(
  objects: readonly JsonObject[],
  nameField: string,
  valueField: string,
): readonly { readonly name: string; readonly value: string }[] {
  return objects.flatMap((object) => {
    const [name, value] = [textIn(object, nameField), textIn(object, valueField)];
    return name === undefined || value === undefined ? [] : [{ name, value }];
  });
}

/** Values by the ids of their rows. Rows without an id or a value are dropped. */
export function indexById<T>(
  rows: readonly unknown[],
  idField: string,
  read: (row: JsonObject) => T | undefined,
): ReadonlyMap<number, T> {
  const found = new Map<number, T>();
  for (const row of rows.filter(isJsonObject)) {
    const [id, value] = [idIn(row, idField), read(row)];
    if (id !== undefined && value !== undefined) found.set(id, value);
  }
  return found;
}
