import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { createServer as createTcpServer } from "node:net";
import { after, test } from "node:test";
import { loopback, serving } from "../lib/outbound/loopback.fixture.ts";
import { type UploadLimits, uploadHttpClient } from "../lib/outbound/upload-http-client.ts";
import { DeliveryFailure } from "./failure.ts";
import { parseHeaders } from "./https-target.ts";
import { uploadByHttps } from "./https.ts";
import type { UploadFile } from "./shards.ts";

const client = uploadHttpClient({ allowPrivate: ["127.0.0.1"] });
after(async () => client.close());
const never = new AbortController().signal;

async function* chunksOf(bytes: Buffer, size = 64_000): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const fileOf = (bytes: Buffer | string, more: Partial<UploadFile> = {}): UploadFile => ({
  name: "products.csv",
  contentType: "text/csv",
  bytes: chunksOf(Buffer.from(bytes)),
  ...more,
});

type Options = { bytesPerS?: number; limits?: Partial<UploadLimits>; signal?: AbortSignal; method?: string };

async function upload(url: string, files: readonly UploadFile[], options: Options = {}) {
  const { bytesPerS = null, limits, signal = never, method = "PUT" } = options;
  const target = { url, method, headers: { authorization: "Bearer x" }, feedId: "feed 1" };
  return uploadByHttps(target, files, { client, userAgent: "test", signal, bytesPerS, limits });
}

async function failureOf(promise: Promise<unknown>): Promise<DeliveryFailure> {
  const error = await promise.then(
    () => assert.fail("it succeeded"),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof DeliveryFailure, String(error));
  return error;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  return Buffer.concat((await request.toArray()) as Buffer[]);
}

/** Answers with 200 after the body. */
function collecting() {
  const seen: { readonly request: IncomingMessage; readonly body: Buffer }[] = [];
  const listener: RequestListener = (request, response) => {
    void bodyOf(request).then((body) => seen.push({ request, body }) && response.end("ok"));
  };
  return { seen, listener };
}

test("a body of any size arrives byte for byte; its length is sent if it is known", async () => {
  const { seen, listener } = collecting();
  await using to = await loopback(listener);
  const large = randomBytes(3_000_001);

  const sent = await upload(`${to.origin}/in/{file}`, [
    fileOf(large),
    fileOf("known", { name: "a b.csv", size: 5 }),
    fileOf(""),
  ]);

  assert.ok(seen[0]?.body.equals(large));
  assert.equal(seen[0]?.request.headers["transfer-encoding"], "chunked");
  assert.deepEqual(
    [seen[1]?.request.url, seen[1]?.request.headers["content-length"]],
    ["/in/a%20b.csv", "5"],
  );
  assert.deepEqual(
    sent.map(({ bytes }) => bytes),
    [3_000_001, 5, 0],
  );
  assert.equal(sent[0]?.sha256, createHash("sha256").update(large).digest("hex"));
});

test("products are sent in requests of complete products, each with its own idempotency key", async () => {
  const { seen, listener } = collecting();
  await using to = await loopback(listener);
  const lines = ['{"id":"1"}\n{"id":"2"}\n', '{"id":"3"}\n'];
  const bytes = (async function* () {
    for (const text of lines) yield Buffer.from(text);
  })();
  const metadata = fileOf("{}", { name: "metadata.json" });

  await upload(`${to.origin}/v1/`, [fileOf("", { name: "products.jsonl", bytes }), metadata], {
    method: "acp",
  });

  assert.deepEqual(
    seen.map(({ request, body }) => [request.method, request.url, body.toString()]),
    [
      ["PATCH", "/v1/feeds/feed%201/products", '{"products":[{"id":"1"},{"id":"2"}]}'],
      ["PATCH", "/v1/feeds/feed%201/products", '{"products":[{"id":"3"}]}'],
    ],
  );
  const keys = seen.map(({ request }) => request.headers["idempotency-key"]);
  assert.equal(new Set(keys).size, 2);
});

test("a receiver that refuses before it has read the body is understood", async () => {
  await using to = await loopback((request, response) => {
    response.writeHead(413, { connection: "close" }).end("too large");
    request.resume();
  });

  const { code, message } = await failureOf(upload(`${to.origin}/x`, [fileOf(randomBytes(2_000_000))]));

  assert.ok(code === "http" || code === "unreachable", code);
  if (code === "http") assert.match(message, /status 413.*too large/);
});

