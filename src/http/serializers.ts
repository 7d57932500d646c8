/**
 * The serializers of responses, one for each schema: nearly all routes share the schemas of their errors. Each is
 * compiled with the first response that needs it.
 */
import {
  type Serializer,
  type SerializerFactory,
  SerializerSelector,
} from "@fastify/fast-json-stringify-compiler";

/** No schema refers to another schema by name, so a serializer depends on its schema alone. */
const serializers = new WeakMap<object, Serializer>();

export const buildSerializer: SerializerFactory = (...settings) => {
  const compile = SerializerSelector()(...settings);
  return (route) => {
    const schema = route.schema as object;
    const serializer =
      serializers.get(schema) ??
      compiledWhenCalled(() => compile({ ...route, schema: withFewUnions(schema) }));
    serializers.set(schema, serializer);
    return serializer;
  };
};

function compiledWhenCalled(compile: () => Serializer): Serializer {
  let compiled: Serializer | undefined;
  return (body) => (compiled ??= compile())(body);
}

type UnionOption = {
  readonly type?: unknown;
  readonly enum?: unknown;
  readonly anyOf?: readonly UnionOption[];
};

const SCALARS: ReadonlySet<unknown> = new Set(["string", "number", "boolean", "null"]);

/**
 * The schema with "or null" as the serializer's own keyword, and "a number or a text" as a list of types. A union gets
 * a validator for each of its values, which is most of the time of a first response and is called for each such value
 * of every response. Other unions are few, and stay.
 */
function withFewUnions(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withFewUnions);
  if (typeof node !== "object" || node === null) return node;
  const { anyOf, ...others }: { anyOf?: readonly UnionOption[] } = node;
  if (anyOf !== undefined) return simpleUnion(anyOf, others) ?? node;
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, withFewUnions(value)]));
}

function simpleUnion(options: readonly UnionOption[], others: object): object | undefined {
  const [value, empty] = options;
  // All values of an enumeration are texts.
  const type = value?.enum === undefined ? value?.type : "string";
  if (options.length === 2 && empty?.type === "null" && type !== undefined)
    return { ...(withFewUnions(value) as object), ...others, type, nullable: true };
  const types = options.flatMap((option) => option.anyOf ?? option).map((option) => option.type);
  return types.every((one) => SCALARS.has(one)) ? { ...others, type: types } : undefined;
}
