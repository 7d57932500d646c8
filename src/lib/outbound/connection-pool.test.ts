import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { describe, test } from "node:test";
import { loopback, serving } from "./loopback.fixture.ts";
import { Client } from "undici";
import { connectionPool } from "./connection-pool.ts";

/** A client of undici that shows whether it is connected. It keeps the connection longer than a test takes. */
class OpenClient extends Client {
  isOpen = false;
  readonly gone = new AbortController();

  constructor(origin: string) {
    super(origin, { keepAliveTimeout: 600_000, allowH2: false });
    this.on("connect", () => {
      this.isOpen = true;
    });
    this.on("disconnect", () => {
      this.isOpen = false;
    });
  }
}

type Pool = ReturnType<typeof connectionPool<OpenClient>>;

function testClients(): Pool & AsyncDisposable {
  const clients = connectionPool((origin) => new OpenClient(origin));
  return { ...clients, [Symbol.asyncDispose]: clients.destroy };
}

async function ask(client: Client, path = "/"): Promise<string> {
  const { body } = await client.request({ path, method: "POST", body: "ping" });
  return body.text();
}

/** Sends a request and waits until the client is idle and back in the pool. */
async function requestThenRest(client: Client, path = "/"): Promise<string> {
  const rested = once(client, "drain");
  const answer = await ask(client, path);
  await rested;
  return answer;
}

/** Answers each request when the test asks for it, in any order, and resolves when so many are waiting. */
async function answeringLater() {
  const waiting = new Map<string, ServerResponse>();
  const calls: { count: number; resolve: () => void }[] = [];
  const server = await loopback((request, response) => {
    waiting.set(request.url ?? "", response);
    for (const { count, resolve } of calls) if (waiting.size >= count) resolve();
  });
  return {
    ...server,
    answer: (path: string) => void waiting.get(path)?.end(path),
    waiting: (count: number) => new Promise<void>((resolve) => calls.push({ count, resolve })),
  };
}

/** Clients that are all idle at the same time, in the order in which they became it, which is not that of their age. */
async function idleClients(clients: Pool, count: number) {
  const server = await answeringLater();
  const free = Array.from({ length: count }, () => {
    const client = clients.acquire(server.origin);
    return { client, path: `/${crypto.randomUUID()}`, answered: Promise.resolve("") };
  });
  const allWait = server.waiting(count);
  for (const one of free) one.answered = requestThenRest(one.client, one.path);
  await allWait;
  const [oldest, ...younger] = free;
  const order = oldest === undefined ? [] : [...younger, oldest];
  for (const { path, answered } of order) {
    server.answer(path);
    await answered;
  }
  return { ...server, idle: order.map(({ client }) => client) };
}

describe("a client that has answered", () => {
  test("is reused with its connection, and only for its own origin", async () => {
    await using server = await loopback((_request, response) => response.end("ok"));
    await using other = await loopback((_request, response) => response.end("other"));
    await using clients = testClients();

    const first = clients.acquire(server.origin);
    await requestThenRest(first);
    const elsewhere = clients.acquire(other.origin);
    const again = clients.acquire(server.origin);

    assert.equal(again, first);
    assert.notEqual(elsewhere, first);
    assert.equal(await ask(elsewhere), "other");
    assert.equal(await ask(again), "ok");
    assert.equal(server.connections(), 1);
  });

  test("is in the pool once, however often it was used", async () => {
    await using server = await loopback((_request, response) => response.end("ok"));
    await using clients = testClients();
    const kept = clients.acquire(server.origin);
    await requestThenRest(kept);
    for (let times = 0; times < 5; times++) await requestThenRest(clients.acquire(server.origin));

    assert.equal(clients.acquire(server.origin), kept);
    assert.notEqual(clients.acquire(server.origin), kept);
    assert.equal(server.connections(), 1);
  });
});

test("a client that waits for an answer is not acquired again", async () => {
  await using server = await answeringLater();
  await using clients = testClients();
  const waits = server.waiting(1);
  const busy = clients.acquire(server.origin);
  const answer = ask(busy, "/late");
  await waits;

  const other = clients.acquire(server.origin);
  server.answer("/late");

  assert.notEqual(other, busy);
  assert.equal(await answer, "/late");
});

test("the client that was used last is acquired first, and a new one when all are busy", async () => {
  await using clients = testClients();
  await using server = await idleClients(clients, 4);
  const { idle } = server;

  const acquired = idle.map(() => clients.acquire(server.origin));

  assert.deepEqual(
    acquired.map((client) => idle.indexOf(client)),
    [3, 2, 1, 0],
  );
  assert.ok(!idle.includes(clients.acquire(server.origin)));
});

