import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { HttpFailure } from "./http-failure.ts";
import {
  answerText,
  httpServer,
  isFailure,
  never,
  OK,
  postTo,
  rawServer,
  recordingLookup,
  testWebhookClient,
  unresolvedPost,
} from "./webhook-http-client.fixture.ts";

describe("the caller's abort", () => {
  const reason = new Error("the worker stops");
  const isReason = (error: unknown) => error === reason;

  test("before the start rejects at once; nothing is resolved or sent", async () => {
    await using server = await rawServer(() => {});
    const { asked, lookup } = recordingLookup();
    await using client = testWebhookClient({ lookup });
    const aborted = AbortSignal.abort(reason);

    await assert.rejects(
      client.post(postTo(`http://shop.test:${server.port}/`, { signal: aborted })),
      isReason,
    );
    // A caller who has left does not even hear that the target is forbidden.
    await assert.rejects(client.post(postTo("http://10.0.0.1/", { signal: aborted })), isReason);
    assert.deepEqual(asked, []);
    assert.equal(server.connections(), 0);
  });

  test("while the name is resolved rejects at once, and nothing is sent afterwards", async () => {
    const caller = new AbortController();
    await using waiting = await unresolvedPost({ signal: caller.signal });

    await waiting.asked;
    caller.abort(reason);

    await assert.rejects(waiting.post, isReason);
    await waiting.assertNotSent();
  });

  test("while TLS is negotiated rejects at once, and closes the connection", async () => {
    await using server = await rawServer(() => {});
    await using client = testWebhookClient();
    const caller = new AbortController();

    const post = client.post(postTo(`https://shop.test:${server.port}/`, { signal: caller.signal }));
    await server.called;
    caller.abort(reason);

    await assert.rejects(post, isReason);
    await server.allGone();
  });

  test("while waiting for the headers rejects with its reason, and closes the connection", async () => {
    for (const why of [reason, "no Error at all", null]) {
      const caller = new AbortController();
      await using server = await rawServer(() => caller.abort(why));
      await using client = testWebhookClient();

      await assert.rejects(
        client.post(postTo(server.origin, { signal: caller.signal })),
        (error) => error === why,
      );
      await server.allGone();
    }
  });

  test("of a post that has just acquired a reused connection sends nothing", async () => {
    await using server = await rawServer((socket) => socket.write(OK));
    await using client = testWebhookClient();
    await client.postThenRest(postTo(server.origin));
    const before = server.received();
    const caller = new AbortController();

    const onConnection = () => caller.abort(reason);
    const post = client.post(postTo(server.origin, { signal: caller.signal, onConnection }));

    await assert.rejects(post, isReason);
    await server.allGone();
    assert.equal(server.received(), before);
  });

  test("after the end has no effect, and the connection is reused for the next post", async () => {
    await using server = await httpServer((_request, response) => response.end("ok"));
    await using client = testWebhookClient();
    const caller = new AbortController();

    const answer = await client.postThenRest(postTo(server.origin, { signal: caller.signal }));
    caller.abort(reason);
    await client.postThenRest(postTo(server.origin));

    assert.equal(answerText(answer), "200 ok");
    assert.equal(server.connections(), 1);
  });

  test("has no listener after the post has ended", async () => {
    const caller = new AbortController();
    await using server = await rawServer((socket) => socket.write(OK));
    await using client = testWebhookClient();
    const posts = [
      { url: server.origin },
      { url: server.origin, keepBytes: 1 },
      { url: server.origin, headers: { "x-token": "line\nbreak" } },
      { url: "http://10.0.0.1/" },
      { url: "https://shop.test:1/" },
      { url: `https://shop.test:${server.port}/`, deadlineMs: 1 },
    ];

    await Promise.allSettled(
      posts.map(({ url, ...more }) => client.post(postTo(url, { ...more, signal: caller.signal }))),
    );

    assert.equal(getEventListeners(caller.signal, "abort").length, 0);
  });
});

