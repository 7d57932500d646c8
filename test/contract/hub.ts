/**
 * The suite's own HTTP server. The service under test pulls catalogs from it (`/feed/…`) and posts deliveries to it
 * (`/hook/…`). The server listens on loopback; `publicOrigin` is the address under which the service reaches it.
 */
import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { createServer } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { assertSigned } from "./signature.ts";

export type FeedContent = { readonly type: string; readonly text: string };

export type Feed = {
  readonly url: string;
  /** What the next requests get: a catalog, an error status, or a connection that breaks. */
  serve: (content: FeedContent | number | "reset") => void;
  /** Requests wait until the returned function is called. */
  hold: () => () => void;
  /** How many requests have arrived. */
  readonly requests: () => number;
};

export type Delivery = {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawBody: Buffer;
  readonly body: {
    readonly event: string;
    readonly created_at: string;
    readonly data: Record<string, unknown>;
  };
  readonly arrivedAt: number;
  /** When the sender closed the connection before it got an answer; undefined if it did not. */
  abandonedAt?: number;
};

/**
 * What a receiver answers: a status, with headers or after a delay if given; a broken connection; or nothing at all.
 */
export type Reply =
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly afterMs?: number;
    }
  | "reset"
  | "hang";

export type Receiver = {
  readonly url: string;
  readonly deliveries: readonly Delivery[];
  /** Resolves with the first delivery that matches, which may have arrived already. */
  readonly waitFor: (
    what: string,
    matches: (delivery: Delivery) => boolean,
    limitMs?: number,
  ) => Promise<Delivery>;
};

export type Hub = AsyncDisposable & {
  readonly feed: (content?: FeedContent) => Feed;
  readonly receiver: (reply?: (delivery: Delivery, nth: number) => Reply) => Receiver;
  /** A URL on the same host at which nothing listens. */
  readonly refusingUrl: () => Promise<string>;
};

const OK: Reply = { status: 204 };
const ARRIVAL_LIMIT_MS = 20_000;

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export async function openHub({
  listen,
  publicOrigin,
}: {
  listen?: string;
  publicOrigin?: string;
}): Promise<Hub> {
  const handlers = new Map<string, Handler>();
  const server = createServer((request, response) => {
    const handler = handlers.get(request.url ?? "");
    if (handler === undefined) response.writeHead(404).end();
    else handler(request, response).catch(() => response.destroy());
  });
  // A receiver that does not answer must keep its connection until the sender gives up.
  server.requestTimeout = 0;
  const [host = "127.0.0.1", port = "0"] = (listen ?? "127.0.0.1:0").split(":");
  server.listen(Number(port), host);
  await once(server, "listening");
  const origin = publicOrigin ?? `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const add = (path: string, handler: Handler): string => {
    handlers.set(path, handler);
    return `${origin}${path}`;
  };
  return {
    feed: (content) => openFeed((handler) => add(`/feed/${handlers.size}`, handler), content),
    receiver: (reply = () => OK) => openReceiver((handler) => add(`/hook/${handlers.size}`, handler), reply),
    refusingUrl: async () => {
      const closed = createServer().listen(0, "127.0.0.1");
      await once(closed, "listening");
      const url = new URL(origin);
      url.port = String((closed.address() as AddressInfo).port);
      closed.close();
      await once(closed, "close");
      return new URL("/feed.csv", url).href;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function openFeed(add: (handler: Handler) => string, first: FeedContent | undefined): Feed {
  let content: FeedContent | number | "reset" = first ?? 404;
  let held = Promise.resolve();
  let requests = 0;
  const url = add(async (_request, response) => {
    requests += 1;
    await held;
    if (content === "reset") response.destroy();
    else if (typeof content === "number") response.writeHead(content).end();
    else response.writeHead(200, { "content-type": content.type }).end(content.text);
  });
  return {
    url,
    serve: (next) => (content = next),
    hold: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return resolve;
    },
    requests: () => requests,
  };
}

function openReceiver(
  add: (handler: Handler) => string,
  reply: (delivery: Delivery, nth: number) => Reply,
): Receiver {
  const deliveries: Delivery[] = [];
  const arrivals = new EventEmitter().setMaxListeners(0);
  const url = add(async (request, response) => {
    const rawBody = await buffer(request);
    const { method = "", headers } = request;
    const body = JSON.parse(rawBody.toString("utf8")) as Delivery["body"];
    const delivery: Delivery = { method, headers, rawBody, body, arrivedAt: Date.now() };
    const answer = reply(delivery, deliveries.push(delivery));
    arrivals.emit("arrival");
    response.once("close", () => {
      if (!response.writableFinished) delivery.abandonedAt = Date.now();
    });
    if (answer === "reset") response.destroy();
    else if (answer !== "hang") {
      setTimeout(() => response.writeHead(answer.status, answer.headers).end(), answer.afterMs ?? 0);
    }
  });
  const waitFor: Receiver["waitFor"] = async (what, matches, limitMs = ARRIVAL_LIMIT_MS) => {
    const signal = AbortSignal.timeout(limitMs);
    for (;;) {
      const found = deliveries.find(matches);
      if (found !== undefined) return found;
      assert.ok(!signal.aborted, `no ${what} arrived within ${limitMs / 1000} s`);
      await once(arrivals, "arrival", { signal }).catch(() => undefined);
    }
  };
  return { url, deliveries, waitFor };
}

/** Checks what the contract says about every delivery. */
export function assertDelivery(delivery: Delivery, secret: string): void {
  const { method, headers, body, rawBody, arrivedAt } = delivery;
  assert.equal(method, "POST");
  assert.deepEqual(Object.keys(body).sort(), ["created_at", "data", "event"]);
  assert.match(body.created_at, /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
  assert.equal(typeof body.data, "object");
  assert.match(String(headers["content-type"]), /^application\/json\b/);
  assert.equal(headers["x-service-event"], body.event);
  assert.equal(headers["user-agent"], "Service-Webhooks/1.0");
  const header = String(headers["x-service-signature"]);
  assertSigned({ header, rawBody, receivedAt: arrivedAt }, secret);
}
