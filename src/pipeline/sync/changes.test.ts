/** Syncs that read only what changed leave the same catalog as syncs that read everything, for every shop system. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { waitLimit } from "../../../test/actions.ts";
import { closeAfterTests } from "../../../test/close-after.ts";
import { type AnyShop, type Edit, SHOPS } from "../../../test/fakes/any-shop.ts";
import { type Connected, connectShop } from "../../../test/connect-shop.ts";
import { installation } from "../../../test/installation.ts";
import { updateCatalog } from "../../setup/catalogs.ts";
import { findSource } from "../../store/sources.ts";
import { requestSync, waitForRun } from "../requests.ts";
import { EMPTY_STATS } from "./ledger.ts";
import { cases } from "../../../test/long.ts";

/** Renders are not what this is about. */
const home = closeAfterTests(await installation({ hasRenders: false }));

const connect = (shop: AnyShop, settings: Record<string, string> = {}): Promise<Connected> =>
  connectShop(home, shop, { settings, enabled: false, maxRemovedRatio: 1 });

const itemsOf = async ({ catalog }: Connected) =>
  home.db.query<{ id: string; product: string; body: string }>({
    text: `select id, product_key as product, fingerprint, sort_key, group_id, body, row_key
             from items where catalog_id = $1 order by id`,
    values: [catalog.id],
  });

async function synced({ catalog, source }: Connected, changesOnly: boolean) {
  const request = { catalogId: catalog.id, sourceId: source, cause: "request", changesOnly } as const;
  const runId = await requestSync(home.db, request);
  const { db, notices } = home;
  const run = await waitForRun({ db, notices, signal: waitLimit() }, runId);
  return { code: run.error?.code, stats: { ...EMPTY_STATS, ...run.stats } };
}
const full = (connected: Connected) => synced(connected, false);
const changes = (connected: Connected) => synced(connected, true);
const stateOf = async ({ source }: Connected) => (await findSource(home.db, source))?.readState;

const anyEdit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({
    kind: fc.constant("price" as const),
    product: fc.nat(5),
    price: fc.integer({ min: 1, max: 9 }),
  }),
  fc.record({
    kind: fc.constant("variants" as const),
    product: fc.nat(5),
    count: fc.integer({ min: 1, max: 3 }),
  }),
  fc.record({ kind: fc.constant("hide" as const), product: fc.nat(5) }),
  fc.record({ kind: fc.constant("show" as const), product: fc.nat(5) }),
  fc.record({ kind: fc.constant("delete" as const), product: fc.nat(5) }),
  fc.record({ kind: fc.constant("add" as const), product: fc.nat(9) }),
  // Without a price, its items are rejected.
  fc.record({ kind: fc.constant("unprice" as const), product: fc.nat(5) }),
);

