/**
 * The database becomes unavailable and returns, at the start and later, behind a proxy that is cut. Server and worker
 * wait for it, feeds are served meanwhile, and afterwards everything works as before.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readFeeds, until } from "../actions.ts";
import { articles, openShop } from "../fakes/shop.ts";
import { tcpProxy } from "../fakes/tcp-proxy.ts";
import type { TcpProxy } from "../fakes/tcp-proxy.ts";
import { freshDatabase, tempDir } from "../fresh.ts";
import { data, serviceEnv, spawnService, startService, startWorkerProcess, workerOf } from "./program.ts";
import type { ProgramEnv } from "./program.ts";

type Away = AsyncDisposable & { readonly env: ProgramEnv; readonly proxy: TcpProxy };

/** An installation whose database of its own is reached through a proxy. */
async function behindProxy(): Promise<Away> {
  await using parts = new AsyncDisposableStack();
  const database = parts.use(await freshDatabase({ isMigrated: false }));
  const url = new URL(database.url);
  const proxy = parts.use(await tcpProxy({ host: url.hostname, port: Number(url.port) }));
  const { path } = parts.use(await tempDir());
  url.host = `127.0.0.1:${proxy.port}`;
  // Not by the socket of the test server.
  url.searchParams.delete("host");
  const env = {
    DATABASE_URL: url.href,
    SECRET_KEY: "a key for tests, long enough to be one",
    ...(await serviceEnv(path)),
  };
  const kept = parts.move();
  return { env, proxy, [Symbol.asyncDispose]: async () => kept.disposeAsync() };
}

describe("an unavailable database", { concurrency: true }, () => {
  test("while running: feeds are served, the API answers 503, and the same processes continue afterwards", async () => {
    await using parts = new AsyncDisposableStack();
    const { env, proxy } = parts.use(await behindProxy());
    const shop = parts.use(await openShop());
    shop.stock(articles(5, { title: "Old name" }));
    const service = parts.use(await startService(env));
    const worker = await workerOf(service);
    await data(
      env,
      ..."catalog create --slug shop --name Shop --currency USD --store-url https://shop.example/".split(" "),
    );
    const key = await data<{ key: string }>(
      env,
      ..."key create --catalog shop --scopes read,write".split(" "),
    );
    const add = ["source", "add", "--catalog", "shop", "--kind", "feed_url", "--set", `url=${shop.url}`];
    const { id: sourceId } = await data<{ id: string }>(env, ...add);
    const headers = { authorization: `Bearer ${key.key}`, "content-type": "application/json" };
    const before = await until(async () => {
      const feeds = await readFeeds(service, key);
      return feeds.lastRender !== null && feeds;
    }, "the first feeds");
    const listed = (await (await fetch(`${service.url}/api/v1/feeds`, { headers })).json()) as {
      data: { feeds: { file: string; url: string }[] };
    };

    await proxy.cut();
    for (let i = 0; i < 10; i += 1) {
      for (const { file, url } of listed.data.feeds) {
        const answer = await fetch(new URL(new URL(url).pathname, service.url));
        assert.equal(answer.status, 200, file);
        assert.equal(await answer.text(), before.files[file]?.text);
      }
      const refused = await fetch(`${service.url}/api/v1/syncs`, { headers });
      assert.equal(refused.status, 503);
      assert.ok(Number(refused.headers.get("retry-after")) > 0);
      assert.equal((await fetch(`${service.url}/readyz`)).status, 503);
      assert.equal((await fetch(`${service.url}/healthz`)).status, 200);
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    await proxy.restore();

    shop.stock(articles(5, { title: "New name" }));
    const synced = await until(async () => {
      const answer = await fetch(`${service.url}/api/v1/syncs`, {
        method: "POST",
        headers,
        body: JSON.stringify({ source_id: sourceId }),
      });
      await answer.body?.cancel();
      return answer.status === 200;
    }, "a sync");
    assert.ok(synced);
    const after = await readFeeds(service, key);
    assert.ok(after.files["acp.csv"]?.text.includes("New name"));
    assert.equal(await workerOf(service), worker);
    // The worker shows its presence again: a command leaves its sync to it.
    await data(env, "sync", "--source", sourceId);
    service.signalAll("SIGINT");
    assert.equal(await service.ended, 0);
    assert.doesNotMatch(service.said.talk, /the worker died|Something unexpected/);
  });

  test("at the start: both processes wait, the server logs it, and both continue when the database is available", async () => {
    await using parts = new AsyncDisposableStack();
    const { env, proxy } = parts.use(await behindProxy());
    await proxy.cut();
    const service = parts.use(spawnService(env));
    const alone = parts.use(startWorkerProcess(env));
    await until(async () => /waiting for it/.test(service.said.talk), "the server to wait");
    await until(async () => /waiting for it/.test(alone.said.talk), "the worker to wait");

    const early = await until(
      async () => fetch(`${service.url}/api/v1/feeds`).catch(() => undefined),
      "an answer",
    );
    assert.equal(early.status, 503);
    assert.equal(early.headers.get("retry-after"), "5");
    assert.equal(((await early.json()) as { code: string }).code, "database_unavailable");
    assert.equal((await fetch(`${service.url}/healthz`)).status, 200);
    await proxy.restore();

    await service.started;
    assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
    for (const one of [service, alone]) one.signalAll("SIGTERM");
    assert.deepEqual([await service.ended, await alone.ended], [0, 0]);
  });

  test("at the start, and the process gets a stop signal: it ends at once, without an error", async () => {
    await using parts = new AsyncDisposableStack();
    const { env, proxy } = parts.use(await behindProxy());
    await proxy.cut();
    const service = parts.use(spawnService(env));
    await until(async () => /waiting for it/.test(service.said.talk), "the server to wait");

    service.signalAll("SIGTERM");

    assert.equal(await service.ended, 0);
  });
});
