import assert from "node:assert/strict";
import { createServer as createHttpsServer } from "node:https";
import { describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { loopback, serving } from "./loopback.fixture.ts";
import { SHOP_TEST_TLS, testClient, trustShopTest } from "./http-client.fixture.ts";
import { HttpFailure } from "./http-failure.ts";
import type { Connection } from "./agent.ts";
import { rawServer, testWebhookClient } from "./webhook-http-client.fixture.ts";
import type { WebhookHttpClient } from "./webhook-http-client.ts";

const { signal } = new AbortController();

/** Posts to the URL and returns the timings of its connection, whether the post succeeds or not. */
async function connectionOf(client: WebhookHttpClient, url: string, deadlineMs = 5_000): Promise<Connection> {
  const noted: Connection[] = [];
  const onConnection = (connection: Connection) => void noted.push(connection);
  const post = { url, headers: {}, body: Buffer.from("{}"), deadlineMs, keepBytes: 10, signal, onConnection };
  await client.post(post).catch((error: unknown) => assert.ok(error instanceof HttpFailure));
  // undici lets a connection rest for one turn before it gives it a new request.
  await setImmediate();
  assert.equal(noted.length, 1);
  return noted[0] ?? assert.fail("no connection was noted");
}

describe("the timings of a connection", () => {
  test("have the duration of each step, and zero for a reused connection", async () => {
    await using server = await loopback((_request, response) => response.end("ok"));
    await using client = testWebhookClient();

    const first = await connectionOf(client, `http://shop.test:${server.port}/`);
    const second = await connectionOf(client, `http://shop.test:${server.port}/`);

    assert.equal(server.connections(), 1);
    assert.ok(first.dnsMs !== null && first.dnsMs > 0);
    assert.ok(first.connectMs !== null && first.connectMs > 0);
    assert.deepEqual([first.tlsMs, first.address], [0, "127.0.0.1"]);
    assert.deepEqual(second, { dnsMs: 0, connectMs: 0, tlsMs: 0, address: "127.0.0.1" });
  });

  test("have no duration for DNS if the host is an IP address, and one for TLS if it is used", async (context) => {
    trustShopTest(context);
    const tls = createHttpsServer(SHOP_TEST_TLS, (_request, response) => {
      response.end("ok");
    });
    await using plain = await loopback((_request, response) => response.end("ok"));
    await using secure = await serving(tls);
    await using client = testWebhookClient();

    const literal = await connectionOf(client, plain.origin);
    const secured = await connectionOf(client, `https://shop.test:${secure.port}/`);

    assert.equal(literal.dnsMs, 0);
    assert.ok(secured.tlsMs !== null && secured.tlsMs > 0);
  });

  test("end at the step that failed", async () => {
    const gone = await loopback(() => {});
    await gone[Symbol.asyncDispose]();
    await using tls = await serving(createHttpsServer(SHOP_TEST_TLS));
    await using client = testWebhookClient();
    await using nameless = testWebhookClient({ lookup: () => new Promise(() => {}) });

    const unresolved = await connectionOf(nameless, "http://shop.test/", 20);
    const refused = await connectionOf(client, gone.origin);
    const untrusted = await connectionOf(client, `https://shop.test:${tls.port}/`);

    assert.deepEqual(unresolved, { dnsMs: null, connectMs: null, tlsMs: null, address: null });
    assert.deepEqual(refused, { dnsMs: 0, connectMs: null, tlsMs: null, address: null });
    assert.equal(untrusted.tlsMs, null);
    assert.notEqual(untrusted.connectMs, null);
  });
});

test("a request that is aborted while its connection is opened closes that connection", async () => {
  await using server = await rawServer(() => {});
  await using shops = testClient();
  const caller = new AbortController();
  const reason = new Error("no longer wanted");

  const asked = shops.request({ url: `https://shop.test:${server.port}/`, signal: caller.signal });
  await server.called;
  caller.abort(reason);

  await assert.rejects(asked, reason);
  await server.allGone();
});