for (const [name, open] of Object.entries(SHOPS)) {
  describe(`syncs of what changed in a ${name} shop`, () => {
    test("leave the catalog, the rejections and the counts of full ones, whatever is edited", async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(anyEdit, { maxLength: 4 }), { minLength: 1, maxLength: 3 }),
          async (rounds) => {
            await using shop = await open(6);
            const [partial, whole] = [await connect(shop), await connect(shop)];
            await full(partial);
            await full(whole);
            for (const edits of rounds) {
              for (const edit of edits) shop.edit(edit);
              if (shop.hidesDeletions && edits.some(({ kind }) => kind === "delete")) await full(partial);
              const some = await changes(partial);
              const all = await full(whole);

              assert.equal(some.code, all.code);
              if (all.code !== undefined) continue;
              assert.deepEqual(await itemsOf(partial), await itemsOf(whole));
              const { seen, not_read, rejected, rejection_codes } = some.stats;
              assert.equal(seen + not_read, all.stats.seen);
              assert.deepEqual(
                { rejected, rejection_codes },
                {
                  rejected: all.stats.rejected,
                  rejection_codes: all.stats.rejection_codes,
                },
              );
            }
          },
        ),
        { numRuns: cases(6) },
      );
    });

    test("read the changed products only, and count the others as not read", async () => {
      await using shop = await open(40);
      const connected = await connect(shop);
      const first = await full(connected);
      const items = first.stats.upserted;
      const before = shop.requests();
      await full(connected);
      const fullRequests = shop.requests() - before;
      shop.edit({ kind: "price", product: 7, price: 5 });

      const { stats } = await changes(connected);

      const { seen, upserted, removed, not_read } = stats;
      assert.deepEqual([upserted, removed, seen + not_read], [1, 0, items]);
      assert.ok(seen < 8, String(seen));
      assert.ok(shop.requests() - before - fullRequests <= shop.changeRequests, String(shop.requests()));
    });

    test("read everything after a change of the settings, and after the hours of the setting", async () => {
      await using shop = await open(4);
      const connected = await connect(shop);
      await full(connected);
      assert.ok((await changes(connected)).stats.not_read > 0);
      await updateCatalog(home.db, connected.catalog, { set: { country: "AT" }, unset: [] });
      assert.equal((await changes(connected)).stats.not_read, 0);
      assert.ok((await changes(connected)).stats.not_read > 0);

      const text =
        "update sources set read_state = jsonb_set(read_state, '{fullReadAt}', to_jsonb($2::text)) where id = $1";
      const longAgo = new Date(Date.now() - 25 * 3_600_000).toISOString();
      await home.db.execute({ text, values: [connected.source, longAgo] });

      assert.equal((await changes(connected)).stats.not_read, 0);
    });

    test("with full_read_hours 0 read everything", async () => {
      await using shop = await open(4);
      const connected = await connect(shop, { full_read_hours: "0" });
      await full(connected);

      assert.equal((await changes(connected)).stats.not_read, 0);
    });

    test("that fail do not move the time that the next one continues from", async () => {
      await using shop = await open(4);
      const connected = await connect(shop);
      await full(connected);
      const state = await stateOf(connected);
      shop.edit({ kind: "price", product: 1, price: 7 });
      shop.failNext();

      assert.match((await changes(connected)).code ?? "", /^source_/);
      assert.deepEqual(await stateOf(connected), state);
      const { stats } = await changes(connected);

      assert.ok(stats.upserted > 0);
      assert.notDeepEqual(await stateOf(connected), state);
    });

    test("read changes again that are dated up to ten minutes before the newest one", async () => {
      await using shop = await open(4);
      const connected = await connect(shop);
      shop.edit({ kind: "price", product: 0, price: 3 });
      await full(connected);
      // Another clock of the shop dates this change before the newest one.
      shop.edit({ kind: "price", product: 1, price: 7 }, { minutesAgo: 8 });

      assert.equal((await changes(connected)).stats.upserted, 1);
    });

    test("list the rejections of products that did not change, and read those again that did", async () => {
      await using shop = await open(6);
      const connected = await connect(shop);
      shop.edit({ kind: "unprice", product: 2 });
      shop.edit({ kind: "unprice", product: 3 });
      const first = await full(connected);
      assert.equal(first.stats.rejected, 2);
      const listed = ({ stats: { rejections } }: typeof first) =>
        rejections.map(({ item_id, code }) => `${item_id} ${code}`).sort();
      shop.edit({ kind: "price", product: 4, price: 7 });

      assert.deepEqual(listed(await changes(connected)), listed(first));
      shop.edit({ kind: "price", product: 2, price: 7 });
      const corrected = await changes(connected);

      assert.deepEqual(listed(corrected), listed(first).slice(1));
      assert.equal(corrected.stats.upserted, 1);
    });

    test("read everything if the rejections of the last read are not known", async () => {
      await using shop = await open(4);
      const connected = await connect(shop);
      await full(connected);
      const text = "update sources set rejections = null where id = $1";
      await home.db.execute({ text, values: [connected.source] });

      assert.equal((await changes(connected)).stats.not_read, 0);
    });

    test("refuse many small removals that add up to a collapse", async () => {
      await using shop = await open(20);
      const connected = await connect(shop);
      await full(connected);
      const text = "update sources set max_removed_ratio = 0.5 where id = $1";
      await home.db.execute({ text, values: [connected.source] });
      const codes: (string | undefined)[] = [];
      for (const from of [0, 5, 10]) {
        for (let product = from; product < from + 5; product += 1) shop.edit({ kind: "hide", product });
        codes.push((await changes(connected)).code);
      }

      assert.deepEqual(codes.at(-1), "catalog_collapsed");
      assert.equal(codes[0], undefined);
    });
  });
}
