import assert from "node:assert/strict";
import { createServer as createHttpServer, type IncomingHttpHeaders } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { createServer as createTcpServer, type Socket } from "node:net";
import { describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { loopback, serving } from "./loopback.fixture.ts";
import { SHOP_TEST_TLS, testClient, trustShopTest } from "./http-client.fixture.ts";
import type { HttpAnswer } from "./http-client.ts";
import { HttpFailure, type HttpFailureKind } from "./http-failure.ts";

const { signal } = new AbortController();
const never = (): Promise<never> => new Promise(() => {});

async function bytes(answer: HttpAnswer): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(answer.body));
}

async function text(answer: HttpAnswer): Promise<string> {
  return (await bytes(answer)).toString();
}

function isFailure(kind: HttpFailureKind, sentence = /./) {
  return (error: unknown): boolean => {
    assert.ok(error instanceof HttpFailure, String(error));
    assert.equal(error.kind, kind, error.message);
    assert.match(error.message, sentence);
    return true;
  };
}

/** A server that writes the test's bytes, and has promises for the request and its end. */
async function rawServer(speak: (socket: Socket) => void) {
  const called = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const server = await serving(
    createTcpServer((socket) => {
      socket.once("data", () => {
        speak(socket);
        called.resolve();
      });
      socket.once("close", () => closed.resolve());
    }),
  );
  return { ...server, called: called.promise, closed: closed.promise };
}

/** undici lets a connection rest for one turn before it gives it a new request. */
async function textThenRest(answer: HttpAnswer): Promise<string> {
  const body = await text(answer);
  await setImmediate();
  return body;
}

describe("an answer", () => {
  test("has the status, headers, URL and the raw body", async () => {
    const sent = gzipSync("id,title\n1,Mug\n");
    await using server = await loopback((request, response) => {
      assert.equal(request.headers["user-agent"], "shelfwire-test");
      response.writeHead(203, { "Content-Encoding": "gzip", ETag: '"a"', Via: ["1.1 one", "1.1 two"] });
      response.end(sent);
    });
    await using client = testClient();

    const answer = await client.request({ url: `${server.origin}/feed.csv?x=1#part`, signal });

    assert.equal(answer.status, 203);
    assert.equal(answer.headers["etag"], '"a"');
    assert.equal(answer.headers["via"], "1.1 one, 1.1 two");
    assert.equal(answer.headers["content-encoding"], "gzip");
    assert.equal(answer.url, `${server.origin}/feed.csv?x=1#part`);
    assert.deepEqual(await bytes(answer), sent);
  });

  test("is returned for a POST with its body and headers", async () => {
    await using server = await loopback((request, response) => {
      response.write(`${request.method} ${request.headers["content-type"]} `);
      request.pipe(response);
    });
    await using client = testClient();
    const headers = { "Content-Type": "application/json" };

    for (const body of ['{"a":1}', new TextEncoder().encode('{"a":1}')]) {
      const answer = await client.request({ method: "POST", url: server.origin, headers, body, signal });
      assert.equal(await text(answer), 'POST application/json {"a":1}');
    }
  });

  test("may have any status, and may be empty", async () => {
    await using server = await loopback((request, response) => {
      response.writeHead(Number(request.url?.slice(1))).end();
    });
    await using client = testClient();

    for (const status of [204, 304, 404, 500, 302]) {
      const answer = await client.request({ url: `${server.origin}/${status}`, signal });
      assert.equal(answer.status, status);
      assert.equal(await text(answer), "");
    }
  });

  test("keeps the name as Host, and a caller cannot replace it", async () => {
    await using server = await loopback((request, response) => response.end(request.headers.host));
    await using client = testClient();

    const answer = await client.request({
      url: `http://shop.test:${server.port}/`,
      headers: { Host: "metadata.internal" },
      signal,
    });

    assert.equal(await text(answer), `shop.test:${server.port}`);
  });
});

