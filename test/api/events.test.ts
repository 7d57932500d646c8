/** Live events over real HTTP: from any worker, on any server, for as long as the key works. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { request } from "undici";
import { buildApp } from "../../src/http/app.ts";
import { createKey } from "../../src/setup/keys.ts";
import { revokeKey } from "../../src/store/keys.ts";
import { openReceiver } from "../fakes/receiver.ts";
import { heldFeed } from "../fakes/held-feed.ts";
import { dataOf } from "./answer-data.ts";
import { assertProblem } from "./problem.ts";
import { csv, mugs } from "./rows.ts";
import { runningApi } from "./running-api.ts";
import { closeAfterTests } from "../close-after.ts";

const api = closeAfterTests(await runningApi());

type Event = {
  readonly id: string;
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
};
type Watched = {
  readonly seen: Event[];
  readonly text: () => string;
  /** Waits for the first event that is like this. */
  readonly until: (isIt: (event: Event) => boolean) => Promise<Event>;
  readonly ended: Promise<void>;
} & AsyncDisposable;

/** Connects and reads events as they come. */
async function watch(key: string, { url = api.url, headers = {} } = {}): Promise<Watched> {
  return follow({ authorization: `Bearer ${key}`, ...headers }, url);
}

async function follow(headers: Readonly<Record<string, string>>, url: string): Promise<Watched> {
  const stop = new AbortController();
  const answer = await request(`${url}/api/v1/events`, {
    headers,
    signal: stop.signal,
  });
  assert.equal(answer.statusCode, 200);
  assert.equal(answer.headers["content-type"], "text/event-stream; charset=utf-8");
  const seen: Event[] = [];
  let [text, rest] = ["", ""];
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const one of waiting) one();
  };
  const read = async () => {
    for await (const chunk of answer.body) {
      text += String(chunk);
      const blocks = (rest + String(chunk)).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const fields = new Map(
          block.split("\n").map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]),
        );
        const event = fields.get("event");
        if (event !== undefined)
          seen.push({
            id: fields.get("id") ?? "",
            event,
            data: JSON.parse(fields.get("data") ?? "") as Event["data"],
          });
      }
      wake();
    }
  };
  const ended = read().catch(() => undefined);
  return {
    seen,
    ended,
    text: () => text,
    until: async (isIt) => {
      while (true) {
        const found = seen.find(isIt);
        if (found) return found;
        await new Promise<void>((resolve) => {
          waiting.add(resolve);
        });
      }
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await ended;
    },
  };
}

test("the stream has the start and end of a sync, its render and its audit, of its catalog only", async () => {
  const [shop, other] = [await api.openShop(mugs(3)), await api.openShop(mugs(1))];
  await using events = await watch(shop.readKey);
  await events.until(({ event }) => event === "open");

  await other.sync();
  const { run_id: runId } = dataOf<{ run_id: string }>(await shop.sync());
  const rendered = await events.until(
    ({ event, data }) => event === "run" && data["kind"] === "render" && data["status"] === "succeeded",
  );

  const runs = events.seen.filter(({ event }) => event === "run").map(({ data }) => data);
  const sync = runs.filter((run) => run["run_id"] === runId);
  assert.ok(sync.length >= 2, "it begins and ends");
  assert.deepEqual([sync.at(-1)?.["status"], sync.at(-1)?.["done"]], ["succeeded", 3]);
  assert.equal(rendered.data["cause_run_id"], runId);
  await events.until(({ event, data }) => event === "run" && data["kind"] === "audit");
  const ofSource = new Set(runs.filter((run) => run["kind"] === "sync").map((run) => run["source_id"]));
  assert.deepEqual([...ofSource], [shop.sourceId]);
  assert.equal(new Set(events.seen.map(({ id }) => id)).size, events.seen.length, "ids are unique");
});

