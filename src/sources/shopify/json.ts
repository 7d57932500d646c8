/** Looking into JSON that someone else wrote: what is not of the kind that was expected is not there. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function objectAt(object: JsonObject, key: string): JsonObject {
  const value = object[key];
  return isJsonObject(value) ? value : {};
}

export function listAt(object: JsonObject, key: string): readonly unknown[] {
  const value = object[key];
  return Array.isArray(value) ? value : [];
}

export function objectsAt(object: JsonObject, key: string): readonly JsonObject[] {
  return listAt(object, key).filter(isJsonObject);
}

/** Texts and numbers alike: 64-bit numbers come as texts in one place and as numbers in another. */
export function textAt(object: JsonObject, key: string): string | undefined {
  const value = object[key];
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function numberAt(object: JsonObject, key: string): number | undefined {
  const value = object[key];
  if (typeof value === "string" && /^-?\d{1,15}$/.test(value)) return Number(value);
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

export function flagAt(object: JsonObject, key: string): boolean | undefined {
  const value = object[key];
  return typeof value === "boolean" ? value : undefined;
}
