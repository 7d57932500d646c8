/**
 * Products that a shop deletes without a date or a webhook are found by an hourly check, and removed by a sync that
 * confirms it.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { waitLimit } from "../../../test/actions.ts";
import { closeAfterTests } from "../../../test/close-after.ts";
import { type Connected, connectShop } from "../../../test/connect-shop.ts";
import { type AnyShop, SHOPS } from "../../../test/fakes/any-shop.ts";
import { product, variableProduct, variation } from "../../../test/fakes/woocommerce-rows.ts";
import { KEYS, wooShop } from "../../../test/fakes/woocommerce-shop.ts";
import { installation } from "../../../test/installation.ts";
import { changedProducts } from "../../store/changed-products.ts";
import { findSource } from "../../store/sources.ts";
import { enqueueDueRuns } from "../maintenance.ts";
import { requestSync, waitForRun } from "../requests.ts";
import { checkDueSources } from "./check.ts";
import { describeDeletions } from "./describe.ts";

/** Renders are not what this is about. */
const home = closeAfterTests(await installation({ hasRenders: false }));
const { db, notices } = home;

async function connect(shop: Pick<AnyShop, "kind" | "settings">): Promise<Connected> {
  const connected = await connectShop(home, shop as AnyShop);
  const { catalog, source } = connected;
  await db.execute({
    text: "update sources set next_sync_at = now() + interval '1 hour' where id = $1",
    values: [source],
  });
  const request = { catalogId: catalog.id, sourceId: source, cause: "request" } as const;
  await waitForRun({ db, notices, signal: waitLimit() }, await requestSync(db, request));
  return connected;
}

/** As if an hour had passed. */
async function check({ source }: Connected) {
  const text = "update sources set next_deletion_check_at = now() where id = $1";
  await db.execute({ text, values: [source] });
  await checkDueSources(home.jobs, waitLimit());
  const noted = await changedProducts(db, source, 1_000);
  return { noted: noted.toSorted(), check: (await findSource(db, source))?.deletionCheck };
}

/** The sync of what was noted; undefined if nothing was. */
async function syncNoted({ source }: Connected) {
  const text = "update changed_products set noted_at = noted_at - interval '1 minute' where source_id = $1";
  await db.execute({ text, values: [source] });
  await enqueueDueRuns(home);
  const queued =
    "select id from runs where source_id = $1 and cause = 'webhook' order by created_at desc limit 1";
  const run = await db.first<{ id: string }>({ text: queued, values: [source] });
  return run && (await waitForRun({ db, notices, signal: waitLimit() }, run.id));
}

const methodOf = (shop: AnyShop): string => (shop.kind === "shopify" ? "events" : "id_listing");

for (const [name, open] of Object.entries(SHOPS)) {
  describe(`deleted products of a ${name} shop`, () => {
    test("are found by a check, and removed by a sync that reads them", async () => {
      await using shop = await open(12);
      const connected = await connect(shop);
      shop.erase(5);

      const { noted, check: result } = await check(connected);
      const run = await syncNoted(connected);

      assert.deepEqual(noted, ["1005"]);
      assert.equal(result?.method, methodOf(shop));
      assert.equal(run?.state, "succeeded");
      assert.ok(Number(run?.stats["removed"]) > 0 && Number(run?.stats["not_read"]) > 0);
      assert.deepEqual((await check(connected)).noted, []);
    });

    test("are found by a listing of ids if the shop does not say what was deleted", async () => {
      await using shop = await open(12);
      shop.forbidEvents();
      const connected = await connect(shop);
      shop.erase(5);

      const { noted, check: result } = await check(connected);

      assert.deepEqual(noted, ["1005"]);
      assert.equal(result?.method, "id_listing");
    });

    test("are none if the shop lists nothing", async () => {
      await using shop = await open(12);
      shop.forbidEvents();
      const connected = await connect(shop);
      shop.emptyLists();

      const { noted, check: result } = await check(connected);

      assert.deepEqual(noted, []);
      assert.match(
        result?.message ?? "",
        /^12 of 12 products are missing from the shop's list\. That is more than 50 %/,
      );
      assert.equal(await syncNoted(connected), undefined);
    });

    test("stop being listed as rejected", async () => {
      await using shop = await open(6);
      shop.edit({ kind: "unprice", product: 0 });
      const connected = await connect(shop);
      shop.erase(0);

      assert.deepEqual((await check(connected)).noted, ["1000"]);
      assert.equal((await syncNoted(connected))?.stats["rejected"], 0);
    });
  });
}

