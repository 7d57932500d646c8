/** A restored copy of an installation, as real processes: nothing leaves it before `shelfwire resume`. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { loopback } from "../../src/lib/outbound/loopback.fixture.ts";
import { until } from "../actions.ts";
import { tempDir } from "../fresh.ts";
import { dataFolder } from "./embedded-holder.ts";
import { command, data, type ProgramEnv, serviceEnv, startService } from "./program.ts";

/** Everything that the installation calls: a shop's feed, a receiver of webhooks, a destination. */
async function openOthers() {
  const calls: string[] = [];
  let hookStatus = 200;
  const server = await loopback((request, response) => {
    request.resume();
    calls.push(`${request.method} ${request.url}`);
    if (request.url === "/feed.csv") response.end("id,title,price\na,Mug,10 EUR\nb,Cup,8 EUR\n");
    else response.writeHead(request.url === "/hook" ? hookStatus : 200).end();
  });
  return {
    url: (path: string) => `${server.origin}${path}`,
    hookAnswers: (status: number) => (hookStatus = status),
    /** What was received since the last call. */
    take: () => calls.splice(0),
    received: (what: string) => calls.filter((call) => call === what).length,
    [Symbol.asyncDispose]: server.close,
  };
}

type Deliveries = { deliveries: { id: string; event: string; state: string }[] };
const deliveries = async (env: ProgramEnv) =>
  (await data<Deliveries>(env, "webhook", "deliveries", "--catalog", "shop")).deliveries;

test("nothing leaves a restored copy until it is resumed; what waited at the backup is not sent", async () => {
  await using first = await dataFolder();
  await using second = await dataFolder();
  await using files = await tempDir();
  await using others = await openOthers();
  const file = join(files.path, "all.backup");
  const env = { ...(await serviceEnv(first.path)), XDG_STATE_HOME: files.path };
  const copy = { ...(await serviceEnv(second.path)), XDG_STATE_HOME: files.path };
  const uploaded = () => others.received("PUT /upload");
  const hooked = () => others.received("POST /hook");

  const { key, source, published } = await (async () => {
    await using service = await startService(env, "--no-demo");
    await data(env, "catalog", "create", "--slug", "shop", "--name", "Shop", "--currency", "EUR");
    const { key } = await data<{ key: string }>(
      env,
      "key",
      "create",
      "--catalog",
      "shop",
      "--scopes",
      "read,write",
    );
    const add = ["--catalog", "shop", "--set", `url=${others.url("/feed.csv")}`];
    const { id } = await data<{ id: string }>(env, "source", "add", "--kind", "feed_url", ...add);
    await data(env, "webhook", "add", others.url("/hook"), "--catalog", "shop", "--events", "feeds.rendered");
    const place = ["--set", `url=${others.url("/upload")}`, "--format", "acp.csv"];
    await data(env, "destination", "add", "--catalog", "shop", "--kind", "https", ...place);
    await data(env, "sync", "--source", id);
    await until(async () => hooked() > 0 && uploaded() > 0, "the webhook and the upload");
    // A delivery that fails waits when the backup is made.
    others.hookAnswers(500);
    await data(env, "render", "--catalog", "shop");
    await until(async () => (await deliveries(env)).some(({ state }) => state === "pending"), "a retry");
    await data(env, "backup", file, "--with-secret-key");
    others.hookAnswers(200);
    const { renders } = await data<{ renders: { run_id: string }[] }>(
      env,
      "renders",
      "list",
      "--catalog",
      "shop",
    );
    service.signalAll("SIGINT");
    await service.ended;
    return { key, source: id, published: renders[0]?.run_id ?? "" };
  })();
  others.take();

  const restored = await command(copy, "restore", file);
  assert.equal(restored.status, 0, restored.talk);
  assert.match(restored.out, /This is a copy/);
  await using service = await startService(copy, "--no-demo");
  const call = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${key}`, ...(body && { "content-type": "application/json" }) };
    const answer = await fetch(`${service.url}/api/v1${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, json: (await answer.json()) as { code?: string; data?: never } };
  };

  // What a person asks for works: the source is read and files are rendered.
  assert.equal((await call("POST", "/syncs", { source_id: source })).status, 200);
  assert.equal((await call("POST", "/feeds")).status, 200);
  const states = (await deliveries(copy)).map(({ state }) => state);
  assert.ok(states.includes("pending") && states.includes("dead"), states.join());
  const [webhook] = (await data<{ webhooks: { id: string }[] }>(copy, "webhook", "list", "--catalog", "shop"))
    .webhooks;
  const tested = await call("POST", "/webhooks/test", { id: webhook?.id });
  assert.deepEqual([tested.status, tested.json.code], [409, "restored_copy"]);
  type Renders = { renders: { run_id: string; is_kept: boolean }[] };
  const { renders } = await data<Renders>(copy, "renders", "list", "--catalog", "shop");
  assert.equal(renders.find(({ run_id: id }) => id === published)?.is_kept, false);
  const rollback = await call("POST", "/renders/rollback", { run_id: published, reason: "A test." });
  assert.deepEqual([rollback.status, rollback.json.code], [410, "render_gone"]);
  assert.deepEqual([...new Set(others.take())], ["GET /feed.csv"]);
  const said = await command(copy, "status");
  assert.match(said.out, /Restored copy since .*shelfwire resume/);
  assert.match(said.out, /\[restored_copy\]/);
  assert.match((await command(copy, "doctor", "--reach", others.url("/feed.csv"))).out, /warn +live/);
  others.take();

  const resumed = await command(copy, "resume");
  assert.equal(resumed.status, 0, resumed.talk);
  assert.match(resumed.out, /1 webhook delivery waited when the backup was made/);
  await until(async () => hooked() > 0 && uploaded() > 0, "what waited to be sent");
  await until(
    async () => !(await deliveries(copy)).some(({ state }) => state === "pending"),
    "all deliveries",
  );
  const after = await deliveries(copy);
  assert.equal(after.filter(({ state }) => state === "dead").length, 1);
  const again = await command(copy, "resume");
  assert.deepEqual([again.status, /live already/.test(again.talk)], [1, true]);
});
