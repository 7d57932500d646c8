/**
 * Messages about values that may be one of several kinds. Errors of a single kind would say that the others are not
 * allowed.
 */

/** The part of a JSON Schema that messages need. */
export type SchemaNode = {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly SchemaNode[];
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly description?: string;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: { readonly enum?: readonly unknown[] };
};

/** The kinds that a union has, of unions inside it too. */
function branchesOf({ anyOf = [] }: SchemaNode): readonly SchemaNode[] {
  return anyOf.flatMap((one) => (one.anyOf === undefined ? [one] : branchesOf(one)));
}

const typeOf = (data: unknown): string => {
  if (data === null) return "null";
  return Array.isArray(data) ? "array" : typeof data;
};

/** How many kinds the union has besides null; 0 if the parts of the value have errors of their own. */
export function countKinds(schema: SchemaNode, data: unknown): number {
  const kinds = branchesOf(schema).filter(({ type }) => type !== "null");
  const isNested = typeof data === "object" && kinds.some(({ type }) => type === typeOf(data));
  return isNested ? 0 : kinds.length;
}

/** `one of: google, openai, or a list`; `a number from 0 to 1, "off" or null`. */
export function choiceWords(schema: SchemaNode, allowed: (schema: SchemaNode) => string): string {
  const words = [...new Set(branchesOf(schema).map((one) => kindWords(one, allowed)))];
  const last = words.pop() ?? "";
  return words.length === 0 ? last : `${words.join(", ")} or ${last}`;
}

function kindWords(schema: SchemaNode, allowed: (schema: SchemaNode) => string): string {
  if (schema.type === "null") return "null";
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  return schema.enum === undefined ? allowed(schema) : `one of: ${schema.enum.join(", ")}`;
}

type UnionError = {
  readonly keyword: string;
  readonly instancePath: string;
  readonly parentSchema?: SchemaNode;
  readonly data?: unknown;
};

/** Finds errors of a list in a union that the errors of its entries explain. */
export function unionsIn(errors: readonly UnionError[]): {
  isExplainedBelow: (error: UnionError) => boolean;
} {
  const above = new Set(errors.flatMap(({ instancePath }) => pathsAbove(instancePath)));
  const explained = new Set(
    errors
      .filter(({ keyword, data }) => keyword === "anyOf" && Array.isArray(data))
      .flatMap(({ instancePath }) => (above.has(instancePath) ? [instancePath] : [])),
  );
  return { isExplainedBelow: ({ instancePath }) => explained.has(instancePath) };
}

const pathsAbove = (path: string): readonly string[] =>
  [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index));
