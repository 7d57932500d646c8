import assert from "node:assert/strict";
import { test } from "node:test";
import { freshDb } from "../../test/fresh.ts";
import { seedCatalog, seedRun, seedSource } from "../../test/seed.ts";
import { newId } from "../lib/id.ts";
import type { Db } from "./db.ts";
import { claimRun } from "./run-claims.ts";
import {
  enqueueRun,
  extendLease,
  failAbandonedRuns,
  failOpenSyncs,
  findRun,
  finishRun,
  releaseRun,
  listRuns,
} from "./runs.ts";
import { pruneRuns } from "./render-retention.ts";

const owner = () => ({ owner: newId(), leaseMs: 60_000 });
/** A lease that has run out as soon as it is taken: what a worker that died leaves behind. */
const deadOwner = () => ({ owner: newId(), leaseMs: -1 });

test("a queued run is claimed once, however many workers ask at the same time", async () => {
  await using db = await freshDb();
  const catalogId = await seedCatalog(db);
  const ids = new Set([
    await seedRun(db, catalogId),
    await seedRun(db, catalogId),
    await seedRun(db, catalogId),
  ]);

  const claims = await Promise.all(Array.from({ length: 12 }, async () => claimRun(db, owner())));

  const claimed = claims.flatMap((run) => (run ? [run.id] : []));
  assert.deepEqual(new Set(claimed), ids);
  assert.equal(claimed.length, 3);
});

test("the oldest run is claimed first", async () => {
  await using db = await freshDb();
  const catalogId = await seedCatalog(db);
  const first = await seedRun(db, catalogId);
  await seedRun(db, catalogId);

  assert.equal((await claimRun(db, owner()))?.id, first);
});

test("a source has at most one sync that waits and one that runs", async () => {
  await using db = await freshDb();
  const catalogId = await seedCatalog(db);
  const sourceId = await seedSource(db, catalogId);
  const ask = async () =>
    enqueueRun(db, { id: newId(), catalogId, sourceId, kind: "sync", cause: "request" });

  const first = await ask();
  assert.equal(await ask(), first);
  const lease = owner();
  assert.equal((await claimRun(db, lease))?.id, first);
  const second = await ask();
  assert.notEqual(second, first);
  assert.equal(await ask(), second);
  assert.equal(await claimRun(db, owner()), undefined);
  await finishRun(db, { id: first ?? "", owner: lease.owner }, { state: "succeeded", stats: {} });
  assert.equal((await claimRun(db, owner()))?.id, second);
});

test("a sync that is put back while another one waits stays a run of its own", async () => {
  await using db = await freshDb();
  const catalogId = await seedCatalog(db);
  const sourceId = await seedSource(db, catalogId);
  const ask = async () =>
    enqueueRun(db, { id: newId(), catalogId, sourceId, kind: "sync", cause: "request" });
  const lease = owner();
  const first = await ask();
  await claimRun(db, lease);
  const second = await ask();

  await releaseRun(db, first ?? "", lease.owner);

  assert.equal(await ask(), second);
  const claimed = await claimRun(db, lease);
  await finishRun(db, { id: claimed?.id ?? "", owner: lease.owner }, { state: "succeeded", stats: {} });
  const next = await claimRun(db, owner());
  assert.deepEqual(new Set([claimed?.id, next?.id]), new Set([first, second]));
});

test("of two renders of one catalog the second waits until the first is finished", async () => {
  await using db = await freshDb();
  const catalogId = await seedCatalog(db);
  const other = await seedCatalog(db);
  const first = await seedRun(db, catalogId, { kind: "render" });
  const second = await seedRun(db, catalogId, { kind: "render" });
  const elsewhere = await seedRun(db, other, { kind: "render" });
  const lease = owner();

  assert.equal((await claimRun(db, lease))?.id, first);
  assert.equal((await claimRun(db, owner()))?.id, elsewhere);
  assert.equal(await claimRun(db, owner()), undefined);
  await finishRun(db, { id: first, owner: lease.owner }, { state: "succeeded", stats: {} });
  assert.equal((await claimRun(db, owner()))?.id, second);
});

