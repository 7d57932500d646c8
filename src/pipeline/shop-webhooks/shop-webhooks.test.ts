/**
 * Webhooks of shops, for every shop system: registered, checked and removed by us; a request only makes a sync read the
 * product.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { until, waitLimit } from "../../../test/actions.ts";
import { closeAfterTests } from "../../../test/close-after.ts";
import { type AnyShop, SHOPS } from "../../../test/fakes/any-shop.ts";
import { type Connected, connectShop } from "../../../test/connect-shop.ts";
import { installation } from "../../../test/installation.ts";
import { removeSource, updateSource } from "../../setup/sources.ts";
import { changedProducts, noteChangedProducts } from "../../store/changed-products.ts";
import { findSource, lockSource } from "../../store/sources.ts";
import type { JobDeps } from "../job.ts";
import { enqueueDueRuns } from "../maintenance.ts";
import { requestSync, waitForRun } from "../requests.ts";
import { maintainShopWebhooks } from "./register.ts";

/** Renders are not what this is about. */
const home = closeAfterTests(await installation({ hasRenders: false }));
const deps: JobDeps = { ...home.jobs, baseUrl: "https://feeds.test" };

/** A source that was synced once. */
async function connect(shop: AnyShop, settings: Record<string, string> = {}): Promise<Connected> {
  const { catalog, source } = await connectShop(home, shop, { settings });
  const text = "update sources set next_sync_at = now() + interval '1 hour' where id = $1";
  await home.db.execute({ text, values: [source] });
  await fullSync({ catalog, source });
  return { catalog, source };
}

async function fullSync({ catalog, source }: Connected): Promise<void> {
  await finished(await requestSync(home.db, { catalogId: catalog.id, sourceId: source, cause: "request" }));
}

const finished = async (runId: string) => {
  const { db, notices } = home;
  return waitForRun({ db, notices, signal: waitLimit() }, runId);
};

const maintain = (): Promise<void> => maintainShopWebhooks(deps, waitLimit());

/** As if a day had passed. */
async function nextDay({ source }: Pick<Connected, "source">): Promise<void> {
  const text = "update shop_webhooks set next_check_at = now() where source_id = $1 or source_id is null";
  await home.db.execute({ text, values: [source] });
  await maintain();
}

const stateOf = async ({ source }: Connected) => (await findSource(home.db, source))?.shopWebhooks;

async function edit({ source }: Connected, change: Parameters<typeof updateSource>[3]): Promise<void> {
  await home.db.tx(async (tx) => {
    const row = await lockSource(tx, source);
    assert.ok(row);
    await updateSource(tx, home.jobs.encryption, row, change);
  });
}

const pathOf = (shop: AnyShop): string => new URL(shop.hooks()[0]?.url ?? "").pathname;

async function send(path: string, { headers, body }: ReturnType<AnyShop["report"]>): Promise<number> {
  const sent = { "content-type": "application/json", ...headers };
  return (await fetch(`${home.url}${path}`, { method: "POST", headers: sent, body })).status;
}

async function syncReported({ catalog, source }: Connected) {
  const text = "update changed_products set noted_at = noted_at - interval '1 minute' where source_id = $1";
  await home.db.execute({ text, values: [source] });
  const earlier = "update runs set finished_at = finished_at - interval '1 minute' where source_id = $1";
  await home.db.execute({ text: earlier, values: [source] });
  await enqueueDueRuns(home);
  const { id } = await until(
    async () =>
      home.db.first<{ id: string }>({
        text: "select id from runs where catalog_id = $1 and cause = 'webhook' order by created_at desc limit 1",
        values: [catalog.id],
      }),
    "the sync of what was reported",
  );
  return finished(id);
}

