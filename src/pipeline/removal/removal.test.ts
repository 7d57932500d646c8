import assert from "node:assert/strict";
import { test } from "node:test";
import { readFeeds, render, runsOf, startWorker, sync, until, untilRun } from "../../../test/actions.ts";
import { articles, openShop } from "../../../test/fakes/shop.ts";
import { installation } from "../../../test/installation.ts";
import { AppError } from "../../errors.ts";
import { removeCatalog } from "../../setup/remove-catalog.ts";
import { removeSource } from "../../setup/sources.ts";
import { findCatalog, listCatalogs, lockItems } from "../../store/catalogs.ts";
import { lockRemovedSource, removeSourceBatch, REMOVAL_BATCH } from "../../store/removals.ts";
import { claimRun } from "../../store/run-claims.ts";
import { findRun } from "../../store/runs.ts";
import { findSource, listSources } from "../../store/sources.ts";
import { sql } from "../../store/sql.ts";
import { newId } from "../../lib/id.ts";
import { enqueueDueRuns } from "../maintenance.ts";
import { closeAfterTests } from "../../../test/close-after.ts";

const home = closeAfterTests(await installation({ hasWorker: false }));

const BODY = JSON.stringify({
  id: "x",
  title: "Mug",
  link: "https://shop.example/x",
  price: { amount: "5.00", currency: "USD" },
});

/** A catalog of two sources with alternating items, `count` of each: by default two batches. */
async function seedCatalog(count = REMOVAL_BATCH) {
  const catalog = await home.createCatalog();
  const url = "https://shop.example/feed.csv";
  const [gone, stays] = [await home.addFeed(catalog.id, url), await home.addFeed(catalog.id, url)];
  for (const [sourceId, name] of [
    [gone, "a"],
    [stays, "b"],
  ] as const) {
    await home.db.execute(sql`
      insert into items (catalog_id, id, source_id, fingerprint, sort_key, body)
      select ${catalog.id}::uuid, lpad(n::text, 8, '0') || ${name}::text, ${sourceId}::uuid, '\\x00', n::text, ${BODY}
        from generate_series(1, ${count}::int) n`);
    await home.db.execute(sql`update sources set item_count = ${count} where id = ${sourceId}`);
  }
  await home.db.execute(sql`update catalogs set item_count = ${2 * count} where id = ${catalog.id}`);
  return { catalog, gone, stays, count };
}

/** With its queued render, which would write feeds of all these items in a later test. */
async function deleteCatalog(id: string): Promise<void> {
  await home.db.execute(sql`delete from items where catalog_id = ${id}`);
  await home.db.execute(sql`delete from catalogs where id = ${id}`);
}

const countItems = async (catalogId: string) => {
  const [row] = await home.db.query<{ all: number; gone: number; left: number }>(sql`
    select count(*) as all, count(*) filter (where is_left_behind) as left,
           count(*) filter (where source_id is not null
                              and source_id not in (select id from sources)) as gone
      from items where catalog_id = ${catalogId}`);
  return row;
};

const removals = () => home.db.query(sql`select id from removed_sources`);

for (const fate of ["keep", "remove"] as const) {
  test(`removing a source of many items (${fate}) answers at once, and a run goes over them`, async () => {
    const { catalog, gone, stays, count } = await seedCatalog();

    const { runId, removed, kept } = await removeSource(home.db, gone, fate);

    assert.equal(fate === "keep" ? kept : removed, count);
    assert.equal(await findSource(home.db, gone), undefined);
    assert.deepEqual(
      (await listSources(home.db, catalog.id)).map(({ id }) => id),
      [stays],
    );
    assert.equal((await countItems(catalog.id))?.gone, count);
    await using worker = startWorker(home, { options: { slots: { sync: 0, render: 0, removal: 1 } } });
    const run = await untilRun(home.db, runId ?? "", "succeeded", "failed");
    await worker.stop();

    assert.equal(run.state, "succeeded");
    const left = fate === "keep" ? 2 * count : count;
    assert.deepEqual(run.stats, fate === "keep" ? { items_kept: count } : { items_removed: count });
    assert.deepEqual(await countItems(catalog.id), { all: left, left: left - count, gone: 0 });
    assert.equal((await findCatalog(home.db, catalog.id))?.itemCount, left);
    assert.deepEqual(await removals(), []);
    const renders = (await runsOf(home.db, catalog.id)).filter(({ kind }) => kind === "render");
    assert.equal(renders.length, fate === "keep" ? 0 : 1);
    await deleteCatalog(catalog.id);
  });
}

