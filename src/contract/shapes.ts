/** Shapes that several answers share. Times are UTC with milliseconds, as `Date.toISOString` writes them. */
import { Type } from "typebox";
import type { TSchema } from "typebox";

/** The pattern shuts out `urn:uuid:…`, which the format allows and PostgreSQL does not read. */
export const Uuid = Type.String({ format: "uuid", pattern: "^[0-9A-Fa-f-]{36}$" });
export const DateTime = Type.String({ format: "date-time", examples: ["2026-11-15T06:00:00.000Z"] });
export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** Every JSON answer has the single key `data`. */
export const Data = <T extends TSchema>(schema: T) => Type.Object({ data: schema });

/** As long as ids can be, and nothing the database cannot hold. */
export const ItemId = Type.String({ minLength: 1, maxLength: 200, pattern: "^[^\\u0000]*$" });

/** Lists that may be long come in pages. */
export const Cursor = Type.Optional(
  Type.String({ maxLength: 2_000, description: "`next_cursor` of the page before; left out for the first." }),
);
export const Limit = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 500, default: 100, description: "The most entries of a page." }),
);
export const NextCursor = Nullable(Type.String({ description: "Null: this was the last page." }));
