/**
 * Bulk operations of the fake shop: the query is executed by Shopify's schema, and its result is flattened into lines.
 * All roots come first, then their children, then the children of those, so that a child is far from its parent.
 */
import { execute, type GraphQLSchema, parse, validate } from "graphql";

export type BulkScript = {
  /** How many polls find it running. */
  polls: number;
  /** Why it does not start: an error of the whole answer (`ACCESS_DENIED`) or a user error. */
  refusal: "ACCESS_DENIED" | "LIMIT_REACHED" | "OPERATION_IN_PROGRESS" | "INVALID" | null;
  /** How it ends. */
  end: "COMPLETED" | "FAILED" | "EXPIRED" | "CANCELED";
  errorCode: "ACCESS_DENIED" | "TIMEOUT" | "INTERNAL_SERVER_ERROR" | null;
  /** Changes the file after it was counted. */
  tamper: (file: string) => string;
};

export const USUAL_BULK: BulkScript = {
  polls: 2,
  refusal: null,
  end: "COMPLETED",
  errorCode: null,
  tamper: (file) => file,
};

export type Operation = {
  readonly id: string;
  readonly lines: readonly string[];
  readonly roots: number;
  polled: number;
  isCanceled: boolean;
};

export function runOperation(
  schema: GraphQLSchema,
  query: string,
  rootValue: unknown,
  number: number,
): Operation {
  const document = parse(query);
  const problems = validate(schema, document);
  if (problems.length > 0) throw new Error(problems.map(({ message }) => message).join("; "));
  const result = execute({ schema, document, rootValue });
  if (!("data" in result) || result.data === null || result.data === undefined) {
    throw new Error(`the bulk query failed: ${JSON.stringify(result)}`);
  }
  const levels: string[][] = [];
  for (const value of Object.values(result.data)) flatten(value, null, levels, 0);
  return {
    id: `gid://shopify/BulkOperation/${number}`,
    lines: levels.flat(),
    roots: levels[0]?.length ?? 0,
    polled: 0,
    isCanceled: false,
  };
}

type Edges = { readonly edges: readonly { readonly node: Readonly<Record<string, unknown>> }[] };

function isConnection(value: unknown): value is Edges {
  return typeof value === "object" && value !== null && "edges" in value;
}

function flatten(value: unknown, parent: unknown, levels: string[][], level: number): void {
  if (!isConnection(value)) return;
  const lines = (levels[level] ??= []);
  for (const { node } of value.edges) {
    const own = Object.entries(node).filter(([, field]) => !isConnection(field));
    lines.push(
      JSON.stringify({ ...Object.fromEntries(own), ...(parent === null ? {} : { __parentId: parent }) }),
    );
    for (const field of Object.values(node)) flatten(field, node["id"], levels, level + 1);
  }
}
