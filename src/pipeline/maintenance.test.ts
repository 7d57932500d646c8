import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { readFeeds, render, runsOf, startWorker, sync, untilRun } from "../../test/actions.ts";
import { articles, openShop } from "../../test/fakes/shop.ts";
import { freshDb, tempDir } from "../../test/fresh.ts";
import { seedCatalog, seedRun, seedSource } from "../../test/seed.ts";
import { installation } from "../../test/installation.ts";
import { newId } from "../lib/id.ts";
import type { Db } from "../store/db.ts";
import { claimRun } from "../store/run-claims.ts";
import { cleanUp, runMaintenance, MAINTENANCE_DEFAULTS, enqueueDueRuns } from "./maintenance.ts";
import { sweepSpool, withSpool } from "./sync/spool.ts";

async function setDue(db: Db, source: string, when: string): Promise<void> {
  await db.execute({
    text: "update sources set next_sync_at = now() + $2::interval where id = $1",
    values: [source, when],
  });
}

async function openRuns(db: Db) {
  return db.query<{ id: string; sourceId: string; cause: string; kind: string }>({
    text: "select id, source_id, cause, kind from runs where state = 'queued' order by created_at",
    values: [],
  });
}

test("a due source gets one run, however many workers run maintenance at once", async () => {
  await using db = await freshDb();
  const catalogId = await seedCatalog(db);
  const due = [await seedSource(db, catalogId), await seedSource(db, catalogId)];
  for (const source of due) await setDue(db, source, "-1 minute");

  await Promise.all(Array.from({ length: 6 }, () => enqueueDueRuns({ db })));

  const runs = await openRuns(db);
  assert.deepEqual(new Set(runs.map(({ sourceId }) => sourceId)), new Set(due));
  assert.deepEqual(
    runs.map(({ cause, kind }) => ({ cause, kind })),
    due.map(() => ({ cause: "schedule", kind: "sync" })),
  );
});

test("a source that is not due, or is disabled, gets no run", async () => {
  await using db = await freshDb();
  const catalogId = await seedCatalog(db);
  const [later, off] = [await seedSource(db, catalogId), await seedSource(db, catalogId)];
  await setDue(db, later, "1 minute");
  await setDue(db, off, "-1 minute");
  await db.execute({ text: "update sources set enabled = false where id = $1", values: [off] });

  await enqueueDueRuns({ db });

  assert.deepEqual(await openRuns(db), []);
});

/** How long after a moment the source is due, in seconds, by the database's clock. */
async function dueAfter(db: Db, source: string, moment: string): Promise<number> {
  const row = await db.first<{ seconds: number }>({
    text: `select extract(epoch from s.next_sync_at - ${moment})::float as seconds
             from sources s left join runs r on r.source_id = s.id where s.id = $1`,
    values: [source],
  });
  return row?.seconds ?? Number.NaN;
}

test("a source that is several intervals late is synced once", async () => {
  await using db = await freshDb();
  const source = await seedSource(db, await seedCatalog(db));
  await setDue(db, source, "-3 days");

  await enqueueDueRuns({ db });
  await enqueueDueRuns({ db });

  assert.equal((await openRuns(db)).length, 1);
  assert.ok((await dueAfter(db, source, "now()")) > 0);
});

test("an automatic sync is due exactly an interval after the last one began, however long that one was queued", async () => {
  await using home = await installation({ hasWorker: false });
  const { db } = home;
  const source = await seedSource(db, await seedCatalog(db));
  await setDue(db, source, "-1 minute");
  await enqueueDueRuns({ db });
  await db.execute({ text: "update runs set created_at = created_at - interval '2 hours'", values: [] });
  await setDue(db, source, "4 hours");

  const [run] = await openRuns(db);
  await using worker = startWorker(home);
  await untilRun(db, run?.id ?? "", "succeeded", "failed");
  await worker.stop();

  assert.equal(await dueAfter(db, source, "r.started_at"), 21_600);
});

