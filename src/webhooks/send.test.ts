import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { Stripe } from "stripe";
import { answer, openReceiver } from "../../test/fakes/receiver.ts";
import type { Reply } from "../../test/fakes/receiver.ts";
import { SECRET, testClock, testWebhookClient } from "../../test/fakes/receiver-seed.ts";
import type { WebhookHttpClient } from "../lib/outbound/webhook-http-client.ts";
import { SHOP_TEST_TLS, trustShopTest } from "../lib/outbound/http-client.fixture.ts";
import type { AttemptResult } from "./attempt.ts";
import { send } from "./send.ts";
import type { Message, SendOptions } from "./send.ts";

const { now } = testClock();
const { signal } = new AbortController();
const PAYLOAD =
  '{"event":"sync.completed","created_at":"2026-03-01T12:00:00.000Z","data":{"title":"Tasse – “groß”"}}';

const message = (url: string): Message => ({
  eventId: "019ca000-0000-7000-8000-000000000001",
  type: "sync.completed",
  payload: PAYLOAD,
  url,
  secrets: [SECRET],
});
const sending = (client: WebhookHttpClient, more: Partial<SendOptions> = {}): SendOptions => ({
  client,
  now,
  deadlineMs: 5_000,
  signal,
  ...more,
});

/** One attempt at a receiver that replies like this. */
async function attemptAt(reply: Reply, more: Partial<SendOptions> = {}): Promise<AttemptResult> {
  await using receiver = await openReceiver();
  await using client = testWebhookClient();
  return await send(message(receiver.on("/hook", reply)), sending(client, more));
}

/** Tries a short deadline, and a longer one on a machine too busy to get as far as the test needs. */
async function withDeadline(
  attemptWithin: (deadlineMs: number) => Promise<AttemptResult>,
  isFarEnough: (attempt: AttemptResult) => boolean,
): Promise<AttemptResult> {
  for (const deadlineMs of [80, 800]) {
    const attempt = await attemptWithin(deadlineMs);
    if (isFarEnough(attempt)) return attempt;
  }
  return attemptWithin(8_000);
}

/** The error of a failed attempt, its message, and the status if there was one. */
function failureOf({ error, message: sentence, status }: AttemptResult) {
  assert.ok(error !== null && sentence !== null, "it failed");
  return { error, message: sentence, status };
}

describe("a delivery", () => {
  test("is a POST of the stored bytes, signed, with the headers of the contract", async () => {
    await using receiver = await openReceiver();
    await using client = testWebhookClient();

    const attempt = await send(message(receiver.url("/hook?shop=1")), sending(client));

    const [request] = receiver.requests;
    assert.ok(request);
    assert.equal(request.method, "POST");
    assert.equal(request.path, "/hook?shop=1");
    assert.equal(request.body, PAYLOAD);
    assert.equal(request.headers["content-type"], "application/json");
    assert.equal(request.headers["content-length"], String(Buffer.byteLength(PAYLOAD)));
    assert.equal(request.headers["user-agent"], "Service-Webhooks/1.0");
    assert.equal(request.headers["accept-encoding"], "identity");
    assert.equal(request.headers["x-service-event"], "sync.completed");
    assert.equal(request.headers["webhook-id"], "019ca000-0000-7000-8000-000000000001");
    const signature = String(request.headers["x-service-signature"]);
    const clock = now().getTime();
    assert.ok(
      new Stripe("sk").webhooks.constructEvent(request.body, signature, SECRET, 300, undefined, clock),
    );
    assert.equal(attempt.error, null);
  });

  test("is delivered by any 2xx, with or without a body", async () => {
    for (const status of [200, 201, 202, 204, 299]) {
      const attempt = await attemptAt(answer(status, { body: status === 204 ? "" : "thanks" }));

      assert.equal(attempt.error, null);
      assert.equal(attempt.status, status);
      assert.equal(attempt.answer?.toString(), status === 204 ? "" : "thanks");
      assert.deepEqual([attempt.startedAt, attempt.endedAt], [now(), now()]);
    }
  });

  test("keeps its connection for the next one, and its durations show what that saves", async () => {
    await using receiver = await openReceiver();
    await using client = testWebhookClient({ lookup: async () => ["127.0.0.1"] });
    const url = `http://hooks.test:${receiver.port}/hook`;

    const first = await send(message(url), sending(client));
    // undici lets a connection rest for one turn before it gives it a new request.
    await setImmediate();
    const second = await send(message(url), sending(client));

    assert.equal(receiver.connections(), 1);
    assert.ok(first.dnsMs !== null && first.connectMs !== null && first.connectMs > 0);
    assert.equal(first.tlsMs, 0);
    assert.ok(first.firstByteMs !== null && first.firstByteMs <= first.totalMs);
    assert.ok(first.dnsMs + first.connectMs <= first.firstByteMs);
    assert.deepEqual([second.dnsMs, second.connectMs, second.tlsMs], [0, 0, 0]);
    assert.deepEqual([first.address, second.address], ["127.0.0.1", "127.0.0.1"]);
  });
});