test("renders of one catalog never run at the same time, even when claimed at the same time", async () => {
  await using db = await freshDb();
  const catalogId = await seedCatalog(db);
  for (let i = 0; i < 6; i += 1) await seedRun(db, catalogId, { kind: "render" });

  const claims = await Promise.all(Array.from({ length: 6 }, async () => claimRun(db, owner())));

  assert.equal(claims.filter((run) => run !== undefined).length, 1);
});

test("a run whose worker died is claimed by the next one, and the first one can finish nothing", async () => {
  await using db = await freshDb();
  const id = await seedRun(db, await seedCatalog(db));
  const dead = deadOwner();
  await claimRun(db, dead);

  const lease = owner();
  const again = await claimRun(db, lease);

  assert.equal(again?.id, id);
  assert.equal(again?.attempts, 2);
  assert.equal(await finishRun(db, { id, owner: dead.owner }, { state: "succeeded", stats: {} }), undefined);
  assert.equal(await extendLease(db, id, { ...dead, stats: {} }), undefined);
  assert.deepEqual(await extendLease(db, id, { ...lease, stats: { seen: 7 } }), { callerWaitMs: null });
  assert.deepEqual((await findRun(db, id))?.stats, { seen: 7 });
});

test("a lease from before the clock was set back a day does not block its run for a day", async () => {
  await using db = await freshDb();
  const catalogId = await seedCatalog(db);
  const [dead, retried] = [await seedRun(db, catalogId), await seedRun(db, catalogId)];
  await claimRun(db, { owner: newId(), leaseMs: 86_400_000 });
  await db.execute({
    text: "update runs set due_at = clock_timestamp() + interval '1 day' where id = $1",
    values: [retried],
  });

  const claimed = [await claimRun(db, owner()), await claimRun(db, owner())];

  assert.deepEqual(new Set(claimed.map((run) => run?.id)), new Set([dead, retried]));
});

test("a run whose workers died three times fails as interrupted and is not claimed again", async () => {
  await using db = await freshDb();
  const id = await seedRun(db, await seedCatalog(db));
  for (let i = 0; i < 3; i += 1) assert.equal((await claimRun(db, deadOwner()))?.id, id);

  assert.equal(await claimRun(db, owner()), undefined);
  assert.deepEqual(
    (await failAbandonedRuns(db)).map((run) => run.id),
    [id],
  );

  const run = await findRun(db, id);
  assert.equal(run?.state, "failed");
  assert.equal(run?.error?.code, "interrupted");
  assert.ok(run?.finishedAt);
});

test("a catalog has at most three running syncs, and other catalogs' runs are claimed meanwhile", async () => {
  await using db = await freshDb();
  const [busy, other] = [await seedCatalog(db), await seedCatalog(db)];
  const theirs = [];
  for (let i = 0; i < 5; i += 1) theirs.push(await seedRun(db, busy));
  const ours = await seedRun(db, other);
  const claims = [];
  for (let i = 0; i < 5; i += 1) claims.push((await claimRun(db, owner()))?.id);

  assert.deepEqual(claims, [theirs[0], ours, theirs[1], theirs[2], undefined]);
});

test("of catalogs with a backlog, the one with the fewest running syncs is next", async () => {
  await using db = await freshDb();
  const catalogs = [await seedCatalog(db), await seedCatalog(db), await seedCatalog(db)];
  for (const catalogId of catalogs) for (let i = 0; i < 3; i += 1) await seedRun(db, catalogId);

  const claimed = [];
  for (let i = 0; i < 9; i += 1) claimed.push((await claimRun(db, owner(), { kinds: ["sync"] }))?.catalogId);

  assert.deepEqual(claimed, [...catalogs, ...catalogs, ...catalogs]);
});

test("open runs do not count against the history that is kept", async () => {
  await using db = await freshDb();
  const catalogId = await seedCatalog(db);
  const finished = await seedRun(db, catalogId);
  const lease = owner();
  await claimRun(db, lease);
  await finishRun(db, { id: finished, owner: lease.owner }, { state: "succeeded", stats: {} });
  for (let i = 0; i < 5; i += 1) await seedRun(db, catalogId);

  assert.equal(await pruneRuns(db, 1), 0);
  assert.ok(await findRun(db, finished));
});

