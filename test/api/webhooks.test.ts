/** Webhooks over the API, with real receivers: events, signatures, and what the owner of an endpoint sees. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Stripe } from "stripe";
import { until } from "../actions.ts";
import { answer as reply, openReceiver } from "../fakes/receiver.ts";
import type { Received, Receiver } from "../fakes/receiver.ts";
import { assertProblem } from "./problem.ts";
import { mugs } from "./rows.ts";
import { runningApi } from "./running-api.ts";
import type { Answer, Shop } from "./running-api.ts";
import { closeAfterTests } from "../close-after.ts";
import { newId } from "../../src/lib/id.ts";
import { sql } from "../../src/store/sql.ts";

const api = closeAfterTests(await runningApi());

const ALL = ["sync.completed", "feeds.rendered", "audit.completed"];
const stripe = new Stripe("sk_test_unused");

type Registered = { id: string; url: string; events: string[]; secret: string; created_at: string };
type Body = { event: string; created_at: string; data: Record<string, unknown> };

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- names what the caller expects of the JSON
const dataOf = <T>(answer: Answer, status = 200): T => {
  assert.equal(answer.status, status, answer.text);
  return (answer.json as { data: T }).data;
};
const post = (shop: Shop, path: string, body: object): Promise<Answer> =>
  shop.call(`/api/v1/webhooks${path}`, { method: "POST", body });
const register = async (shop: Shop, url: string, events: readonly string[] = ALL): Promise<Registered> =>
  dataOf<Registered>(await post(shop, "", { url, events }), 201);

const bodyOf = ({ body }: Received): Body => JSON.parse(body) as Body;

/** Verifies as software that people already have does; throws if the proof is not good. */
function verify({ body, headers }: Received, secret: string): void {
  stripe.webhooks.constructEvent(body, String(headers["x-service-signature"]), secret);
  new StandardWebhook(secret).verify(body, headers as Record<string, string>);
}

async function withReceiver(work: (receiver: Receiver) => Promise<void>): Promise<void> {
  await using opened = await openReceiver();
  await work(opened);
}

type Delivery = {
  id: string;
  webhook_id: string;
  event: string;
  state: string;
  next_attempt_at: string | null;
  attempts: { number: number; status: number | null; error: string | null; duration_ms: { total: number } }[];
};
const deliveries = async (shop: Shop, query = ""): Promise<Delivery[]> =>
  dataOf<{ deliveries: Delivery[] }>(await shop.call(`/api/v1/webhooks/deliveries${query}`)).deliveries;

