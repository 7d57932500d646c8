import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import {
  answerText,
  HALF,
  httpServer,
  isFailure,
  nextHead,
  nextPiece,
  OK,
  postTo,
  rawServer,
  type TestWebhookClient,
  testWebhookClient,
  unresolvedPost,
} from "./webhook-http-client.fixture.ts";

describe("an answer", () => {
  /** One post after the other, each with its limit of bytes. */
  async function assertTenDigits(client: TestWebhookClient, origin: string, limits: readonly number[]) {
    for (const keepBytes of limits) {
      const answer = await client.postThenRest(postTo(origin, { keepBytes }));
      assert.equal(answerText(answer), "200 0123456789");
    }
  }

  test("longer than what is kept is truncated, and the connection is closed", async () => {
    await using server = await httpServer((_request, response) => response.end("0123456789+"));
    await using client = testWebhookClient();

    await assertTenDigits(client, server.origin, [10, 10]);

    assert.equal(server.connections(), 2);
    await server.allGone();
  });

  test("is truncated at the exact byte, however it is cut into chunks", async () => {
    const whole = ["abc", "d", "efgh", "ijklmnop"];
    const chunks = whole.map((text) => `${text.length}\r\n${text}\r\n`);
    await using server = await rawServer((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunks.join("")}`);
    });
    await using client = testWebhookClient();

    for (const keepBytes of [0, 1, 3, 4, 5, 8, 9]) {
      const answer = await client.post(postTo(server.origin, { keepBytes }));
      assert.equal(answer.firstBytes.toString(), whole.join("").slice(0, keepBytes));
    }
  });

  test("of exactly the kept size or shorter is complete, and the connection is kept", async () => {
    await using server = await httpServer((_request, response) => response.end("0123456789"));
    await using client = testWebhookClient();

    await assertTenDigits(client, server.origin, [11, 10]);

    assert.equal(server.connections(), 1);
  });

  test("longer than what is kept is also truncated if the server closes the connection", async () => {
    await using server = await httpServer((_request, response) => {
      response.writeHead(200, { connection: "close" }).end("0123456789+");
    });
    await using client = testWebhookClient();

    for (let times = 0; times < 3; times++) {
      assert.equal(answerText(await client.post(postTo(server.origin, { keepBytes: 10 }))), "200 0123456789");
    }

    await server.allGone();
    assert.equal(server.connections(), 3);
  });

  test("without a body keeps its connection for the next post", async () => {
    const heads = ["204 No Content\r\n", "200 OK\r\nContent-Length: 0\r\n", "304 Not Modified\r\n"];
    const chunked = "200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n";
    const answers = [...heads, chunked].map((rest) => `HTTP/1.1 ${rest}\r\n`);
    await using server = await rawServer((socket) => socket.write(answers.shift() ?? OK));
    await using client = testWebhookClient();

    const got: string[] = [];
    for (let times = 0; times < 4; times++)
      got.push(answerText(await client.postThenRest(postTo(server.origin))));

    assert.deepEqual(got, ["204 ", "200 ", "304 ", "200 "]);
    assert.equal(server.connections(), 1);
  });

  test("without a length goes on until the connection ends", async () => {
    await using server = await rawServer((socket) => socket.end("HTTP/1.1 200 OK\r\n\r\nall of it"));
    await using client = testWebhookClient();

    assert.equal(answerText(await client.post(postTo(server.origin))), "200 all of it");
  });

  test("is the final one, not an interim one", async () => {
    const interim = "HTTP/1.1 103 Early Hints\r\nLocation: http://elsewhere.test/\r\n\r\n";
    await using server = await rawServer((socket) => {
      socket.write(interim);
      socket.write(`HTTP/1.1 102 Processing\r\n\r\n${interim}${OK}`);
    });
    await using client = testWebhookClient();

    for (let times = 0; times < 2; times++) {
      const answer = await client.postThenRest(postTo(server.origin));
      assert.deepEqual([answerText(answer), answer.location], ["200 ok", null]);
    }
    assert.equal(server.connections(), 1);
  });

  test("has not arrived while only interim ones arrive", async ({ mock }) => {
    mock.timers.enable({ apis: ["setTimeout"] });
    const called = Promise.withResolvers<Socket>();
    await using server = await rawServer(called.resolve);
    await using client = testWebhookClient();

    const post = client.post(postTo(server.origin, { deadlineMs: 1_000 }));
    const socket = await called.promise;
    for (let ms = 0; ms < 1_000; ms += 100) {
      const head = nextHead();
      socket.write("HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n");
      await head;
      mock.timers.tick(100);
    }

    await assert.rejects(post, isFailure("timeout"));
    await server.allGone();
  });

  test("without a request is not used for the next post", async () => {
    const forged = "HTTP/1.1 500 Forged\r\nContent-Length: 0\r\n\r\n";
    let calls = 0;
    await using server = await rawServer((socket) => socket.write(calls++ === 0 ? OK + forged : OK));
    await using client = testWebhookClient();

    const answers = [
      await client.post(postTo(server.origin)),
      await client.postThenRest(postTo(server.origin)),
      await client.postThenRest(postTo(server.origin)),
    ];

    assert.deepEqual(answers.map(answerText), ["200 ok", "200 ok", "200 ok"]);
    assert.equal(calls, 3);
  });
});

describe("an invalid answer fails the post and ends the connection:", () => {
  const endings: Record<string, (socket: Socket) => void> = {
    "a head that breaks off": (socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Le"),
    "a head without an end": (socket) => socket.write(`HTTP/1.1 200 OK\r\nX-Long: ${"x".repeat(100_000)}`),
    "a head of countless lines": (socket) => socket.write(`HTTP/1.1 200 OK\r\n${"X-A: b\r\n".repeat(9_000)}`),
    "a switch of protocols": (socket) =>
      socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"),
    "two lengths": (socket) =>
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok"),
    "nothing but the end": (socket) => socket.end(),
  };
  for (const [what, speak] of Object.entries(endings)) {
    test(what, async () => {
      await using server = await rawServer(speak);
      await using client = testWebhookClient();

      const post = client.post(postTo(server.origin));

      await assert.rejects(post, isFailure("unreachable", /^127\.0\.0\.1 /));
      await server.allGone();
    });
  }
});

describe("after its headers have arrived, an answer is kept with the bytes received,", () => {
  test("if the connection is reset", async () => {
    await using server = await rawServer((socket) => {
      socket.write(HALF);
      void nextPiece().then(() => socket.resetAndDestroy());
    });
    await using client = testWebhookClient();

    assert.equal(answerText(await client.post(postTo(server.origin))), "202 half");
  });

  test("if it ends early, with a length, chunked or malformed", async () => {
    const chunked = "HTTP/1.1 202 Accepted\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n";
    for (const words of [HALF, chunked, `${chunked}what?\r\n`]) {
      await using server = await rawServer((socket) => socket.end(words));
      await using client = testWebhookClient();

      assert.equal(answerText(await client.post(postTo(server.origin))), "202 half");
    }
  });

  const stalls = [
    ["if it stalls until the deadline, and the connection is closed", HALF, nextPiece, "202 half"],
    ["if no byte follows until the deadline", HALF.replace("half", ""), nextHead, "202 "],
  ] as const;
  for (const [what, words, next, kept] of stalls) {
    test(what, async ({ mock }) => {
      mock.timers.enable({ apis: ["setTimeout"] });
      await using server = await rawServer((socket) => socket.write(words));
      await using client = testWebhookClient();
      const arrived = next();

      const post = client.post(postTo(server.origin, { deadlineMs: 1_000 }));
      await arrived;
      mock.timers.tick(1_000);

      assert.equal(answerText(await post), kept);
      await server.allGone();
    });
  }

  test("if it arrives byte by byte until the deadline", async ({ mock }) => {
    mock.timers.enable({ apis: ["setTimeout"] });
    const dripping = Promise.withResolvers<ServerResponse>();
    await using server = await httpServer((_request, response) => dripping.resolve(response));
    await using client = testWebhookClient();

    const post = client.post(postTo(server.origin, { deadlineMs: 1_000 }));
    const response = await dripping.promise;
    for (let ms = 0; ms < 1_000; ms += 100) {
      const piece = nextPiece();
      response.write(".");
      await piece;
      mock.timers.tick(100);
    }

    assert.equal(answerText(await post), "200 ..........");
    await server.allGone();
  });

  test("if its caller aborts, or the client is closed", async () => {
    for (const end of ["leave", "close"]) {
      await using server = await rawServer((socket) => socket.write(HALF));
      await using client = testWebhookClient();
      const caller = new AbortController();
      const piece = nextPiece();

      const post = client.post(postTo(server.origin, { signal: caller.signal }));
      await piece;
      if (end === "leave") caller.abort();
      else await client.close();

      assert.equal(answerText(await post), "202 half");
      await server.allGone();
    }
  });
});

describe("the deadline", () => {
  test("while the name is resolved fails the post, and no byte of it is sent", async () => {
    await using waiting = await unresolvedPost({ deadlineMs: 20 });

    await assert.rejects(
      waiting.post,
      isFailure("timeout", /^shop\.test took longer than 0\.02 s in all\.$/),
    );
    await waiting.assertNotSent();
  });

  test("while TLS gets no answer fails the post, and closes the connection", async () => {
    await using server = await rawServer(() => {});
    await using client = testWebhookClient();

    const post = client.post(postTo(`https://shop.test:${server.port}/`, { deadlineMs: 40 }));
    await assert.rejects(post, isFailure("timeout"));
    await server.called;

    await server.allGone();
  });

  test("while waiting for the headers closes the connection, and the next post has another", async ({
    mock,
  }) => {
    mock.timers.enable({ apis: ["setTimeout"] });
    let calls = 0;
    await using server = await rawServer((socket) => void (calls++ > 0 && socket.write(OK)));
    await using client = testWebhookClient();

    const post = client.post(postTo(server.origin, { deadlineMs: 5_000 }));
    await server.called;
    mock.timers.tick(4_999);
    await setImmediate();
    mock.timers.tick(1);

    await assert.rejects(post, isFailure("timeout", /^127\.0\.0\.1 took longer than 5 s in all\.$/));
    await server.allGone();
    assert.equal(answerText(await client.post(postTo(server.origin))), "200 ok");
  });

  test("of one post does not affect others to the same target", async ({ mock }) => {
    mock.timers.enable({ apis: ["setTimeout"] });
    const both = Promise.withResolvers<void>();
    const waiting = new Map<string, ServerResponse>();
    await using server = await httpServer(({ url = "" }, response) => {
      if (waiting.set(url, response).size === 2) both.resolve();
    });
    await using client = testWebhookClient();

    const hasty = client.post(postTo(`${server.origin}/hasty`, { deadlineMs: 100 }));
    const longer = client.post(postTo(`${server.origin}/patient`, { deadlineMs: 200 }));
    await both.promise;
    mock.timers.tick(100);
    await assert.rejects(hasty, isFailure("timeout"));
    waiting.get("/patient")?.end("here");

    assert.equal(answerText(await longer), "200 here");
  });

  test("is cleared with its timer when the post has ended", async ({ mock }) => {
    await using server = await rawServer((socket) => socket.write(OK));
    await using refused = await rawServer((socket) => socket.end());
    await using client = testWebhookClient();
    const caller = new AbortController();
    const deadlineMs = 54_321;
    const setting = mock.method(globalThis, "setTimeout");
    const clearing = mock.method(globalThis, "clearTimeout");

    const leaving = client.post(postTo("http://shop.test:9999/", { deadlineMs, signal: caller.signal }));
    caller.abort();
    await Promise.allSettled([
      leaving,
      client.post(postTo(server.origin, { deadlineMs })),
      client.post(postTo(server.origin, { deadlineMs, keepBytes: 1 })),
      client.post(postTo(refused.origin, { deadlineMs })),
      client.post(postTo(server.origin, { deadlineMs, headers: { "x-token": "line\nbreak" } })),
    ]);

    const set = setting.mock.calls.filter((call) => call.arguments[1] === deadlineMs);
    const cleared = new Set(clearing.mock.calls.map((call) => call.arguments[0]));
    assert.equal(set.length, 5);
    assert.ok(set.every(({ result }) => cleared.has(result)));
  });
});
