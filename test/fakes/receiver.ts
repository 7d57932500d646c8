/**
 * A loopback web server that receives webhooks in every way a receiver can, also the hostile ones. A test sets what
 * each path does, one request after the other; the receiver keeps what it was sent, byte for byte.
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { serving } from "../../src/lib/outbound/loopback.fixture.ts";

export type Reply =
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
      /** Answers after this promise has resolved. */
      readonly when?: Promise<void>;
    }
  /** Accepts the request and never answers. */
  | { readonly kind: "hang" }
  /** Accepts the request and breaks the connection. */
  | { readonly kind: "reset" }
  /** Sends the headers, a chunk of the body, and then nothing more. */
  | { readonly kind: "stall"; readonly status: number; readonly piece: string }
  /** Sends the headers, announces a gigabyte and keeps sending until the client disconnects. */
  | { readonly kind: "flood"; readonly status: number }
  /** Answers with something that is not HTTP. */
  | { readonly kind: "babble" };

export const answer = (
  status: number,
  more: { body?: string; headers?: Record<string, string> } = {},
): Reply => ({
  kind: "answer",
  status,
  ...more,
});

export type Received = {
  readonly path: string;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

export type Receiver = AsyncDisposable & {
  readonly port: number;
  readonly url: (path: string) => string;
  /** What a path does, one request after the other; the last for all that follow. The default is 200. */
  readonly on: (path: string, ...replies: readonly Reply[]) => string;
  readonly requests: readonly Received[];
  /** Resolves when this many requests have arrived in total. */
  readonly received: (count: number) => Promise<readonly Received[]>;
  /** How many connections were opened. */
  readonly connections: () => number;
  /** The most requests to the path that were in progress at the same time. */
  readonly mostAtOnce: (path: string) => number;
};

export type Tls = { readonly key: string; readonly cert: string };

export async function openReceiver({ tls }: { readonly tls?: Tls } = {}): Promise<Receiver> {
  const replies = new Map<string, Reply[]>();
  const requests: Received[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  const atOnce = new Map<string, { now: number; most: number }>();

  const listener = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? "/";
    const busy = atOnce.get(path) ?? { now: 0, most: 0 };
    busy.now += 1;
    busy.most = Math.max(busy.most, busy.now);
    atOnce.set(path, busy);
    response.once("close", () => (busy.now -= 1));
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    requests.push({ path, method: request.method ?? "", headers: request.headers, body });
    for (const { count, resolve } of waiting) if (requests.length >= count) resolve();
    const queue = replies.get(path) ?? [];
    const reply = (queue.length > 1 ? queue.shift() : queue[0]) ?? answer(200);
    await perform(reply, response);
  };
  // A request that is aborted in the middle is checked on the sender's side.
  const listen = (request: IncomingMessage, response: ServerResponse) =>
    void listener(request, response).catch(() => response.destroy());
  const server = tls ? createTlsServer(tls, listen) : createServer(listen);
  const { port, connections, close } = await serving(server);
  const url = (path: string) => `${tls ? "https" : "http"}://127.0.0.1:${port}${path}`;

  return {
    port,
    url,
    on: (path, ...said) => {
      replies.set(path, [...said]);
      return url(path);
    },
    requests,
    received: async (count) => {
      if (requests.length < count) {
        const { promise, resolve } = Promise.withResolvers<void>();
        waiting.push({ count, resolve });
        await promise;
      }
      return requests;
    },
    connections,
    mostAtOnce: (path) => atOnce.get(path)?.most ?? 0,
    [Symbol.asyncDispose]: close,
  };
}

function* pieces(): Generator<Buffer> {
  const piece = Buffer.alloc(64 * 1_024, "x");
  while (true) yield piece;
}

async function perform(reply: Reply, response: ServerResponse): Promise<void> {
  switch (reply.kind) {
    case "answer":
      await reply.when;
      response.writeHead(reply.status, reply.headers).end(reply.body ?? "ok");
      break;
    case "hang":
      break;
    case "reset":
      response.socket?.resetAndDestroy();
      break;
    case "stall":
      response.writeHead(reply.status);
      response.write(reply.piece);
      break;
    case "flood":
      response.writeHead(reply.status, { "content-length": 1_000_000_000 });
      await pipeline(Readable.from(pieces()), response);
      break;
    case "babble":
      response.socket?.end("what?\r\n\r\n");
      break;
    default:
      reply satisfies never;
  }
}