describe("a receiver that subscribed to everything", () => {
  test("gets the events of the sync, the render and the audit, each signed and in the documented form", () =>
    withReceiver(async ({ url, received }) => {
      const shop = await api.openShop(mugs(3));
      const { secret } = await register(shop, url("/hook"));

      const synced = dataOf<{ run_id: string; stats: object }>(await shop.sync());

      const requests = await received(3);
      const byEvent = new Map(requests.map((request) => [bodyOf(request).event, request]));
      assert.deepEqual([...byEvent.keys()].toSorted(), ALL.toSorted());
      for (const [event, request] of byEvent) {
        verify(request, secret);
        assert.equal(request.method, "POST");
        assert.equal(request.headers["x-service-event"], event);
        assert.equal(request.headers["user-agent"], "Service-Webhooks/1.0");
        assert.equal(request.headers["content-type"], "application/json");
        const body = bodyOf(request);
        assert.deepEqual(Object.keys(body), ["event", "created_at", "data"]);
        assert.match(body.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      }
      const dataFor = (event: string) => bodyOf(byEvent.get(event) ?? assert.fail(event)).data;
      const sync = dataFor("sync.completed");
      const keys = ["run_id", "source_id", "status", "stats", "started_at", "finished_at"];
      assert.deepEqual(Object.keys(sync), keys);
      assert.deepEqual([sync["run_id"], sync["source_id"]], [synced.run_id, shop.sourceId]);
      assert.deepEqual(sync["stats"], synced.stats);
      const rendered = dataFor("feeds.rendered");
      assert.deepEqual(Object.keys(rendered), ["run_id", "stats", "feeds", "started_at", "finished_at"]);
      const feeds = await shop.feeds();
      const urls = (rendered["feeds"] as { file: string; url: string }[]).map(({ url: at }) => at);
      assert.deepEqual(
        urls,
        feeds.feeds.map((feed) => feed.url),
      );
      assert.equal(rendered["run_id"], feeds.last_render?.run_id);
      const audit = dataOf<{ audit: { run_id: string; catalog_score: number; grade: string } }>(
        await shop.call("/api/v1/audit"),
      ).audit;
      assert.deepEqual(dataFor("audit.completed"), {
        run_id: audit.run_id,
        catalog_score: audit.catalog_score,
        grade: audit.grade,
        previous_score: null,
        items: 3,
      });
    }));

  test("gets no event of a sync that failed", () =>
    withReceiver(async ({ url, received }) => {
      const shop = await api.openShop(mugs(1));
      await register(shop, url("/hook"));
      shop.answers({ kind: "file", status: 500, body: "" });
      assert.equal((await shop.sync()).status, 422);

      shop.sells(mugs(1));
      await shop.sync();

      await received(3);
      assert.deepEqual((await deliveries(shop)).map(({ event }) => event).toSorted(), ALL.toSorted());
    }));
});

test("a receiver gets the events it subscribed to, of its own catalog only", () =>
  withReceiver(async ({ url, requests, received }) => {
    const [mine, other] = [await api.openShop(mugs(1)), await api.openShop(mugs(2))];
    await register(mine, url("/mine"), ["audit.completed"]);
    await register(other, url("/other"));

    await Promise.all([mine.sync(), other.sync()]);

    await received(4);
    const events = (path: string) =>
      requests.filter((request) => request.path === path).map((request) => bodyOf(request).event);
    assert.deepEqual(events("/mine"), ["audit.completed"]);
    assert.deepEqual(events("/other").toSorted(), ALL.toSorted());
  }));

describe("endpoints", () => {
  test("are listed with their health and without their secrets, and are gone when deleted", () =>
    withReceiver(async ({ url }) => {
      const shop = await api.openShop(mugs(1));
      const made = await register(shop, url("/hook"), ["sync.completed", "sync.completed"]);
      assert.match(made.secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
      assert.deepEqual(made.events, ["sync.completed"]);

      const listed = await shop.call("/api/v1/webhooks");
      const { webhooks } = dataOf<{ webhooks: Record<string, unknown>[] }>(listed);
      assert.deepEqual(
        webhooks.map(({ id, url: at, events, created_at, status }) => ({
          id,
          at,
          events,
          created_at,
          status,
        })),
        [{ id: made.id, at: made.url, events: made.events, created_at: made.created_at, status: "active" }],
      );
      assert.doesNotMatch(listed.text, /whsec_/);

      const other = await api.openShop();
      const body = { id: made.id };
      const removal = { method: "DELETE", body } as const;
      assertProblem(await other.call("/api/v1/webhooks", removal), 404, "not_found");
      assert.deepEqual(dataOf(await shop.call("/api/v1/webhooks", removal)), { id: made.id, deleted: true });
      assertProblem(await shop.call("/api/v1/webhooks", removal), 404, "not_found");
      assert.deepEqual(dataOf(await shop.call("/api/v1/webhooks")), { webhooks: [] });
    }));

  const SINCE = "2026-11-15T06:00:00Z";
  const URN = "urn:uuid:01a1dd17-9f27-78f6-9abd-d1a8ebaea6ff";
  const refused: Readonly<Record<string, readonly [body: object, status: number, code: string]>> = {
    "a private address": [{ url: "https://10.0.0.7/hook", events: ALL }, 422, "target_forbidden"],
    "an address in disguise": [{ url: "https://167772167/hook", events: ALL }, 422, "target_forbidden"],
    "plain http": [{ url: "http://hooks.example/x", events: ALL }, 400, "invalid_request"],
    "no address": [{ url: "hooks", events: ALL }, 400, "invalid_request"],
    "a password": [{ url: "https://a:b@hooks.example/", events: ALL }, 400, "invalid_request"],
    "no event": [{ url: "https://hooks.example/", events: [] }, 400, "invalid_request"],
    "an unknown event": [{ url: "https://hooks.example/", events: ["all"] }, 400, "invalid_request"],
    "an event of failures without its prefix": [
      { url: "https://hooks.example/", events: ["sync.failed"] },
      400,
      "invalid_request",
    ],
    "a NUL": [{ url: "https://hooks.example/\u0000x", events: ALL }, 400, "invalid_request"],
    "a missing slash": [{ url: "https:hooks.example/x", events: ALL }, 400, "invalid_request"],
    "half a character": [{ url: "https://hooks.example/\ud800", events: ALL }, 400, "invalid_request"],
    "no url": [{ events: ALL }, 400, "invalid_request"],
  };
  for (const [what, [body, status, code]] of Object.entries(refused)) {
    test(`with ${what} are refused with the reason`, async () => {
      const shop = await api.openShop();

      const problem = assertProblem(await post(shop, "", body), status, code as "invalid_request");

      assert.ok(problem.detail.length > 20);
      assert.deepEqual(dataOf(await shop.call("/api/v1/webhooks")), { webhooks: [] });
    });
  }

  test("are listed, rotated and sent again only with ids and numbers that the schemas allow", async () => {
    const shop = await api.openShop();
    for (const query of ["limit=0", "limit=101", "limit=1.5", "webhook_id=one"])
      assertProblem(await shop.call(`/api/v1/webhooks/deliveries?${query}`), 400, "invalid_request");
    for (const overlap_s of [-1, 604_801, 1.5])
      assertProblem(await post(shop, "/rotate", { id: newId(), overlap_s }), 400, "invalid_request");
    for (const body of [
      { delivery_id: "x" },
      { since: "2026-12-31T23:59:60Z" },
      { since: SINCE, webhook_id: URN },
    ])
      assertProblem(await post(shop, "/deliveries/resend", body), 400, "invalid_request");
    const removal = { method: "DELETE", body: { id: "one" } } as const;
    assertProblem(await shop.call("/api/v1/webhooks", removal), 400, "invalid_request");
  });

  test("need the scope write to be created and read to be listed", async () => {
    const shop = await api.openShop();
    const asReader = { authorization: `Bearer ${shop.readKey}` };

    assert.equal((await shop.call("/api/v1/webhooks", { headers: asReader })).status, 200);
    for (const path of ["", "/test", "/rotate", "/deliveries/resend"]) {
      const answer = await shop.call(`/api/v1/webhooks${path}`, {
        method: "POST",
        headers: asReader,
        body: {},
      });
      assertProblem(answer, 403, "insufficient_scope");
    }
  });
});

test("an endpoint gets another address or other events, and keeps its secret and what waits for it", () =>
  withReceiver(async ({ on, url, received, requests }) => {
    const shop = await api.openShop(mugs(1));
    const patch = (body: object) => shop.call("/api/v1/webhooks", { method: "PATCH", body });
    const { id, secret } = await register(shop, on("/old", reply(500)), ["sync.completed"]);
    await shop.sync();
    const waiting = await until(async () => {
      const [delivery] = await deliveries(shop, "?state=pending");
      return delivery?.attempts.length === 1 && delivery;
    }, "the first attempt to fail");

    const changed = dataOf<{ url: string; events: string[] }>(
      await patch({ id, url: url("/new"), events: ["audit.completed"] }),
    );
    assert.deepEqual([changed.url, changed.events], [url("/new"), ["audit.completed"]]);
    await post(shop, "/deliveries/resend", { delivery_id: waiting.id });
    await received(2);
    const [, resent] = requests;
    assert.ok(resent?.path === "/new");
    verify(resent, secret);
    assert.deepEqual(dataOf<typeof changed>(await patch({ id, events: ALL })).url, url("/new"));

    assertProblem(await patch({ id }), 400, "invalid_request");
    assertProblem(await patch({ id, events: [] }), 400, "invalid_request");
    assertProblem(await patch({ id, url: "http://hooks.example/x" }), 400, "invalid_request");
    assertProblem(await patch({ id, url: "https://10.0.0.7/hook" }), 422, "target_forbidden");
    assertProblem(await patch({ id: shop.sourceId, events: ALL }), 404, "not_found");
  }));

test("after a rotation either secret verifies, until an overlap of 0 ends both old ones", () =>
  withReceiver(async ({ url, requests }) => {
    const shop = await api.openShop();
    const { id, secret } = await register(shop, url("/hook"));

    const first = dataOf<{ secret: string; previous_secret_until: string | null }>(
      await post(shop, "/rotate", { id }),
    );
    await post(shop, "/test", { id });
    // Receivers were promised a day; only a rotation without overlap may take that back.
    assertProblem(await post(shop, "/rotate", { id, overlap_s: 3_600 }), 409, "conflict");
    const second = dataOf<typeof first>(await post(shop, "/rotate", { id, overlap_s: 0 }));
    await post(shop, "/test", { id });

    const [during, afterwards] = requests;
    assert.ok(during && afterwards);
    for (const good of [secret, first.secret]) verify(during, good);
    verify(afterwards, second.secret);
    for (const old of [secret, first.secret]) assert.throws(() => verify(afterwards, old));
    assert.ok(Date.parse(first.previous_secret_until ?? "") > Date.now());
    assert.equal(second.previous_secret_until, null);
    assertProblem(await post(shop, "/rotate", { id, overlap_s: 604_801 }), 400, "invalid_request");
  }));

test("a test event is sent at once, signed, and the answer has its result", () =>
  withReceiver(async ({ url, on, requests }) => {
    const shop = await api.openShop();
    const good = await register(shop, url("/good"));
    const bad = await register(shop, on("/bad", reply(503, { body: "busy" })));

    const arrived = dataOf<{ delivered: boolean; attempt: Record<string, unknown> }>(
      await post(shop, "/test", { id: good.id }),
    );
    const refused = dataOf<typeof arrived>(await post(shop, "/test", { id: bad.id }));

    assert.deepEqual([arrived.delivered, arrived.attempt["status"]], [true, 200]);
    assert.deepEqual(
      [refused.delivered, refused.attempt["status"], refused.attempt["error"], refused.attempt["answer"]],
      [false, 503, "http", "busy"],
    );
    verify(requests[0] ?? assert.fail(), good.secret);
    assert.equal(bodyOf(requests[0] ?? assert.fail()).event, "webhook.test");
    const states = (await deliveries(shop, "?event=webhook.test")).map(({ state }) => state);
    assert.deepEqual(states.toSorted(), ["dead", "delivered"]);
    const { webhooks } = dataOf<{ webhooks: { id: string; status: string }[] }>(
      await shop.call("/api/v1/webhooks"),
    );
    assert.equal(webhooks.find(({ id }) => id === bad.id)?.status, "failing");
  }));

test("the log has every attempt and the next due time, in pages; a dead delivery is resent with its id", () =>
  withReceiver(async ({ on, requests, received }) => {
    const shop = await api.openShop(mugs(1));
    const { id } = await register(shop, on("/hook", reply(500), reply(500), reply(500), reply(200)));
    await shop.sync();
    const waiting = await until(async () => {
      const all = await deliveries(shop, "?state=pending");
      return all.length === 3 && all.every(({ attempts }) => attempts.length === 1) && all;
    }, "three first attempts to have failed");
    for (const { attempts, next_attempt_at, webhook_id } of waiting) {
      assert.deepEqual([webhook_id, attempts[0]?.status, attempts[0]?.error], [id, 500, "http"]);
      const started = Date.now();
      assert.ok(Date.parse(next_attempt_at ?? "") - started <= 60_000);
    }
    const page = dataOf<{ deliveries: Delivery[]; next_cursor: string }>(
      await shop.call("/api/v1/webhooks/deliveries?limit=2"),
    );
    const rest = await deliveries(shop, `?limit=2&cursor=${page.next_cursor}`);
    assert.deepEqual([...page.deliveries, ...rest], waiting);
    const { webhooks } = dataOf<{ webhooks: { deliveries: object }[] }>(await shop.call("/api/v1/webhooks"));
    assert.deepEqual(
      webhooks.map(({ deliveries: counts }) => counts),
      [{ pending: 3, dead: 0 }],
    );

    const [one] = waiting;
    assert.deepEqual(dataOf(await post(shop, "/deliveries/resend", { delivery_id: one?.id })), { resent: 1 });

    await received(4);
    const done = await until(async () => (await deliveries(shop, "?state=delivered"))[0], "the delivery");
    assert.equal(done.id, one?.id);
    assert.deepEqual(
      done.attempts.map(({ number, status }) => [number, status]),
      [
        [1, 500],
        [2, 200],
      ],
    );
    assert.deepEqual(dataOf(await shop.call(`/api/v1/webhooks/deliveries/${done.id}`)), done);
    const other = await api.openShop();
    assertProblem(await other.call(`/api/v1/webhooks/deliveries/${done.id}`), 404, "not_found");
    const ids = requests.map(({ headers }) => headers["webhook-id"]);
    assert.ok(ids.slice(0, 3).includes(ids[3]));
    const since = new Date(Date.now() - 60_000).toISOString();
    assert.deepEqual(dataOf(await post(shop, "/deliveries/resend", { since })), { resent: 0 });
    const impossible = "2026-12-31T23:59:60Z";
    for (const body of [{}, { delivery_id: one?.id, since }, { since: impossible }]) {
      assertProblem(await post(shop, "/deliveries/resend", body), 400, "invalid_request");
    }
    assertProblem(await post(shop, "/deliveries/resend", { delivery_id: id }), 404, "not_found");
  }));

test("a webhook that was disabled after days of failures needs attention, and works again when it is enabled", () =>
  withReceiver(async ({ url }) => {
    const shop = await api.openShop(mugs(2));
    const { id } = await register(shop, url("/"), ["sync.completed"]);
    await api.db.execute(sql`
      update webhook_endpoints set failing_since = now() - interval '6 days', last_failure = 'It answered with status 500.',
                                   disabled_at = now(), disabled_by = 'failures' where id = ${id}`);
    const attention = async () => {
      type Status = { attention: { code: string; message: string }[] };
      const { attention: found } = dataOf<Status>(await shop.call("/api/v1/catalog/status"));
      return found.filter(({ code }) => code.startsWith("webhook_"));
    };
    type Listed = { enabled: boolean; status: string; disabled_by: string | null };
    const patch = (enabled: boolean) =>
      shop.call("/api/v1/webhooks", { method: "PATCH", body: { id, enabled } });

    assert.equal((await shop.sync()).status, 200);
    const [problem] = await attention();
    assert.equal(problem?.code, "webhook_disabled");
    assert.match(problem.message, /was disabled .* after five days without a successful delivery/);
    assert.deepEqual(
      (await deliveries(shop)).map(({ state, attempts }) => [state, attempts.length]),
      [["discarded", 0]],
    );

    const { enabled, status, disabled_by } = dataOf<Listed>(await patch(true));
    assert.deepEqual([enabled, status, disabled_by], [true, "active", null]);
    assert.deepEqual(await attention(), []);
    const since = new Date(Date.now() - 60_000).toISOString();
    assert.deepEqual(dataOf(await post(shop, "/deliveries/resend", { since })), { resent: 1 });
    await until(async () => (await deliveries(shop, "?state=delivered")).length === 1, "the missed event");

    // A person who disables a webhook needs no notice of it.
    assert.equal(dataOf<Listed>(await patch(false)).disabled_by, "request");
    assert.deepEqual(await attention(), []);
  }));