test("many sources that are late are queued in several passes", async () => {
  await using db = await freshDb();
  const catalogId = await seedCatalog(db);
  const sources = await Promise.all(Array.from({ length: 60 }, async () => seedSource(db, catalogId)));
  for (const source of sources) await setDue(db, source, "-1 day");

  await enqueueDueRuns({ db });
  const first = (await openRuns(db)).length;
  await enqueueDueRuns({ db });

  assert.equal(first, 50);
  assert.equal((await openRuns(db)).length, sources.length);
});

test("an automatic sync that is due while another sync of its source is open waits for that one", async () => {
  await using db = await freshDb();
  const catalogId = await seedCatalog(db);
  const source = await seedSource(db, catalogId);
  await seedRun(db, catalogId, { sourceId: source });
  await setDue(db, source, "-1 minute");

  await enqueueDueRuns({ db });
  await setDue(db, source, "-1 minute");
  await enqueueDueRuns({ db });

  const causes = (await openRuns(db)).map(({ cause }) => cause);
  assert.deepEqual(causes.filter((cause) => cause === "schedule").length, 1);
  assert.equal(causes.length, 2);
});

test("the first sync of a new source is not repeated if somebody was faster than the schedule", async () => {
  await using db = await freshDb();
  const catalogId = await seedCatalog(db);
  const [fresh, synced] = [await seedSource(db, catalogId), await seedSource(db, catalogId)];
  await seedRun(db, catalogId, { sourceId: synced });

  await enqueueDueRuns({ db });

  const scheduled = (await openRuns(db)).filter(({ cause }) => cause === "schedule");
  assert.deepEqual(
    scheduled.map(({ sourceId }) => sourceId),
    [fresh],
  );
  assert.equal(Math.round((await dueAfter(db, synced, "now()")) / 60), 360);
});

test("a catalog with stale feeds is rendered once", async () => {
  await using db = await freshDb();
  const [stale, fresh] = [await seedCatalog(db), await seedCatalog(db)];
  await db.execute({ text: "update catalogs set stale_at = now() where id = $1", values: [stale] });
  await db.execute({
    text: "update catalogs set stale_at = now() + interval '1 hour' where id = $1",
    values: [fresh],
  });

  await Promise.all(Array.from({ length: 4 }, () => enqueueDueRuns({ db })));

  assert.deepEqual(
    (await runsOf(db, stale)).map(({ kind, cause }) => ({ kind, cause })),
    [{ kind: "render", cause: "stale" }],
  );
  assert.deepEqual(await runsOf(db, fresh), []);
});

test("a failed pass is logged, and the next one follows", async () => {
  await using home = await installation({ hasWorker: false });
  const source = await seedSource(home.db, await seedCatalog(home.db));
  await home.db.execute({ text: "alter table sources rename to hidden", values: [] });
  const stop = new AbortController();
  const rounds = runMaintenance(home.jobs, stop.signal, { ...MAINTENANCE_DEFAULTS, everyMs: 20 });
  while (home.log.lines.length === 0) await new Promise(setImmediate);

  await home.db.execute({ text: "alter table hidden rename to sources", values: [] });
  while ((await openRuns(home.db)).length === 0) await new Promise(setImmediate);
  stop.abort();
  await rounds;

  assert.equal(home.log.lines[0]?.level, "error");
  assert.equal((await openRuns(home.db))[0]?.sourceId, source);
});

test("cleaning up keeps published, recent and unfinished renders, and nothing else", async () => {
  await using shop = await openShop();
  await using home = await installation({ hasWorker: false });
  const catalog = await home.createCatalog();
  const source = await home.addFeed(catalog.id, shop.url);
  const worker = startWorker(home);
  for (const count of [1, 2, 3, 4]) {
    shop.stock(articles(count));
    await sync(home, catalog, source);
  }
  await render(home, catalog);
  await worker.stop();
  const feeds = join(home.dataDir, "feeds", catalog.id);
  // A render under way, one that a dead worker left in the middle, one that was finished but never published.
  const owner = newId();
  await seedRun(home.db, catalog.id, { kind: "render" });
  await claimRun(home.db, { owner, leaseMs: 60_000 });
  for (const name of [`${owner}.part`, `${newId()}.part`, newId()]) {
    await mkdir(join(feeds, name));
    await writeFile(join(feeds, name, "acp.csv"), "item_id\n");
  }
  const before = await readFeeds(home, catalog);

  await cleanUp(home.jobs, { ...MAINTENANCE_DEFAULTS, keepRenders: 2 });

  // The three newest renders have two folders: one that used the fourth's files again, the fourth, the third.
  const left = await readdir(feeds);
  assert.equal(left.length, 3);
  assert.ok(left.includes(`${owner}.part`));
  assert.deepEqual(await readFeeds(home, catalog), before);
  const needed = await home.db.query<{ folder: string }>({
    text: `select distinct f.folder from feed_files f join (select id from runs where kind = 'render' and state = 'succeeded'
             order by created_at desc limit 3) r on r.id = f.run_id`,
    values: [],
  });
  assert.deepEqual(left.sort(), [`${owner}.part`, ...needed.map(({ folder }) => folder)].sort());
});

