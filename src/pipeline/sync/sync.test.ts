/** A sync from outside: a shop's feed goes in, the API answers, the catalog and the feeds show the result. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import fc from "fast-check";
import {
  itemIds,
  itemRows,
  readFeeds,
  render,
  runsOf,
  startWorker,
  sync,
  until,
  untilRun,
} from "../../../test/actions.ts";
import { article, articles, type Marks, openShop, type Row, type Shop } from "../../../test/fakes/shop.ts";
import { installation, type Installation, type TestCatalog } from "../../../test/installation.ts";
import { newId } from "../../lib/id.ts";
import { feedFolders } from "../../files/feed-folders.ts";
import type { CatalogSettings } from "../../catalog/settings.ts";
import { updateCatalog } from "../../setup/catalogs.ts";
import { removeSource } from "../../setup/sources.ts";
import { madeId } from "../../sources/feed-url/item-ids.ts";
import type { Connector, ReadContext, SourceEvent } from "../../sources/source.ts";
import { findCatalog } from "../../store/catalogs.ts";
import type { Db } from "../../store/db.ts";
import { enqueueRun, findRun, findRunCausedBy } from "../../store/runs.ts";
import { findSource } from "../../store/sources.ts";
import { requestSync } from "../requests.ts";
import type { SyncStats } from "../../contract/syncs.ts";
import { cases } from "../../../test/long.ts";

/** A new catalog with one feed, whose shop is closed when the test ends. */
async function openCatalog(home: Installation): Promise<
  AsyncDisposable & {
    readonly shop: Shop;
    readonly catalog: TestCatalog;
    readonly source: string;
  }
> {
  const shop = await openShop();
  const catalog = await home.createCatalog();
  const source = await home.addFeed(catalog.id, shop.url);
  // The clock's own first sync of a new source would come between.
  await home.db.execute({ text: "update sources set next_sync_at = now() + interval '1 hour'", values: [] });
  return { shop, catalog, source, [Symbol.asyncDispose]: () => shop[Symbol.asyncDispose]() };
}

/** A new catalog with two feeds. */
async function openTwoSources() {
  const given = await openCatalog(home);
  const other = await openShop();
  const second = await home.addFeed(given.catalog.id, other.url);
  return {
    ...given,
    other,
    second,
    async [Symbol.asyncDispose]() {
      await given[Symbol.asyncDispose]();
      await other[Symbol.asyncDispose]();
    },
  };
}

async function allowRemoving(db: Db, source: string, ratio: number): Promise<void> {
  await db.execute({
    text: "update sources set max_removed_ratio = $2 where id = $1",
    values: [source, ratio],
  });
}

const readAcpCsv = async (catalog: TestCatalog): Promise<string> =>
  (await readFeeds(home, catalog)).files["acp.csv"]?.text ?? "";

/** What a run must not have touched. */
async function whole(home: Installation, catalog: TestCatalog, source: string) {
  const { snapshot, itemCount, publishedRunId } = (await findCatalog(home.db, catalog.id)) ?? {};
  return {
    rows: await itemRows(home.db, catalog.id),
    catalog: { snapshot, itemCount, publishedRunId },
    validators: (await findSource(home.db, source))?.validators,
    feeds: await readFeeds(home, catalog),
    renders: (await runsOf(home.db, catalog.id)).filter(({ kind }) => kind === "render").length,
  };
}

let home: Awaited<ReturnType<typeof installation>>;
before(async () => {
  home = await installation();
});
after(() => home[Symbol.asyncDispose]());

