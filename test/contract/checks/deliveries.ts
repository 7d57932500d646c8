/** What a receiver gets, and what follows from its answers. The checks of retries take 60 to 90 seconds. */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { dataOf } from "../api.ts";
import { FORMATS, plainRows } from "../catalogs.ts";
import type { Check } from "../check.ts";
import { assertFilesHave, fetchFiles } from "../feed-files.ts";
import { assertDelivery } from "../hub.ts";
import type { Delivery, Receiver, Reply } from "../hub.ts";
import { EVENTS } from "../scenario.ts";
import type { Catalog } from "../set-up.ts";
import { assertRun, assertUuid } from "../shapes.ts";
import { assertSigned } from "../signature.ts";

const addPlainSource = async ({ hub, addSource }: Catalog): Promise<string> =>
  addSource(hub.feed(FORMATS["full CSV"](plainRows(2))).url);

/**
 * The first retry follows after one minute; a sender that looks for due retries every few seconds is somewhat later.
 */
const RETRY_MS = { min: 58_000, max: 75_000 };
const RETRY_LIMIT_MS = 90_000;
/** A sender gives up after 10 seconds, and not much later. */
const TIMEOUT_MS = { min: 9_000, max: 13_000 };

const isBetween = (value: number, { min, max }: { min: number; max: number }): boolean =>
  value >= min && value <= max;

/**
 * One receiver for each reply: the first attempt gets the reply, the retry succeeds. Resolves with the first attempts.
 */
async function assertRetried({ api, hub }: Catalog, replies: readonly Reply[]): Promise<readonly Delivery[]> {
  const endpoints = await Promise.all(
    replies.map(async (reply) => {
      const receiver = hub.receiver((_delivery, nth) => (nth === 1 ? reply : { status: 200 }));
      return { reply, receiver, secret: (await api.register(receiver.url, ["feeds.rendered"])).secret };
    }),
  );
  dataOf(await api.renderFeeds());
  return Promise.all(
    endpoints.map(async ({ reply, receiver, secret }) => {
      const first = await receiver.waitFor("first attempt", () => true);
      const retry = await receiver.waitFor("retry", (delivery) => delivery !== first, RETRY_LIMIT_MS);
      const waited = retry.arrivedAt - (reply === "hang" ? (first.abandonedAt ?? 0) : first.arrivedAt);
      assert.ok(isBetween(waited, RETRY_MS), `${JSON.stringify(reply)}: the retry came after ${waited} ms`);
      assert.ok(retry.rawBody.equals(first.rawBody), "the retry has the same body");
      for (const attempt of [first, retry]) assertDelivery(attempt, secret);
      await sleep(2_000);
      assert.equal(receiver.deliveries.length, 2, "nothing follows a success");
      return first;
    }),
  );
}

/** Every one of these answers is a delivery, so that no retry follows. */
async function assertNotRetried({ api, hub }: Catalog, replies: readonly Reply[]): Promise<void> {
  const receivers: Receiver[] = replies.map((reply) => hub.receiver(() => reply));
  for (const { url } of receivers) await api.register(url, ["feeds.rendered"]);
  dataOf(await api.renderFeeds());
  for (const receiver of receivers) await receiver.waitFor("delivery", () => true);
  await sleep(RETRY_MS.max + 10_000);
  for (const { deliveries } of receivers) {
    assert.equal(deliveries.length, 1, "a delivery that was answered with 2xx is not repeated");
  }
}

export const RETRIES: readonly Check[] = [
  {
    id: "deliveries-retry-status",
    title:
      "a delivery that is not answered with 2xx is sent again after one minute, whatever the status and its headers",
    run: async ({ withCatalog }) =>
      withCatalog(async (catalog) => {
        const replies: readonly Reply[] = [
          { status: 500 },
          { status: 404 },
          { status: 410 },
          { status: 302, headers: { location: "/elsewhere" } },
          { status: 429, headers: { "retry-after": "1" } },
        ];
        await assertRetried(catalog, replies);
      }),
  },
  {
    id: "deliveries-retry-connection",
    title: "a delivery whose connection breaks is sent again after one minute",
    run: async ({ withCatalog }) =>
      withCatalog(async (catalog) => {
        await assertRetried(catalog, ["reset"]);
      }),
  },
  {
    id: "deliveries-timeout",
    title: "an attempt without an answer ends after 10 seconds and is repeated one minute later",
    run: async ({ withCatalog }) =>
      withCatalog(async (catalog) => {
        const [first] = await assertRetried(catalog, ["hang"]);
        assert.ok(first?.abandonedAt, "the sender closed the connection");
        const open = first.abandonedAt - first.arrivedAt;
        assert.ok(isBetween(open, TIMEOUT_MS), `the attempt ended after ${open} ms`);
      }),
  },
  {
    id: "deliveries-no-retry",
    title: "a delivery that is answered with any 2xx, at once or after 7 seconds, is not sent again",
    run: async ({ withCatalog }) =>
      withCatalog(async (catalog) =>
        assertNotRetried(catalog, [
          { status: 200 },
          { status: 201 },
          { status: 204 },
          { status: 200, afterMs: 7_000 },
        ]),
      ),
  },
];