describe("an answer that is not a 2xx", () => {
  test("is a failure with its status and its first bytes, whatever its headers ask for", async () => {
    const cases: [number, Record<string, string>][] = [
      [500, {}],
      [410, {}],
      [429, { "retry-after": "1" }],
      [304, {}],
      [404, { location: "https://elsewhere.example/" }],
    ];
    for (const [status, headers] of cases) {
      const attempt = await attemptAt(answer(status, { headers, body: "no" }));

      assert.deepEqual([attempt.error, attempt.status, attempt.location], ["http", status, null]);
      assert.equal(attempt.answer?.toString(), status === 304 ? "" : "no");
      assert.match(attempt.message ?? "", new RegExp(`^127.0.0.1 answered with status ${status}`));
    }
  });

  test("is not followed if it is a redirect, and its location is recorded", async () => {
    await using elsewhere = await openReceiver();
    for (const status of [301, 302, 303, 307, 308]) {
      const location = elsewhere.url("/secret");

      const attempt = await attemptAt(answer(status, { headers: { location } }));

      assert.deepEqual([attempt.error, attempt.status, attempt.location], ["redirect", status, location]);
    }
    assert.equal(elsewhere.requests.length, 0);
  });
});

describe("the deadline", () => {
  test("ends a request to a receiver that hangs", async () => {
    const failure = failureOf(await attemptAt({ kind: "hang" }, { deadlineMs: 60 }));

    assert.equal(failure.error, "timeout");
    assert.match(failure.message, /^127\.0\.0\.1 took longer than 0\.06 s/);
  });

  test("makes a later 2xx a timeout", async () => {
    const late = Promise.withResolvers<void>();

    const attempt = await attemptAt({ kind: "answer", status: 200, when: late.promise }, { deadlineMs: 60 });
    late.resolve();

    assert.equal(failureOf(attempt).error, "timeout");
  });

  test("covers resolving the name", async () => {
    await using client = testWebhookClient({ lookup: () => new Promise(() => {}) });

    const attempt = await send(message("http://hooks.test/"), sending(client, { deadlineMs: 40 }));

    assert.equal(failureOf(attempt).error, "timeout");
    assert.equal(attempt.dnsMs, null);
  });

  test("covers the TLS handshake", async () => {
    await using receiver = await listening(() => {});
    await using client = testWebhookClient();

    const url = `https://127.0.0.1:${receiver.port}/`;
    const attempt = await withDeadline(
      async (deadlineMs) => send(message(url), sending(client, { deadlineMs })),
      ({ connectMs }) => connectMs !== null,
    );

    assert.equal(failureOf(attempt).error, "timeout");
    assert.notEqual(attempt.connectMs, null);
    assert.equal(attempt.tlsMs, null);
  });

  test("keeps a 2xx that began in time, even if its body never ends", async () => {
    const attempt = await withDeadline(
      async (deadlineMs) => attemptAt({ kind: "stall", status: 200, piece: "half" }, { deadlineMs }),
      ({ answer: body }) => body?.toString() === "half",
    );

    assert.equal(attempt.error, null);
    assert.equal(attempt.answer?.toString(), "half");
  });

  test("keeps the status of a failure that was answered in time", async () => {
    const attempt = await withDeadline(
      async (deadlineMs) => attemptAt({ kind: "stall", status: 500, piece: "ha" }, { deadlineMs }),
      ({ answer: body }) => body?.toString() === "ha",
    );

    assert.deepEqual([failureOf(attempt).error, failureOf(attempt).status], ["http", 500]);
  });
});