describe("the ledger", () => {
  const anyRow = fc.record({
    id: fc.constantFrom("", "a", "b", "c", "d", "e"),
    title: fc.constantFrom("", "Lamp", "Chair"),
    price: fc.constantFrom("", "1.00 USD", "2.00 USD", "cheap", "3.00 XXQ"),
    link: fc.constantFrom("https://shop.example/p", "https://shop.example/q", "javascript:alert(1)", ""),
    // Keeps a row of empty cells from being no row at all.
    brand: fc.constant("Acme"),
  });

  const isGood = ({ title, price }: Row): boolean =>
    title !== "" && /^\d/.test(price ?? "") && !price?.endsWith("XXQ");

  /** A row without an id gets one that is made of its page, or of its title if it has no link. */
  const idOf = ({ id, title = "", link = "" }: Row): string =>
    id || (madeId(["", URL.parse(link)?.pathname ?? title], ["", "", "", ""]) ?? "");

  test("adds up for any feed and any change of it, and the catalog equals the feed", async () => {
    await using home = await installation({ hasRenders: false });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(anyRow, { maxLength: 9 }), { minLength: 1, maxLength: 3 }),
        async (pulls) => {
          await using given = await openCatalog(home);
          const { shop, catalog, source } = given;
          let had = new Map<string, string>();
          for (const rows of pulls) {
            shop.stock(rows);
            const has = new Map<string, string>();
            for (const row of rows) {
              const id = idOf(row);
              if (isGood(row) && !has.has(id)) has.set(id, JSON.stringify(row));
            }
            const stayed = [...has].filter(([id]) => had.has(id));
            const unchanged = stayed.filter(([id, row]) => had.get(id) === row).length;

            const { status, data } = await sync(home, catalog, source);

            if (rows.length > 0 && has.size === 0) {
              // Not one good item: nothing is believed, and nothing is taken away.
              assert.equal(status, 422);
              assert.deepEqual(await itemIds(home.db, catalog.id), [...had.keys()].sort());
              continue;
            }
            assert.equal(status, 200);
            const { seen, upserted, rejected, removed } = data.stats;
            assert.deepEqual(
              { seen, upserted, unchanged: data.stats.unchanged, rejected, removed },
              {
                seen: rows.length,
                upserted: has.size - unchanged,
                unchanged,
                rejected: rows.length - has.size,
                removed: had.size - stayed.length,
              },
            );
            assert.equal(data.stats.rejections.length, rejected);
            const reasons = Object.values(data.stats.rejection_codes);
            assert.equal(
              reasons.reduce((sum, count) => sum + count, 0),
              rejected,
            );
            assert.deepEqual(await itemIds(home.db, catalog.id), [...has.keys()].sort());
            had = has;
          }
        },
      ),
      { numRuns: cases(12) },
    );
  });

  test("counts every rejection and lists the first hundred", async () => {
    await using given = await openCatalog(home);
    given.shop.stock([...articles(130, { price: "" }), article("good")]);

    const { data } = await sync(home, given.catalog, given.source);

    assert.equal(data.stats.rejected, 130);
    assert.deepEqual(
      data.stats.rejections.map(({ position }) => position),
      Array.from({ length: 100 }, (_, i) => i + 1),
    );
  });

  test("a first sync of an empty source succeeds with a warning", async () => {
    await using given = await openCatalog(home);
    given.shop.stock([]);

    const { status, data } = await sync(home, given.catalog, given.source);

    assert.equal(status, 200);
    assert.equal(data.stats.seen, 0);
    assert.equal(data.stats.warnings, 1);
    assert.deepEqual(data.stats.warning_codes, { empty_source: 1 });
    assert.equal((await readFeeds(home, given.catalog)).lastRender?.stats["items"], 0);
  });
});