test("the stream has the progress of a running sync, also on another server", async () => {
  const second = await buildApp({ ...api.parts });
  const url = await second.listen({ host: "127.0.0.1", port: 0 });
  await using feed = await heldFeed(csv(mugs(2)));
  const shop = await api.openShop([], feed.url);
  await using events = await watch(shop.readKey, { url });

  const { run_id: runId } = dataOf<{ run_id: string }>(await shop.sync({ prefer: "respond-async" }));
  const { data } = await events.until(({ event }) => event === "progress");

  assert.deepEqual(data, { run_id: runId, phase: "reading", done: 0 });
  feed.release();
  await events.until(
    (one) => one.event === "run" && one.data["run_id"] === runId && one.data["status"] === "succeeded",
  );
  await second.close();
  await events.ended;
  assert.equal(events.seen.at(-1)?.event, "end");
});

test("the stream has deliveries of webhooks", async () => {
  await using receiver = await openReceiver();
  const shop = await api.openShop(mugs(1));
  const body = { url: receiver.url("/hook"), events: ["sync.completed"] };
  assert.equal((await shop.call("/api/v1/webhooks", { method: "POST", body })).status, 201);
  await using events = await watch(shop.readKey);

  await shop.sync();

  await events.until(({ event }) => event === "deliveries");
});

test("the stream has deliveries to destinations: queued, begun, ended", async () => {
  await using receiver = await openReceiver();
  const shop = await api.openShop(mugs(1));
  const body = { kind: "https", settings: { url: receiver.url("/feed") } };
  assert.equal((await shop.call("/api/v1/destinations", { method: "POST", body })).status, 201);
  await using events = await watch(shop.readKey);

  await shop.sync();

  await events.until(() => events.seen.filter(({ event }) => event === "deliveries").length === 3);
});

test("a client that connects again gets a refetch event first", async () => {
  const shop = await api.openShop();
  await using events = await watch(shop.readKey, { headers: { "last-event-id": "x-1" } });

  assert.equal((await events.until(() => true)).event, "refetch");
});

test("a stream ends when its key is revoked, or expires, and says so", async () => {
  const app = await buildApp({ ...api.parts, eventHeartbeatMs: 100 });
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  const shop = await api.openShop();
  const input = { catalogId: shop.id, name: "watcher", scopes: ["read"] };
  const revoked = await createKey(api.db, { ...input, expiresAt: null });
  const expiring = await createKey(api.db, { ...input, expiresAt: new Date(Date.now() + 1_500) });
  await using first = await watch(revoked.key);
  await using second = await watch(expiring.key, { url });
  await using kept = await watch(shop.readKey, { url });

  await revokeKey(api.db, revoked.id);
  await Promise.all([first.ended, second.ended]);

  assert.match(String(first.seen.at(-1)?.data["reason"]), /revoked/);
  assert.match(String(second.seen.at(-1)?.data["reason"]), /has ended/);
  assert.match(kept.text(), /^: /m, "an open one has heartbeats");
  assert.ok(kept.seen.every(({ event }) => event !== "end"));
  await app.close();
});

test("a stream of a session ends after signing out", async () => {
  const app = await buildApp({ ...api.parts, eventHeartbeatMs: 100 });
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  const shop = await api.openShop();
  const headers = { "x-shelfwire-console": "1" };
  const signedIn = await api.ask("/api/v1/session", { method: "POST", body: { key: shop.readKey }, headers });
  const [cookie = ""] = String(signedIn.headers["set-cookie"]).split(";");
  const session = { ...headers, cookie };
  await using events = await follow(session, url);
  await events.until(({ event }) => event === "open");

  await api.ask("/api/v1/session", { method: "DELETE", headers: session });
  await events.ended;

  assert.match(String(events.seen.at(-1)?.data["reason"]), /session has ended/);
  await app.close();
});

test("a key has at most ten open streams", async () => {
  const shop = await api.openShop();
  const open = await Promise.all(Array.from({ length: 10 }, async () => watch(shop.readKey)));

  assertProblem(
    await shop.call("/api/v1/events", { headers: { authorization: `Bearer ${shop.readKey}` } }),
    429,
    "rate_limited",
  );
  await open[0]?.[Symbol.asyncDispose]();
  await using again = await eventually(async () => watch(shop.readKey));
  await again.until(({ event }) => event === "open");
  for (const stream of open) await stream[Symbol.asyncDispose]();
});

/** The server notices a disconnect a moment later. */
async function eventually<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === 50) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
