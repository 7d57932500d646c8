/** Heavy calls: what a key may have waiting, and how they are passed to the process that answers them. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { RequestListener } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { buildApp } from "../../src/http/app.ts";
import type { AppDeps } from "../../src/http/app.ts";
import { HEAVY_LIMITS } from "../../src/http/heavy-calls.ts";
import { CLIENT_LIMITS } from "../../src/http/slow-clients.ts";
import { until } from "../actions.ts";
import { closeAfterTests } from "../close-after.ts";
import { heldFeed } from "../fakes/held-feed.ts";
import { tempDir } from "../fresh.ts";
import { assertProblem } from "./problem.ts";
import { csv, mugs } from "./rows.ts";
import { ask, runningApi } from "./running-api.ts";
import type { Answer, Asked, Shop } from "./running-api.ts";

const api = closeAfterTests(await runningApi());
const folder = closeAfterTests(await tempDir());
const shop = await api.openShop(mugs(30));
assert.equal((await shop.sync()).status, 200);
const { run_id: renderId } = (await shop.feeds()).last_render ?? { run_id: "" };

/** A server that passes heavy calls to a socket. */
async function server(socketPath: string, more: Partial<AppDeps> = {}) {
  let open = 0;
  const enter = async () => {
    open += 1;
    return { socketPath, leave: () => void (open -= 1) };
  };
  const app = await buildApp({ ...api.parts, graceMs: 50, heavyProcess: { enter }, ...more });
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  const call = (path: string, asked: Asked = {}, caller: Shop = shop) =>
    ask(url + path, { ...asked, headers: { authorization: `Bearer ${caller.key}`, ...asked.headers } });
  return { url, call, openCalls: () => open, [Symbol.asyncDispose]: async () => app.close() };
}

/** Without those of the connection, and the time. */
const ownHeaders = ({ headers }: Answer) =>
  Object.entries(headers)
    .filter(([name]) => !["date", "connection", "keep-alive"].includes(name))
    .sort(([a], [b]) => a.localeCompare(b));

let sockets = 0;
/** A process that answers as the test wants. */
async function standIn(answer: RequestListener) {
  const path = join(folder.path, `${(sockets += 1)}.sock`);
  const listening = createServer(answer).listen(path);
  await once(listening, "listening");
  const close = async () => {
    listening.closeAllConnections();
    await new Promise((resolve) => listening.close(resolve));
  };
  return { path, [Symbol.asyncDispose]: close };
}

/** The application as the process for heavy calls runs it. */
async function heavyApp() {
  const path = join(folder.path, `${(sockets += 1)}.sock`);
  const app = await buildApp({ ...api.parts, graceMs: 50 });
  await app.listen({ path });
  return { path, [Symbol.asyncDispose]: async () => app.close() };
}

test("a call that is passed on has the answer of a direct one", async () => {
  await using heavy = await heavyApp();
  await using passing = await server(heavy.path);
  const json = { "content-type": "application/json" };
  const file = { "content-type": "text/csv", "content-encoding": "identity" };
  const calls: readonly (readonly [path: string, asked?: Asked])[] = [
    ["items?q=mug&limit=3"],
    ["items?limit=0"],
    ["items?limit=2&cursor=wrong"],
    ["items/nothing"],
    ["item?id=%C3%BC"],
    ["items/mug-1/explain"],
    ["audit/findings"],
    ["audit/findings.csv"],
    ["audit/findings.csv", { method: "HEAD" }],
    [`renders/${renderId}/compare/${renderId}`],
    [`renders/${renderId}/compare/${renderId}`, { headers: { accept: "application/x-ndjson" } }],
    [`renders/${renderId}/refusals.csv`],
    ["sources/test", { method: "POST", body: { id: shop.sourceId } }],
    ["sources/test", { method: "POST" }],
    ["sources/test", { method: "POST", headers: json, body: "{" }],
    ["sources/test", { method: "POST", headers: { "content-type": "text/plain" }, body: "x" }],
    ["catalog/preview", { method: "POST", headers: file, body: csv(mugs(3)) }],
    ["catalog/preview", { method: "POST", headers: { "content-type": "image/png" }, body: "x" }],
  ];
  const mcp = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  const mcpHeaders = { accept: "application/json, text/event-stream" };
  const all = [
    ...calls.map(([name, asked]) => [`/api/v1/${name}`, asked ?? {}] as const),
    ["/mcp", { method: "POST", headers: mcpHeaders, body: mcp }] as const,
  ];

  for (const [to, asked] of all) {
    const same = { ...asked, headers: { ...asked.headers, "x-request-id": "the-same" } };
    const [direct, passed] = [await shop.call(to, same), await passing.call(to, same)];

    assert.equal(passed.status, direct.status, to);
    assert.deepEqual(ownHeaders(passed), ownHeaders(direct), to);
    assert.equal(passed.text, direct.text, to);
  }
  await until(async () => passing.openCalls() === 0, "all calls to be over");
});