describe("a first pull of which every row is rejected", () => {
  test("fails with the most common reason, the counts and an example, and keeps the numbers", async () => {
    await using given = await openCatalog(home);
    const { shop, catalog, source } = given;
    const hidden = { published: "false" };
    shop.stock([
      ...articles(3, hidden),
      ...Array.from({ length: 1_200 }, (_, i) => article(`b${i}`, { price: "ask us" })),
      article("c", { title: "", permanent_address: "x" }),
    ]);

    const { status, code, detail = "", run_id } = await sync(home, catalog, source);

    assert.deepEqual([status, code], [422, "source_all_rejected"]);
    assert.match(
      detail,
      /^All 1,204 rows were rejected: 1,200 × invalid_price \(.*\), 1 × missing_title \(The item has no title\.\), 3 × unpublished \(.*\)\. For example item 4: The price "ask us" .*\. Nothing was changed\. .*sync again; .* not known and not used: "permanent_address"\.$/,
    );
    const run = await findRun(home.db, run_id ?? "");
    const stats = run?.stats as SyncStats;
    assert.deepEqual(stats.rejection_codes, { unpublished: 3, invalid_price: 1_200, missing_title: 1 });
    assert.equal((await readFeeds(home, catalog)).lastRender, null);
  });

  test("succeeds with a warning if all of them are drafts", async () => {
    await using given = await openCatalog(home);
    given.shop.stock(articles(3, { published: "false" }));

    const { status, data } = await sync(home, given.catalog, given.source);

    assert.equal(status, 200);
    assert.deepEqual(data.stats.rejection_codes, { unpublished: 3 });
    assert.deepEqual(data.stats.warning_codes, { nothing_published: 1 });
    assert.match(data.stats.warning_examples[0]?.message ?? "", /all 3 items as draft/);
  });

  test("is retried: once a row is valid the source has items", async () => {
    await using given = await openCatalog(home);
    given.shop.stock([article("a", { price: "" })], { etag: '"v1"' });
    const first = await sync(home, given.catalog, given.source);

    given.shop.stock([article("a")], { etag: '"v2"' });
    const second = await sync(home, given.catalog, given.source);

    assert.equal(first.code, "source_all_rejected");
    assert.match(first.detail ?? "", /^The only row was rejected: 1 × missing_price/);
    assert.equal(second.data.stats.upserted, 1);
  });
});

describe("a feed that has not changed", () => {
  const ways: readonly (readonly [string, Marks, number])[] = [
    ["as its ETag says", { etag: '"v1"' }, 304],
    ["as its date says", { lastModified: "Mon, 09 Nov 2026 08:00:00 GMT" }, 304],
    ["as its bytes say", {}, 200],
  ];
  for (const [how, marks, status] of ways) {
    test(`${how}, costs no write to any item, and its numbers are those of the last read`, async () => {
      await using given = await openCatalog(home);
      const { shop, catalog, source } = given;
      const rows = [article("a"), article("b", { title: "" }), article("c", { gtin: "123" }), article("a")];
      shop.stock(rows, marks);
      const first = await sync(home, catalog, source);
      const before = await whole(home, catalog, source);

      const second = await sync(home, catalog, source);
      const third = await sync(home, catalog, source);

      const { data } = first;
      assert.deepEqual(shop.answers, [200, status, status]);
      assert.equal(data.stats.rejected, 2);
      assert.ok(data.stats.warnings > 0);
      const expected = { ...data.stats, upserted: 0, unchanged: 2 };
      assert.deepEqual(second.data.stats, expected);
      assert.deepEqual(third.data.stats, expected);
      const now = await whole(home, catalog, source);
      assert.deepEqual(now.rows, before.rows);
      assert.equal(now.catalog.snapshot, before.catalog.snapshot);
      assert.deepEqual(now.validators, before.validators);
      assert.deepEqual(now.feeds.files, before.feeds.files);
    });
  }

  test("that comes with other bytes but the same items costs no write either", async () => {
    await using given = await openCatalog(home);
    const { shop, catalog, source } = given;
    shop.stock([article("a"), article("b")]);
    await sync(home, catalog, source);
    const before = await itemRows(home.db, catalog.id);

    shop.stock([article("b"), article("a")]);
    const { data } = await sync(home, catalog, source);

    assert.equal(data.stats.unchanged, 2);
    assert.deepEqual(await itemRows(home.db, catalog.id), before);
  });
});