describe("over TLS", () => {
  test("the name is the server name, and the certificate has to be for it", async (context) => {
    trustShopTest(context);
    const names: string[] = [];
    const tls = createHttpsServer(SHOP_TEST_TLS, (request, response) => {
      response.end(`${request.httpVersion} ${request.headers.host}`);
    });
    tls.on("secureConnection", (socket) => names.push(String(socket.servername)));
    await using server = await serving(tls);
    await using client = testClient();

    const answer = await client.request({ url: `https://shop.test:${server.port}/`, signal });
    const other = client.request({ url: `https://other.test:${server.port}/`, signal });

    assert.equal(await text(answer), `1.1 shop.test:${server.port}`);
    await assert.rejects(other, isFailure("unreachable", /^other\.test .*ERR_TLS_CERT_ALTNAME_INVALID/));
    assert.ok(names.includes("shop.test"));
  });

  test("an untrusted certificate is refused", async () => {
    const tls = createHttpsServer(SHOP_TEST_TLS);
    await using server = await serving(tls);
    await using client = testClient();

    await assert.rejects(
      client.request({ url: `https://shop.test:${server.port}/`, signal }),
      isFailure("unreachable", /DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED/),
    );
  });

  test("a server that never completes the handshake exceeds the connect limit", async () => {
    await using server = await rawServer(() => {});
    await using client = testClient();

    await assert.rejects(
      client.request({ url: `https://shop.test:${server.port}/`, signal, limits: { connectMs: 40 } }),
      isFailure("timeout", /^shop\.test took longer than 0\.04 s to connect on port \d+\.$/),
    );
    await server.called;
  });
});

describe("time runs out", () => {
  test("while the name is being resolved", async () => {
    await using client = testClient({ lookup: never });

    await assert.rejects(
      client.request({ url: "http://shop.test/", signal, limits: { connectMs: 20 } }),
      isFailure("timeout", /to connect/),
    );
  });

  test("while waiting for the headers, and the connection is closed", async () => {
    await using server = await rawServer(() => {});
    await using client = testClient();

    await assert.rejects(
      client.request({ url: server.origin, signal, limits: { headersMs: 30 } }),
      isFailure("timeout", /to answer/),
    );
    await server.closed;
  });

  test("while the body stalls, and the connection is closed", async () => {
    await using server = await rawServer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
    });
    await using client = testClient();

    const answer = await client.request({ url: server.origin, signal, limits: { idleMs: 30 } });

    await assert.rejects(text(answer), isFailure("timeout", /to go on with its answer/));
    await server.closed;
  });

  for (const { what, limits, sentence } of [
    {
      what: "for a body that never ends, however steadily it arrives",
      limits: { idleMs: 5_000, totalMs: 80 },
      sentence: /0\.08 s in all/,
    },
    {
      what: "for a body slower than the minimum rate, long before the total limit",
      limits: { slowMs: 50, minBytesPerS: 10_000 },
      sentence: /fewer than 10000 bytes a second/,
    },
  ])
    test(what, async () => {
      await using server = await loopback((_request, response) => {
        const drip = setInterval(() => response.write("."), 5);
        response.once("close", () => clearInterval(drip));
      });
      await using client = testClient();

      const reading = async () => text(await client.request({ url: server.origin, signal, limits }));

      await assert.rejects(reading(), isFailure("timeout", sentence));
    });

  test("not because of a slow reader", async ({ mock }) => {
    await using server = await loopback((_request, response) => response.end("whole"));
    await using client = testClient();
    mock.timers.enable({ apis: ["setTimeout"] });

    const answer = await client.request({ url: server.origin, signal, limits: { idleMs: 1_000 } });
    const chunks: Uint8Array[] = [];
    for await (const chunk of answer.body) {
      mock.timers.tick(1_001);
      chunks.push(chunk);
    }

    assert.equal(Buffer.concat(chunks).toString(), "whole");
  });

  test("for a chain of redirects in total", async () => {
    await using server = await loopback((request, response) => {
      const hops = Number(request.url?.slice(1));
      if (hops < 2) response.writeHead(302, { location: `/${hops + 1}` }).end();
    });
    await using client = testClient();

    await assert.rejects(
      client.request({ url: `${server.origin}/0`, signal, limits: { headersMs: 5_000, totalMs: 60 } }),
      isFailure("timeout", /in all/),
    );
  });
});