test("a claim for renders returns no sync, and a claim for syncs no render", async () => {
  await using db = await freshDb();
  const catalogId = await seedCatalog(db);
  const sync = await seedRun(db, catalogId);
  const render = await seedRun(db, catalogId, { kind: "render" });

  assert.equal((await claimRun(db, owner(), { kinds: ["render"] }))?.id, render);
  assert.equal(await claimRun(db, owner(), { kinds: ["render"] }), undefined);
  assert.equal((await claimRun(db, owner(), { kinds: ["sync"] }))?.id, sync);
});

test("a claim for one run returns that run and the runs it caused, and no others", async () => {
  await using db = await freshDb();
  const catalogId = await seedCatalog(db);
  await seedRun(db, catalogId);
  const mine = await seedRun(db, catalogId);
  const caused = await seedRun(db, catalogId, { kind: "render", cause: "sync", causeRunId: mine });

  assert.equal((await claimRun(db, owner(), { only: mine }))?.id, mine);
  assert.equal((await claimRun(db, owner(), { only: mine }))?.id, caused);
  assert.equal(await claimRun(db, owner(), { only: mine }), undefined);
});

test("the open sync of a removed source fails, and its worker can finish nothing", async () => {
  await using db = await freshDb();
  const catalogId = await seedCatalog(db);
  const sourceId = await seedSource(db, catalogId);
  const id = await seedRun(db, catalogId, { sourceId });
  const lease = owner();
  await claimRun(db, lease);

  await failOpenSyncs(db, sourceId, { code: "unknown_source", message: "Gone." });

  assert.equal((await findRun(db, id))?.error?.code, "unknown_source");
  assert.equal(await extendLease(db, id, { ...lease, stats: {} }), undefined);
  assert.equal(await finishRun(db, { id, owner: lease.owner }, { state: "succeeded", stats: {} }), undefined);
});

test("a released run is queued as if it had not been claimed", async () => {
  await using db = await freshDb();
  const id = await seedRun(db, await seedCatalog(db));
  const lease = owner();
  await claimRun(db, lease);

  await releaseRun(db, id, lease.owner);

  const again = await claimRun(db, owner());
  assert.equal(again?.id, id);
  assert.equal(again?.attempts, 1);
});

test("history keeps the newest replacement by a push, for the audit", async () => {
  await using db = await freshDb();
  const catalogId = await seedCatalog(db);
  const replacement = await finished(db, catalogId, "sync");
  await db.execute({ text: "update catalogs set replaced_run_id = $1", values: [replacement] });
  const [old, newest] = [await finished(db, catalogId, "sync"), await finished(db, catalogId, "sync")];

  assert.equal(await pruneRuns(db, 1), 1);

  assert.equal(await findRun(db, old), undefined);
  for (const id of [replacement, newest]) assert.ok(await findRun(db, id));
});

test("history keeps the newest runs, every open one and the published render", async () => {
  await using db = await freshDb();
  const catalogId = await seedCatalog(db);
  const published = await finished(db, catalogId, "render");
  await db.execute({ text: "update catalogs set published_run_id = $1", values: [published] });
  const old = await finished(db, catalogId, "sync");
  const open = await seedRun(db, catalogId);
  const newest = [await finished(db, catalogId, "sync"), await finished(db, catalogId, "sync")];

  assert.equal(await pruneRuns(db, 2), 1);

  assert.equal(await findRun(db, old), undefined);
  for (const id of [published, open, ...newest]) assert.ok(await findRun(db, id));
  const listed = await listRuns(db, catalogId, { kind: "sync", limit: 50 });
  assert.deepEqual(
    listed.map((run) => run.id),
    [...newest.toReversed(), open],
  );
});

async function finished(db: Db, catalogId: string, kind: "sync" | "render"): Promise<string> {
  const id = newId();
  await enqueueRun(db, { id, catalogId, sourceId: null, kind, cause: "request" });
  await db.execute({
    text: "update runs set state = 'succeeded', finished_at = now() where id = $1",
    values: [id],
  });
  return id;
}
