/** Which renders are kept, and that what is rendered after rollbacks and decisions is what a complete render gives. */
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { render } from "../../../test/actions.ts";
import { closeAfterTests } from "../../../test/close-after.ts";
import { installation, type TestCatalog } from "../../../test/installation.ts";
import type { Item } from "../../catalog/item.ts";
import { enqueueDelivery } from "../../destinations/deliveries.sql.ts";
import { insertDestination } from "../../destinations/destinations.sql.ts";
import { DEFAULT_OPTIONS } from "../../destinations/options.ts";
import { newId } from "../../lib/id.ts";
import { findCatalog } from "../../store/catalogs.ts";
import { listFeedFiles } from "../../store/feed-files.ts";
import { findHeldRender, findRender } from "../../store/renders.ts";
import { findRun } from "../../store/runs.ts";
import { cleanUp, MAINTENANCE_DEFAULTS } from "../maintenance.ts";
import { discardRender, promoteRender } from "./decide.ts";
import { storeItems, wideItems } from "../render/stored-items.fixture.ts";
import { openComparison } from "./comparison/comparison.ts";
import { keptFolders } from "./retention.ts";
import { releaseCatalog, rollBack } from "./decide.ts";
import { isVerified, verifyRender } from "./verify.ts";
import { isLong } from "../../../test/long.ts";

const home = closeAfterTests(await installation());
const { db, jobs } = home;
const BY = { name: "test", keyId: null };

const published = async ({ id }: TestCatalog): Promise<string> =>
  (await findCatalog(db, id))?.publishedRunId ?? "";

async function rendered(catalog: TestCatalog, items: readonly Item[]): Promise<string> {
  await storeItems(db, catalog.id, items);
  await render(home, catalog);
  return published(catalog);
}

/** Every tenth item has another title. */
const titled = (items: readonly Item[], title: string): readonly Item[] =>
  items.map((item, at) => (at % 10 === 0 ? { ...item, title: `${item.title} ${title}` } : item));

const folderOf = async (runId: string): Promise<string> => (await listFeedFiles(db, runId))[0]?.folder ?? "";

/** As much is kept as with these settings. */
const cleanUpTo = async (keepRenders: number, more: object = {}): Promise<void> =>
  cleanUp(jobs, { ...MAINTENANCE_DEFAULTS, keepRenders, ...more });

test("renders with different files are kept, whatever the number of runs that used them; the rest is gone for every use", async () => {
  const catalog = await home.createCatalog();
  const items = wideItems(20);
  const runs: string[] = [];
  for (const title of ["one", "two", "three"]) {
    runs.push(await rendered(catalog, titled(items, title)));
    // They use the files again, and take the places of other runs in the list.
    for (let again = 0; again < 3; again++) await render(home, catalog);
  }
  const [first = "", second = "", third = ""] = runs;

  // Runs whose files were deleted go with the next pass.
  for (let pass = 0; pass < 2; pass++) await cleanUpTo(2, { keepRuns: 2 });

  const folders = await readdir(join(home.dataDir, "feeds", catalog.id));
  assert.ok(folders.includes(await folderOf(second)), "the run that wrote kept files is not pruned");
  assert.equal((await findRender(db, second))?.removedAt, null);
  assert.equal(await findRun(db, first), undefined);
  const deps = { db, folders: jobs.folders };
  const comparison = await openComparison(deps, catalog.id, { before: second, after: third });
  assert.ok((await Array.fromAsync(comparison.items())).flat().length >= 2);
  await rollBack({ ...jobs }, { catalogId: catalog.id, runId: second, reason: "x", by: BY });
  assert.equal(await folderOf(await published(catalog)), await folderOf(second));
});

test("a render that is not kept any more cannot be rolled back to, even while its files are still there", async () => {
  const catalog = await home.createCatalog();
  const items = wideItems(5);
  const first = await rendered(catalog, titled(items, "10.00"));
  await rendered(catalog, titled(items, "11.00"));
  const kept = await keptFolders(jobs, catalog.id, { keepRenders: 1, keepRenderBytes: 0 });
  assert.equal(kept?.size, 1);
  const rollingBack = rollBack(jobs, { catalogId: catalog.id, runId: first, reason: "x", by: BY });
  await assert.rejects(rollingBack, { code: "render_gone" });
});