describe("a post that cannot be sent", () => {
  const isBug = (error: unknown) => error instanceof Error && !(error instanceof HttpFailure);
  const unsendable: Record<string, string>[] = [
    { "x-token": "line\nbreak" },
    { "x-token": "carriage\rreturn" },
    { "x-token": "snow\u2603man" },
    { "x token": "space" },
    { "transfer-encoding": "chunked" },
  ];

  test("is the caller's error; nothing is sent, and the next post to the same target succeeds", async () => {
    await using server = await httpServer((_request, response) => response.end("ok"));
    await using client = testWebhookClient();

    for (const headers of unsendable) {
      await assert.rejects(client.post(postTo(server.origin, { headers })), isBug, JSON.stringify(headers));
    }
    assert.equal(server.connections(), 0);
    assert.equal(answerText(await client.postThenRest(postTo(server.origin))), "200 ok");
    assert.equal(answerText(await client.postThenRest(postTo(server.origin))), "200 ok");
    assert.equal(server.connections(), 1);
  });

  test("leaves no unused connection", async ({ mock }) => {
    // No idle timeout expires.
    mock.timers.enable({ apis: ["setTimeout"] });
    await using server = await rawServer((socket) => socket.write(OK));
    await using client = testWebhookClient();

    for (const headers of unsendable) {
      await client.postThenRest(postTo(server.origin));
      await assert.rejects(client.post(postTo(server.origin, { headers })), isBug);
      await server.allGone();
    }
  });
});

describe("closing", () => {
  test("fails posts without an answer, in any phase, and closes every connection", async () => {
    const asked = Promise.withResolvers<void>();
    const lookup = async (host: string) => {
      if (host === "shop.test") return ["127.0.0.1"];
      asked.resolve();
      return never();
    };
    await using silent = await rawServer(() => {});
    await using tls = await rawServer(() => {});
    await using idle = await rawServer((socket) => socket.write(OK));
    await using client = testWebhookClient({ lookup });
    await client.postThenRest(postTo(idle.origin));

    const urls = ["http://other.test/", `https://shop.test:${tls.port}/`, silent.origin];
    const pending = Promise.allSettled(urls.map(async (url) => client.post(postTo(url))));
    await Promise.all([asked.promise, tls.called, silent.called]);
    await client.close();

    for (const { status, ...how } of await pending) {
      assert.equal(status, "rejected");
      isFailure("unreachable")("reason" in how ? how.reason : undefined);
    }
    for (const server of [silent, tls, idle]) await server.allGone();
  });

  test("is final: a later post fails and sends nothing, and closing again has no effect", async () => {
    await using server = await rawServer((socket) => socket.write(OK));
    await using client = testWebhookClient();
    await client.postThenRest(postTo(server.origin));

    await client.close();
    await client.close();

    for (const url of [
      server.origin,
      `http://shop.test:${server.port}/`,
      `https://shop.test:${server.port}/`,
    ]) {
      await assert.rejects(client.post(postTo(url)), isFailure("unreachable"));
    }
    assert.equal(server.connections(), 1);
    await client.close();
    await server.allGone();
  });

  test("while a name is being resolved keeps the connection from being opened when it is", async () => {
    const name = Promise.withResolvers<string[]>();
    await using server = await rawServer(() => {});
    await using client = testWebhookClient({ lookup: () => name.promise });

    const post = client.post(postTo(`http://shop.test:${server.port}/`));
    const failed = assert.rejects(post, isFailure("unreachable"));
    await client.close();
    await failed;
    name.resolve(["127.0.0.1"]);
    await setImmediate();

    // Another client's call comes after whatever this one might have begun.
    await using witness = testWebhookClient();
    await assert.rejects(witness.post(postTo(server.origin, { deadlineMs: 20 })), isFailure("timeout"));
    assert.equal(server.connections(), 1);
  });
});