test("the caller learns that its body is too large, after it has sent all of it", async () => {
  await using heavy = await heavyApp();
  await using passing = await server(heavy.path);
  const body = { id: shop.sourceId, name: "x".repeat(20_000_000) };

  const refused = await passing.call("/api/v1/sources/test", { method: "POST", body });

  assertProblem(refused, 413, "body_too_large");
});

test("a call without a key and a light call do not reach the process", async () => {
  await using none = await standIn((_request, response) => void response.destroy());
  await using passing = await server(none.path);

  assertProblem(await ask(`${passing.url}/api/v1/items`), 401, "unauthorized");
  assert.equal((await passing.call("/api/v1/feeds")).status, 200);
  assert.equal(passing.openCalls(), 0);
});

test("a process that dies before it has answered leads to 503 with a time to try again", async () => {
  await using dying = await standIn((_request, response) => void response.destroy());
  await using passing = await server(dying.path);

  for (const refused of [
    await passing.call("/api/v1/items"),
    await passing.call("/api/v1/sources/test", { method: "POST", body: { id: shop.sourceId } }),
  ]) {
    assert.match(assertProblem(refused, 503, "worker_unavailable").detail, /started again/);
    assert.equal(refused.headers["retry-after"], "2");
  }
  await using gone = await server(join(folder.path, "nothing.sock"));
  assertProblem(await gone.call("/api/v1/items"), 503, "worker_unavailable");
});

test("a process that dies in the middle of its answer ends the answer as incomplete", async () => {
  await using dying = await standIn((_request, response) => {
    response.writeHead(200, { "content-type": "text/csv" });
    response.write("half", () => response.destroy());
  });
  await using passing = await server(dying.path);

  await assert.rejects(passing.call("/api/v1/audit/findings.csv"));
});

test("a caller that disconnects ends the call in the process", async () => {
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  await using waiting = await standIn((_request, response) => {
    response.once("close", ended.resolve);
    begun.resolve();
  });
  await using passing = await server(waiting.path);
  const gone = new AbortController();
  const call = passing.call("/api/v1/items", { signal: gone.signal });
  await begun.promise;

  gone.abort();

  await assert.rejects(call);
  await ended.promise;
  await until(async () => passing.openCalls() === 0, "the call to be over");
});

test("a stream waits for its reader, and one that stops reading is disconnected", async () => {
  const chunk = Buffer.alloc(64 * 1024);
  let sent = 0;
  let hasWaited = false;
  const ended = Promise.withResolvers<void>();
  await using endless = await standIn((_request, response) => {
    const write = (): void => {
      while (response.write(chunk)) sent += chunk.length;
      hasWaited = true;
    };
    response.on("drain", write).once("close", ended.resolve);
    write();
  });
  await using passing = await server(endless.path, {
    clients: { ...CLIENT_LIMITS, writeMs: 500 },
  });
  const reader = connect(Number(new URL(passing.url).port), "127.0.0.1");
  reader.on("error", () => undefined).pause();
  reader.write(
    `GET /api/v1/audit/findings.csv HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${shop.key}\r\n\r\n`,
  );

  await ended.promise;

  reader.destroy();
  assert.ok(hasWaited);
  // What the system and the streams buffer; a stream without backpressure would send gigabytes.
  assert.ok(sent < 64 * 1024 * 1024, `${sent} bytes were sent`);
});

test("a stream may take longer than a reader may stall", async () => {
  await using slow = await standIn((_request, response) => {
    void (async () => {
      for (let i = 0; i < 10; i += 1) {
        response.write(`${i}\n`);
        await delay(100);
      }
      response.end();
    })();
  });
  await using passing = await server(slow.path, { clients: { ...CLIENT_LIMITS, writeMs: 400 } });

  const { text } = await passing.call("/api/v1/audit/findings.csv");

  assert.equal(text, "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n");
});

test("a key with a full queue is refused; other keys and light calls are answered", async () => {
  const other = await api.openShop();
  await using feed = await heldFeed(csv(mugs(2)));
  const limits = { ...HEAVY_LIMITS, key: 2, queue: 2 };
  await using heavy = await heavyApp();
  await using passing = await server(heavy.path, { refusalDelayMs: 0, heavyLimits: limits });
  const call = (path: string, caller: Shop, asked: Asked = {}) =>
    passing.call(`/api/v1/${path}`, asked, caller);
  const body = { kind: "feed_url", settings: { url: feed.url } };
  const running = call("sources/test", shop, { method: "POST", body });
  await feed.asked;
  // One of the two calls waits; the other call is refused at once.
  const others = Array.from({ length: 2 }, async () =>
    call("sources/test", shop, { method: "POST", body: { id: shop.sourceId } }),
  );
  const refused = await Promise.race(others);

  assertProblem(refused, 429, "rate_limited");
  assert.equal(refused.headers["retry-after"], "5");
  assert.equal((await call("items?q=mug", other)).status, 200);
  assert.equal((await call("feeds", shop)).status, 200);
  feed.release();
  assert.equal((await running).status, 200);
  const statuses = (await Promise.all(others)).map(({ status }) => status);
  assert.deepEqual(
    statuses.toSorted((a, b) => a - b),
    [200, 429],
  );
});
