/** The validators of requests: one compiler for all applications of a process, which compiles each schema once. */
import AjvCompiler from "@fastify/ajv-compiler";

export const buildValidator = AjvCompiler();

/**
 * No type coercion: "7" is not a number and "yes" is not a boolean. `verbose`: an error has the value and its schema, so that
 * the message can say what was sent and what is allowed.
 */
export const AJV_OPTIONS = {
  coerceTypes: false,
  removeAdditional: false,
  allErrors: true,
  verbose: true,
} as const;
