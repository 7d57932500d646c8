/**
 * What tests of the webhook HTTP client use: servers whose connections can be waited for, and events inside the client.
 */
import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { createServer as createTcpServer, type Server, type Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { serving } from "./loopback.fixture.ts";
import type { OutboundOptions } from "./agent.ts";
import { HttpFailure, type HttpFailureKind } from "./http-failure.ts";
import {
  type Post,
  type PostAnswer,
  type WebhookHttpClient,
  webhookHttpClient,
} from "./webhook-http-client.ts";

const { signal } = new AbortController();
export const never = (): Promise<never> => new Promise(() => {});
export const HALF = "HTTP/1.1 202 Accepted\r\nContent-Length: 10\r\n\r\nhalf";
export const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

export type TestWebhookClient = WebhookHttpClient &
  AsyncDisposable & { readonly postThenRest: WebhookHttpClient["post"] };

/** May post to 127.0.0.1 and, by their names, shop.test and other.test, which are both there. */
export function testWebhookClient(options: Partial<OutboundOptions> = {}): TestWebhookClient {
  const allowPrivate = ["127.0.0.1", "shop.test", "other.test"];
  const made = webhookHttpClient({ allowPrivate, lookup: async () => ["127.0.0.1"], ...options });
  return {
    ...made,
    // undici lets a connection rest for one turn before it gives it a new request.
    postThenRest: async (post) => {
      const answer = await made.post(post);
      await setImmediate();
      return answer;
    },
    [Symbol.asyncDispose]: made.close,
  };
}

/** Finds every host at this address, and notes which ones it was asked for. */
export function recordingLookup(addresses = ["127.0.0.1"]) {
  const asked: string[] = [];
  const lookup = async (host: string) => {
    asked.push(host);
    return addresses;
  };
  return { asked, lookup };
}

const ignore = () => {};

export function postTo(url: string, more: Partial<Post> = {}): Post {
  const body = Buffer.from("ping");
  return {
    url,
    headers: {},
    body,
    deadlineMs: 20_000,
    keepBytes: 100,
    signal,
    onConnection: ignore,
    ...more,
  };
}

export function answerText({ status, firstBytes }: PostAnswer): string {
  return `${status} ${firstBytes.toString()}`;
}

export function isFailure(kind: HttpFailureKind, sentence = /./) {
  return (error: unknown): boolean => {
    assert.ok(error instanceof HttpFailure, String(error));
    assert.equal(error.kind, kind, error.message);
    assert.match(error.message, sentence);
    return true;
  };
}

/** A server whose connections can be waited for: until there is one, and until all that were opened are gone. */
export async function watched(server: Server) {
  const connected = Promise.withResolvers<void>();
  const closings: Promise<void>[] = [];
  server.on("connection", (socket: Socket) => {
    connected.resolve();
    closings.push(closeOf(socket));
  });
  const listening = await serving(server);
  const allGone = async () => void (await Promise.all(closings));
  return { ...listening, connected: connected.promise, allGone };
}

export const httpServer = (listener: RequestListener) => watched(createHttpServer(listener));

/** A server that answers with the bytes of the test whenever it receives something. */
export async function rawServer(respond: (socket: Socket) => void) {
  const called = Promise.withResolvers<void>();
  const received: Buffer[] = [];
  const server = createTcpServer((socket) => {
    socket.on("data", (chunk) => {
      received.push(Buffer.from(chunk));
      respond(socket);
      called.resolve();
    });
  });
  return {
    ...(await watched(server)),
    called: called.promise,
    received: () => Buffer.concat(received).toString(),
  };
}

/**
 * A post that waits for the address of its host. `assertNotSent` gives it the address too late, and sends another post
 * over the same client: if a byte of the first were sent, it would come before the second.
 */
export async function unresolvedPost(more: Partial<Post>) {
  const asked = Promise.withResolvers<void>();
  const address = Promise.withResolvers<string[]>();
  const lookup = () => {
    asked.resolve();
    return address.promise;
  };
  const server = await rawServer((socket) => socket.write(OK));
  const client = testWebhookClient({ lookup });
  const url = `http://shop.test:${server.port}/`;
  return {
    post: client.post(postTo(url, { ...more, body: Buffer.from("never") })),
    asked: asked.promise,
    async assertNotSent() {
      address.resolve(["127.0.0.1"]);
      await client.post(postTo(url));
      assert.doesNotMatch(server.received(), /never/);
    },
    async [Symbol.asyncDispose]() {
      await client.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Unlike `once`, it does not mind an error on the way. */
export function closeOf(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once("close", () => resolve()));
}

/** The client's socket of the next connection, from a diagnostics channel of Node. */
export function nextConnection(): Promise<Socket> {
  return nextMessage("net.client.socket", (message) => (message as { socket: Socket }).socket);
}

/** Resolves when the client has received the next chunk of a body, from a diagnostics channel of undici. */
export function nextPiece(): Promise<void> {
  return nextMessage("undici:request:bodyChunkReceived", () => {});
}

/** Resolves when the client has the head of the next answer. */
export function nextHead(): Promise<void> {
  return nextMessage("undici:request:headers", () => {});
}

function nextMessage<T>(channel: string, read: (message: unknown) => T): Promise<T> {
  return new Promise((resolve) => {
    const onMessage = (message: unknown) => {
      unsubscribe(channel, onMessage);
      resolve(read(message));
    };
    subscribe(channel, onMessage);
  });
}
