/**
 * Builds the schemas of the contract: the functions of typebox's `Type` that are used here, with its types. The package
 * itself has 370 modules, which took 14 MB in each process and 0.2 s of its start, to make objects as plain as these.
 * `type.test.ts` compares them.
 */
import type { Type as Typebox } from "typebox";

type Options = Readonly<Record<string, unknown>>;
type Schema = object;
type Properties = Readonly<Record<string, Schema>>;

const optionals = new WeakSet<Schema>();

function optional(schema: Schema): Schema {
  const copy = { ...schema };
  optionals.add(copy);
  return copy;
}

function object(properties: Properties, options?: Options) {
  const required = Object.keys(properties).filter((name) => !optionals.has(properties[name] ?? {}));
  return { type: "object", ...(required.length > 0 && { required }), properties, ...options };
}

type ObjectSchema = { readonly properties: Properties };

function partial({ properties }: ObjectSchema, options?: Options) {
  const entries = Object.entries(properties).map(([name, schema]) => [name, optional(schema)]);
  return object(Object.fromEntries(entries), options);
}

function pick({ properties }: ObjectSchema, names: readonly string[], options?: Options) {
  const entries = Object.entries(properties).filter(([name]) => names.includes(name));
  return object(Object.fromEntries(entries), options);
}

const plain = (type: string) => (options?: Options) => ({ type, ...options });

const BUILDERS = {
  String: plain("string"),
  Integer: plain("integer"),
  Number: plain("number"),
  Boolean: plain("boolean"),
  Null: plain("null"),
  Unknown: (options?: Options) => ({ ...options }),
  Literal: (value: unknown, options?: Options) => ({ type: typeof value, const: value, ...options }),
  Enum: (values: readonly unknown[], options?: Options) => ({ enum: [...values], ...options }),
  Array: (items: Schema, options?: Options) => ({ type: "array", items, ...options }),
  Union: (anyOf: readonly Schema[], options?: Options) => ({ anyOf, ...options }),
  /** A schema of objects with any keys. */
  Record: (_keys: Schema, values: Schema, options?: Options) => ({
    type: "object",
    patternProperties: { "^.*$": values },
    ...options,
  }),
  Object: object,
  Optional: optional,
  Partial: partial,
  Pick: pick,
};

export const Type = BUILDERS as unknown as Pick<typeof Typebox, keyof typeof BUILDERS>;
