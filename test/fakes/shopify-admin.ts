/**
 * The Admin API of the fake shop: executes questions by the vendor's own schema, with their price in points and a bucket
 * that fills up by the clock, lists that stop where Shopify's do, and bulk operations.
 */
import { execute, type GraphQLError, Kind, type OperationDefinitionNode, parse, validate } from "graphql";
import type { FakeProduct } from "./shopify-data.ts";
import { type BulkScript, type Operation, runOperation } from "./shopify-bulk.ts";
import { costOfOperation } from "./shopify-cost.ts";
import { connection, type Cutting, productGid, productNode, search } from "./shopify-resolvers.ts";
import { adminSchema } from "./shopify-schema.ts";

export type AdminState = {
  products: readonly FakeProduct[];
  name: string;
  currency: string;
  taxesIncluded: boolean;
  scopes: readonly string[];
  points: { maximum: number; available: number; restoreRate: number; mostPerQuery: number };
  /** Where lists stop. */
  listLimit: number;
  /** What counts say, if not the truth. */
  countClaimed: number | null;
  bulk: BulkScript;
  /** The last word on the data of an answer, for what no schema would let through. */
  garble: (data: unknown) => unknown;
};

export type AdminApi = {
  /** The answer to a request with this body. */
  readonly answer: (body: string) => unknown;
  /** The file of a bulk operation; undefined if there is no such operation. */
  readonly file: (id: string) => string | undefined;
  /** How many questions were refused for lack of points. */
  readonly throttled: () => number;
};

const TIMER_SLACK_MS = 2;

export function adminApi(state: AdminState, origin: string): AdminApi {
  const operations = new Map<string, Operation>();
  let throttled = 0;
  let filledAt = performance.now();

  function answer(body: string): unknown {
    const { query, variables } = JSON.parse(body) as { query: string; variables: Record<string, unknown> };
    const schema = adminSchema("2026-10");
    const document = parse(query);
    const problems = validate(schema, document);
    if (problems.length > 0) return { errors: problems.map(withCode) };
    const definition = document.definitions.find(
      (one): one is OperationDefinitionNode => one.kind === Kind.OPERATION_DEFINITION,
    );
    const price = definition === undefined ? 0 : costOfOperation(definition, variables);
    const { points } = state;
    const cost = (actualQueryCost: number | null) => ({
      cost: {
        requestedQueryCost: price,
        actualQueryCost,
        throttleStatus: {
          maximumAvailable: points.maximum,
          currentlyAvailable: points.available,
          restoreRate: points.restoreRate,
        },
      },
    });
    if (price > points.mostPerQuery) {
      const message = `Query cost is ${price}, which exceeds the single query max cost limit (${points.mostPerQuery}).`;
      return { errors: [{ message, extensions: { code: "MAX_COST_EXCEEDED", cost: price } }] };
    }
    refill();
    if (price > points.available) {
      throttled += 1;
      return {
        errors: [{ message: "Throttled", extensions: { code: "THROTTLED" } }],
        extensions: cost(null),
      };
    }
    points.available -= price;
    const result = execute({
      schema,
      document,
      rootValue: rootValue({ isBulk: false, listLimit: state.listLimit }),
      variableValues: variables,
    });
    if (!("data" in result)) return result;
    const extensions = cost(price);
    if (result.errors !== undefined)
      return { data: result.data, errors: result.errors.map(withCode), extensions };
    return { data: state.garble(result.data), extensions };
  }

  /** The bucket fills up by the clock; what a timer may be early by is given. */
  function refill(): void {
    const { points } = state;
    const elapsedMs = performance.now() - filledAt + TIMER_SLACK_MS;
    filledAt = performance.now();
    points.available = Math.min(points.maximum, points.available + (elapsedMs * points.restoreRate) / 1_000);
  }

  function listed(query: unknown): FakeProduct[] {
    if (!state.scopes.includes("read_products")) throw accessDenied("products", "read_products");
    return search(state.products, typeof query === "string" ? query : undefined);
  }

  /** Of products, not of entries: a list that drifts has one of them twice. */
  function count(query: string | undefined): number {
    const numbers = new Set(listed(query).map(({ number }) => number));
    return query?.startsWith("status:active") === true ? (state.countClaimed ?? numbers.size) : numbers.size;
  }

  function rootValue(cutting: Cutting): unknown {
    return {
      shop: shopNode(state),
      currentAppInstallation: { accessScopes: state.scopes.map((handle) => ({ handle })) },
      products: (args: Record<string, unknown>) =>
        connection(listed(args["query"]), args, cutting, (product) => productNode(product, cutting)),
      productsCount: ({ query }: { query?: string }) => ({ count: count(query), precision: "EXACT" }),
      product: ({ id }: { id: string }) => {
        const found = state.products.find(({ number }) => productGid(number) === id);
        return found === undefined ? null : productNode(found, cutting);
      },
      bulkOperationRunQuery: ({ query }: { query: string }) => startOperation(query),
      bulkOperation: ({ id }: { id: string }) => operationNode(operations.get(id), state.bulk, origin),
      bulkOperationCancel: ({ id }: { id: string }) => {
        const operation = operations.get(id);
        if (operation !== undefined) operation.isCanceled = true;
        return { bulkOperation: operationNode(operation, state.bulk, origin), userErrors: [] };
      },
    };
  }

  function startOperation(query: string): unknown {
    const { refusal } = state.bulk;
    if (refusal === "ACCESS_DENIED") throw accessDenied("bulkOperationRunQuery", "bulk queries");
    if (refusal !== null) {
      return {
        bulkOperation: null,
        userErrors: [{ code: refusal, message: `refused: ${refusal}`, field: null }],
      };
    }
    const bulk = rootValue({ isBulk: true, listLimit: Number.POSITIVE_INFINITY });
    const operation = runOperation(adminSchema("2026-10"), query, bulk, 7_000 + operations.size);
    operations.set(operation.id, operation);
    return { bulkOperation: { id: operation.id, status: "CREATED" }, userErrors: [] };
  }

  return {
    answer,
    file: (id) => {
      const operation = operations.get(id);
      return operation && state.bulk.tamper(operation.lines.map((line) => `${line}\n`).join(""));
    },
    throttled: () => throttled,
  };
}

