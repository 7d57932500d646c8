/** The validators of requests: one compiler for all applications of a process, which compiles each schema once. */
import AjvCompiler from "@fastify/ajv-compiler";

export const buildValidator = AjvCompiler();