describe("a receiver that misbehaves", () => {
  test("by sending a gigabyte is read for 16 KiB only", async () => {
    const attempt = await attemptAt({ kind: "flood", status: 200 });

    assert.equal(attempt.error, null);
    assert.equal(attempt.answer?.length, 16 * 1_024);
  });

  test("by breaking the connection is recorded as `reset`", async () => {
    assert.equal(failureOf(await attemptAt({ kind: "reset" })).error, "reset");
  });

  test("by not speaking HTTP is recorded as `protocol`", async () => {
    assert.equal(failureOf(await attemptAt({ kind: "babble" })).error, "protocol");
  });

  test("by not listening is recorded as `refused`", async () => {
    const gone = await openReceiver();
    await gone[Symbol.asyncDispose]();
    await using client = testWebhookClient();

    const attempt = await send(message(gone.url("/hook")), sending(client));

    assert.equal(failureOf(attempt).error, "refused");
    assert.equal(attempt.connectMs, null);
  });

  test("by a name that does not resolve is recorded as `dns`", async () => {
    const lookup = async () => {
      throw Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND" });
    };
    await using client = testWebhookClient({ lookup });

    const attempt = await send(message("http://hooks.test/"), sending(client));

    assert.equal(failureOf(attempt).error, "dns");
    assert.match(failureOf(attempt).message, /^hooks\.test could not be reached \(ENOTFOUND\)/);
  });
});

describe("over TLS", () => {
  test("an untrusted certificate, or one for another name, ends the attempt before a byte is sent", async (context) => {
    await using receiver = await openReceiver({ tls: SHOP_TEST_TLS });
    await using client = testWebhookClient({
      allowPrivate: ["hooks.test"],
      lookup: async () => ["127.0.0.1"],
    });
    const url = `https://hooks.test:${receiver.port}/`;

    const unknown = await send(message(url), sending(client));
    trustShopTest(context);
    const misnamed = await send(message(url), sending(client));

    assert.equal(failureOf(unknown).error, "tls");
    assert.match(failureOf(unknown).message, /SELF_SIGNED/);
    assert.equal(failureOf(misnamed).error, "tls");
    assert.match(failureOf(misnamed).message, /ALTNAME_INVALID/);
    assert.equal(receiver.requests.length, 0);
  });

  test("a valid certificate delivers, and the duration of the handshake is recorded", async (context) => {
    trustShopTest(context);
    await using receiver = await openReceiver({ tls: SHOP_TEST_TLS });
    await using client = testWebhookClient({
      allowPrivate: ["shop.test"],
      lookup: async () => ["127.0.0.1"],
    });

    const attempt = await send(message(`https://shop.test:${receiver.port}/`), sending(client));

    assert.equal(attempt.error, null);
    assert.ok(attempt.tlsMs !== null && attempt.tlsMs > 0);
  });
});

describe("the guard", () => {
  test("blocks a name that resolves to a private address, and the message names the setting that allows it", async () => {
    await using receiver = await openReceiver();
    await using client = testWebhookClient({
      allowPrivate: [],
      lookup: async () => ["8.8.8.8", "127.0.0.1"],
    });

    const attempt = await send(message(`https://rebound.test:${receiver.port}/`), sending(client));

    assert.equal(failureOf(attempt).error, "blocked");
    assert.match(failureOf(attempt).message, /ALLOW_PRIVATE_TARGETS/);
    assert.equal(receiver.connections(), 0);
  });

  test("blocks plain http to targets that the operator does not allow", async () => {
    await using receiver = await openReceiver();
    await using client = testWebhookClient({ allowPrivate: [] });

    const attempt = await send(message(receiver.url("/")), sending(client));

    assert.equal(failureOf(attempt).error, "blocked");
    assert.equal(receiver.connections(), 0);
  });
});

test("an abort by the caller rejects with its reason and is no attempt", async () => {
  await using receiver = await openReceiver();
  await using client = testWebhookClient();
  const stop = new AbortController();
  const reason = new Error("stopping");
  const attempt = send(message(receiver.on("/", { kind: "hang" })), sending(client, { signal: stop.signal }));
  await receiver.received(1);

  stop.abort(reason);

  await assert.rejects(attempt, reason);
});

/** A port that accepts connections and never answers. */
async function listening(onConnection: () => void): Promise<AsyncDisposable & { readonly port: number }> {
  const sockets = new Set<() => void>();
  const server = createServer((socket) => {
    sockets.add(() => socket.destroy());
    socket.on("error", () => {});
    onConnection();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      for (const destroy of sockets) destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