test("cleaning up keeps the configured number of runs, and the published one", async () => {
  await using home = await installation({ hasWorker: false });
  const catalogId = await seedCatalog(home.db);
  for (let i = 0; i < 5; i += 1) await seedRun(home.db, catalogId);
  await home.db.execute({ text: "update runs set state = 'failed', finished_at = now()", values: [] });

  await cleanUp(home.jobs, { ...MAINTENANCE_DEFAULTS, keepRuns: 2 });

  assert.equal((await runsOf(home.db, catalogId)).length, 2);
});

test("a spool folder is deleted when its work ends, however it ends", async () => {
  await using folder = await tempDir();
  const root = join(folder.path, "spool");

  const inside = await withSpool(root, async (dir) => {
    await writeFile(join(dir, "feed"), "half of it");
    return readdir(root);
  });
  await assert.rejects(
    withSpool(root, async (dir) => {
      await writeFile(join(dir, "feed"), "half of it");
      throw new Error("the shop is gone");
    }),
    /the shop is gone/,
  );

  assert.equal(inside.length, 1);
  assert.deepEqual(await readdir(root), []);
});

test("the spool of a dead process is deleted; that of a running one and of another machine stays", async () => {
  await using folder = await tempDir();
  const child = spawn(process.execPath, ["--version"], { stdio: "ignore" });
  await once(child, "exit");
  const dead = child.pid ?? 0;
  const names = {
    swept: [`${hostname()}.${dead}.abc123`],
    kept: [
      `${hostname()}.${process.pid}.abc123`,
      `elsewhere.${dead}.abc123`,
      `${hostname()}.other.example.${dead}.abc123`,
      `${hostname()}-2.${dead}.abc123`,
    ],
  };
  for (const name of [...names.swept, ...names.kept]) await mkdir(join(folder.path, name));

  await sweepSpool(folder.path);
  await sweepSpool(join(folder.path, "never-made"));

  assert.deepEqual((await readdir(folder.path)).sort(), names.kept.sort());
});

test("feed files that a render left after its catalog was removed are deleted, and no others", async () => {
  await using api = await installation({ hasWorker: false });
  const { id } = await api.createCatalog();
  const gone = newId();
  const root = join(api.dataDir, "feeds");
  await mkdir(join(root, gone, `${newId()}.part`), { recursive: true });
  const folder = newId();
  await mkdir(join(root, id, folder), { recursive: true });
  const run = await seedRun(api.db, id, { kind: "render" });
  await api.db.execute({
    text: `insert into feed_files (run_id, file, folder, etag, bytes, gzip_bytes, zstd_bytes, changed, last_modified, written, excluded)
           values ($1, 'gmc.tsv', $2, '0', 1, 1, 1, true, now(), 1, 0)`,
    values: [run, folder],
  });
  await api.db.execute({ text: "update runs set state = 'succeeded' where id = $1", values: [run] });
  await api.db.execute({
    text: "update catalogs set published_run_id = $1 where id = $2",
    values: [run, id],
  });

  await cleanUp(api.jobs, MAINTENANCE_DEFAULTS);

  assert.deepEqual(await readdir(root), [id]);
  assert.deepEqual(await readdir(join(root, id)), [folder]);
});