export const DELIVERIES: readonly Check[] = [
  {
    id: "deliveries-format",
    title: "a sync sends one signed delivery of each event in the form of the contract",
    run: async ({ withCatalog }) =>
      withCatalog(async (catalog) => {
        const { api, hub } = catalog;
        const receiver = hub.receiver();
        const { secret } = await api.register(receiver.url, EVENTS);
        const sourceId = await addPlainSource(catalog);
        dataOf(await api.sync(sourceId));
        for (const event of EVENTS) {
          const delivery = await receiver.waitFor(event, ({ body }) => body.event === event);
          assertDelivery(delivery, secret);
          assert.ok(Math.abs(delivery.arrivedAt - Date.parse(delivery.body.created_at)) < 300_000);
        }
      }),
  },
  {
    id: "deliveries-audit",
    title: "audit.completed has the run id, the score as an integer, and the grade",
    run: async ({ withCatalog }) =>
      withCatalog(async (catalog) => {
        const { api, hub } = catalog;
        const receiver = hub.receiver();
        await api.register(receiver.url, ["audit.completed"]);
        dataOf(await api.sync(await addPlainSource(catalog)));
        const { body } = await receiver.waitFor("audit.completed", () => true);
        assertUuid(body.data["run_id"], "data.run_id");
        assert.ok(Number.isInteger(body.data["catalog_score"]), "catalog_score is an integer");
        assert.equal(typeof body.data["grade"], "string");
        assert.notEqual(body.data["grade"], "");
      }),
  },
  {
    id: "deliveries-every-sync",
    title: "every successful sync is followed by one sync.completed, and by a render and an audit of its own",
    run: async ({ withCatalog }) =>
      withCatalog(async (catalog) => {
        const { api, hub } = catalog;
        const sourceId = await addPlainSource(catalog);
        dataOf(await api.sync(sourceId));
        const receiver = hub.receiver();
        await api.register(receiver.url, EVENTS);
        const used = new Set<Delivery>();
        for (let time = 0; time < 5; time += 1) {
          const { run_id: runId } = dataOf(await api.sync(sourceId)) as { run_id: string };
          const run = (await api.getSyncs()).find(({ run_id: id }) => id === runId);
          for (const event of EVENTS) {
            const isNew = (delivery: Delivery) =>
              delivery.body.event === event &&
              delivery.body.created_at >= (run?.started_at ?? "") &&
              !used.has(delivery);
            used.add(await receiver.waitFor(`${event} of sync ${time + 1}`, isNew));
          }
        }
        const completed = receiver.deliveries.filter(({ body }) => body.event === "sync.completed");
        assert.equal(completed.length, 5, "one sync.completed for each sync");
      }),
  },
  {
    id: "deliveries-subscriptions",
    title: "an endpoint receives only the events that it is registered for",
    run: async ({ withCatalog }) =>
      withCatalog(async (catalog) => {
        const { api, hub } = catalog;
        const receivers = EVENTS.map((event) => ({ event, receiver: hub.receiver() }));
        for (const { event, receiver } of receivers) await api.register(receiver.url, [event]);
        const sourceId = await addPlainSource(catalog);
        dataOf(await api.sync(sourceId));
        dataOf(await api.sync(sourceId));
        for (const { event, receiver } of receivers) await receiver.waitFor(event, () => true);
        await sleep(1_000);
        for (const { event, receiver } of receivers) {
          assert.deepEqual([...new Set(receiver.deliveries.map(({ body }) => body.event))], [event]);
        }
      }),
  },
  {
    id: "deliveries-signature",
    title: "a signature verifies the raw body with the whole secret of its endpoint, and nothing else",
    run: async ({ withCatalog }) =>
      withCatalog(async (catalog) => {
        const { api, hub } = catalog;
        const receiver = hub.receiver();
        const { secret } = await api.register(receiver.url, ["sync.completed"]);
        const { secret: other } = await api.register(hub.receiver().url, ["sync.completed"]);
        assert.notEqual(secret, other, "every endpoint has a secret of its own");
        dataOf(await api.sync(await addPlainSource(catalog)));
        const delivery = await receiver.waitFor("sync.completed", () => true);
        const signed = {
          header: String(delivery.headers["x-service-signature"]),
          rawBody: delivery.rawBody,
          receivedAt: delivery.arrivedAt,
        };
        assertSigned(signed, secret);
        assert.throws(() => assertSigned(signed, other));
        assert.throws(() => assertSigned(signed, secret.slice("whsec_".length)));
        assert.throws(() =>
          assertSigned({ ...signed, rawBody: Buffer.concat([delivery.rawBody, Buffer.from(" ")]) }, secret),
        );
        assert.throws(() => assertSigned({ ...signed, receivedAt: signed.receivedAt + 400_000 }, secret));
      }),
  },
  {
    id: "deliveries-scheduled",
    title: "a sync that no call has triggered is followed by sync.completed, too",
    run: async ({ withCatalog }) =>
      withCatalog(async (catalog) => {
        const { api, hub } = catalog;
        const receiver = hub.receiver();
        const { secret } = await api.register(receiver.url, EVENTS);
        await addPlainSource(catalog);
        for (const event of EVENTS) {
          assertDelivery(await receiver.waitFor(event, ({ body }) => body.event === event), secret);
        }
      }),
  },
  {
    id: "deliveries-push",
    title:
      "a catalog push is a run without a source, is in all four files, and is followed by the three events",
    run: async ({ withCatalog }) =>
      withCatalog(async ({ api, hub, push }) => {
        const receiver = hub.receiver();
        const { secret } = await api.register(receiver.url, EVENTS);
        await push(plainRows(3));
        const [run] = await api.getSyncs();
        assert.ok(run);
        assertRun(run);
        assert.deepEqual([run.source_id, run.status], [null, "succeeded"]);
        for (const event of EVENTS) {
          assertDelivery(await receiver.waitFor(event, ({ body }) => body.event === event), secret);
        }
        assertFilesHave(await fetchFiles((await api.getFeeds()).feeds), plainRows(3));
      }),
  },
];