test("a failure shows what the receiver answered, without the secrets that it echoes", async () => {
  await using to = await loopback((request, response) => {
    request.resume();
    const { authorization = "", "x-key": key } = request.headers;
    const login = Buffer.from(authorization.split(" ")[1] ?? "", "base64").toString();
    response.writeHead(500).end(JSON.stringify({ why: "full", url: request.url, authorization, login, key }));
  });
  const headers = { authorization: `Basic ${btoa("shop:pass-word")}`, "x-key": 'quoted "key" 1' };
  const target = { url: `${to.origin}/in?token=t0ken-of-url`, method: "PUT", headers, feedId: "" };
  const options = { client, userAgent: "test", signal: never, bytesPerS: null };

  const { message } = await failureOf(uploadByHttps(target, [fileOf("a")], options));

  assert.match(
    message,
    /It says: \{"why":"full","url":"\/in\?token=\[secret\]","authorization":"\[secret\]","login":"\[secret\]","key":"\[secret\]"\}$/,
  );
});

test("a redirect is refused with the host that it points to, and nothing else of the address", async () => {
  const redirecting = (location: string): RequestListener => {
    return (request, response) => {
      void bodyOf(request).then(() => response.writeHead(302, { location }).end());
    };
  };
  await using away = await loopback(redirecting("https://user:pass@uploads.example:8443/in?key=s3cret"));
  const { code, message } = await failureOf(upload(`${away.origin}/x`, [fileOf("a")]));
  assert.equal(code, "redirect");
  assert.match(message, /redirects \(status 302\) to uploads\.example:8443, and uploads follow no redirect/);
  assert.doesNotMatch(message, /s3cret|pass|user/);
  await using within = await loopback(redirecting("/else"));
  assert.match(
    (await failureOf(upload(`${within.origin}/x`, [fileOf("a")]))).message,
    /to another address of its own/,
  );
});

test("a receiver that stops reading, or does not answer, is given up", async () => {
  await using stalled = await serving(createTcpServer((socket) => socket.pause()));
  await using silent = await serving(createServer((request) => void request.resume()));
  const limits = { idleMs: 300 };

  const reading = await failureOf(
    upload(`${stalled.origin}/x`, [fileOf(randomBytes(30_000_000))], { limits }),
  );
  const answering = await failureOf(upload(`${silent.origin}/x`, [fileOf("x")], { limits }));

  assert.deepEqual([reading.code, answering.code], ["timeout", "timeout"]);
  assert.match(reading.message, /0\.3 s to take more bytes/);
  assert.match(answering.message, /0\.3 s to answer/);
});

test("a connection that breaks in the middle fails, and the source is closed", async () => {
  await using to = await serving(
    createTcpServer((socket) => {
      socket.once("data", () => socket.resetAndDestroy());
    }),
  );
  let isClosed = false;
  const bytes = (async function* () {
    try {
      while (true) yield randomBytes(100_000);
    } finally {
      isClosed = true;
    }
  })();

  const { code } = await failureOf(upload(`${to.origin}/x`, [fileOf("", { bytes })]));

  assert.equal(code, "unreachable");
  assert.equal(isClosed, true);
});

test("a failure of the source is its own, not the receiver's", async () => {
  const { listener } = collecting();
  await using to = await loopback(listener);
  const bytes = (async function* () {
    yield Buffer.from("x");
    throw new DeliveryFailure("feed_missing", "The file is gone.");
  })();

  const { code } = await failureOf(upload(`${to.origin}/x`, [fileOf("", { bytes })]));

  assert.equal(code, "feed_missing");
});

test("the bandwidth limit and the abort of the caller hold", async () => {
  const { listener } = collecting();
  await using to = await loopback(listener);
  const began = performance.now();
  await upload(`${to.origin}/x`, [fileOf(randomBytes(150_000))], { bytesPerS: 300_000 });
  assert.ok(performance.now() - began > 400);

  const stop = new AbortController();
  const stopped = upload(`${to.origin}/x`, [fileOf(randomBytes(1_000_000))], {
    bytesPerS: 100_000,
    signal: stop.signal,
  });
  setTimeout(() => stop.abort(new Error("stopping")), 50);
  await assert.rejects(stopped, /stopping/);
});

test("only public addresses with TLS are connected to", async () => {
  const guarded = uploadHttpClient({ allowPrivate: [] });
  const target = { method: "PUT", headers: {}, feedId: "" };
  const options = { client: guarded, userAgent: "test", signal: never, bytesPerS: null };

  for (const url of ["https://127.0.0.1/x", "http://shop.example/x", "https://localhost/x"]) {
    const { code } = await failureOf(uploadByHttps({ ...target, url }, [fileOf("x")], options));
    assert.equal(code, "blocked", url);
  }
  await guarded.close();
});

test("headers are read line by line; ours, and what is not a header, is refused", () => {
  assert.deepEqual(parseHeaders("Authorization: Bearer a:b\n\n X-A:1 \r\n").headers, {
    authorization: "Bearer a:b",
    "x-a": "1",
  });
  for (const text of ["x", "Host: a", "content-length: 1", "a b: c", "A: é"])
    assert.equal(parseHeaders(text).wrong, 1, text);
});
