import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { createServer as createHttpServer, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { Socket } from "node:net";
import { text } from "node:stream/consumers";
import { describe, test } from "node:test";
import { serving } from "./loopback.fixture.ts";
import { SHOP_TEST_TLS, trustShopTest } from "./http-client.fixture.ts";
import { HttpFailure } from "./http-failure.ts";
import type { Connection } from "./agent.ts";
import {
  answerText,
  closeOf,
  httpServer,
  isFailure,
  never,
  nextConnection,
  OK,
  postTo,
  rawServer,
  recordingLookup,
  testWebhookClient,
  watched,
} from "./webhook-http-client.fixture.ts";
import { isLong } from "../../../test/long.ts";

describe("connections", () => {
  /** Answers when so many requests are there, all at once; and notes which connection each came by. */
  function together(count: () => number) {
    const ports: (number | undefined)[] = [];
    let waiting: ServerResponse[] = [];
    const listener: RequestListener = ({ socket }, response) => {
      ports.push(socket.remotePort);
      waiting.push(response);
      if (waiting.length < count()) return;
      for (const one of waiting) one.end("ok");
      waiting = [];
    };
    return { listener, ports };
  }

  test("are as many as there are concurrent posts, and are reused", async () => {
    let count = 40;
    const { listener, ports } = together(() => count);
    await using server = await httpServer(listener);
    await using client = testWebhookClient();
    const wave = async () =>
      Promise.all(Array.from({ length: count }, () => client.postThenRest(postTo(server.origin))));

    const first = await wave();
    const second = await wave();
    count = 1;
    const seen = ports.splice(0);
    for (let times = 0; times < 10; times++) await wave();

    assert.deepEqual(new Set([...first, ...second].map(answerText)), new Set(["200 ok"]));
    assert.equal(new Set(seen).size, 40);
    assert.equal(server.connections(), 40);
    // One post after the other needs no more than one of them, so that the others can go.
    assert.equal(new Set(ports).size, 1);
  });

  test("that are idle for a second are closed, and a new one is opened", async ({ mock }) => {
    mock.timers.enable({ apis: ["setTimeout"] });
    await using server = await rawServer((socket) => socket.write(OK));
    await using client = testWebhookClient();

    await client.postThenRest(postTo(server.origin));
    mock.timers.tick(999);
    await client.postThenRest(postTo(server.origin));
    assert.equal(server.connections(), 1);
    mock.timers.tick(1_000);
    await server.allGone();

    assert.equal(answerText(await client.post(postTo(server.origin))), "200 ok");
    assert.equal(server.connections(), 2);
  });

  test("that the server ends while they are idle are removed from the pool", async () => {
    for (const end of ["end", "resetAndDestroy"] as const) {
      const sockets: Socket[] = [];
      await using server = await rawServer((socket) => sockets.push(socket) && socket.write(OK));
      await using client = testWebhookClient();
      const lost = nextConnection().then(closeOf);

      await client.postThenRest(postTo(server.origin));
      sockets[0]?.[end]();
      await lost;

      assert.equal(answerText(await client.postThenRest(postTo(server.origin))), "200 ok");
      assert.equal(answerText(await client.postThenRest(postTo(server.origin))), "200 ok");
      assert.equal(server.connections(), 2);
    }
  });

  test("that the server ends when they are acquired are replaced, and the post is sent once", async () => {
    const sockets: Socket[] = [];
    await using server = await rawServer((socket) => sockets.push(socket) && socket.write(OK));
    await using client = testWebhookClient();
    await client.postThenRest(postTo(server.origin));

    sockets[0]?.end();
    // The client cannot have noticed it yet.
    const noted: Connection[] = [];
    const onConnection = (connection: Connection) => void noted.push(connection);
    const answer = await client.post(postTo(server.origin, { onConnection }));

    assert.equal(answerText(answer), "200 ok");
    assert.equal(sockets.length, 2);
    assert.equal(server.connections(), 2);
    // The kept one was promised first; the last word is about the one that took the post.
    assert.deepEqual([noted.length, noted[0]?.connectMs], [2, 0]);
    assert.notEqual(noted[1]?.connectMs, 0);
  });

  test("are not reused if the answer says so, or limits them to a moment", async () => {
    const heads = ["Connection: close", "Keep-Alive: timeout=1"];
    for (const head of heads) {
      await using server = await rawServer((socket) => {
        socket.write(`HTTP/1.1 200 OK\r\n${head}\r\nContent-Length: 2\r\n\r\nok`);
      });
      await using client = testWebhookClient();

      for (let times = 0; times < 3; times++) {
        assert.equal(answerText(await client.postThenRest(postTo(server.origin))), "200 ok");
      }

      assert.equal(server.connections(), 3);
      await server.allGone();
    }
  });

  test("are not shared by two names with the same address", async () => {
    const hosts: (string | undefined)[] = [];
    await using server = await httpServer((request, response) => {
      hosts.push(request.headers.host);
      response.end("ok");
    });
    await using client = testWebhookClient();
    const names = [`shop.test:${server.port}`, `other.test:${server.port}`];

    for (const name of [...names, ...names]) await client.postThenRest(postTo(`http://${name}/`));

    assert.deepEqual(hosts, [...names, ...names]);
    assert.equal(server.connections(), 2);
  });
});

describe("the guard", () => {
  test("requires TLS for a name that is not in the allow list, although its address is, without a DNS query", async () => {
    await using server = await rawServer(() => {});
    const { asked, lookup } = recordingLookup();
    await using client = testWebhookClient({ allowPrivate: ["127.0.0.1"], lookup });
    const url = `http://shop.test:${server.port}/hook`;

    for (let times = 0; times < 2; times++) {
      await assert.rejects(
        client.post(postTo(url)),
        isFailure(
          "forbidden",
          /^http:\/\/shop\.test:\d+\/hook is plain http, which only targets in ALLOW_PRIVATE_TARGETS may be\./,
        ),
      );
    }
    assert.deepEqual(asked, []);
    assert.equal(server.connections(), 0);
  });

  test("refuses a forbidden URL every time, without a DNS query", async () => {
    await using client = testWebhookClient({ lookup: never });
    const urls = [
      "no address",
      "ftp://shop.test/",
      "https://user:secret@shop.test/",
      "https://example.com:25/",
      "https://169.254.169.254/latest/meta-data/",
      "https://[::ffff:10.0.0.1]/",
      "https://0x7f000002/",
    ];

    for (const url of [...urls, ...urls]) {
      await assert.rejects(client.post(postTo(url)), (error) => {
        assert.ok(!String(error).includes("secret"));
        return isFailure("forbidden")(error);
      });
    }
  });

  test("checks a name again for every connection", async (context) => {
    trustShopTest(context);
    let addresses = ["127.0.0.1"];
    const asked: string[] = [];
    const lookup = async (host: string) => {
      asked.push(host);
      return addresses;
    };
    const tls = createHttpsServer(SHOP_TEST_TLS, (request, response) => {
      const isLast = request.headers["x-last"] !== undefined;
      response.writeHead(200, isLast ? { connection: "close" } : {}).end("ok");
    });
    await using server = await watched(tls);
    await using client = testWebhookClient({ allowPrivate: ["127.0.0.1"], lookup });
    const post = postTo(`https://shop.test:${server.port}/hook`);

    assert.equal(answerText(await client.postThenRest(post)), "200 ok");
    addresses = ["127.0.0.1", "127.0.0.2"];
    // The connection was vetted when it was opened, and the name is not resolved again.
    assert.equal(answerText(await client.postThenRest({ ...post, headers: { "x-last": "1" } })), "200 ok");
    await server.allGone();
    await assert.rejects(client.post(post), isFailure("forbidden", /^shop\.test .*ALLOW_PRIVATE_TARGETS/));

    assert.deepEqual(asked, ["shop.test", "shop.test"]);
    assert.equal(server.connections(), 1);
    addresses = ["127.0.0.1"];
    assert.equal(answerText(await client.post(post)), "200 ok");
  });

  test("checks the name again also if a reused connection has to be replaced", async (context) => {
    trustShopTest(context);
    let addresses = ["127.0.0.1"];
    const sockets: Socket[] = [];
    let requests = 0;
    const tls = createHttpsServer(SHOP_TEST_TLS, (_request, response) => {
      requests++;
      response.end("ok");
    });
    tls.on("connection", (socket: Socket) => sockets.push(socket));
    await using server = await serving(tls);
    await using client = testWebhookClient({ allowPrivate: ["127.0.0.1"], lookup: async () => addresses });
    const post = postTo(`https://shop.test:${server.port}/hook`);
    await client.postThenRest(post);

    addresses = ["127.0.0.2"];
    sockets[0]?.end();

    await assert.rejects(client.post(post), isFailure("forbidden"));
    assert.equal(requests, 1);
  });

  test("with an invalid allow list is an error at creation", () => {
    assert.throws(() => testWebhookClient({ allowPrivate: ["10.0.0.0/99"] }), { code: "config_invalid" });
  });
});

describe("hundreds of posts in a hundred concurrent loops, to a server that misbehaves in every way,", () => {
  const LOOPS = 100;
  const POSTS = isLong ? 2_000 : 300;
  const KEPT = 20;
  const HABITS = [
    "answers",
    "answers late",
    "answers early and then",
    "answers at length",
    "closes",
    "leaves unannounced",
    "resets",
    "resets halfway",
    "hangs",
    "sees the caller leave",
  ] as const;
  type Habit = (typeof HABITS)[number];

  /** Numerical Recipes' generator: the same habits in every run. Half of the posts are simply answered. */
  function habitsOf(seed: number): Habit[] {
    let state = seed;
    return Array.from({ length: POSTS }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return HABITS[Math.floor((state / 2 ** 32) * 2 * HABITS.length)] ?? "answers";
    });
  }

  const textOf = (id: number) => `post ${id}`;
  const answerTo = (id: number) => `this is for ${id}`;

  /** What the server does with a request that has come in whole. */
  function perform(habit: Habit, id: number, response: ServerResponse, leave: () => void): void {
    const { socket } = response;
    const text = answerTo(id);
    switch (habit) {
      case "answers":
        response.end(text);
        break;
      case "answers late":
        setTimeout(() => response.end(text), id % 10);
        break;
      case "answers early and then":
        response.writeEarlyHints({ link: "</a>; rel=preload" }, () => response.end(text));
        break;
      case "answers at length":
        response.end(text.padEnd(100_000, "."));
        break;
      case "closes":
        response.writeHead(200, { connection: "close" }).end(text);
        break;
      case "leaves unannounced":
        response.end(text, () => socket?.end());
        break;
      case "resets":
        socket?.resetAndDestroy();
        break;
      case "resets halfway":
        response.writeHead(200, { "content-length": 1_000 });
        response.write(text, () => socket?.resetAndDestroy());
        break;
      case "hangs":
        break;
      case "sees the caller leave":
        leave();
        break;
      default:
        habit satisfies never;
    }
  }

  /** How a post may end that the server has seen. */
  function fitting(habit: Habit, id: number): readonly string[] {
    const whole = `200 ${answerTo(id)}`;
    if (habit === "resets") return ["unreachable"];
    // A reset may arrive before the data sent earlier.
    if (habit === "resets halfway") return [whole, "200 ", "unreachable"];
    if (habit === "hangs") return ["timeout"];
    if (habit === "sees the caller leave") return [`left ${id}`];
    return [habit === "answers at length" ? whole.padEnd(4 + KEPT, ".") : whole];
  }

  test("end once each, with the expected result, and leave nothing open", async () => {
    const habits = habitsOf(20_260_301);
    const seen = new Map<number, string[]>();
    const callers = habits.map(() => new AbortController());
    const take = (id: number, body: string, response: ServerResponse) => {
      seen.set(id, [...(seen.get(id) ?? []), body]);
      perform(habits[id] ?? "answers", id, response, () => callers[id]?.abort(`left ${id}`));
    };
    const http = createHttpServer((request, response) => {
      // A request that breaks off in the middle was not seen.
      const ignore = () => {};
      void text(request).then((body) => take(Number(request.url?.slice(1)), body, response), ignore);
    });
    // It does not say how long it keeps connections, and keeps them forever.
    http.keepAliveTimeout = 0;
    await using server = await watched(http);
    await using client = testWebhookClient();
    const outcomes = new Map<number, string[]>();
    const postOne = async (id: number) => {
      const deadlineMs = habits[id] === "hangs" ? 50 : 20_000;
      const signal = callers[id]?.signal ?? assert.fail();
      const body = Buffer.from(textOf(id));
      const post = postTo(`${server.origin}/${id}`, { body, deadlineMs, keepBytes: KEPT, signal });
      const outcome = await client.post(post).then(answerText, (error: unknown) => {
        return error instanceof HttpFailure ? error.kind : String(error);
      });
      outcomes.set(id, [...(outcomes.get(id) ?? []), outcome]);
    };

    const ids = habits.keys();
    await Promise.all(
      Array.from({ length: LOOPS }, async () => {
        for (const id of ids) await postOne(id);
      }),
    );

    for (const [id, habit] of habits.entries()) {
      const [outcome = "none", ...more] = outcomes.get(id) ?? [];
      assert.deepEqual(more, []);
      const isSeen = seen.has(id);
      if (isSeen) assert.deepEqual(seen.get(id), [textOf(id)]);
      // What is sent just when the server leaves is lost, and the server never sees it.
      const lost = habit === "hangs" ? ["unreachable", "timeout"] : ["unreachable"];
      const fits = isSeen ? fitting(habit, id) : lost;
      assert.ok(fits.includes(outcome), `post ${id}, the server ${habit}: ${outcome}`);
    }
    assert.ok(callers.every((caller) => getEventListeners(caller.signal, "abort").length === 0));
    // The client is not closed: the remaining connections are closed because they are idle.
    await server.allGone();
  });
});
