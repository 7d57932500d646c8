/** Registering, listing and deleting webhooks. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { dataOf } from "../api.ts";
import { FORMATS, plainRows } from "../catalogs.ts";
import type { Check } from "../check.ts";
import { EVENTS } from "../scenario.ts";
import { assertUuid } from "../shapes.ts";

export const WEBHOOKS: readonly Check[] = [
  {
    id: "webhooks-register",
    title: "a registration answers with the id, the url, the events, and a secret with the prefix whsec_",
    run: async ({ withCatalog }) =>
      withCatalog(async ({ api, hub }) => {
        for (const events of [...EVENTS.map((event) => [event]), [...EVENTS]]) {
          const { url } = hub.receiver();
          const webhook = await api.register(url, events);
          assertUuid(webhook.id, "id");
          assert.equal(webhook.url, url);
          assert.deepEqual([...webhook.events].sort(), [...events].sort());
          assert.match(webhook.secret, /^whsec_.{16,}$/);
        }
      }),
  },
  {
    id: "webhooks-list",
    title: "GET /webhooks lists every endpoint with its id, url and events, and never a secret",
    run: async ({ withCatalog }) =>
      withCatalog(async ({ api, hub }) => {
        const made = [];
        for (const event of EVENTS) made.push(await api.register(hub.receiver().url, [event]));
        const { text } = await api.call("GET", "/webhooks");
        assert.ok(!text.includes("whsec_"), "no secret is listed");
        for (const { secret } of made) assert.ok(!text.includes(secret.slice("whsec_".length)));
        const listed = (await api.getWebhooks()).map(({ id, url, events }) => ({ id, url, events }));
        const expected = made.map(({ id, url, events }) => ({ id, url, events }));
        const byId = (a: { id: string }, b: { id: string }) => a.id.localeCompare(b.id);
        assert.deepEqual([...listed].sort(byId), [...expected].sort(byId));
      }),
  },
  {
    id: "webhooks-delete",
    title: "DELETE /webhooks removes the endpoint that its JSON body names, which gets no further event",
    run: async ({ withCatalog }) =>
      withCatalog(async ({ api, hub, addSource }) => {
        const [kept, removed] = [hub.receiver(), hub.receiver()];
        await api.register(kept.url, ["sync.completed"]);
        const { id } = await api.register(removed.url, ["sync.completed"]);
        dataOf(await api.callJson("DELETE", "/webhooks", { id }));
        assert.deepEqual(
          (await api.getWebhooks()).map(({ url }) => url),
          [kept.url],
        );
        dataOf(await api.sync(await addSource(hub.feed(FORMATS.JSON(plainRows(1))).url)));
        await kept.waitFor("sync.completed", ({ body }) => body.event === "sync.completed");
        assert.equal(removed.deliveries.length, 0);
        for (const gone of [id, randomUUID()]) {
          assert.equal((await api.callJson("DELETE", "/webhooks", { id: gone })).status, 404);
        }
        for (const body of [{}, { id: "hook" }]) {
          assert.equal((await api.callJson("DELETE", "/webhooks", body)).status, 400);
        }
      }),
  },
  {
    id: "webhooks-invalid",
    title: "a registration with an unknown event, without events, or without a usable url answers 400",
    run: async ({ withCatalog }) =>
      withCatalog(async ({ api, hub }) => {
        const { url } = hub.receiver();
        const bodies = [
          { url, events: ["sync.started"] },
          { url, events: ["sync.failed"] },
          { url, events: ["render.failed"] },
          { url, events: ["sync.completed", "unknown"] },
          { url, events: ["*"] },
          { url, events: [] },
          { url, events: "sync.completed" },
          { url },
          { events: ["sync.completed"] },
          { url: "receiver", events: ["sync.completed"] },
          { url: "ftp://receiver.example/hook", events: ["sync.completed"] },
        ];
        for (const body of bodies) {
          assert.equal((await api.callJson("POST", "/webhooks", body)).status, 400, JSON.stringify(body));
        }
        assert.deepEqual(await api.getWebhooks(), []);
      }),
  },
  {
    id: "webhooks-https",
    title: "a public endpoint must have an https url",
    run: async ({ withCatalog }) =>
      withCatalog(async ({ api }) => {
        const body = { url: "http://203.0.113.9/hook", events: ["sync.completed"] };
        const { status } = await api.callJson("POST", "/webhooks", body);
        assert.ok(status >= 400 && status < 500, `http is refused, not answered ${status}`);
      }),
  },
];
