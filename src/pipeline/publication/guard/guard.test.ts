/**
 * Renders that differ too much from the published one are held, until a person decides or the source is right again.
 */
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { readFeeds, render, until, untilRun } from "../../../../test/actions.ts";
import { closeAfterTests } from "../../../../test/close-after.ts";
import { installation, type TestCatalog } from "../../../../test/installation.ts";
import type { Item } from "../../../catalog/item.ts";
import { seedEndpoint } from "../../../../test/fakes/receiver-seed.ts";
import type { Exceeded } from "../../../contract/publish-guard.ts";
import { findCatalog, forgetRenders } from "../../../store/catalogs.ts";
import { neededFolders } from "../../../store/render-retention.ts";
import { findHeldRender, findRender } from "../../../store/renders.ts";
import { enqueueRender } from "../../../store/runs.ts";
import { changePublishGuard } from "./settings.ts";
import { storeItems, wideItems } from "../../render/stored-items.fixture.ts";

const home = closeAfterTests(await installation());
const { db } = home;

const ITEMS = wideItems(40);
const free = (items: readonly Item[]): Item[] =>
  items.map((item) => ({ ...item, price: { ...item.price, amount: "0.00" } }));

/** The row of an item that costs nothing. */
const FREE_LAMP = /^w00001,.*,0\.00 USD,/m;

type Problem = {
  readonly status: number;
  readonly code: string;
  readonly run_id: string;
  readonly exceeded: Exceeded[];
};