describe("settings of the catalog that change while the file does not", () => {
  const change = async (
    catalog: TestCatalog,
    set: CatalogSettings,
    unset: (keyof CatalogSettings)[] = [],
  ) => {
    const row = await findCatalog(home.db, catalog.id);
    assert.ok(row);
    await updateCatalog(home.db, row, { set, unset });
  };

  test("add values that were not used without them: the store URL completes links", async () => {
    await using given = await openCatalog(home);
    const { shop, catalog, source } = given;
    await change(catalog, {}, ["storeUrl"]);
    shop.stock([...articles(6, { link: "/p/x" }), article("whole")], { etag: '"v1"' });
    const first = await sync(home, catalog, source);
    assert.deepEqual([first.data.stats.upserted, first.data.stats.warning_codes], [7, { invalid_url: 6 }]);

    await change(catalog, { storeUrl: "https://shop.example" });
    const second = await sync(home, catalog, source);
    const third = await sync(home, catalog, source);

    assert.deepEqual(second.data.stats.warning_codes, {});
    assert.equal(second.data.stats.upserted, 6);
    assert.deepEqual(shop.answers, [200, 200, 304]);
    assert.equal(third.data.stats.unchanged, 7);
  });

  test("change what the same rows mean: prices without a currency", async () => {
    await using given = await openCatalog(home);
    const { shop, catalog, source } = given;
    shop.stock([article("a", { price: "10.00" }), article("b")], { etag: '"v1"' });
    await change(catalog, { currency: "EUR" });
    await sync(home, catalog, source);

    await change(catalog, { currency: "CHF" });
    const { data } = await sync(home, catalog, source);

    assert.deepEqual([data.stats.upserted, data.stats.unchanged], [1, 1]);
    const bodies = await home.db.query<{ body: string }>({
      text: "select body from items where catalog_id = $1 and id = 'a'",
      values: [catalog.id],
    });
    assert.match(bodies[0]?.body ?? "", /"price":\{"amount":"10.00","currency":"CHF"\}/);
  });

  test("also apply when they are changed back", async () => {
    await using given = await openCatalog(home);
    const { shop, catalog, source } = given;
    shop.stock([article("a", { link: "/p/a" }), article("b")], { etag: '"v1"' });
    await change(catalog, { storeUrl: "https://shop.example" });
    await sync(home, catalog, source);

    await change(catalog, {}, ["storeUrl"]);
    const { data } = await sync(home, catalog, source);

    assert.deepEqual(data.stats.warning_codes, { invalid_url: 1 });
    assert.deepEqual([data.stats.upserted, data.stats.unchanged], [1, 1]);
  });

  test("a read of an older version without a settings hash is not reused", async () => {
    await using given = await openCatalog(home);
    const { shop, catalog, source } = given;
    shop.stock([article("a"), article("b", { title: "" })], { etag: '"v1"' });
    await sync(home, catalog, source);
    await home.db.execute({
      text: `update sources set validators = validators - 'read.context' where id = $1`,
      values: [source],
    });
    await home.db.execute({
      text: `update runs set stats = stats - 'rejection_codes' where source_id = $1`,
      values: [source],
    });

    const { status, data } = await sync(home, catalog, source);

    assert.equal(status, 200);
    assert.deepEqual(data.stats.rejection_codes, { missing_title: 1 });
    assert.deepEqual(shop.answers, [200, 200]);
  });
});

