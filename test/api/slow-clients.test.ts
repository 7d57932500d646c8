/**
 * Clients that are slow, stall or open many connections: each costs bounded time and memory, and none delays other
 * calls.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { buildApp } from "../../src/http/app.ts";
import { addressKey, CLIENT_LIMITS } from "../../src/http/slow-clients.ts";
import type { ClientLimits } from "../../src/http/slow-clients.ts";
import { PUSH_LIMITS } from "../../src/pipeline/push/received-bytes.ts";
import { requestPush } from "../../src/pipeline/push/request.ts";
import { until, waitLimit } from "../actions.ts";
import { heldFeed } from "../fakes/held-feed.ts";
import { csv, mugs } from "./rows.ts";
import { ask, runningApi } from "./running-api.ts";
import { closeAfterTests } from "../close-after.ts";
import { isLong } from "../long.ts";

const api = closeAfterTests(await runningApi());
const shop = await api.openShop(mugs(3));

async function server(limits: Partial<ClientLimits>) {
  const app = await buildApp({
    ...api.parts,
    graceMs: 50,
    clients: { ...CLIENT_LIMITS, checkMs: 50, ...limits },
  });
  let accepted = 0;
  app.server.on("connection", () => (accepted += 1));
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  const connections = async () =>
    new Promise<number>((resolve) => app.server.getConnections((_error, count) => resolve(count)));
  return { url, accepted: () => accepted, connections, [Symbol.asyncDispose]: async () => app.close() };
}

async function open(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}

/** Everything the server sends until it closes the connection. */
async function untilClosed(socket: Socket): Promise<string> {
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  // Not `once`: a reset is an end like any other here.
  await until(async () => socket.closed, "the server to close the connection");
  return text;
}

/** Sends a byte now and then until the connection is closed. */
function drip(socket: Socket, byte: string): void {
  const timer = setInterval(() => void (socket.writable && socket.write(byte)), 20);
  socket.once("close", () => clearInterval(timer));
}

const head = (line: string, ...headers: readonly string[]) =>
  `${[line, "host: x", ...headers].join("\r\n")}\r\n\r\n`;

describe("a client that sends slowly", () => {
  const LIMITS = { headersMs: 300, bodyMs: 300 };

  test("is disconnected if its headers arrive slowly or not at all", async () => {
    await using slow = await server(LIMITS);
    const [dripping, silent] = [await open(slow.url), await open(slow.url)];
    dripping.write("GET /healthz HTTP/1.1\r\nx: ");
    drip(dripping, "y");

    assert.match(await untilClosed(dripping), /^(HTTP\/1\.1 408|$)/);
    await untilClosed(silent);
  });

  const JSON_BODY = ["content-type: application/json", "content-length: 100000"];
  const CHUNKED = ["content-type: application/json", "transfer-encoding: chunked"];
  const CALLS = [
    { what: "with a key", line: "POST /api/v1/syncs HTTP/1.1", hasKey: true, headers: JSON_BODY },
    { what: "in chunks", line: "POST /api/v1/syncs HTTP/1.1", hasKey: true, headers: CHUNKED },
    { what: "without a key", line: "POST /api/v1/syncs HTTP/1.1", hasKey: false, headers: JSON_BODY },
    {
      what: "of a push without a key",
      line: "PUT /api/v1/catalog HTTP/1.1",
      hasKey: false,
      headers: JSON_BODY,
    },
    { what: "to an unknown path", line: "POST /nowhere HTTP/1.1", hasKey: false, headers: JSON_BODY },
    { what: "of a GET", line: "GET /healthz HTTP/1.1", hasKey: false, headers: JSON_BODY },
  ];
  for (const { what, line, hasKey, headers } of CALLS) {
    test(`is disconnected if its body arrives slowly: ${what}`, async () => {
      await using slow = await server(LIMITS);
      const socket = await open(slow.url);
      socket.write(head(line, ...headers, ...(hasKey ? [`authorization: Bearer ${shop.key}`] : [])));
      drip(socket, headers === CHUNKED ? "1\r\nx\r\n" : "x");

      const answer = await untilClosed(socket);

      assert.match(answer, hasKey ? /^HTTP\/1\.1 408 .*"status":408/s : /^HTTP\/1\.1 (4\d\d|200) /);
      await until(async () => (await slow.connections()) === 0, "the connection to be gone");
    });
  }

  test("may push for longer than other bodies, above a minimum rate", async () => {
    await using slow = await server(LIMITS);
    const body = JSON.stringify({
      products: [{ id: "p1", title: "P", link: "https://a.example/", price: "1 USD" }],
    });
    const socket = await open(slow.url);
    const headers = [
      `authorization: Bearer ${shop.key}`,
      "content-type: application/json",
      "connection: close",
    ];
    socket.write(head("PATCH /api/v1/catalog HTTP/1.1", ...headers, `content-length: ${body.length}`));
    socket.write(body.slice(0, 10));
    await delay(3 * LIMITS.bodyMs);
    socket.write(body.slice(10));

    assert.match(await untilClosed(socket), /^HTTP\/1\.1 200 .*"upserted":1/s);
  });

  test("a push below the minimum rate fails, although data keeps arriving", async () => {
    async function* dripping() {
      for (;;) {
        await delay(5);
        yield Buffer.from(" ");
      }
    }
    const limits = { ...PUSH_LIMITS, graceMs: 50, minBytesPerS: 10_000 };
    const push = {
      catalogId: shop.id,
      key: null,
      mode: "update",
      format: "json",
      file: null,
      maxRemovedRatio: 1,
    } as const;
    const signal = waitLimit();

    await assert.rejects(
      requestPush(api, { ...push, bytes: dripping(), coding: "identity", signal }, limits),
      { code: "body_incomplete", message: /less than 10000 bytes a second/ },
    );
  });
});

