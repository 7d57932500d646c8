/**
 * The Admin API of the fake shop: executes queries by Shopify's own schema, with their cost, a bucket of points that is
 * refilled by the clock, Shopify's limit of lists, and bulk operations.
 */
import { execute, type GraphQLError, Kind, type OperationDefinitionNode, parse, validate } from "graphql";
import { memoize } from "../../src/lib/memoize.ts";
import type { FakeProduct } from "./shopify-data.ts";
import { type BulkScript, type Operation, runOperation } from "./shopify-bulk.ts";
import { costOfOperation } from "./shopify-cost.ts";
import { connection, type ListLimits, productGid, productNode, search } from "./shopify-resolvers.ts";
import { adminSchema } from "./shopify-schema.ts";

export type AdminState = {
  products: readonly FakeProduct[];
  /** When which products were deleted. */
  deletions: readonly { readonly number: number; readonly at: string }[];
  /** The webhooks of the app. */
  hooks: readonly { readonly id: string; readonly topic: string; readonly uri: string }[];
  mayRegisterHooks: boolean;
  /** Changes after this time are not in the search index yet. */
  indexedUntil: string;
  name: string;
  currency: string;
  taxesIncluded: boolean;
  scopes: readonly string[];
  points: {
    maximum: number;
    available: number;
    /** Points a second, added since then. */
    restoreRate: number;
    filledAt: number;
    mostPerQuery: number;
  };
  /** Lists end after this many entries. */
  listLimit: number;
  /** Replaces the true count. */
  countClaimed: number | null;
  bulk: BulkScript;
  /** Changes the data of an answer, also into what the schema does not allow. */
  garble: (data: unknown) => unknown;
};

export type AdminApi = {
  /** The answer to a request with this body. */
  readonly answer: (body: string) => unknown;
  /** The file of a bulk operation; undefined if there is no such operation. */
  readonly file: (id: string) => string | undefined;
  /** How many queries were throttled. */
  readonly throttled: () => number;
};

type NewHook = { readonly topic: string; readonly webhookSubscription: { readonly uri: string } };

const TIMER_SLACK_MS = 2;
const VERSION = "2026-10";

/** Our connector has a few queries, which tests send thousands of times. */
const checkedQuery = memoize(100, (query) => {
  const document = parse(query);
  return { document, problems: validate(adminSchema(VERSION), document) };
});