describe("a pull that would take much away", () => {
  const cases: readonly {
    title: string;
    had: number;
    has: number;
    ratio?: number;
    isRefused: boolean;
  }[] = [
    { title: "a loss of exactly half of 26 is accepted", had: 26, has: 13, isRefused: false },
    { title: "a loss of one more than half of 26 is refused", had: 26, has: 12, isRefused: true },
    { title: "a loss of 12 of 25 is accepted", had: 25, has: 13, isRefused: false },
    { title: "a loss of 13 of 25 is refused", had: 25, has: 12, isRefused: true },
    { title: "an empty feed after 25 items is refused", had: 25, has: 0, isRefused: true },
    { title: "an empty feed after 24 items is accepted", had: 24, has: 0, isRefused: false },
    { title: "a source with the ratio 0 may lose nothing", had: 25, has: 24, ratio: 0, isRefused: true },
    { title: "a source with the ratio 1 may lose everything", had: 25, has: 0, ratio: 1, isRefused: false },
  ];
  for (const { title, had, has, ratio, isRefused } of cases) {
    test(title, async () => {
      await using given = await openCatalog(home);
      const { shop, catalog, source } = given;
      shop.stock(articles(had), { etag: '"full"' });
      await sync(home, catalog, source);
      if (ratio !== undefined) await allowRemoving(home.db, source, ratio);
      const before = await whole(home, catalog, source);

      shop.stock(articles(has));
      const answer = await sync(home, catalog, source);

      assert.equal(answer.status, isRefused ? 422 : 200);
      if (isRefused) {
        assert.equal(answer.code, "catalog_collapsed");
        assert.match(answer.detail ?? "", new RegExp(`remove ${had - has} of the source's ${had} items`));
        assert.equal((await findRun(home.db, answer.run_id ?? ""))?.error?.code, "catalog_collapsed");
        assert.deepEqual(await whole(home, catalog, source), before);
      } else {
        assert.equal(answer.data.stats.removed, had - has);
        assert.equal((await itemRows(home.db, catalog.id)).length, has);
      }
    });
  }

  test("has the rejections in its message", async () => {
    await using given = await openCatalog(home);
    const { shop, catalog, source } = given;
    shop.stock(articles(30));
    await sync(home, catalog, source);

    shop.stock([...articles(2), ...articles(30, { price: "" }).slice(2, 29), article("a30", { title: "" })]);
    const most = await sync(home, catalog, source);
    shop.stock([...articles(29, { price: "" }), article("a30", { title: "" })]);
    const all = await sync(home, catalog, source);

    assert.equal(most.code, "catalog_collapsed");
    assert.match(
      most.detail ?? "",
      /remove 28 of the source's 30 items.* Of 30 items 28 were rejected: 27 × missing_price \(The item has no price\.\), 1 × missing_title/,
    );
    assert.equal(all.code, "source_all_rejected");
    assert.match(all.detail ?? "", /^All 30 items were rejected, .*29 × missing_price .*, 1 × missing_title/);
  });

  test("is limited by the source's own items, not by the whole catalog", async () => {
    await using given = await openTwoSources();
    const { shop, catalog, source, other, second } = given;
    shop.stock(articles(40));
    other.stock(Array.from({ length: 25 }, (_, i) => article(`other-${i}`)));
    await sync(home, catalog, source);
    await sync(home, catalog, second);

    other.stock([article("other-0")]);
    const answer = await sync(home, catalog, second);

    assert.equal(answer.code, "catalog_collapsed");
    assert.equal((await itemRows(home.db, catalog.id)).length, 65);
  });
});

