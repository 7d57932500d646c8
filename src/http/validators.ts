/**
 * The validators of requests: one compiler for all applications of a process, which compiles each schema once, with the
 * first request that needs it. To compile all of them is a third of the time of a start.
 */
import AjvCompiler from "@fastify/ajv-compiler";

const openCompiler = AjvCompiler();

export const buildValidator: typeof openCompiler = (...settings) => {
  const compile = openCompiler(...settings);
  return (...route) => {
    let compiled: ReturnType<typeof compile> | undefined;
    const validate = (data: unknown) => {
      compiled ??= compile(...route);
      const result = compiled(data);
      validate.errors = compiled.errors;
      return result;
    };
    validate.errors = undefined as ReturnType<typeof compile>["errors"];
    // The framework calls it and reads `errors`, nothing else.
    return validate as ReturnType<typeof compile>;
  };
};

/**
 * No type coercion: "7" is not a number and "yes" is not a boolean. `verbose`: an error has the value and its schema,
 * so that the message can say what was sent and what is allowed.
 */
export const AJV_OPTIONS = {
  coerceTypes: false,
  removeAdditional: false,
  allErrors: true,
  verbose: true,
} as const;