describe("too much", () => {
  test("an endless body is stopped at the limit, and the connection is closed", async () => {
    const closed = Promise.withResolvers<void>();
    await using server = await loopback((_request, response) => {
      const pour = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384)));
      };
      response.on("drain", pour).once("close", () => closed.resolve());
      pour();
    });
    await using client = testClient();

    const answer = await client.request({ url: server.origin, signal, limits: { maxBytes: 100_000 } });
    let received = 0;
    const reading = async () => {
      for await (const chunk of answer.body) received += chunk.length;
    };

    await assert.rejects(reading(), isFailure("too_large", /larger than 100000 bytes/));
    assert.ok(received <= 100_000);
    await closed.promise;
  });

  test("an announced length over the limit is refused before the body", async () => {
    await using server = await rawServer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n");
    });
    await using client = testClient();

    await assert.rejects(
      client.request({ url: server.origin, signal, limits: { maxBytes: 1_000 } }),
      isFailure("too_large"),
    );
    await server.closed;
  });

  test("a body of exactly the limit is complete", async () => {
    await using server = await loopback((_request, response) => response.end(Buffer.alloc(1_000)));
    await using client = testClient();

    const answer = await client.request({ url: server.origin, signal, limits: { maxBytes: 1_000 } });

    assert.equal((await bytes(answer)).length, 1_000);
  });

  test("the Content-Length of a 304 is not checked", async () => {
    await using server = await rawServer((socket) => {
      socket.write("HTTP/1.1 304 Not Modified\r\nContent-Length: 5000\r\n\r\n");
    });
    await using client = testClient();

    const answer = await client.request({ url: server.origin, signal, limits: { maxBytes: 1_000 } });

    assert.equal(await text(answer), "");
  });
});

describe("too little", () => {
  const short = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf";
  const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n";

  for (const [what, opening] of Object.entries({ "a counted": short, "a chunked": chunked })) {
    test(`${what} body that ends early is incomplete`, async () => {
      await using server = await rawServer((socket) => socket.end(opening));
      await using client = testClient();

      const answer = await client.request({ url: server.origin, signal });

      await assert.rejects(text(answer), isFailure("incomplete", /^The answer of 127\.0\.0\.1 broke off/));
    });

    test(`${what} body that is reset is incomplete`, async () => {
      const read = Promise.withResolvers<Uint8Array>();
      await using server = await rawServer((socket) => {
        socket.write(opening);
        void read.promise.then(() => socket.resetAndDestroy());
      });
      await using client = testClient();

      const answer = await client.request({ url: server.origin, signal });
      const reading = async () => {
        for await (const chunk of answer.body) read.resolve(chunk);
      };

      await assert.rejects(reading(), isFailure("incomplete", /after 4 bytes/));
    });
  }

  test("a body without a length is complete when the connection ends normally", async () => {
    await using server = await rawServer((socket) => socket.end("HTTP/1.1 200 OK\r\n\r\nall of it"));
    await using client = testClient();

    const answer = await client.request({ url: server.origin, signal });

    assert.equal(await text(answer), "all of it");
  });
});