describe("an id that is used twice", () => {
  test("in one file belongs to its first row; the others are rejected with id and position", async () => {
    await using given = await openCatalog(home);
    given.shop.stock([article("a", { title: "First" }), article("b"), article("a", { title: "Second" })]);

    const { data } = await sync(home, given.catalog, given.source);

    assert.deepEqual(data.stats.rejections, [
      {
        item_id: "a",
        position: 3,
        field: "id",
        code: "duplicate_item_id",
        message: 'The id "a" is already used by an item of the file; ids must be unique in a catalog.',
      },
    ]);
    const feed = await readAcpCsv(given.catalog);
    assert.ok(feed.includes("First") && !feed.includes("Second"), feed);
  });

  test("in two sources belongs to the one that had it first", async () => {
    await using given = await openTwoSources();
    const { shop, catalog, source, other, second } = given;
    shop.stock([article("shared", { title: "Mine" })]);
    other.stock([article("own"), article("shared", { title: "Theirs" })]);
    await sync(home, catalog, source);

    const { data } = await sync(home, catalog, second);

    assert.equal(data.stats.upserted, 1);
    assert.equal(data.stats.rejections[0]?.code, "duplicate_item_id");
    assert.match(data.stats.rejections[0]?.message ?? "", /another source of this catalog/);
    const feed = await readAcpCsv(catalog);
    assert.ok(feed.includes("Mine") && !feed.includes("Theirs"), feed);
  });

  test("is free for the other source once its owner is removed, though the other's file never changed", async () => {
    await using given = await openTwoSources();
    const { shop, catalog, source, other, second } = given;
    shop.stock([article("shared")]);
    other.stock([article("own"), article("shared")], { etag: '"same"' });
    await sync(home, catalog, source);
    await sync(home, catalog, second);
    assert.deepEqual(await itemIds(home.db, catalog.id), ["own", "shared"]);

    await removeSource(home.db, source);
    const { data } = await sync(home, catalog, second);

    assert.equal(data.stats.upserted, 1);
    assert.equal(data.stats.rejected, 0);
    assert.deepEqual(await itemIds(home.db, catalog.id), ["own", "shared"]);
  });

  test("is free for the other source also if its owner is removed while the other is found unchanged", async () => {
    await using given = await openTwoSources();
    const { shop, catalog, source, other, second } = given;
    shop.stock([article("shared")]);
    other.stock([article("shared")], { etag: '"same"' });
    await sync(home, catalog, source);
    await sync(home, catalog, second);

    const hold = other.holdNext();
    const meanwhile = sync(home, catalog, second);
    await hold.reached;
    await removeSource(home.db, source);
    hold.release();
    await meanwhile;
    const { data } = await sync(home, catalog, second);

    assert.equal(data.stats.upserted, 1);
    assert.deepEqual(await itemIds(home.db, catalog.id), ["shared"]);
  });
});

describe("a sync that fails", () => {
  test("changes neither items nor feeds, has a reason, and queues no render", async () => {
    await using given = await openCatalog(home);
    const { shop, catalog, source } = given;
    shop.stock(articles(3), { etag: '"v1"' });
    await sync(home, catalog, source);
    const before = await whole(home, catalog, source);

    shop.breakDown(404);
    const answer = await sync(home, catalog, source);

    assert.equal(answer.status, 422);
    assert.equal(answer.code, "source_not_found");
    const run = await findRun(home.db, answer.run_id ?? "");
    assert.deepEqual(
      { state: run?.state, code: run?.error?.code },
      { state: "failed", code: "source_not_found" },
    );
    assert.equal(await findRunCausedBy(home.db, answer.run_id ?? ""), undefined);
    assert.deepEqual(await whole(home, catalog, source), before);
  });

  test("because its source was removed meanwhile adds no items", async () => {
    await using given = await openCatalog(home);
    const { shop, catalog, source } = given;
    shop.stock(articles(3));
    await sync(home, catalog, source);
    shop.stock(articles(4));

    const hold = shop.holdNext();
    const syncing = sync(home, catalog, source);
    await hold.reached;
    const { removed } = await removeSource(home.db, source);
    hold.release();
    const answer = await syncing;

    assert.equal(removed, 3);
    assert.equal(answer.status, 422);
    assert.equal(answer.code, "unknown_source");
    assert.deepEqual(await itemIds(home.db, catalog.id), []);
    assert.equal((await findCatalog(home.db, catalog.id))?.itemCount, 0);
  });
});

/** A connector that returns the events of the test. */
function connectorOf(read: (context: ReadContext) => AsyncGenerator<SourceEvent, void, void>): {
  readonly feed_url: Connector;
} {
  const feed_url: Connector = {
    kind: "feed_url",
    label: "Told by a test",
    fields: [],
    check: () => [],
    destination: () => "",
    read: (_settings, context) => read(context),
  };
  return { feed_url };
}

const draft = (position: number, id = `a${position}`): SourceEvent => ({
  kind: "draft",
  position,
  draft: { id, title: "Lamp", link: "https://shop.example/p", price: "1.00", currency: "USD" },
});
const end = (expected: number | null): SourceEvent => ({ kind: "end", validators: null, expected });

