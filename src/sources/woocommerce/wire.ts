/**
 * What WooCommerce sends, read without trust: plugins add, drop and retype fields. Each reader takes what is of the
 * right kind and otherwise finds nothing, so that one odd field costs that field and no more.
 */
export type Row = Readonly<Record<string, unknown>>;

export function isRow(value: unknown): value is Row {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A text, or a number as text; undefined when empty. */
export function textIn(row: Row, field: string): string | undefined {
  const value = row[field];
  if (typeof value === "string") return value.trim() === "" ? undefined : value;
  return typeof value === "number" && Number.isFinite(value) ? String(value) : undefined;
}

/** PHP plugins write booleans as texts and numbers, too. */
export function isTrue(row: Row, field: string): boolean {
  return [true, 1, "1", "yes", "true"].some((yes) => row[field] === yes);
}

/** Whether the field is there and false. */
export function isFalse(row: Row, field: string): boolean {
  return [false, 0, "0", "no", "false"].some((no) => row[field] === no);
}

export function rowIn(row: Row, field: string): Row {
  const value = row[field];
  return isRow(value) ? value : {};
}

export function rowsIn(row: Row, field: string): readonly Row[] {
  const value = row[field];
  return Array.isArray(value) ? value.filter(isRow) : [];
}

export function textsIn(row: Row, field: string): readonly string[] {
  const value: unknown = row[field];
  if (!Array.isArray(value)) return [];
  return value.filter((entry): entry is string => typeof entry === "string" && entry.trim() !== "");
}

/** WordPress counts from 1 and stays far below what a double holds exactly. */
export function idIn(row: Row, field = "id"): number | null {
  const value = row[field];
  const id = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof id === "number" && Number.isSafeInteger(id) && id > 0 ? id : null;
}
