/** Shapes that several answers share. Times are UTC with milliseconds, as `Date.toISOString` writes them. */
import { Type } from "typebox";
import type { TSchema } from "typebox";

/** The pattern shuts out `urn:uuid:…`, which the format allows and PostgreSQL does not read. */
export const Uuid = Type.String({ format: "uuid", pattern: "^[0-9A-Fa-f-]{36}$" });
export const DateTime = Type.String({ format: "date-time", examples: ["2026-11-15T06:00:00.000Z"] });
export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** Every JSON answer has the single key `data`. */
export const Data = <T extends TSchema>(schema: T) => Type.Object({ data: schema });