export function adminApi(state: AdminState, origin: string): AdminApi {
  const operations = new Map<string, Operation>();
  let throttled = 0;

  function answer(body: string): unknown {
    refill();
    const { query, variables } = JSON.parse(body) as { query: string; variables: Record<string, unknown> };
    const schema = adminSchema(VERSION);
    const { document, problems } = checkedQuery(query);
    if (problems.length > 0) return { errors: problems.map(withCode) };
    const definition = document.definitions.find(
      (one): one is OperationDefinitionNode => one.kind === Kind.OPERATION_DEFINITION,
    );
    const queryCost = definition === undefined ? 0 : costOfOperation(definition, variables);
    const { points } = state;
    const cost = (actualQueryCost: number | null) => ({
      cost: {
        requestedQueryCost: queryCost,
        actualQueryCost,
        throttleStatus: {
          maximumAvailable: points.maximum,
          currentlyAvailable: points.available,
          restoreRate: points.restoreRate,
        },
      },
    });
    if (queryCost > points.mostPerQuery) {
      const message = `Query cost is ${queryCost}, which exceeds the single query max cost limit (${points.mostPerQuery}).`;
      return { errors: [{ message, extensions: { code: "MAX_COST_EXCEEDED", cost: queryCost } }] };
    }
    if (queryCost > points.available) {
      throttled += 1;
      return {
        errors: [{ message: "Throttled", extensions: { code: "THROTTLED" } }],
        extensions: cost(null),
      };
    }
    points.available -= queryCost;
    const result = execute({
      schema,
      document,
      rootValue: rootValue({ isBulk: false, listLimit: state.listLimit }),
      variableValues: variables,
    });
    if (!("data" in result)) return result;
    const extensions = cost(queryCost);
    if (result.errors !== undefined)
      return { data: result.data, errors: result.errors.map(withCode), extensions };
    return { data: state.garble(result.data), extensions };
  }

  /** Timers may be early, so a little more is added. */
  function refill(): void {
    const { points } = state;
    const elapsedMs = performance.now() - points.filledAt + TIMER_SLACK_MS;
    points.filledAt = performance.now();
    points.available = Math.min(points.maximum, points.available + (elapsedMs * points.restoreRate) / 1_000);
  }

  function listed(query: unknown): FakeProduct[] {
    if (!state.scopes.includes("read_products")) throw accessDenied("products", "read_products");
    const indexed = state.products.filter(({ updatedAt }) => updatedAt <= state.indexedUntil);
    return search(indexed, typeof query === "string" ? query : undefined);
  }

  /** A product that is in the list twice is counted once. */
  function count(query: string | undefined): number {
    const numbers = new Set(listed(query).map(({ number }) => number));
    return query?.startsWith("status:active") === true ? (state.countClaimed ?? numbers.size) : numbers.size;
  }

  function requireHooks(field: string): void {
    if (!state.mayRegisterHooks) throw accessDenied(field, "read_products");
  }

  function rootValue(limits: ListLimits): unknown {
    const productOf = (id: string): unknown => {
      const found = state.products.find(({ number }) => productGid(number) === id);
      return found === undefined ? null : productNode(found, limits);
    };
    return {
      shop: shopNode(state),
      currentAppInstallation: { accessScopes: state.scopes.map((handle) => ({ handle })) },
      products: (args: Record<string, unknown>) =>
        connection(listed(args["query"]), args, limits, (product) => productNode(product, limits)),
      productsCount: ({ query }: { query?: string }) => ({ count: count(query), precision: "EXACT" }),
      product: ({ id }: { id: string }) => productOf(id),
      webhookSubscriptions: (args: Record<string, unknown>) => {
        requireHooks("webhookSubscriptions");
        return connection(state.hooks, args, limits, (hook) => hook);
      },
      webhookSubscriptionCreate: ({ topic, webhookSubscription: { uri } }: NewHook) => {
        requireHooks("webhookSubscriptionCreate");
        const isUsed = state.hooks.some((hook) => hook.topic === topic && hook.uri === uri);
        if (isUsed || !uri.startsWith("https://"))
          return { webhookSubscription: null, userErrors: [{ message: "Address is invalid", field: null }] };
        const hook = { id: `gid://shopify/WebhookSubscription/${state.hooks.length + 1}`, topic, uri };
        state.hooks = [...state.hooks, hook];
        return { webhookSubscription: hook, userErrors: [] };
      },
      webhookSubscriptionDelete: ({ id }: { id: string }) => {
        state.hooks = state.hooks.filter((hook) => hook.id !== id);
        return { deletedWebhookSubscriptionId: id, userErrors: [] };
      },
      nodes: ({ ids }: { ids: readonly string[] }) => ids.map(productOf),
      events: (args: Record<string, unknown>) => {
        const query = /^subject_type:PRODUCT AND action:destroy AND created_at:>'([^']+)'$/;
        const [, since] = query.exec(String(args["query"])) ?? [];
        if (since === undefined)
          throw new Error(`the fake does not know the search ${String(args["query"])}`);
        const found = state.deletions.filter(({ at }) => Date.parse(at) > Date.parse(since));
        return connection(found, args, limits, ({ number }) => ({
          __typename: "BasicEvent",
          id: `gid://shopify/BasicEvent/${number}`,
          subjectId: productGid(number),
          subjectType: "PRODUCT",
        }));
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
    const operation = runOperation(adminSchema(VERSION), query, bulk, 7_000 + operations.size);
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

/** Shopify adds a code to every error; a query that is not understood has `undefinedField` or similar. */
function withCode(error: GraphQLError): unknown {
  return { message: error.message, extensions: { code: "undefinedField", ...error.extensions } };
}