describe("a connector's word", () => {
  let quiet: Awaited<ReturnType<typeof installation>>;
  before(async () => {
    quiet = await installation({ hasWorker: false });
  });
  after(() => quiet[Symbol.asyncDispose]());

  const cases: readonly { title: string; events: readonly SourceEvent[]; says: RegExp | null }[] = [
    {
      title: "of more items than arrived fails the sync",
      events: [draft(1), draft(2), end(3)],
      says: /says it has 3 items, but 2 arrived/,
    },
    {
      title: "of fewer items than arrived fails the sync",
      events: [draft(1), draft(2), end(1)],
      says: /says it has 1 item, but 2 arrived/,
    },
    { title: "that all items arrived succeeds", events: [draft(1), draft(2), end(2)], says: null },
    { title: "may have no total", events: [draft(1), end(null)], says: null },
    {
      title: "without an end event fails the sync",
      events: [draft(1), draft(2)],
      says: /stopped before its list was complete/,
    },
  ];
  for (const { title, events, says } of cases) {
    test(title, async () => {
      const catalog = await quiet.createCatalog();
      const source = await quiet.addFeed(catalog.id, "https://shop.example/feed.csv");
      await using worker = startWorker(quiet, {
        deps: { connectors: connectorOf(() => stream(events)) },
      });

      const answer = await sync(quiet, catalog, source);
      await worker.stop();

      const stored = (await itemIds(quiet.db, catalog.id)).length;
      if (says === null) {
        assert.equal(answer.status, 200);
        assert.equal(stored, answer.data.stats.seen);
      } else {
        assert.equal(answer.status, 422);
        assert.equal(answer.code, "source_incomplete");
        assert.match(answer.detail ?? "", says);
        assert.equal(stored, 0);
      }
    });
  }

  test("is waited for less long in a sync on demand than in a scheduled one", async () => {
    const catalog = await quiet.createCatalog();
    const sourceId = await quiet.addFeed(catalog.id, "https://shop.example/feed.csv");
    const reads: unknown[] = [];
    const connectors = connectorOf(async function* read({ callerWaitMs }) {
      reads.push(typeof callerWaitMs?.() === "number");
      yield draft(1);
      yield end(1);
    });
    await using worker = startWorker(quiet, { deps: { connectors } });

    for (const cause of ["request", "command", "schedule", "webhook"] as const) {
      const id = newId();
      await enqueueRun(quiet.db, { id, catalogId: catalog.id, sourceId, kind: "sync", cause });
      await untilRun(quiet.db, id, "succeeded");
    }
    await worker.stop();

    assert.deepEqual(reads, [true, true, false, false]);
  });

  test("is waited for less long in a scheduled sync, too, once a caller waits for the source", async () => {
    const catalog = await quiet.createCatalog();
    const sourceId = await quiet.addFeed(catalog.id, "https://shop.example/feed.csv");
    const noticed = Promise.withResolvers<number>();
    const connectors = connectorOf(async function* read({ callerWaitMs = () => null }) {
      yield draft(1);
      await until(() => Promise.resolve(callerWaitMs() !== null), "a caller to wait");
      noticed.resolve(callerWaitMs() ?? 0);
      yield end(1);
    });
    await using worker = startWorker(quiet, { deps: { connectors }, options: { heartbeatMs: 20 } });
    const scheduled = newId();
    const run = { catalogId: catalog.id, sourceId, kind: "sync", reads: "changes" } as const;
    await enqueueRun(quiet.db, { id: scheduled, ...run, cause: "schedule" });
    await untilRun(quiet.db, scheduled, "running");

    const asked = await requestSync(quiet.db, { catalogId: catalog.id, sourceId, cause: "request" });

    assert.ok((await noticed.promise) >= 0);
    await untilRun(quiet.db, scheduled, "succeeded");
    await untilRun(quiet.db, asked, "succeeded");
    await worker.stop();
  });

  test("that is an unexpected error fails the sync, and the worker continues", async () => {
    const catalog = await quiet.createCatalog();
    const source = await quiet.addFeed(catalog.id, "https://shop.example/feed.csv");
    let reads = 0;
    const connectors = connectorOf(async function* read() {
      reads += 1;
      yield draft(1);
      // The first attempt and its one retry.
      if (reads <= 2) throw new TypeError("undefined is not a function, and here is a secret");
      yield end(1);
    });
    await using worker = startWorker(quiet, { deps: { connectors } });

    const failed = await sync(quiet, catalog, source);
    const next = await sync(quiet, catalog, source);
    await worker.stop();

    // The interface: a failed sync is answered with 422, whatever failed in it.
    assert.equal(failed.status, 422);
    assert.equal(failed.code, "internal");
    assert.doesNotMatch(JSON.stringify(failed), /secret/);
    assert.equal(next.status, 200);
  });

  test("that arrives while the worker stops is discarded, and the run is released", async () => {
    const catalog = await quiet.createCatalog();
    const sourceId = await quiet.addFeed(catalog.id, "https://shop.example/feed.csv");
    const reading = Promise.withResolvers<void>();
    const connectors = connectorOf(async function* read({ signal }) {
      yield draft(1);
      reading.resolve();
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      // A source that ignores the abort and continues.
      yield draft(2);
      yield end(2);
    });
    const worker = startWorker(quiet, { deps: { connectors } });
    const runId = await requestSync(quiet.db, { catalogId: catalog.id, sourceId, cause: "request" });

    await reading.promise;
    await worker.stop();

    const [run] = await runsOf(quiet.db, catalog.id);
    assert.deepEqual(run, {
      id: runId,
      kind: "sync",
      state: "queued",
      cause: "request",
      attempts: 0,
      owner: null,
    });
    assert.deepEqual(await itemIds(quiet.db, catalog.id), []);
  });
});

