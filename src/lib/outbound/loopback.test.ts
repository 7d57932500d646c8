/** Loopback targets while only this machine is served: what is allowed without a setting, and attacks on it. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, before, describe, test } from "node:test";
import { AppError } from "../../errors.ts";
import { parseAllowList } from "./allow-list.ts";
import { httpClient } from "./http-client.ts";
import { HttpFailure } from "./http-failure.ts";
import { HOSTILE_HOSTS, HOSTILE_URLS } from "./net-guard.corpus.ts";
import {
  checkTarget,
  isLoopbackHost,
  needsTls,
  parseHost,
  parseTarget,
  withoutLoopback,
} from "./net-guard.ts";
import { socketClient } from "./socket-client.ts";
import { webhookHttpClient } from "./webhook-http-client.ts";

const LOCAL = parseAllowList([], { loopback: true });
const { signal } = new AbortController();
const isRefusal = (error: unknown): boolean => error instanceof AppError && error.code === "target_forbidden";
const isForbidden = (error: unknown): boolean => error instanceof HttpFailure && error.kind === "forbidden";

const LOOPBACK_HOSTS = [
  "127.0.0.1",
  "127.255.3.4",
  "[::1]",
  "[::ffff:127.0.0.1]",
  "0x7f000001",
  "127.1",
  "localhost",
  "LOCALHOST",
  "localhost.",
  "shop.localhost",
];
const OTHER_HOSTS = [
  "0.0.0.0",
  "[::]",
  "10.0.0.1",
  "[::ffff:10.0.0.1]",
  "[::127.0.0.1]",
  "[64:ff9b::7f00:1]",
  "172.16.0.1",
  "192.168.1.1",
  "169.254.169.254",
  "[fe80::1]",
  "[fd00::1]",
];

test("loopback addresses and localhost are allowed in every notation, also with plain http", async () => {
  const lookup = async () => ["127.0.0.1", "::1"];
  for (const host of LOOPBACK_HOSTS) {
    const url = `http://${host}:3000/hook`;
    await assert.doesNotReject(checkTarget(url, { resolve: true, allow: LOCAL, lookup }), host);
    assert.equal(needsTls(url, LOCAL), false, host);
    await assert.rejects(
      checkTarget(url, { resolve: true, allow: withoutLoopback(LOCAL), lookup }),
      isRefusal,
      host,
    );
    assert.equal(needsTls(url, withoutLoopback(LOCAL)), true, host);
  }
});

test("every other private address is refused as without it", () => {
  for (const host of OTHER_HOSTS) {
    assert.throws(() => parseTarget(`http://${host}:3000/`, LOCAL), isRefusal, host);
    assert.equal(needsTls(`http://${host}:3000/`, LOCAL), true, host);
  }
  const urls = [...HOSTILE_HOSTS.map((host) => `http://${host}:3000/`), ...HOSTILE_URLS]
    .map((url) => url.replaceAll("{port}", "3000"))
    .filter((url) => !isLoopbackHost(URL.parse(url)?.hostname.replace(/^\[|\]$/g, "") ?? ""));
  assert.ok(urls.length > 50);
  for (const url of urls) assert.throws(() => parseTarget(url, LOCAL), isRefusal, url);
});

test("ports of other services on this machine need an entry of the operator", () => {
  assert.throws(() => parseTarget("http://127.0.0.1:25/", LOCAL), isRefusal);
  assert.throws(() => parseTarget("http://localhost:22/", LOCAL), isRefusal);
  assert.throws(() => parseHost("127.0.0.1", { port: 25, ownPort: 22, allow: LOCAL }), isRefusal);
  assert.equal(parseHost("127.0.0.1", { port: 22, ownPort: 22, allow: LOCAL }), "127.0.0.1");
});

test("a name that resolves to a loopback address is refused: its owner may be elsewhere", async () => {
  for (const answers of [
    ["127.0.0.1"],
    ["::1"],
    ["::ffff:127.0.0.1"],
    ["127.0.0.1", "10.0.0.1"],
    ["8.8.8.8", "127.0.0.1"],
  ]) {
    for (const name of ["rebind.example", "localhost.example", "127.0.0.1.nip.example"]) {
      const lookup = async () => answers;
      const check = checkTarget(`http://${name}:3000/`, { resolve: true, allow: LOCAL, lookup });
      await assert.rejects(check, isRefusal, `${name} ${answers.join()}`);
    }
  }
});

test("localhost is refused if it also leads to another address", async () => {
  for (const answers of [["127.0.0.1", "10.0.0.1"], ["10.0.0.1"], ["::ffff:10.0.0.1"]]) {
    const lookup = async () => answers;
    const check = checkTarget("http://localhost:3000/", { resolve: true, allow: LOCAL, lookup });
    await assert.rejects(check, isRefusal, answers.join());
  }
});

describe("against a listener on loopback", () => {
  let reached: string[] = [];
  const listener = createServer(({ url = "/", headers: { host = "" } }, response) => {
    if (url.startsWith("/?to=")) {
      response.writeHead(302, { location: decodeURIComponent(url.slice(5)) }).end();
      return;
    }
    reached.push(host.replace(/:\d+$/, ""));
    response.end("reached");
  });
  let port = 0;
  const redirect = (host: string, to: string) =>
    `http://${host}:${port}/?to=${encodeURIComponent(to.replaceAll("{port}", String(port)))}`;

  before(async () => {
    listener.listen(0, "127.0.0.1");
    await once(listener, "listening");
    const address = listener.address();
    assert.ok(typeof address === "object" && address !== null);
    port = address.port;
  });
  after(() => listener.close());

  test("a redirect from this machine to this machine is followed, to a private address it is refused", async () => {
    const client = httpClient({ allowPrivate: [], allowLoopback: true, userAgent: "test" });
    reached = [];

    await client.request({ url: redirect("127.0.0.1", "http://localhost:{port}/"), signal });
    assert.deepEqual(reached, ["localhost"]);
    for (const to of [
      "http://10.0.0.1:{port}/",
      "http://[::ffff:10.0.0.1]:{port}/",
      "http://169.254.169.254/latest/",
      "http://0.0.0.0:{port}/",
    ])
      await assert.rejects(client.request({ url: redirect("localhost", to), signal }), isForbidden, to);

    assert.equal(reached.length, 1);
    await client.close();
  });

  test("a server elsewhere cannot send a request to this machine, by a redirect or by an address in its answer", async () => {
    // The test's stand-in for a public server: its name is allowed, and resolves to the listener.
    const lookup = async () => ["127.0.0.1"];
    const options = { allowPrivate: ["shop.test"], allowLoopback: true, userAgent: "test", lookup };
    const client = httpClient(options);
    reached = [];

    for (const host of LOOPBACK_HOSTS) {
      const url = `http://${host}:${port}/`;
      await assert.rejects(client.request({ url: redirect("shop.test", url), signal }), isForbidden, host);
      const twice = redirect("shop.test", redirect("shop.test", url));
      await assert.rejects(client.request({ url: twice, signal }), isForbidden, host);
      const named = { url, namedBy: "https://shop.test", signal };
      await assert.rejects(client.request(named), isForbidden, host);
    }
    assert.deepEqual(reached, []);

    await client.request({ url: redirect("shop.test", "http://shop.test:{port}/"), signal });
    assert.deepEqual(reached, ["shop.test"]);
    await client.close();
  });

  test("webhooks and other connections reach this machine, and no name that resolves to it", async () => {
    const lookup = async (name: string) => (name === "localhost" ? ["127.0.0.1", "::1"] : ["127.0.0.1"]);
    const options = { allowPrivate: [], allowLoopback: true, lookup };
    await using parts = new AsyncDisposableStack();
    const webhooks = webhookHttpClient(options);
    parts.defer(webhooks.close);
    const sockets = socketClient(options);
    parts.defer(sockets.close);
    const post = (host: string) =>
      webhooks.post({
        url: `http://${host}:${port}/`,
        headers: {},
        body: Buffer.from("{}"),
        deadlineMs: 10_000,
        keepBytes: 100,
        signal,
        onConnection: () => undefined,
      });

    assert.equal((await post("127.0.0.1")).status, 200);
    assert.equal((await post("localhost")).status, 200);
    await assert.rejects(async () => post("rebind.example"), isForbidden);
    const socket = await sockets.connect({ host: "localhost", port, ownPort: 22 }, signal);
    socket.destroy();
    await assert.rejects(sockets.connect({ host: "rebind.example", port, ownPort: 22 }, signal), isForbidden);
  });
});
