/**
 * Names are in camel case in the program, and in snake case in the database and in the API. `store/db.ts` renames the
 * columns of results; `withSnakeCase` makes answers: `groupId` becomes `group_id`, at every depth, and times become
 * text in ISO 8601.
 */
import { memoize } from "./memoize.ts";

export const snakeCase = memoize(1_000, (name) =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
);

export const camelCase = memoize(1_000, (name) =>
  name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
) as <Name extends string>(name: Name) => CamelCase<Name>;

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : "";

/**
 * A map is unknown, so that no answer can have it: its keys are data, such as the names of settings, and must not be
 * renamed.
 */
export type SnakeCased<T> = T extends readonly (infer Element)[]
  ? readonly SnakeCased<Element>[]
  : T extends object
    ? T extends Date
      ? string
      : string extends keyof T
        ? unknown
        : { readonly [Key in keyof T as Key extends string ? SnakeCase<Key> : Key]: SnakeCased<T[Key]> }
    : T;

export type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;

export type CamelCased<T> = {
  readonly [Key in keyof T as Key extends string ? CamelCase<Key> : Key]: T[Key];
};

/** The row of a database that an answer is made of: its times are dates. */
export type RowOf<T> = CamelCased<{
  readonly [Key in keyof T]: Key extends `${string}_at` ? Date | Exclude<T[Key], string> : T[Key];
}>;

/** The fields of a body in camel case, not those inside of them. */
export function withCamelCase<T extends object>(body: T): CamelCased<T> {
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [camelCase(name), value]),
  ) as CamelCased<T>;
}

export function withSnakeCase<T>(value: T): SnakeCased<T> {
  return renamed(value) as SnakeCased<T>;
}

function renamed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renamed);
  if (value instanceof Date) return value.toISOString();
  if (typeof value !== "object" || value === null) return value;
  const body: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(value)) body[snakeCase(name)] = renamed(inner);
  return body;
}