async function call<Body>(catalog: TestCatalog, method: string, path: string, body?: object): Promise<Body> {
  const answer = await fetch(`${home.url}/api/v1/${path}`, {
    method,
    headers: { authorization: `Bearer ${catalog.key}`, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { ...((await answer.json()) as object), status: answer.status } as Body;
}

const rendered = async (catalog: TestCatalog, items: readonly Item[]): Promise<Problem> => {
  await storeItems(db, catalog.id, items);
  return (await render(home, catalog)) as unknown as Problem;
};

async function heldCatalog() {
  const catalog = await home.createCatalog();
  assert.equal((await rendered(catalog, ITEMS)).status, 200);
  const before = await readFeeds(home, catalog);
  const problem = await rendered(catalog, free(ITEMS));
  return { catalog, before, problem, runId: problem.run_id };
}

type Feeds = {
  readonly data: { readonly held?: { run_id: string; since: string; exceeded: Exceeded[] } };
};
const feedsOf = async (catalog: TestCatalog) => (await call<Feeds>(catalog, "GET", "feeds")).data;

test("when all prices turn to zero, the old files stay and the answer has both figures", async () => {
  const { catalog, before, problem } = await heldCatalog();
  assert.deepEqual([problem.status, problem.code], [422, "render_held"]);
  const zero = problem.exceeded.find(({ signal }) => signal === "price_zero");
  assert.deepEqual([zero?.before, zero?.after, zero?.change, zero?.limit], [0, 40, 1, 0.02]);
  assert.equal(
    zero?.message,
    "40 of 40 items cost nothing; before, it was 0 of 40 (100 %; the limit is 2 %).",
  );
  assert.deepEqual(await readFeeds(home, catalog), before);
  const { held } = await feedsOf(catalog);
  assert.equal(held?.run_id, problem.run_id);
  assert.deepEqual(held.exceeded, problem.exceeded);
});

test("a promoted render is published, with the reason and the name of the key", async () => {
  const { catalog, runId } = await heldCatalog();
  const reason = "Everything is a gift today.";
  type Detail = {
    status: number;
    data: {
      state: string;
      is_published: boolean;
      status: string;
      error: object | null;
      decision: { reason: string; by: string };
    };
  };
  const answer = await call<Detail>(catalog, "POST", "renders/promote", { run_id: runId, reason });
  assert.equal(answer.status, 200);
  const { state, is_published, status, error, decision } = answer.data;
  assert.deepEqual(
    { state, is_published, status, error },
    { state: "published", is_published: true, status: "succeeded", error: null },
  );
  assert.equal(decision.reason, reason);
  assert.notEqual(decision.by, "");
  const { files, lastRender } = await readFeeds(home, catalog);
  assert.match(files["acp.csv"]?.text ?? "", FREE_LAMP);
  assert.equal(lastRender?.run_id, runId);
  assert.equal((await feedsOf(catalog)).held, undefined);
  // It is the one that the next render is compared with.
  assert.equal((await rendered(catalog, free(ITEMS.slice(1)))).status, 200);
  const again = await call<Problem>(catalog, "POST", "renders/promote", { run_id: runId, reason });
  assert.deepEqual([again.status, again.code], [409, "conflict"]);
});

test("a discarded render stays discarded as long as the files are the same", async () => {
  const { catalog, before, runId } = await heldCatalog();
  const body = { run_id: runId, reason: "The export is broken." };
  assert.equal((await call<Problem>(catalog, "POST", "renders/discard", body)).status, 200);
  assert.deepEqual(await readFeeds(home, catalog), before);
  assert.equal((await feedsOf(catalog)).held, undefined);

  await db.execute({
    text: "update catalogs set settings_version = settings_version + 1 where id = $1",
    values: [catalog.id],
  });
  const same = (await render(home, catalog)) as unknown as Problem;
  assert.equal(same.code, "render_held");
  assert.equal((await findRender(db, same.run_id))?.state, "discarded");

  const other = await rendered(catalog, free(ITEMS.slice(1)));
  assert.equal((await findRender(db, other.run_id))?.state, "held");
});

test("a newer render takes the place of a held one: it is held since the same time, or published", async () => {
  const { catalog, runId } = await heldCatalog();
  const since = (await feedsOf(catalog)).held?.since;
  const second = await rendered(catalog, free(ITEMS.slice(2)));
  assert.equal(second.code, "render_held");
  assert.equal((await findRender(db, runId))?.state, "superseded");
  const { held } = await feedsOf(catalog);
  assert.deepEqual([held?.run_id, held?.since], [second.run_id, since]);
  const late = { run_id: runId, reason: "Too late." };
  assert.equal((await call<Problem>(catalog, "POST", "renders/promote", late)).status, 409);

  assert.equal((await rendered(catalog, ITEMS.slice(1))).status, 200);
  assert.equal((await findRender(db, second.run_id))?.state, "superseded");
  assert.equal((await feedsOf(catalog)).held, undefined);
});

test("the folder of a held render is kept, and so is its run", async () => {
  const { catalog } = await heldCatalog();
  const folder = (await findHeldRender(db, catalog.id))?.folder ?? "";
  assert.ok((await neededFolders(db, catalog.id)).has(folder));
});

test("the first render is never held, and a catalog without the guard publishes everything", async () => {
  const catalog = await home.createCatalog();
  assert.equal((await rendered(catalog, free(ITEMS))).status, 200);
  await changePublishGuard(db, catalog.id, { enabled: false });
  assert.equal((await rendered(catalog, [])).status, 200);
});

test("a limit can be changed, and the held render is judged again", async () => {
  const { catalog, problem } = await heldCatalog();
  const limits = Object.fromEntries(problem.exceeded.map(({ signal }) => [signal, "off" as const]));
  await changePublishGuard(db, catalog.id, { limits });
  await until(async () => (await feedsOf(catalog)).held === undefined, "a render that is published");
  assert.match((await readFeeds(home, catalog)).files["acp.csv"]?.text ?? "", FREE_LAMP);
  // Null sets the default again.
  await changePublishGuard(db, catalog.id, { limits: { price_zero: null } });
  assert.equal((await findCatalog(db, catalog.id))?.publishGuard.limits?.price_zero, undefined);
});

test("after a source was removed with its items, fewer items are no reason to hold a render", async () => {
  const catalog = await home.createCatalog();
  await rendered(catalog, ITEMS);
  await storeItems(db, catalog.id, ITEMS.slice(30));
  const runId = await enqueueRender(db, catalog.id, "removal");
  assert.equal((await untilRun(db, runId, "succeeded", "failed")).state, "succeeded");
});

test("if the published files are lost, a render is not held: the URLs would serve nothing", async () => {
  const catalog = await home.createCatalog();
  await rendered(catalog, ITEMS);
  await rm(join(home.dataDir, "feeds", catalog.id), { recursive: true });
  assert.equal((await rendered(catalog, free(ITEMS))).status, 200);
});

test("endpoints that registered for it get shelfwire.render.held, once for the same files", async () => {
  const catalog = await home.createCatalog();
  await seedEndpoint(db, catalog.id, { events: ["shelfwire.render.held"] });
  await rendered(catalog, ITEMS);
  const { run_id } = await rendered(catalog, free(ITEMS));
  await forgetRenders(db, catalog.id);
  assert.equal(((await render(home, catalog)) as unknown as Problem).code, "render_held");
  const events = await db.query<{ type: string; payload: string }>({
    text: "select type, payload from webhook_events where catalog_id = $1",
    values: [catalog.id],
  });
  assert.deepEqual(
    events.map(({ type }) => type),
    ["shelfwire.render.held"],
  );
  const { data } = JSON.parse(events[0]?.payload ?? "") as { data: { run_id: string; exceeded: Exceeded[] } };
  assert.equal(data.run_id, run_id);
  assert.equal(data.exceeded[0]?.signal, "price_zero");
});
