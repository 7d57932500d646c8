/**
 * A Shopify shop on a loopback server: its Admin API (`shopify-admin.ts`) behind tokens and their grants, the files of
 * bulk operations, and the faults of a test. Nothing waits: what takes time at Shopify takes a number of requests here.
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { serving } from "../../src/lib/outbound/loopback.fixture.ts";
import { adminApi, type AdminState } from "./shopify-admin.ts";
import { USUAL_BULK } from "./shopify-bulk.ts";
import type { FakeProduct } from "./shopify-data.ts";

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
  /** Breaks the connection within the answer. */
  | { readonly kind: "cut" }
  /** GraphQL errors, with status 200. */
  | {
      readonly kind: "errors";
      readonly code?: string;
      readonly message?: string;
      readonly requiredAccess?: string;
    };

export type ShopState = AdminState & {
  token: string;
  client: { readonly id: string; readonly secret: string };
  isRevoked: boolean;
  /** How long granted tokens live. */
  expiresInS: number;
  version: string;
  /** Called before every request; what it returns is sent instead. The number counts requests of that kind. */
  fault: (what: string, number: number) => Fault | null | undefined;
};

export type FakeShopify = AsyncDisposable & {
  readonly state: ShopState;
  readonly origin: string;
  /** Settings to read the shop with. */
  readonly settings: Readonly<Record<string, string>>;
  readonly requests: readonly SeenRequest[];
  readonly requestCount: (what: string) => number;
  /** How many queries were throttled. */
  readonly throttled: () => number;
  readonly busyConnections: () => Promise<number>;
};

export async function shopifyShop(products: readonly FakeProduct[] = []): Promise<FakeShopify> {
  const state = usualState(products);
  const requests: SeenRequest[] = [];
  const granted = new Set<string>();
  let busy = 0;

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
  const { origin, close } = await serving(server);
  const admin = adminApi(state, origin);

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    const path = request.url ?? "/";
    const what = whatIs(path, body);
    requests.push({ path, headers: request.headers, body, what });
    const fault = state.fault(what, requests.filter((seen) => seen.what === what).length);
    if (fault) return sendFault(response, fault, state);
    if (what === "token") return grant(response, body);
    if (what === "file") return sendFile(response, admin.file(idIn(path)));
    const token = String(request.headers["x-shopify-access-token"]);
    if (state.isRevoked || (token !== state.token && !granted.has(token))) {
      return send(response, 401, {
        errors: "[API] Invalid API key or access token (unrecognized login or wrong password)",
      });
    }
    return send(response, 200, admin.answer(body), { "x-shopify-api-version": state.version });
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

  return {
    state,
    origin,
    requests,
    settings: { shop: "my-shop", access_token: state.token, base_url: origin },
    requestCount: (what) => requests.filter((seen) => seen.what === what).length,
    throttled: admin.throttled,
    busyConnections: () => Promise.resolve(busy),
    [Symbol.asyncDispose]: close,
  };
}

function usualState(products: readonly FakeProduct[]): ShopState {
  return {
    products,
    deletions: [],
    hooks: [],
    mayRegisterHooks: true,
    indexedUntil: "9999",
    name: "My Shop",
    currency: "EUR",
    taxesIncluded: true,
    scopes: ["read_products", "read_inventory"],
    token: "shpat_0123456789abcdef",
    client: { id: "client-1", secret: "shpss_secret" },
    isRevoked: false,
    expiresInS: 86_399,
    version: "2026-10",
    points: {
      maximum: 2_000_000,
      available: 2_000_000,
      restoreRate: 100_000,
      filledAt: performance.now(),
      mostPerQuery: 1_000,
    },
    listLimit: 25_000,
    countClaimed: null,
    bulk: { ...USUAL_BULK },
    fault: () => null,
    garble: (data) => data,
  };
}

function idIn(path: string): string {
  return new URL(path, "http://shop").searchParams.get("id") ?? "";
}

function sendFile(response: ServerResponse, file: string | undefined): void {
  if (file === undefined) return send(response, 404, {});
  response.writeHead(200, { "content-type": "application/jsonl" }).end(file);
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