test("a removal whose worker was killed is continued by another one, and its numbers are whole", async () => {
  const { catalog, gone, count } = await seedCatalog();
  const { runId } = await removeSource(home.db, gone, "remove");
  // One batch, by a worker that is never heard of again.
  assert.equal((await claimRun(home.db, { owner: newId(), leaseMs: 1 }, { kinds: ["removal"] }))?.id, runId);
  await home.db.tx(async (tx) => {
    await lockItems(tx, catalog.id);
    const removal = await lockRemovedSource(tx, gone);
    assert.ok(removal);
    assert.equal(await removeSourceBatch(tx, removal), true);
  });
  const halfway = await countItems(catalog.id);

  await using worker = startWorker(home, { options: { slots: { sync: 0, render: 0, removal: 1 } } });
  const run = await untilRun(home.db, runId ?? "", "succeeded", "failed");
  await worker.stop();

  assert.equal(halfway?.gone, count - REMOVAL_BATCH / 2);
  assert.deepEqual(run.stats, { items_removed: count });
  assert.deepEqual(await countItems(catalog.id), { all: count, left: 0, gone: 0 });
  assert.equal((await findCatalog(home.db, catalog.id))?.itemCount, count);
  await deleteCatalog(catalog.id);
});

test("a removal whose run failed is queued again later", async () => {
  const { catalog, gone } = await seedCatalog(REMOVAL_BATCH / 2);
  const { runId } = await removeSource(home.db, gone, "keep");
  await home.db.execute(sql`
    update runs set state = 'failed', finished_at = now() - interval '11 minutes' where id = ${runId}`);
  await home.db.execute(sql`update removed_sources set created_at = now() - interval '1 hour'`);

  await enqueueDueRuns(home);
  await enqueueDueRuns(home);

  const open = (await runsOf(home.db, catalog.id)).filter(
    ({ state, kind }) => state === "queued" && kind === "removal",
  );
  assert.equal(open.length, 1);
  await deleteCatalog(catalog.id);
});

test("removing a source does not wait for a merge that locks the catalog", async () => {
  const catalog = await home.createCatalog();
  const id = await home.addFeed(catalog.id, "https://shop.example/feed.csv");

  const removed = await home.db.tx(async (tx) => {
    await lockItems(tx, catalog.id);
    return removeSource(home.db, id, "remove");
  });

  assert.notEqual(removed.runId, null);
  await deleteCatalog(catalog.id);
});

test("a batch reads no more items than its size, whatever their owner", async () => {
  const { catalog, gone } = await seedCatalog(REMOVAL_BATCH / 2);
  await removeSource(home.db, gone, "remove");

  await home.db.tx(async (tx) => {
    const removal = await lockRemovedSource(tx, gone);
    assert.ok(removal);
    await removeSourceBatch(tx, removal, 100);
    assert.equal((await lockRemovedSource(tx, gone))?.handled, 50);
  });

  await deleteCatalog(catalog.id);
});

/** Every table that has rows of the catalog. */
async function tablesWith(catalogId: string): Promise<readonly string[]> {
  const tables = await home.db.query<{ name: string }>(sql`
    select table_name as name from information_schema.columns
     where table_schema = current_schema() and column_name = 'catalog_id'`);
  const found: string[] = [];
  for (const { name } of tables) {
    const text = `select 1 from ${name} where catalog_id = $1 limit 1`;
    if ((await home.db.query({ text, values: [catalogId] })).length > 0) found.push(name);
  }
  return found;
}

test("a removed catalog is hidden at once, and then all its rows are deleted", async () => {
  await using parts = new AsyncDisposableStack();
  const shop = parts.use(await openShop());
  shop.stock(articles(30));
  const [catalog, other] = [await home.createCatalog(), await home.createCatalog()];
  const feeds = {
    [catalog.id]: await home.addFeed(catalog.id, shop.url),
    [other.id]: await home.addFeed(other.id, shop.url),
  };
  const worker = startWorker(home);
  for (const one of [catalog, other]) assert.equal((await sync(home, one, feeds[one.id] ?? "")).status, 200);
  await worker.stop();
  const before = await tablesWith(other.id);
  const files = (await readFeeds(home, catalog)).files;
  assert.equal(files["acp.csv"]?.status, 200);

  const { items, runId } = await removeCatalog(home.db, catalog.id);

  assert.equal(items, 30);
  assert.equal(await findCatalog(home.db, catalog.id), undefined);
  assert.equal(
    (await listCatalogs(home.db)).some(({ id }) => id === catalog.id),
    false,
  );
  assert.equal((await render(home, catalog)).status, 401);
  await assert.rejects(
    removeCatalog(home.db, catalog.id),
    (error) => error instanceof AppError && error.code === "not_found",
  );
  await using again = startWorker(home);
  await until(async () => (await findRun(home.db, runId)) === undefined, "the catalog to be gone");
  await again.stop();

  assert.deepEqual(await tablesWith(catalog.id), []);
  assert.deepEqual(await tablesWith(other.id), before);
  assert.equal((await readFeeds(home, other)).files["acp.csv"]?.status, 200);
});