async function* stream(events: readonly SourceEvent[]): AsyncGenerator<SourceEvent, void, void> {
  yield* events;
}

test("a sync whose render fails has succeeded, and the old files stay published", async () => {
  await using quiet = await installation({ hasWorker: false });
  await using shop = await openShop();
  const catalog = await quiet.createCatalog();
  const source = await quiet.addFeed(catalog.id, shop.url);
  shop.stock(articles(2));
  const good = startWorker(quiet);
  await sync(quiet, catalog, source);
  await good.stop();
  const before = await readFeeds(quiet, catalog);

  // A file is in the place of this worker's feed folders.
  const inTheWay = join(quiet.dataDir, "a-file");
  await writeFile(inTheWay, "");
  await using bad = startWorker(quiet, { deps: { folders: feedFolders(inTheWay) } });
  shop.stock(articles(3));
  const synced = await sync(quiet, catalog, source);
  const rendered = await render(quiet, catalog);
  await bad.stop();

  assert.equal(synced.status, 200);
  assert.equal(synced.data.stats.upserted, 1);
  const failed = await findRunCausedBy(quiet.db, synced.data.run_id);
  assert.deepEqual([failed?.state, failed?.error?.code], ["failed", "render_failed"]);
  assert.equal(rendered.status, 422);
  assert.equal(rendered.code, "render_failed");
  assert.deepEqual(await readFeeds(quiet, catalog), before);
});

test("the statistics of a running sync are stored while it runs", async () => {
  await using given = await openCatalog(home);
  const { shop, catalog, source } = given;
  shop.stock(articles(2));
  const hold = shop.holdNext();
  const syncing = sync(home, catalog, source);
  await hold.reached;

  const [run] = await runsOf(home.db, catalog.id);
  const watched = await untilRun(home.db, run?.id ?? "", "running");
  const stats = await until(async () => {
    const { stats } = (await findRun(home.db, watched.id)) ?? {};
    return stats && "seen" in stats && stats;
  }, "the heartbeat to write numbers down");
  hold.release();
  await syncing;

  assert.equal(stats["seen"], 0);
  assert.equal((await findRun(home.db, watched.id))?.stats["seen"], 2);
});