describe("a client is removed from the pool", () => {
  test("when the server ends its connection while it is idle; those around it stay", async () => {
    await using clients = testClients();
    const sockets: Socket[] = [];
    const http = createServer((_request, response) => response.end("ok"));
    http.on("connection", (socket) => sockets.push(socket));
    await using server = await serving(http);
    const idle = Array.from({ length: 3 }, () => clients.acquire(server.origin));
    for (const client of idle) await requestThenRest(client);

    const lost = idle.map((client) => once(client, "disconnect"));
    sockets[1]?.end();
    await lost[1];

    assert.equal(idle[1]?.destroyed, true);
    assert.deepEqual([clients.acquire(server.origin), clients.acquire(server.origin)], [idle[2], idle[0]]);
    assert.ok(!idle.includes(clients.acquire(server.origin)));
  });

  test("when its answer closes the connection", async () => {
    await using server = await loopback((_request, response) => {
      response.writeHead(200, { connection: "close" }).end("last words");
    });
    await using clients = testClients();
    const client = clients.acquire(server.origin);

    assert.equal(await requestThenRest(client), "last words");

    assert.equal(client.destroyed, true);
    assert.notEqual(clients.acquire(server.origin), client);
  });

  test("when its connection breaks under a request", async () => {
    await using server = await loopback(({ socket }) => socket.resetAndDestroy());
    await using clients = testClients();
    const client = clients.acquire(server.origin);
    const rested = once(client, "drain");

    await assert.rejects(ask(client));
    await rested;

    assert.equal(client.destroyed, true);
    assert.notEqual(clients.acquire(server.origin), client);
  });

  test("when it cannot connect", async () => {
    const gone = await loopback(() => {});
    await gone[Symbol.asyncDispose]();
    await using clients = testClients();
    const client = clients.acquire(gone.origin);
    const rested = once(client, "drain");

    await assert.rejects(ask(client), { code: "ECONNREFUSED" });
    await rested;

    assert.equal(client.destroyed, true);
    assert.notEqual(clients.acquire(gone.origin), client);
  });

  test("when it is dropped, once or twice, and its connection is closed", async () => {
    const closed = Promise.withResolvers<void>();
    await using server = await loopback(({ socket }, response) => {
      socket.once("close", () => closed.resolve());
      response.end("ok");
    });
    await using clients = testClients();
    await requestThenRest(clients.acquire(server.origin));

    const client = clients.acquire(server.origin);
    clients.drop(client);
    clients.drop(client);

    await closed.promise;
    assert.equal(client.destroyed, true);
    assert.notEqual(clients.acquire(server.origin), client);
  });
});

test("a client that is acquired just as its connection ends opens another, and is kept", async () => {
  const sockets: Socket[] = [];
  const http = createServer((_request, response) => response.end("ok"));
  http.on("connection", (socket) => sockets.push(socket));
  await using server = await serving(http);
  await using clients = testClients();
  const client = clients.acquire(server.origin);
  await requestThenRest(client);

  sockets[0]?.end();
  // The client cannot have noticed it yet.
  const acquired = clients.acquire(server.origin);

  assert.equal(acquired, client);
  assert.equal(await requestThenRest(acquired), "ok");
  assert.equal(server.connections(), 2);
  assert.equal(clients.acquire(server.origin), client);
  assert.equal(client.destroyed, false);
});

describe("destroying all clients", () => {
  test("aborts running requests, closes idle connections, and waits for both", async () => {
    const clients = testClients();
    await using server = await idleClients(clients, 2);
    const { idle } = server;
    const waits = server.waiting(3);
    const pending = assert.rejects(ask(clients.acquire(server.origin), "/never"));
    await waits;

    const destroyed = clients.destroy();
    const later = clients.acquire(server.origin);
    await destroyed;

    assert.ok(idle.every((client) => !client.isOpen && client.destroyed));
    assert.ok(!idle.includes(later));
    await pending;
  });

  test("twice closes all clients, and a client acquired afterwards is aborted", async () => {
    await using server = await loopback((_request, response) => response.end("ok"));
    const clients = testClients();
    const client = clients.acquire(server.origin);
    await requestThenRest(client);

    await clients.destroy();
    await clients.destroy();

    assert.equal(client.destroyed, true);
    const later = clients.acquire(server.origin);
    assert.notEqual(later, client);
    assert.equal(later.gone.signal.aborted, true);
    assert.equal(later.destroyed, false);
    await clients.destroy();
    assert.equal(later.destroyed, true);
  });

  test("before any was acquired aborts those acquired later", async () => {
    const clients = testClients();

    await clients.destroy();

    assert.equal(clients.acquire("http://127.0.0.1:9").gone.signal.aborted, true);
    await clients.destroy();
  });
});
