/** The dry run of a sync: it reports what the sync then does, stores nothing, and blocks nobody. */
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { SyncPlan } from "../../src/contract/plans.ts";
import type { SyncStats } from "../../src/contract/syncs.ts";
import { openFolders } from "../../src/store/feed-files.ts";
import { shadowTables } from "../../src/store/shadow-tables.ts";
import { newId } from "../../src/lib/id.ts";
import { until } from "../actions.ts";
import { closeAfterTests } from "../close-after.ts";
import { dump } from "../dump.ts";
import { assertProblem } from "./problem.ts";
import { mugs } from "./rows.ts";
import { runningApi } from "./running-api.ts";
import type { Answer, Shop } from "./running-api.ts";

const api = closeAfterTests(await runningApi());

type DryRun = { readonly run_id: string; readonly stats: SyncStats; readonly plan: SyncPlan };

const dryRun = async (shop: Shop, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  shop.call("/api/v1/syncs", { method: "POST", headers, body: { source_id: shop.sourceId, dry_run: true } });

async function report(shop: Shop): Promise<DryRun> {
  const answer = await dryRun(shop);
  assert.equal(answer.status, 200, answer.text);
  return (answer.json as { data: DryRun }).data;
}

/** The rows of every table, apart from those of dry runs themselves. */
async function stored(): Promise<Readonly<Record<string, string>>> {
  const { runs = "", ...tables } = await dump(api.db);
  return {
    ...tables,
    runs: runs
      .split("\n")
      .filter((row) => !row.includes(",sync_plan,"))
      .join("\n"),
  };
}

const filesOf = ({ files }: SyncPlan["after"]) =>
  Object.fromEntries(Object.entries(files).map(([file, { written }]) => [file, written]));

type Published = {
  renders: { files: { file: string; written: number }[] }[];
  audits: { catalog_score: number }[];
};

async function published(shop: Shop) {
  const read = async (path: string) => ((await shop.call(path)).json as { data: Published }).data;
  const [render] = (await read("/api/v1/renders?limit=1")).renders;
  const [audit] = (await read("/api/v1/audits")).audits;
  const files = Object.fromEntries((render?.files ?? []).map(({ file, written }) => [file, written]));
  return { files, score: audit?.catalog_score };
}

test("a dry run reports the numbers, files and score that the sync then has, and stores nothing", async () => {
  const [first, second, third, ...rest] = mugs(8);
  assert.ok(first && second && third);
  const shop = await api.openShop([first, second, third, ...rest]);
  await shop.sync();
  const was = await published(shop);
  shop.sells([
    { ...first, price: "11.00 USD" },
    second,
    { ...third, title: "Tall mug" },
    ...rest.slice(1),
    { id: "new", title: "New mug" },
    { id: "priceless", price: "" },
  ]);
  const before = await stored();

  const { stats, plan } = await report(shop);

  assert.deepEqual(await stored(), before);
  const synced = (await shop.sync()).json as { data: { stats: SyncStats } };
  assert.deepEqual(stats, synced.data.stats);
  assert.deepEqual([stats.seen, stats.upserted, stats.rejected, stats.removed], [9, 3, 1, 1]);
  assert.deepEqual([plan.new_items, plan.changed_items], [1, 2]);
  assert.deepEqual(
    plan.examples.map(({ item_id: id, changes }) => [id, changes.map(({ field }) => field)]),
    [
      [first.id, ["price"]],
      [third.id, ["title"]],
    ],
  );
  assert.deepEqual(plan.new_examples, [{ item_id: "new", title: "New mug" }]);
  assert.deepEqual(
    plan.removed_examples.map(({ item_id }) => item_id),
    [rest[0]?.id],
  );
  const is = await published(shop);
  assert.deepEqual({ files: filesOf(plan.before), score: plan.before.score }, was);
  assert.deepEqual({ files: filesOf(plan.after), score: plan.after.score }, is);
});

test("the first sync of a source can be tried, and an unchanged feed is read again", async () => {
  const shop = await api.openShop(mugs(3));

  const first = await report(shop);
  await shop.sync();
  const again = await report(shop);

  assert.deepEqual([first.stats.upserted, first.plan.new_items, first.plan.before.items], [3, 3, 0]);
  assert.equal(first.plan.before.score, null);
  assert.deepEqual([again.stats.seen, again.stats.unchanged], [3, 3]);
  assert.deepEqual([again.plan.before, again.plan.examples, again.plan.gain], [again.plan.after, [], 0]);
});

test("a dry run fails as the sync would, and is no failed sync", async () => {
  const shop = await api.openShop(mugs(30));
  await shop.sync();
  shop.sells(mugs(2));
  const before = await stored();

  const collapsed = await dryRun(shop);
  shop.answers({ kind: "cut", body: "id,title", announced: 1_000 });
  const unreachable = await dryRun(shop);

  assertProblem(collapsed, 422, "catalog_collapsed");
  assert.match(collapsed.text, /would remove 28 of the source's 30 items/);
  assert.equal(unreachable.status, 422);
  assert.deepEqual(await stored(), before);
  const real = await shop.sync();
  const code = (answer: Answer) => (answer.json as { code: string }).code;
  assert.deepEqual([real.status, code(real)], [unreachable.status, code(unreachable)]);
});

test("a dry run says that the publish guard would hold the render, and leaves no file behind", async () => {
  const rows = mugs(60);
  const shop = await api.openShop(rows);
  await shop.sync();
  const folders = async () => (await readdir(join(api.dataDir, "feeds", shop.id))).toSorted();
  const before = await folders();
  shop.sells(rows.map((row) => ({ ...row, price: "0.00 USD" })));

  const { plan } = await report(shop);

  assert.equal(plan.guard?.held, true, JSON.stringify(plan.guard));
  assert.match(plan.guard?.exceeded.map(({ message }) => message).join(" ") ?? "", /60/);
  assert.deepEqual(await folders(), before);
  shop.sells(rows.map((row, at) => (at === 0 ? { ...row, price: "11.00 USD" } : row)));
  assert.deepEqual((await report(shop)).plan.guard, { held: false, exceeded: [] });
});

test("while publication is paused, a dry run says that the render would be held", async () => {
  const shop = await api.openShop(mugs(3));
  await shop.sync();
  const runId = (await shop.feeds()).last_render?.run_id;
  shop.sells(mugs(4));
  await shop.sync();
  const body = { run_id: runId, reason: "Wrong texts." };
  assert.equal((await shop.call("/api/v1/renders/rollback", { method: "POST", body })).status, 200);

  const { guard } = (await report(shop)).plan;

  assert.equal(guard?.held, true);
  assert.deepEqual(
    guard.exceeded.map(({ signal }) => signal),
    ["publication_paused"],
  );
});

test("rules and approved values are part of the dry run", async () => {
  const shop = await api.openShop(mugs(2));
  await shop.sync();
  const rules = [{ name: "Title", action: { type: "template", field: "title", text: "{title} (new)" } }];
  const saved = await shop.call("/api/v1/rules", { method: "PUT", body: { rules } });
  assert.equal(saved.status, 200, saved.text);
  const [first, second] = mugs(2);
  assert.ok(first && second);
  shop.sells([{ ...first, title: "Cup" }, second]);

  const { plan } = await report(shop);

  assert.deepEqual(
    plan.examples.map(({ changes }) => changes.filter(({ field }) => field === "title")[0]?.after),
    ["Cup (new)"],
  );
});

test("a dry run in the background answers 202, and its run has the report", async () => {
  const shop = await api.openShop(mugs(2));

  const accepted = await dryRun(shop, { prefer: "respond-async" });

  assert.equal(accepted.status, 202, accepted.text);
  const place = accepted.headers["location"];
  assert.ok(typeof place === "string");
  const done = await until(async () => {
    const { data } = (await shop.call(place)).json as {
      data: { status: string; dry_run: Omit<DryRun, "run_id"> | null };
    };
    return data.status === "running" ? undefined : data;
  }, "the end of the dry run");
  assert.deepEqual([done.status, done.dry_run?.stats.upserted], ["succeeded", 2]);
  assert.deepEqual((await shop.call("/api/v1/syncs")).json, { data: { syncs: [] } });
});

test("a source of another catalog is unknown", async () => {
  const [shop, other] = [await api.openShop(mugs(1)), await api.openShop(mugs(1))];

  const answer = await shop.call("/api/v1/syncs", {
    method: "POST",
    body: { source_id: other.sourceId, dry_run: true },
  });

  assertProblem(answer, 422, "unknown_source");
});

test("the folder of a running dry run is not swept", async () => {
  const shop = await api.openShop(mugs(1));
  const [id, owner] = [newId(), newId()];
  await api.db.execute({
    text: `insert into runs (id, catalog_id, source_id, kind, state, cause, owner, lease_until)
           values ($1, $2, $3, 'sync_plan', 'running', 'request', $4, now() + interval '30 s')`,
    values: [id, shop.id, shop.sourceId, owner],
  });

  assert.deepEqual([...(await openFolders(api.db, shop.id))], [owner]);
  await api.db.execute({ text: "delete from runs where id = $1", values: [id] });
});

test("nothing waits for the transaction of a dry run, whatever it writes", async () => {
  const shop = await api.openShop(mugs(3));
  await shop.sync();

  const { items } = await api.db.session(async (session) =>
    session.trial(async (tx) => {
      await shadowTables(tx, shop.id);
      for (const text of ["delete from items", "update catalogs set snapshot = 99", "delete from sources"])
        await tx.execute({ text, values: [] });
      shop.sells(mugs(4));
      assert.equal((await shop.sync()).status, 200);
      return { items: (await tx.query({ text: "select id from items", values: [] })).length };
    }),
  );

  assert.equal(items, 0);
  const { rows } = { rows: await api.db.query({ text: "select id from items", values: [] }) };
  assert.ok(rows.length >= 4);
});