function shopNode({ name, currency, taxesIncluded }: AdminState): unknown {
  return {
    name,
    myshopifyDomain: "my-shop.myshopify.com",
    currencyCode: currency,
    taxesIncluded,
    primaryDomain: { host: "shop.example" },
    shopAddress: { countryCodeV2: "DE" },
    plan: { publicDisplayName: "Basic" },
  };
}

function operationNode(operation: Operation | undefined, script: BulkScript, origin: string): unknown {
  if (operation === undefined) return null;
  operation.polled += 1;
  const isRunning = operation.polled <= script.polls;
  const isDone = !isRunning && script.end === "COMPLETED";
  return {
    id: operation.id,
    status: operation.isCanceled ? "CANCELING" : isRunning ? "RUNNING" : script.end,
    errorCode: isRunning ? null : script.errorCode,
    objectCount: String(operation.lines.length),
    rootObjectCount: String(operation.roots),
    fileSize: isDone ? String(operation.lines.reduce((sum, line) => sum + line.length + 1, 0)) : null,
    url:
      isDone && operation.lines.length > 0
        ? `${origin}/file?id=${encodeURIComponent(operation.id)}&signature=s3cret`
        : null,
  };
}

function accessDenied(field: string, access: string): Error {
  const extensions = { code: "ACCESS_DENIED", requiredAccess: `\`${access}\` access scope.` };
  return Object.assign(new Error(`Access denied for ${field} field.`), { extensions });
}

/** Shopify gives every error a code; those of a question that is not understood are of the kind `undefinedField`. */
function withCode(error: GraphQLError): unknown {
  return { message: error.message, extensions: { code: "undefinedField", ...error.extensions } };
}