describe("a client that stops reading", () => {
  const WRITE_MS = 400;

  if (isLong)
    test("is disconnected, and the unread answer is released", async () => {
      // Some 13 MB: more than the kernel takes on its own.
      const text = "Blue stoneware mug for tea. ".repeat(170);
      const big = await api.openShop();
      big.answers({ kind: "file", body: csv(mugs(2_600)).replaceAll("A mug, number", text) });
      assert.equal((await big.sync()).status, 200);
      const { feeds } = await big.feeds();
      const path = new URL(feeds.find(({ file }) => file === "acp.json")?.url ?? "").pathname;
      await using slow = await server({ writeMs: WRITE_MS });
      const readers = await Promise.all(
        Array.from({ length: 40 }, async () => {
          const socket = await open(slow.url);
          socket.pause();
          socket.write(head(`GET ${path} HTTP/1.1`));
          return socket;
        }),
      );
      await until(async () => slow.accepted() === readers.length, "all readers to be accepted");

      await until(async () => (await slow.connections()) === 0, "stalled readers to be cut off");
      // Not from the server with these limits: this process may pause for longer than they allow.
      const whole = await api.ask(path);

      assert.equal((await ask(`${slow.url}/healthz`)).status, 200);
      assert.equal(whole.status, 200);
      assert.equal(whole.bytes.length, Number(whole.headers["content-length"]));
      for (const reader of readers) reader.destroy();
    });

  test("a call that waits longer than all these limits is answered", async () => {
    await using slow = await server({ headersMs: 200, bodyMs: 200, writeMs: 200 });
    await using feed = await heldFeed(csv(mugs(2)));
    const slowShop = await api.openShop([], feed.url);
    const syncing = ask(`${slow.url}/api/v1/syncs`, {
      method: "POST",
      headers: { authorization: `Bearer ${slowShop.key}` },
      body: { source_id: slowShop.sourceId },
    });
    await feed.asked;
    await delay(1_500);
    feed.release();

    assert.equal((await syncing).status, 200);
  });
});

describe("an address with many connections", () => {
  test("is refused above its limit, and accepted again when some are closed", async () => {
    await using crowded = await server({ maxPerAddress: 3 });
    const held = await Promise.all(Array.from({ length: 3 }, async () => open(crowded.url)));
    await until(async () => (await crowded.connections()) === 3, "three connections");

    assert.match(await untilClosed(await open(crowded.url)), /^HTTP\/1\.1 429 .*retry-after: 5/s);

    held[0]?.destroy();
    await until(async () => (await crowded.connections()) <= 2, "one of them to close");
    assert.equal((await ask(`${crowded.url}/healthz`)).status, 200);
    for (const socket of held) socket.destroy();
  });

  test("is counted by IPv4 address, and by the /64 of an IPv6 address", () => {
    assert.equal(addressKey("::ffff:203.0.113.9"), addressKey("203.0.113.9"));
    assert.notEqual(addressKey("203.0.113.8"), addressKey("203.0.113.9"));
    assert.equal(addressKey("2001:db8:1:2::1"), addressKey("2001:db8:1:2:ffff::9"));
    assert.notEqual(addressKey("2001:db8:1:2::1"), addressKey("2001:db8:1:3::1"));
  });
});
