/**
 * A Shopify shop on a loopback server: its Admin API executes the vendor's own schema, with tokens and their grants,
 * points, bulk operations and the faults a test asks for. Nothing in it waits: what takes time at Shopify takes a
 * number of requests here.
 */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { execute, type GraphQLError, Kind, type OperationDefinitionNode, parse, validate } from "graphql";
import type { FakeProduct } from "./shopify-data.ts";
import { type BulkScript, type Operation, runOperation, USUAL_BULK } from "./shopify-bulk.ts";
import { costOfOperation } from "./shopify-cost.ts";
import { connection, type Cutting, productGid, productNode, search } from "./shopify-resolvers.ts";
import { adminSchema } from "./shopify-schema.ts";

export type SeenRequest = {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The name of the operation, `token` or `file`. */
  readonly what: string;
};

export type Fault =
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly body: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Hangs up within the answer. */
  | { readonly kind: "cut" }
  /** Errors of the GraphQL kind, with status 200. */
  | {
      readonly kind: "errors";
      readonly code?: string;
      readonly message?: string;
      readonly requiredAccess?: string;
    };

export type ShopState = {
  products: readonly FakeProduct[];
  name: string;
  currency: string;
  taxesIncluded: boolean;
  scopes: readonly string[];
  token: string;
  client: { readonly id: string; readonly secret: string };
  isRevoked: boolean;
  /** How long granted tokens live. */
  expiresInS: number;
  version: string;
  points: { maximum: number; available: number; restoreRate: number; mostPerQuery: number };
  /** Where lists stop. */
  listLimit: number;
  /** What counts say, if not the truth. */
  countClaimed: number | null;
  bulk: BulkScript;
  /** Asked before every request; what it returns is answered instead. The number counts requests of that kind. */
  fault: (what: string, number: number) => Fault | null | undefined;
  /** The last word on the data of an answer, for what no schema would let through. */
  garble: (data: unknown) => unknown;
};

export type FakeShopify = AsyncDisposable & {
  readonly state: ShopState;
  readonly origin: string;
  /** Settings to read the shop with. */
  readonly settings: Readonly<Record<string, string>>;
  readonly requests: readonly SeenRequest[];
  readonly asked: (what: string) => number;
  /** How many questions were refused for lack of points. */
  readonly throttled: () => number;
  readonly busyConnections: () => Promise<number>;
};

const TIMER_SLACK_MS = 2;

export async function shopifyShop(products: readonly FakeProduct[] = []): Promise<FakeShopify> {
  const state = usualState(products);
  const requests: SeenRequest[] = [];
  const operations = new Map<string, Operation>();
  const granted = new Set<string>();
  let busy = 0;
  let throttled = 0;
  let filledAt = performance.now();

  const server = createServer((request, response) => {
    busy += 1;
    response
      .on("error", () => undefined)
      .on("close", () => {
        busy -= 1;
      });
    void handle(request, response).catch((error: unknown) => {
      response.writeHead(500).end(`the fake failed: ${String(error)}`);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    const path = request.url ?? "/";
    const what = whatIs(path, body);
    requests.push({ path, headers: request.headers, body, what });
    const fault = state.fault(what, requests.filter((seen) => seen.what === what).length);
    if (fault) return sendFault(response, fault, state);
    if (what === "token") return grant(response, body);
    if (what === "file") return sendFile(response, path);
    const token = String(request.headers["x-shopify-access-token"]);
    if (state.isRevoked || (token !== state.token && !granted.has(token))) {
      return send(response, 401, {
        errors: "[API] Invalid API key or access token (unrecognized login or wrong password)",
      });
    }
    return send(response, 200, answer(body), { "x-shopify-api-version": state.version });
  }

  function grant(response: ServerResponse, body: string): void {
    const form = new URLSearchParams(body);
    const isKnown =
      form.get("client_id") === state.client.id && form.get("client_secret") === state.client.secret;
    if (form.get("grant_type") !== "client_credentials" || !isKnown) {
      return send(response, 400, { error: "invalid_client" });
    }
    const token = `shpat_granted${granted.size + 1}`;
    granted.add(token);
    return send(response, 200, {
      access_token: token,
      scope: state.scopes.join(","),
      expires_in: state.expiresInS,
    });
  }

  function sendFile(response: ServerResponse, path: string): void {
    const operation = operations.get(new URL(path, origin).searchParams.get("id") ?? "");
    if (operation === undefined) return send(response, 404, {});
    response.writeHead(200, { "content-type": "application/jsonl" });
    response.end(state.bulk.tamper(operation.lines.map((line) => `${line}\n`).join("")));
  }

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
    state,
    origin,
    requests,
    settings: { shop: "my-shop", access_token: state.token, base_url: origin },
    asked: (what) => requests.filter((seen) => seen.what === what).length,
    throttled: () => throttled,
    busyConnections: () => Promise.resolve(busy),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function usualState(products: readonly FakeProduct[]): ShopState {
  return {
    products,
    name: "My Shop",
    currency: "EUR",
    taxesIncluded: true,
    scopes: ["read_products", "read_inventory"],
    token: "shpat_0123456789abcdef",
    client: { id: "client-1", secret: "shpss_secret" },
    isRevoked: false,
    expiresInS: 86_399,
    version: "2026-10",
    points: { maximum: 2_000_000, available: 2_000_000, restoreRate: 100_000, mostPerQuery: 1_000 },
    listLimit: 25_000,
    countClaimed: null,
    bulk: { ...USUAL_BULK },
    fault: () => null,
    garble: (data) => data,
  };
}

function shopNode({ name, currency, taxesIncluded }: ShopState): unknown {
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

function whatIs(path: string, body: string): string {
  if (path === "/admin/oauth/access_token") return "token";
  if (path.startsWith("/file")) return "file";
  return /(?:query|mutation) Shelfwire(\w+)/.exec(body)?.[1] ?? "unknown";
}

function sendFault(response: ServerResponse, fault: Fault, state: ShopState): void {
  if (fault.kind === "answer") {
    response.writeHead(fault.status, { "content-type": "text/html", ...fault.headers }).end(fault.body);
  } else if (fault.kind === "cut") {
    response.writeHead(200, { "content-length": 1_000 });
    response.write("{", () => response.destroy());
  } else {
    const { code, message = "refused", requiredAccess } = fault;
    const errors = [{ message, extensions: { code, requiredAccess } }];
    send(response, 200, { errors }, { "x-shopify-api-version": state.version });
  }
}

function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": bytes.length,
    ...headers,
  });
  response.end(bytes);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