test("the render that a destination has is kept until it has another one", async () => {
  const catalog = await home.createCatalog();
  const delivered = await rendered(catalog, wideItems(20));
  const destinationId = newId();
  const destination = { ...DEFAULT_OPTIONS, name: "x", settings: {}, secretsEncrypted: null };
  await insertDestination(db, { catalogId: catalog.id, id: destinationId, kind: "sftp", ...destination }, 9);
  const deliver = async (runId: string) => {
    // In one transaction: a worker that is free must not send it meanwhile.
    await db.tx(async (tx) => {
      await enqueueDelivery(tx, { destinationId, cause: "request", runId, file: "acp.csv", etag: "aa" });
      await tx.execute({
        text: "update destination_deliveries set state = 'delivered', next_attempt_at = null",
        values: [],
      });
    });
  };
  await deliver(delivered);
  for (const count of [21, 22, 23]) await rendered(catalog, wideItems(count));
  for (let pass = 0; pass < 2; pass++) await cleanUpTo(1, { keepRuns: 1 });
  assert.equal((await findRender(db, delivered))?.removedAt, null);
  await deliver(await published(catalog));
  for (let pass = 0; pass < 2; pass++) await cleanUpTo(1, { keepRuns: 1 });
  assert.equal(await findRun(db, delivered), undefined);
});

test("nothing is deleted while the catalog is being changed", async () => {
  const catalog = await home.createCatalog();
  await rendered(catalog, wideItems(5));
  await rendered(catalog, wideItems(4));
  await db.tx(async (tx) => {
    await tx.execute({
      text: "select 1 from catalogs where id = $1 for no key update",
      values: [catalog.id],
    });
    await cleanUpTo(1);
  });
  assert.equal((await readdir(join(home.dataDir, "feeds", catalog.id))).length, 2);
  await cleanUpTo(1);
  assert.equal((await readdir(join(home.dataDir, "feeds", catalog.id))).length, 1);
});

test("by bytes, earlier renders go before the limit is exceeded, and the one before the published stays", async () => {
  const catalog = await home.createCatalog();
  const runs: string[] = [];
  for (const count of [40, 41, 42, 43]) runs.push(await rendered(catalog, wideItems(count)));
  await cleanUpTo(20, { keepRenderBytes: 0 });
  const kept = await Promise.all(runs.map(async (run) => (await findRender(db, run))?.removedAt === null));
  assert.deepEqual(kept, [false, false, true, true]);
});

if (isLong)
  test("while something is held, after promotions, discards and rollbacks, renders are those of a complete render", async () => {
    const catalog = await home.createCatalog();
    const { id: catalogId } = catalog;
    const items = wideItems(300);
    const verify = async (runId: string) => {
      const verified = await verifyRender({ db, folders: jobs.folders }, { catalogId, runId });
      assert.ok(isVerified(verified), JSON.stringify(verified));
      assert.equal(verified.whyNotRebuilt, null);
    };
    const heldRun = async (): Promise<string> => (await findHeldRender(db, catalogId))?.runId ?? "";
    const first = await rendered(catalog, items);
    await verify(first);
    await verify(await rendered(catalog, titled(items, "9.00")));
    await rollBack(jobs, { catalogId, runId: first, reason: "x", by: BY });
    await rendered(catalog, titled(items, "8.50").slice(1));
    await verify(await heldRun());
    await promoteRender(jobs, { catalogId, runId: await heldRun(), reason: "x", by: BY });
    await verify(await published(catalog));
    await rendered(catalog, titled(items, "8.00"));
    await verify(await heldRun());
    await discardRender(db, { catalogId, runId: await heldRun(), reason: "x", by: BY });
    await rendered(catalog, titled(items, "7.50").slice(2));
    await verify(await heldRun());
    await releaseCatalog(db, catalogId);
    await render(home, catalog);
    await verify(await published(catalog));
    assert.equal(await heldRun(), "");
    const kept = home.log.lines.filter(({ message }) => message === "rendering all groups");
    assert.deepEqual(kept, []);
  });