for (const [name, open] of Object.entries(SHOPS)) {
  describe(`webhooks of a ${name} shop`, () => {
    test("are registered once after the first sync, and a report makes a sync read the product", async () => {
      await using shop = await open(12);
      const connected = await connect(shop);
      await maintain();
      const registered = shop.hooks();
      await nextDay(connected);
      assert.deepEqual(shop.hooks(), registered);
      assert.ok(registered.length > 0);
      assert.equal((await stateOf(connected))?.status, "active");
      shop.edit({ kind: "price", product: 5, price: 77 });
      shop.edit({ kind: "delete", product: 6 });

      for (const product of [5, 5, 6]) assert.equal(await send(pathOf(shop), shop.report(product)), 200);
      const { stats } = await syncReported(connected);

      assert.ok(Number(stats["upserted"]) === 1 && Number(stats["removed"]) > 0, JSON.stringify(stats));
      assert.ok(Number(stats["not_read"]) > 10);
      assert.deepEqual(await changedProducts(home.db, connected.source, 10), []);
    });

    for (const rejected of [26, 120]) {
      test(`cost the requests of one product, also in a shop with ${rejected} rejected products`, async () => {
        await using shop = await open(150);
        const connected = await connect(shop);
        await maintain();
        const costOf = async (price: number) => {
          const before = shop.requests();
          shop.edit({ kind: "price", product: 1, price });
          assert.equal(await send(pathOf(shop), shop.report(1)), 200);
          const { stats } = await syncReported(connected);
          return { stats, requests: shop.requests() - before };
        };
        const { requests } = await costOf(71);
        for (let product = 10; product < 10 + rejected; product += 1) shop.edit({ kind: "unprice", product });
        await fullSync(connected);

        const one = await costOf(72);
        shop.edit({ kind: "price", product: 10, price: 73 });
        assert.equal(await send(pathOf(shop), shop.report(10)), 200);
        const corrected = await syncReported(connected);

        assert.equal(one.requests, requests);
        assert.equal(one.stats["rejected"], rejected);
        assert.equal(corrected.stats["rejected"], rejected - 1);
        assert.equal(corrected.stats["upserted"], 1);
      });
    }

    test("are refused with a wrong signature, and with an address that is none", async () => {
      await using shop = await open(2);
      const connected = await connect(shop);
      await maintain();
      const { headers, body } = shop.report(1);
      const changed = Object.fromEntries(Object.entries(headers).map(([key, text]) => [key, `${text}x`]));
      const path = pathOf(shop);

      assert.equal(await send(path, { headers: changed, body }), 401);
      assert.equal(await send(path, { headers: {}, body }), 401);
      if (shop.kind !== "bigcommerce") assert.equal(await send(path, { headers, body: `${body} ` }), 401);
      assert.equal(await send(`/shop-webhooks/${connected.source}`, { headers, body }), 404);
      assert.equal(await send("/shop-webhooks/x", { headers, body }), 404);
      assert.deepEqual(await changedProducts(home.db, connected.source, 10), []);
    });

    test("that the shop switched off or lost are registered again", async () => {
      await using shop = await open(2);
      const connected = await connect(shop);
      await maintain();
      const before = shop.hooks().length;
      shop.stopHooks();

      await nextDay(connected);

      assert.equal(shop.hooks().length, before);
      assert.ok(shop.hooks().every(({ isActive }) => isActive));
    });

    test("are removed when the source is switched off, and registered again when it is switched on", async () => {
      await using shop = await open(2);
      const connected = await connect(shop);
      await maintain();

      await edit(connected, { settings: { webhooks: "no" } });
      await maintain();
      assert.deepEqual(shop.hooks(), []);
      assert.equal(await stateOf(connected), null);

      await edit(connected, { settings: { webhooks: "yes" } });
      // The changed source is read in full first.
      const { catalog, source } = connected;
      await finished(
        await requestSync(home.db, { catalogId: catalog.id, sourceId: source, cause: "request" }),
      );
      await maintain();
      assert.ok(shop.hooks().length > 0);
    });

    test("are removed with the source; what the shop still sends is not found", async () => {
      await using shop = await open(2);
      const { source } = await connect(shop);
      await maintain();
      const [path, report] = [pathOf(shop), shop.report(1)];

      await removeSource(home.db, source);

      assert.equal(await send(path, report), 404);
      await nextDay({ source });
      assert.deepEqual(shop.hooks(), []);
    });

    test("are off without the permission, with a sentence that says so, and syncs go on", async () => {
      await using shop = await open(2);
      shop.forbidHooks();
      const connected = await connect(shop);

      await maintain();

      const state = await stateOf(connected);
      assert.equal(state?.status, "off");
      assert.match(state?.message ?? "", /may not register|does not let/);
      const { catalog, source } = connected;
      const run = await requestSync(home.db, { catalogId: catalog.id, sourceId: source, cause: "request" });
      assert.equal((await finished(run)).state, "succeeded");
    });
  });
}

test("without an https address, webhooks are off and the source says why", async () => {
  await using shop = await (SHOPS["Shopify"] ?? assert.fail())(2);
  const connected = await connect(shop);

  await maintainShopWebhooks(home.jobs, waitLimit());

  assert.deepEqual(shop.hooks(), []);
  assert.match((await stateOf(connected))?.message ?? "", /BASE_URL is http:\/\/feeds.test/);
});

test("with an access token and no API secret key, webhooks are off and the source says why", async () => {
  await using shop = await (SHOPS["Shopify"] ?? assert.fail())(2);
  const connected = await connect(shop, { api_secret: "" });

  await maintain();

  assert.match((await stateOf(connected))?.message ?? "", /api_secret is missing/);
});

test("a product that is reported during its read is read again", async () => {
  await using shop = await (SHOPS["BigCommerce"] ?? assert.fail())(4);
  const connected = await connect(shop);
  await noteChangedProducts(home.db, connected.source, ["1001"]);
  const text = "update changed_products set noted_at = now() + interval '30 seconds' where source_id = $1";
  await home.db.execute({ text, values: [connected.source] });
  const { catalog, source } = connected;

  await finished(await requestSync(home.db, { catalogId: catalog.id, sourceId: source, cause: "request" }));

  assert.deepEqual(await changedProducts(home.db, source, 10), ["1001"]);
});

test("more reports than are worth single reads make one full read", async () => {
  await using shop = await (SHOPS["Shopify"] ?? assert.fail())(4);
  const connected = await connect(shop);
  const many = Array.from({ length: 300 }, (_, index) => String(index));
  await noteChangedProducts(home.db, connected.source, many);

  const { stats } = await syncReported(connected);

  assert.equal(stats["not_read"], 0);
  assert.deepEqual(await changedProducts(home.db, connected.source, 10), []);
});
