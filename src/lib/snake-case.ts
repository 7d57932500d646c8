/** Names in the API's spelling: `groupId` is `group_id`, at every depth. Values are unchanged. */
export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : "";

export type SnakeCased<T> = T extends readonly (infer Element)[]
  ? readonly SnakeCased<Element>[]
  : T extends object
    ? { readonly [Key in keyof T as Key extends string ? SnakeCase<Key> : Key]: SnakeCased<T[Key]> }
    : T;

export function withSnakeCase<T>(value: T): SnakeCased<T> {
  return renamed(value) as SnakeCased<T>;
}

function renamed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renamed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [snakeCase(name), renamed(inner)]));
}
