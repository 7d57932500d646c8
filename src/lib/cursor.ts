/**
 * The cursor of a paged list: an opaque text with the keys of the last entry. A page costs the same wherever it is, and
 * entries that are added or removed meanwhile neither repeat nor hide others.
 */
import { AppError } from "../errors.ts";
import { isUuid } from "./id.ts";

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

/** The rows of a page, and the cursor of the next one: `rows` has one more than `limit` if there is a next page. */
export function pageOf<Row>(
  rows: readonly Row[],
  limit: number,
  keysOf: (last: Row) => readonly CursorKey[],
): { readonly page: readonly Row[]; readonly nextCursor: string | null } {
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return { page, nextCursor: last ? encodeCursor(keysOf(last)) : null };
}

/** A position in a list that does not change. */
export function decodeOffset(cursor: string): number {
  const offset = Number(decodeCursor(cursor, ["number"])[0]);
  if (!Number.isSafeInteger(offset) || offset < 0) throw badCursor();
  return offset;
}

/** The time and the id of an entry. As we write times: no other calendar, no year beyond the database's. */
export function decodeTimeAndId(cursor: string): { readonly at: Date; readonly id: string } {
  const [at = "", id = ""] = decodeCursor(cursor, ["string", "string"]).map(String);
  const place = { at: new Date(at), id };
  if (!/^\d{4}-/.test(at) || Number.isNaN(place.at.getTime()) || !isUuid(id)) throw badCursor();
  return place;
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
