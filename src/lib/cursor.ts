/**
 * The cursor of a paged list: an opaque text with the keys of the last entry. A page costs the same wherever it is, and entries
 * that are added or removed meanwhile neither repeat nor hide others.
 */
import { AppError } from "../errors.ts";

export type CursorKey = string | number;

export function encodeCursor(keys: readonly CursorKey[]): string {
  return Buffer.from(JSON.stringify(keys)).toString("base64url");
}

export function decodeCursor(cursor: string, types: readonly ("string" | "number")[]): readonly CursorKey[] {
  const keys = parse(cursor);
  if (Array.isArray(keys) && keys.length === types.length && keys.every(isOf(types))) {
    return keys as CursorKey[];
  }
  throw badCursor();
}

export function badCursor(): AppError {
  return new AppError(
    "invalid_request",
    "The cursor does not belong to this list. Omit it to start at the beginning.",
    {
      fields: [{ pointer: "/cursor", detail: "is not a cursor that this call has returned" }],
    },
  );
}

/** PostgreSQL rejects NUL. */
const isOf = (types: readonly string[]) => (key: unknown, at: number) =>
  typeof key === types[at] && !String(key).includes("\0");

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, "base64url").toString()) as unknown;
  } catch {
    return null;
  }
}