test("the change log is deleted beyond its retention", async () => {
  await using api = await installation({ hasWorker: false });
  const catalogId = await seedCatalog(api.db);
  for (const days of [0, 29, 31, 400])
    await api.db.execute({
      text: `insert into changes (id, catalog_id, at, actor, actor_name, call, target_type, fields)
             values ($1, $2, now() - make_interval(days => $3), 'cli', 'root', $4, 'source', '{}')`,
      values: [newId(), catalogId, days, `days ${days}`],
    });

  await cleanUp(api.jobs, { ...MAINTENANCE_DEFAULTS, keepChangesS: 30 * 86_400 });

  const rows = await api.db.query<{ call: string }>({
    text: "select call from changes order by at desc",
    values: [],
  });
  assert.deepEqual(
    rows.map(({ call }) => call),
    ["days 0", "days 29"],
  );
});

test("proposals are looked for once after rules or category mappings have settled, not after each change", async () => {
  await using db = await freshDb();
  const catalogId = await seedCatalog(db);
  const run = async (kind: string, age: string): Promise<string> => {
    const id = newId();
    const text = `insert into runs (id, catalog_id, kind, state, cause, finished_at)
                  values ($1, $2, $3, 'succeeded', 'request', now() - $4::interval)`;
    await db.execute({ text, values: [id, catalogId, kind, age] });
    return id;
  };
  const set = (assignments: string) =>
    db.execute({ text: `update catalogs set ${assignments} where id = $1`, values: [catalogId] });
  const queued = async () => {
    await enqueueDueRuns({ db });
    return (await openRuns(db)).map(({ kind }) => kind);
  };
  const rendered = await run("render", "1 hour");
  await set(
    `published_run_id = '${rendered}', snapshot_at = now() - interval '1 hour', proposed_snapshot = snapshot`,
  );

  const unchanged = await queued();
  await set("effects_version = 1, rules_version = 1");
  const notApplied = await queued();
  await set("applied_version = 1");
  const applied = await run("rules", "5 seconds");
  const justApplied = await queued();
  await db.execute({
    text: "update runs set finished_at = now() - interval '2 minutes' where id = $1",
    values: [applied],
  });
  const settled = await queued();
  await db.execute({ text: "delete from runs where kind = 'proposals'", values: [] });
  const again = await queued();

  assert.deepEqual([unchanged, notApplied, justApplied, settled, again], [[], [], [], ["proposals"], []]);
});

test("proposals are looked for when a catalog has settled, and every hour if it never does, but not during a render", async () => {
  await using db = await freshDb();
  const catalogId = await seedCatalog(db);
  const seed = async (kind: string, state: string): Promise<string> => {
    const id = newId();
    const text = "insert into runs (id, catalog_id, kind, state, cause) values ($1, $2, $3, $4, 'request')";
    await db.execute({ text, values: [id, catalogId, kind, state] });
    return id;
  };
  const published = await seed("render", "succeeded");
  const run = async (text: string) => db.execute({ text, values: [catalogId] });
  await db.execute({
    text: "update catalogs set published_run_id = $2, snapshot = 2 where id = $1",
    values: [catalogId, published],
  });
  const looks = async (changedS: number, ageS: number): Promise<boolean> => {
    await run("delete from runs where catalog_id = $1 and kind = 'proposals' and state = 'queued'");
    await run("update catalogs set proposed_snapshot = 1 where id = $1");
    await db.execute({
      text: `update catalogs set snapshot_at = now() - make_interval(secs => $2),
                                 created_at = now() - make_interval(secs => $3) where id = $1`,
      values: [catalogId, changedS, ageS],
    });
    await enqueueDueRuns({ db });
    return (await openRuns(db)).some(({ kind }) => kind === "proposals");
  };
  assert.deepEqual([await looks(30, 300), await looks(90, 300)], [false, true], "a new catalog settles");
  assert.deepEqual([await looks(1, 7_200), await looks(30, 7_200)], [false, true], "one that never settles");
  await seed("proposals", "succeeded");
  assert.equal(await looks(30, 7_200), false, "it had one within the hour");
  await seed("render", "running");
  assert.equal(await looks(90, 7_200), false, "a render is running");
});
