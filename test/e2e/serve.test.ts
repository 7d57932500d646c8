/** One installation from its first start to its last: what a person who tries the program sees. */
import assert from "node:assert/strict";
import { createServer } from "node:net";
import { once } from "node:events";
import { after, before, describe, test } from "node:test";
import { isUuid } from "../../src/lib/id.ts";
import { readFeeds, waitLimit } from "../actions.ts";
import type { Feeds } from "../actions.ts";
import { articles, openShop } from "../fakes/shop.ts";
import type { Shop } from "../fakes/shop.ts";
import { dataFolder } from "./embedded-holder.ts";
import { command, data, freePort, leftRunning, startService } from "./program.ts";
import type { ProgramEnv, Service } from "./program.ts";

describe("an installation with its own database", () => {
  const parts = new AsyncDisposableStack();
  let env: ProgramEnv;
  let shop: Shop;
  let service: Service;
  let demoKey: string;
  let shown: Feeds;

  before(async () => {
    const { path } = parts.use(await dataFolder());
    shop = parts.use(await openShop());
    // The shop is on loopback, which needs no setting while only this machine is served.
    env = { DATA_DIR: path, PORT: String(await freePort()) };
  });
  after(() => parts.disposeAsync());

  const start = async (): Promise<void> => {
    service = parts.use(await startService(env));
  };

  test("ends its first start with a demo, and prints nothing that gives access where it is logged", async () => {
    await start();

    assert.match(service.said.out, /A demo catalog, "Fjord & Fern", with 49 items, was created/);
    assert.doesNotMatch(service.said.out + service.said.talk, /sw_|\/f\/|sign-in#|sign-in\?/);
    const made = ["key", "create", "--catalog", "demo", "--scopes", "read,write"];
    ({ key: demoKey } = await data<{ key: string }>(env, ...made));
    shown = await readFeeds(service, { key: demoKey });
    assert.match(
      service.said.out,
      /^ {2}local {4}sources and webhooks may use 127\.0\.0\.1 and localhost, /m,
    );
    for (const { status } of Object.values(shown.files)) assert.equal(status, 200);
    assert.ok(Number(shown.lastRender?.stats["items"]) > 0);
    assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
  });

  test("runs commands next to the running server", async () => {
    const { id } = await data<{ id: string }>(
      env,
      "catalog",
      "create",
      "--slug",
      "shop",
      "--name",
      "Shop",
      "--currency",
      "USD",
    );
    const made = await data<{ key: string }>(
      env,
      "key",
      "create",
      "--catalog",
      "shop",
      "--scopes",
      "read,write",
    );

    const feeds = await readFeeds(service, made);

    assert.ok(isUuid(id));
    assert.equal(feeds.lastRender, null);
    assert.equal(feeds.files["acp.csv"]?.status, 404);
  });

  test("refuses a second server on the same folder and names the address of the first", async () => {
    const second = await command({ ...env, PORT: String(await freePort()) }, "serve");

    assert.equal(second.status, 1);
    assert.match(second.talk, /already_running/);
    assert.ok(second.talk.includes(`process ${service.pid}, ${service.url}`));
    assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
  });

  test("ends at Ctrl-C, with all its processes", async () => {
    service.signalAll("SIGINT");
    const limit = waitLimit();
    const status = await Promise.race([service.ended, once(limit, "abort").then(() => "too late")]);

    assert.equal(status, 0);
    // No process had to be killed and none is left: a process group without members cannot be signalled.
    assert.doesNotMatch(service.said.talk, /killing|died/);
    assert.throws(() => process.kill(-service.pid, 0), { code: "ESRCH" });
    assert.deepEqual(await leftRunning(env["DATA_DIR"] ?? ""), []);
    await assert.rejects(fetch(`${service.url}/healthz`));
  });

  test("syncs and renders by command without a server, and leaves nothing running", async () => {
    shop.stock(articles(5));
    const url = `url=${shop.url}`;
    const add = ["source", "add", "--catalog", "shop", "--kind", "feed_url", "--set", url];
    const source = await data<{ id: string }>(env, ...add);

    const synced = await data<{ stats: { upserted: number } }>(env, "sync", "--source", source.id);
    const rendered = await data<{ stats: { items: number } }>(env, "render", "--catalog", "shop");

    assert.equal(synced.stats.upserted, 5);
    assert.equal(rendered.stats.items, 5);
    assert.deepEqual(await leftRunning(env["DATA_DIR"] ?? ""), []);
  });

  test("keeps everything over a restart", async () => {
    await start();

    assert.doesNotMatch(service.said.out, /demo/);
    assert.deepEqual((await readFeeds(service, { key: demoKey })).files, shown.files);
    const { catalogs } = await data<{ catalogs: { slug: string; items: number }[] }>(env, "catalog", "list");
    assert.deepEqual(
      catalogs.map(({ slug }) => slug),
      ["demo", "shop"],
    );
    assert.equal(catalogs[1]?.items, 5);
  });

  test("ends at SIGTERM to the server alone, as a service manager sends it", async () => {
    process.kill(service.pid, "SIGTERM");

    assert.equal(await service.ended, 0);
    assert.throws(() => process.kill(-service.pid, 0), { code: "ESRCH" });
    assert.deepEqual(await leftRunning(env["DATA_DIR"] ?? ""), []);
  });

  test("names the port that is in use and leaves nothing running", async () => {
    const other = createServer().listen(Number(env["PORT"]), "127.0.0.1");
    await once(other, "listening");

    const { status, out, talk } = await command(env, "serve");
    other.close();

    assert.equal(status, 4);
    assert.equal(out, "");
    assert.match(talk, new RegExp(`PORT ${env["PORT"]}.*\\(config_invalid\\)`));
    assert.deepEqual(await leftRunning(env["DATA_DIR"] ?? ""), []);
  });
});