describe("an unreachable target", () => {
  test("a closed port is unreachable, and the message names the port but not the address", async () => {
    const gone = await loopback(() => {});
    await gone[Symbol.asyncDispose]();
    await using client = testClient();

    await assert.rejects(
      client.request({ url: `http://shop.test:${gone.port}/`, signal }),
      isFailure(
        "unreachable",
        new RegExp(`^shop\\.test could not be reached on port ${gone.port} \\(ECONNREFUSED\\)\\.$`),
      ),
    );
  });

  test("a name without address is unreachable, whether the resolver fails or returns none", async () => {
    const notFound = Object.assign(new Error("getaddrinfo"), { code: "ENOTFOUND" });
    for (const lookup of [async () => [], () => Promise.reject(notFound)]) {
      await using client = testClient({ lookup });
      await assert.rejects(client.request({ url: "http://shop.test/", signal }), isFailure("unreachable"));
    }
  });

  test("a connection that ends before the headers, or is not HTTP, is unreachable", async () => {
    for (const words of ["", "HTTP/1.1 2", "SSH-2.0-OpenSSH_9.9\r\n"]) {
      await using server = await rawServer((socket) => socket.end(words));
      await using client = testClient();
      await assert.rejects(client.request({ url: server.origin, signal }), isFailure("unreachable"), words);
    }
  });

  test("the next address is tried when the first one does not answer", async () => {
    await using server = await loopback((_request, response) => response.end("here"));
    await using client = testClient({ lookup: async () => ["127.0.0.9", "127.0.0.1"] });

    const answer = await client.request({ url: `http://shop.test:${server.port}/`, signal });

    assert.equal(await text(answer), "here");
  });

  test("a header that cannot be sent is the caller's error, not the target's", async () => {
    await using client = testClient();
    const headers = { "x-token": "line\nbreak" };

    await assert.rejects(
      client.request({ url: "http://shop.test/", headers, signal }),
      (error) => error instanceof Error && !(error instanceof HttpFailure),
    );
  });
});

describe("redirects", () => {
  /** `/n` redirects n times before it answers. */
  const countdown = () =>
    loopback((request, response) => {
      const left = Number(request.url?.slice(1));
      if (left > 0) response.writeHead(302, { location: `/${left - 1}` }).end("moved");
      else response.end("arrived");
    });

  test("up to five are followed, and the answer has the final URL", async () => {
    await using server = await countdown();
    await using client = testClient();

    const answer = await client.request({ url: `${server.origin}/5`, signal });

    assert.equal(await text(answer), "arrived");
    assert.equal(answer.url, `${server.origin}/0`);
  });

  test("the sixth is not, and neither is a loop", async () => {
    await using server = await countdown();
    await using looping = await loopback((_request, response) => {
      response.writeHead(301, { location: "/" }).end();
    });
    await using client = testClient();

    await assert.rejects(client.request({ url: `${server.origin}/6`, signal }), isFailure("redirect"));
    await assert.rejects(client.request({ url: looping.origin, signal }), isFailure("redirect"));
  });

  test("none is followed when the caller refuses them", async () => {
    await using server = await countdown();
    await using client = testClient();

    await assert.rejects(
      client.request({ url: `${server.origin}/1`, signal, redirects: "refuse" }),
      isFailure("redirect", /status 302/),
    );
    const answer = await client.request({ url: `${server.origin}/0`, signal, redirects: "refuse" });
    assert.equal(await text(answer), "arrived");
  });

  test("credentials are sent only to their own origin, also after a redirect back", async () => {
    const seen: string[] = [];
    const note = (where: string, { authorization, accept, ...others }: IncomingHttpHeaders) =>
      seen.push([where, authorization, others["x-secret"], accept].join(" "));
    await using elsewhere = await loopback((request, response) => {
      note("elsewhere", request.headers);
      response.writeHead(302, { location: `${home.origin}/end` }).end();
    });
    await using home = await loopback((request, response) => {
      note("home", request.headers);
      const next: Record<string, string> = { "/start": "/inside", "/inside": elsewhere.origin };
      const location = next[request.url ?? ""];
      if (location === undefined) response.end("arrived");
      else response.writeHead(302, { location }).end();
    });
    await using client = testClient();
    const headers = { Authorization: "Bearer a", "X-Secret": "b", Accept: "text/csv" };

    const answer = await client.request({ url: `${home.origin}/start`, headers, signal });

    assert.equal(await text(answer), "arrived");
    assert.deepEqual(seen, [
      "home Bearer a b text/csv",
      "home Bearer a b text/csv",
      "elsewhere   text/csv",
      "home   text/csv",
    ]);
  });
});

