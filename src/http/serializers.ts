/**
 * The serializers of responses, one for each schema: nearly all routes share the schemas of their errors. Each is compiled with the first
 * response that needs it.
 */
import {
  type Serializer,
  type SerializerFactory,
  SerializerSelector,
} from "@fastify/fast-json-stringify-compiler";

/** No schema refers to another one by name, so a serializer depends on its schema alone. */
const serializers = new WeakMap<object, Serializer>();

export const buildSerializer: SerializerFactory = (...settings) => {
  const compile = SerializerSelector()(...settings);
  return (route) => {
    const schema = route.schema as object;
    const serializer = serializers.get(schema) ?? compiledWhenCalled(() => compile(route));
    serializers.set(schema, serializer);
    return serializer;
  };
};

function compiledWhenCalled(compile: () => Serializer): Serializer {
  let compiled: Serializer | undefined;
  return (body) => (compiled ??= compile())(body);
}
