/**
 * Schemas that several answers share. Times are UTC with milliseconds, as `Date.toISOString` writes them. A schema with
 * a `title` is a named component of the OpenAPI document (`http/openapi.ts`); titles are unique.
 */
import { Type } from "./type.ts";
import type { Static, TSchema } from "typebox";

/** The type of the values of a schema, as the code passes them on: read-only. */
export type Wire<Schema extends TSchema> = ReadonlyDeep<Static<Schema>>;
type ReadonlyDeep<T> = T extends (infer Element)[]
  ? readonly ReadonlyDeep<Element>[]
  : T extends object
    ? { readonly [Key in keyof T]: ReadonlyDeep<T[Key]> }
    : T;

export const text = (description: string) => Type.String({ description });
export const integer = (description: string) => Type.Integer({ description });
export const number = (description: string) => Type.Number({ description });
export const flag = (description: string) => Type.Boolean({ description });

/** The pattern excludes `urn:uuid:…`, which the format allows and PostgreSQL rejects. */
export const Uuid = Type.String({ format: "uuid", pattern: "^[0-9A-Fa-f-]{36}$" });
export const DateTime = Type.String({ format: "date-time", examples: ["2026-11-15T06:00:00.000Z"] });
export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** Every JSON answer has the single key `data`. The description is that of the response. */
export const Data = <T extends TSchema>(schema: T, description: string) =>
  Type.Object({ data: schema }, { description });

/** Why a run failed. */
export const Failure = Type.Object(
  { code: Type.String({ description: "docs/errors.md lists them." }), message: Type.String() },
  { title: "Failure", examples: [{ code: "source_timeout", message: "The shop did not answer in time." }] },
);

/** One setting of a source or a destination, as a form shows it. */
export const SettingField = Type.Object({
  name: Type.String(),
  label: Type.String(),
  help: Type.String(),
  required: Type.Boolean(),
  secret: flag("Encrypted at rest and never shown again."),
  choices: Nullable(Type.Array(Type.String())),
  default: Nullable(Type.String()),
});

/** PostgreSQL cannot store NUL. */
export const ItemId = Type.String({ minLength: 1, maxLength: 200, pattern: "^[^\\u0000]*$" });

/** Lists that may be long come in pages. */
export const Cursor = Type.Optional(
  Type.String({
    maxLength: 2_000,
    description: "`next_cursor` of the previous page; omitted for the first.",
  }),
);
export const DEFAULT_LIMIT = 100;
export const Limit = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: 500,
    default: DEFAULT_LIMIT,
    description: "Maximum entries of a page.",
  }),
);
export const NextCursor = Nullable(Type.String({ description: "Null on the last page." }));

export const PageQuery = Type.Object({ cursor: Cursor, limit: Limit }, { additionalProperties: false });