describe("the caller's abort", () => {
  const reason = new Error("the user left");

  test("before the start sends nothing", async () => {
    await using server = await loopback((_request, response) => response.end());
    await using client = testClient();

    const request = client.request({ url: server.origin, signal: AbortSignal.abort(reason) });

    await assert.rejects(request, (error) => error === reason);
    assert.equal(server.connections(), 0);
  });

  test("while the name is being resolved rejects with its own reason", async () => {
    const asked = Promise.withResolvers<void>();
    const lookup = () => {
      asked.resolve();
      return never();
    };
    await using client = testClient({ lookup });
    const caller = new AbortController();

    const request = client.request({ url: "http://shop.test/", signal: caller.signal });
    await asked.promise;
    caller.abort(reason);

    await assert.rejects(request, (error) => error === reason);
  });

  test("while waiting for the headers closes the connection", async () => {
    const caller = new AbortController();
    await using server = await rawServer(() => caller.abort(reason));
    await using client = testClient();

    const request = client.request({ url: server.origin, signal: caller.signal });

    await assert.rejects(request, (error) => error === reason);
    await server.closed;
  });

  test("in the middle of the body closes the connection", async () => {
    await using server = await rawServer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
    });
    await using client = testClient();
    const caller = new AbortController();

    const answer = await client.request({ url: server.origin, signal: caller.signal });
    const reader = answer.body[Symbol.asyncIterator]();
    await reader.next();
    caller.abort(reason);

    await assert.rejects(reader.next(), (error) => error === reason);
    await server.closed;
  });

  test("after the end changes nothing", async () => {
    await using server = await loopback((_request, response) => response.end("whole"));
    await using client = testClient();
    const caller = new AbortController();

    const answer = await client.request({ url: server.origin, signal: caller.signal });
    const body = await text(answer);
    caller.abort(reason);

    assert.equal(body, "whole");
  });
});

describe("connections", () => {
  test("are kept and used again", async () => {
    await using server = await loopback((_request, response) => response.end("ok"));
    await using client = testClient();

    for (let times = 0; times < 5; times++) {
      assert.equal(await textThenRest(await client.request({ url: server.origin, signal })), "ok");
    }

    assert.equal(server.connections(), 1);
  });

  test("do not wait for one another", async () => {
    let waiting: (() => void)[] = [];
    await using server = await loopback((_request, response) => {
      waiting.push(() => response.end("ok"));
      if (waiting.length < 3) return;
      for (const answer of waiting) answer();
      waiting = [];
    });
    await using client = testClient();

    const answers = await Promise.all(
      [1, 2, 3].map(async () => text(await client.request({ url: server.origin, signal }))),
    );

    assert.deepEqual(answers, ["ok", "ok", "ok"]);
  });

  test("end when the reader stops in the middle of the body", async () => {
    await using server = await rawServer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
    });
    await using client = testClient();

    const answer = await client.request({ url: server.origin, signal });
    for await (const chunk of answer.body) {
      assert.equal(Buffer.from(chunk).toString(), "half");
      break;
    }

    await server.closed;
  });

  test("end when the answer is discarded, and when it is never read", async () => {
    const endless = (socket: Socket) =>
      void socket.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
    await using discarded = await rawServer(endless);
    await using forgotten = await rawServer(endless);
    await using client = testClient();

    (await client.request({ url: discarded.origin, signal })).discard();
    await client.request({ url: forgotten.origin, signal, limits: { idleMs: 30 } });

    await discarded.closed;
    await forgotten.closed;
  });

  test("stay when a discarded answer has arrived completely", async () => {
    await using server = await loopback((_request, response) => response.writeHead(204).end());
    await using client = testClient();

    for (let times = 0; times < 3; times++) {
      (await client.request({ url: server.origin, signal })).discard();
      await setImmediate();
    }

    assert.equal(server.connections(), 1);
  });

  test("apply backpressure when the reader is slow", async () => {
    const whole = 64 * 1024 * 1024;
    let finished = false;
    await using server = await loopback((request, response) => {
      if (request.url === "/ping") response.end();
      else response.end(Buffer.alloc(whole)).once("finish", () => (finished = true));
    });
    await using client = testClient();

    const answer = await client.request({ url: server.origin, signal });
    let received = 0;
    for await (const chunk of answer.body) {
      if (received === 0) {
        for (let turn = 0; turn < 200; turn++) {
          await text(await client.request({ url: `${server.origin}/ping`, signal }));
        }
        assert.ok(!finished, "nobody read, so the server cannot have sent everything");
      }
      received += chunk.length;
    }

    assert.equal(received, whole);
  });

  test("are closed with the client, and do not keep the process running", async () => {
    await using hanging = await rawServer(() => {});
    await using halfway = await rawServer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
    });
    await using client = testClient();
    const answer = await client.request({ url: halfway.origin, signal });
    const pending = assert.rejects(client.request({ url: hanging.origin, signal }), isFailure("unreachable"));

    await hanging.called;

    await client.close();

    await pending;
    await assert.rejects(text(answer), isFailure("incomplete"));
    await hanging.closed;
    await halfway.closed;
  });
});

