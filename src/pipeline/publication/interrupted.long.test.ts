/** Whatever statement a hold, a promotion or a discard ends at, the URLs serve all old files or all new ones. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readFeeds, startWorker, untilRun } from "../../../test/actions.ts";
import { closeAfterTests } from "../../../test/close-after.ts";
import { installation, type TestCatalog } from "../../../test/installation.ts";
import type { Item } from "../../catalog/item.ts";
import { findCatalog } from "../../store/catalogs.ts";
import type { Db, Queries } from "../../store/db.ts";
import { listFeedFiles } from "../../store/feed-files.ts";
import { findHeldRender } from "../../store/renders.ts";
import { enqueueRender } from "../../store/runs.ts";
import type { Sql } from "../../store/sql.ts";
import { storeItems, wideItems } from "../render/stored-items.fixture.ts";
import { heldFailure } from "./outcome.ts";
import { discardRender, promoteRender } from "./decide.ts";

const home = closeAfterTests(await installation({ hasWorker: false }));

const ITEMS = wideItems(25);
const FREE = ITEMS.map((item): Item => ({ ...item, price: { ...item.price, amount: "0.00" } }));

/**
 * A database on which the nth statement of transactions breaks, as if the process had died there: of those that a
 * render has on its own connection, or of all.
 */
function breakingAt(db: Db, nth: number, which: "session" | "all" = "all") {
  const progress = { seen: 0 };
  const next = (): void => {
    progress.seen += 1;
    if (progress.seen === nth) throw new Error("the process was killed here");
  };
  const wrapped = (tx: Queries): Queries => ({
    query: async <Row>(statement: Sql) => {
      next();
      return tx.query<Row>(statement);
    },
    first: async <Row>(statement: Sql) => {
      next();
      return tx.first<Row>(statement);
    },
    execute: async (statement) => {
      next();
      return tx.execute(statement);
    },
  });
  const breaking: Db = {
    ...db,
    tx: which === "session" ? db.tx : async (work) => db.tx(async (tx) => work(wrapped(tx))),
    session: async (work) =>
      db.session(async (session) =>
        work({ ...session, tx: async (inside) => session.tx(async (tx) => inside(wrapped(tx))) }),
      ),
  };
  return { db: breaking, progress };
}

/** Renders once, with a worker that breaks at a statement of the last transaction; never: 0. */
async function renderBreakingAt(catalog: TestCatalog, nth: number) {
  const runId = await enqueueRender(home.db, catalog.id, "request");
  const { db, progress } = breakingAt(home.db, nth, "session");
  await using worker = startWorker(home, { deps: { db }, options: { retryDelaysMs: [] } });
  const { error } = await untilRun(home.db, runId, "failed", "succeeded");
  await worker.stop();
  const code = error?.code ?? (await heldFailure(home.db, runId))?.code;
  return { runId, code, isBroken: nth > 0 && progress.seen >= nth };
}

async function publishedCatalog(): Promise<TestCatalog> {
  const catalog = await home.createCatalog();
  await storeItems(home.db, catalog.id, ITEMS);
  assert.equal((await renderBreakingAt(catalog, 0)).code, undefined);
  await storeItems(home.db, catalog.id, FREE);
  return catalog;
}

const stateOf = async (catalog: TestCatalog) => ({
  feeds: await readFeeds(home, catalog),
  published: (await findCatalog(home.db, catalog.id))?.publishedRunId,
});

test("a render that is held breaks at any statement: the old files stay, and nothing is half held", async () => {
  const catalog = await publishedCatalog();
  const before = await stateOf(catalog);
  let [failed, held] = [0, 0];
  for (let nth = 1; ; nth++) {
    const heldBefore = await findHeldRender(home.db, catalog.id);
    const { runId, code, isBroken } = await renderBreakingAt(catalog, nth);
    assert.deepEqual(await stateOf(catalog), before);
    const files = await listFeedFiles(home.db, runId);
    const heldNow = await findHeldRender(home.db, catalog.id);
    if (code === "render_held") {
      // An audit that breaks is recorded as a failed one, and stops nothing.
      held += 1;
      assert.deepEqual([heldNow?.runId, files.length], [runId, 4]);
    } else {
      failed += 1;
      assert.equal(code, "render_failed");
      assert.deepEqual([heldNow?.runId, files.length], [heldBefore?.runId, 0]);
    }
    if (!isBroken) break;
  }
  assert.ok(failed > 5 && held > 0, `${failed} failed, ${held} held`);
});

test("a promotion breaks at any statement: the render stays held; then it is published as a whole", async () => {
  const catalog = await publishedCatalog();
  assert.equal((await renderBreakingAt(catalog, 0)).code, "render_held");
  const before = await stateOf(catalog);
  const { runId = "" } = (await findHeldRender(home.db, catalog.id)) ?? {};
  const decision = { catalogId: catalog.id, runId, reason: "Intended.", by: { name: "owner", keyId: null } };
  let broken = 0;
  for (let nth = 1; ; nth++) {
    const promoted = await promoteRender({ ...home.jobs, db: breakingAt(home.db, nth).db }, decision).then(
      () => true,
      () => false,
    );
    if (promoted) break;
    broken += 1;
    assert.deepEqual(await stateOf(catalog), before);
    assert.equal((await findHeldRender(home.db, catalog.id))?.runId, runId);
  }
  assert.ok(broken > 5, `${broken} statements`);
  const after = await stateOf(catalog);
  assert.equal(after.published, runId);
  assert.equal(after.feeds.lastRender?.run_id, runId);
});

test("a discard breaks at any statement: the render stays held", async () => {
  const catalog = await publishedCatalog();
  await renderBreakingAt(catalog, 0);
  const { runId = "" } = (await findHeldRender(home.db, catalog.id)) ?? {};
  const decision = { catalogId: catalog.id, runId, reason: "Broken.", by: { name: "owner", keyId: null } };
  for (let nth = 1; nth <= 4; nth++) {
    await assert.rejects(discardRender(breakingAt(home.db, nth).db, decision));
    assert.equal((await findHeldRender(home.db, catalog.id))?.runId, runId);
  }
  await discardRender(home.db, decision);
  assert.equal(await findHeldRender(home.db, catalog.id), undefined);
});