test("a listing that lacks a product which the shop still has removes nothing, and reports it once", async () => {
  await using shop = await (SHOPS["Shopify"] ?? assert.fail())(6);
  shop.forbidEvents();
  const connected = await connect(shop);
  // The item belongs to a product that the list does not have, as with a search index that lags behind.
  const text = "update items set product_key = '999' where source_id = $1 and product_key = '1003'";
  await db.execute({ text, values: [connected.source] });

  assert.deepEqual((await check(connected)).noted, ["999"]);
  await db.execute({ text: "delete from changed_products where source_id = $1", values: [connected.source] });

  assert.deepEqual((await check(connected)).noted, []);
});

test("a listing of 10,000 WooCommerce products takes 102 requests beside those that open the shop", async () => {
  await using shop = await wooShop();
  const settings = { url: shop.origin, consumer_key: KEYS.key, consumer_secret: KEYS.secret };
  const connected = await connect({ kind: "woocommerce", settings });
  shop.products = Array.from({ length: 10_000 }, (_, index) => product(index + 1));
  const before = shop.requests.length;

  await check(connected);

  const routes = shop.requests.slice(before).map(({ route }) => route);
  assert.equal(routes.filter((route) => route === "wc/v3/products").length, 102);
  assert.ok(routes.length <= 106, String(routes.length));
});

test("a variation that WooCommerce deletes without dating its product is found", async () => {
  await using shop = await wooShop();
  shop.products = [product(1), variableProduct(3, [31, 32])];
  shop.variations = [variation(31, 3), variation(32, 3)];
  const settings = { url: shop.origin, consumer_key: KEYS.key, consumer_secret: KEYS.secret };
  const connected = await connect({ kind: "woocommerce", settings });
  shop.products = [product(1), variableProduct(3, [31])];
  shop.variations = [variation(31, 3)];

  assert.deepEqual((await check(connected)).noted, ["3"]);
  assert.equal((await syncNoted(connected))?.stats["removed"], 1);
});

test("a shop that cannot be listed is asked again an hour later, and the source says why", async () => {
  await using shop = await (SHOPS["BigCommerce"] ?? assert.fail())(3);
  const connected = await connect(shop);
  await shop[Symbol.asyncDispose]();

  const { noted, check: result } = await check(connected);
  const source = await findSource(db, connected.source);
  assert.ok(source);
  const { found_by, detail } = describeDeletions(source, {});

  assert.deepEqual([noted, result?.method, found_by], [[], null, ["full_read"]]);
  assert.match(detail, /The last check for deleted products had no result: \S+ .*\.$/);
  const text =
    "select next_deletion_check_at > now() + interval '50 minutes' as later from sources where id = $1";
  assert.deepEqual(await db.first({ text, values: [connected.source] }), { later: true });
});

test("a source that is being synced is checked after the sync", async () => {
  await using shop = await (SHOPS["BigCommerce"] ?? assert.fail())(3);
  const connected = await connect(shop);
  const text = `insert into runs (id, catalog_id, source_id, kind, cause, state, due_at)
                values (gen_random_uuid(), $1, $2, 'sync', 'request', 'queued', now() + interval '1 hour')`;
  await db.execute({ text, values: [connected.catalog.id, connected.source] });

  assert.equal((await check(connected)).check, null);
});

test("a source says how deletions are found", () => {
  const active = { status: "active", message: null, checkedAt: null } as const;
  const deletionCheck = {
    method: "id_listing",
    checkedAt: "2026-11-18T10:00:00.000Z",
    everyS: 3_600,
    missing: [],
    message: null,
  } as const;

  const kind = "woocommerce";
  const key = { consumer_key: KEYS.key };
  assert.deepEqual(describeDeletions({ kind, shopWebhooks: active, deletionCheck }, key), {
    found_by: ["webhook", "id_listing", "full_read"],
    detail:
      "What the shop's webhooks report as deleted is removed within a minute. The ids of all products are listed every hour, and those that are missing are read again. Full reads find everything that was deleted.",
    checked_at: deletionCheck.checkedAt,
  });
  const rarely = { ...deletionCheck, everyS: 10_000 };
  assert.match(
    describeDeletions({ kind, shopWebhooks: null, deletionCheck: rarely }, key).detail,
    /^The ids of all products are listed every 3 hours/,
  );
  assert.match(
    describeDeletions({ kind, shopWebhooks: null, deletionCheck: null }, key).detail,
    /has not been made yet\.$/,
  );
  const withoutKey = describeDeletions({ kind, shopWebhooks: null, deletionCheck }, {});
  assert.deepEqual([withoutKey.found_by, withoutKey.checked_at], [["full_read"], null]);
});