describe("a pooled connection", () => {
  test("uses only addresses that were checked when it was opened, and each new one is checked again", async () => {
    let answers = ["127.0.0.1"];
    const asked: string[] = [];
    const lookup = async (host: string) => {
      asked.push(host);
      return answers;
    };
    const server = createHttpServer((request, response) => {
      if (request.url === "/last") response.setHeader("connection", "close");
      response.end("ok");
    });
    await using listening = await serving(server);
    await using client = testClient({ allowPrivate: ["127.0.0.1"], lookup });
    const call = async (path: string) =>
      textThenRest(await client.request({ url: `http://rebinding.test:${listening.port}${path}`, signal }));

    assert.equal(await call("/"), "ok");
    answers = ["127.0.0.2"];
    assert.equal(await call("/"), "ok");
    assert.equal(await call("/last"), "ok");
    await assert.rejects(call("/"), isFailure("forbidden", /^rebinding\.test /));

    assert.deepEqual(asked, ["rebinding.test", "rebinding.test"]);
    assert.equal(listening.connections(), 1);
  });

  test("is not used if its remote address was not checked", async () => {
    let requests = 0;
    await using server = await loopback((_request, response) => {
      requests++;
      response.end();
    });
    // The system turns 0.0.0.0 into loopback: vetted is one address, reached another.
    await using client = testClient({ lookup: async () => ["0.0.0.0"] });

    await assert.rejects(
      client.request({ url: `http://shop.test:${server.port}/`, signal }),
      isFailure("forbidden"),
    );
    assert.equal(requests, 0);
  });
});

test("proxy variables of the environment are ignored", async () => {
  await using proxy = await loopback((_request, response) => response.end("proxy"));
  await using server = await loopback((_request, response) => response.end("direct"));
  const names = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];
  const before = names.map((name) => [name, process.env[name]] as const);
  for (const name of names) process.env[name] = proxy.origin;
  await using client = testClient();

  const answer = await client.request({ url: server.origin, signal });

  assert.equal(await text(answer), "direct");
  assert.equal(proxy.connections(), 0);
  for (const [name, value] of before) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
});

test("an invalid allow list is an error when the client is created", () => {
  assert.throws(() => testClient({ allowPrivate: ["10.0.0.0/99"] }), { code: "config_invalid" });
});
