import assert from "node:assert/strict";
import { test } from "node:test";
import { until, waitLimit } from "../../test/actions.ts";
import { seedCatalog, seedRun, seedSource } from "../../test/seed.ts";
import { installation } from "../../test/installation.ts";
import { AppError } from "../errors.ts";
import { newId } from "../lib/id.ts";
import { claimRun } from "../store/run-claims.ts";
import { enqueueRender, enqueueRun, findRun, finishRun } from "../store/runs.ts";
import { findSource } from "../store/sources.ts";
import { sql } from "../store/sql.ts";
import { failureOf, requestSync, type SyncRequest, waitForRun, waitForSync } from "./requests.ts";
import { closeAfterTests } from "../../test/close-after.ts";

const home = closeAfterTests(await installation({ hasWorker: false }));

const waitOptions = () => ({ db: home.db, notices: home.notices, signal: waitLimit() });

/** Claims the run as a worker would, and ends it. */
async function finish(id: string, state: "succeeded" | "failed"): Promise<void> {
  const owner = newId();
  await home.db.execute({
    text: "update runs set state = 'running', owner = $2, lease_until = now() + interval '1 minute' where id = $1",
    values: [id, owner],
  });
  const end =
    state === "succeeded"
      ? ({ state, stats: {} } as const)
      : ({ state, error: { code: "source_timeout", message: "It took too long." } } as const);
  assert.ok(await finishRun(home.db, { id, owner }, end));
}

test("another catalog's source is reported as unknown", async () => {
  const [mine, theirs] = [await seedCatalog(home.db), await seedCatalog(home.db)];
  const source = await seedSource(home.db, theirs);

  for (const sourceId of [source, newId()]) {
    await assert.rejects(
      requestSync(home.db, { catalogId: mine, sourceId, cause: "request" }),
      (error) => error instanceof AppError && error.code === "unknown_source",
    );
  }
  assert.equal((await findSource(home.db, source))?.catalogId, theirs);
});

test("requests that wait for a sync of the source share one run, if they ask for the same", async () => {
  const catalogId = await seedCatalog(home.db);
  const sourceId = await seedSource(home.db, catalogId);
  const ask = (more: Partial<SyncRequest> = {}) =>
    requestSync(home.db, { catalogId, sourceId, cause: "request", ...more });
  const first = await ask();
  assert.deepEqual(await Promise.all([ask(), ask(), ask()]), [first, first, first]);
  assert.equal((await findRun(home.db, first))?.guard, "hold");
  assert.equal(await ask({ guard: "publish" }), first);
  assert.equal(await ask(), first);
  assert.equal((await findRun(home.db, first))?.guard, "publish");
  const [changes, anyRemoval] = [await ask({ changesOnly: true }), await ask({ maxRemovedRatio: 1 })];
  assert.equal(new Set([first, changes, anyRemoval]).size, 3);

  const lease = { owner: newId(), leaseMs: 60_000 };
  const claim = async () => (await claimRun(home.db, lease, { only: first }))?.id;
  assert.equal(await claim(), first);
  const next = await ask();
  assert.notEqual(next, first);
  assert.equal(await claimRun(home.db, lease, { only: next }), undefined);
  const end = { state: "succeeded", stats: {} } as const;
  assert.ok(await finishRun(home.db, { id: first, owner: lease.owner }, end));
  // A worker for one run alone also performs those that this run waits for.
  for (const expected of [changes, anyRemoval, next]) {
    assert.equal((await claimRun(home.db, lease, { only: next }))?.id, expected);
    assert.ok(await finishRun(home.db, { id: expected, owner: lease.owner }, end));
  }
});

test("syncs of one source run one after the other, in the order of the requests, whoever claims them", async () => {
  const catalogId = await seedCatalog(home.db);
  const sourceId = await seedSource(home.db, catalogId);
  const ask = (maxRemovedRatio: number) =>
    requestSync(home.db, { catalogId, sourceId, cause: "request", maxRemovedRatio });
  const runs = [await ask(0.1), await ask(0.2), await ask(0.3)];
  const owner = newId();

  const claimed: string[] = [];
  while (claimed.length < runs.length) {
    const taken = await Promise.all(
      Array.from({ length: 4 }, async () =>
        claimRun(home.db, { owner, leaseMs: 60_000 }, { kinds: ["sync"] }),
      ),
    );
    const own = taken.flatMap((run) => (run?.sourceId === sourceId ? [run.id] : []));
    assert.equal(own.length, 1);
    for (const id of own) await finishRun(home.db, { id, owner }, { state: "succeeded", stats: {} });
    claimed.push(...own);
  }
  assert.deepEqual(claimed, runs);
});

test("a request that PostgreSQL cancels to end a deadlock is queued all the same", async () => {
  const { db } = home;
  const catalogId = await seedCatalog(db);
  const sourceId = await seedSource(db, catalogId);
  const request: SyncRequest = { catalogId, sourceId, cause: "request" };
  const first = await requestSync(db, request);
  const requests: Promise<string>[] = [];
  const deadlock = async (): Promise<"request" | "other"> => {
    try {
      await db.session(async (session) =>
        session.tx(async (tx) => {
          await tx.execute(sql`select 1 from runs where id = ${first} for update`);
          requests.push(requestSync(db, request));
          await until(async () => (await waitingInserts()) > 0, "the request to wait for the run");
          // The request has locked the catalog's row.
          await tx.execute(sql`select 1 from catalogs where id = ${catalogId} for update`);
        }),
      );
      return "request";
    } catch (error) {
      assert.equal((error as { code?: unknown }).code, "40P01");
      return "other";
    }
  };

  // PostgreSQL cancels the one that notices the deadlock first: usually that which has waited longer.
  while ((await deadlock()) === "other") await Promise.all(requests);

  for (const runId of await Promise.all(requests)) assert.equal(runId, first);
});

async function waitingInserts(): Promise<number> {
  const row = await home.db.first<{ count: number }>(sql`
    select count(*) from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock' and query ~ 'insert into runs'`);
  return row?.count ?? 0;
}

test("a requested sync does not move the schedule", async () => {
  const catalogId = await seedCatalog(home.db);
  const sourceId = await seedSource(home.db, catalogId);
  const before = await findSource(home.db, sourceId);

  await requestSync(home.db, { catalogId, sourceId, cause: "command" });

  assert.deepEqual((await findSource(home.db, sourceId))?.nextSyncAt, before?.nextSyncAt);
});

test("waiting for a sync ends only after its render has ended", async () => {
  const catalogId = await seedCatalog(home.db);
  const runId = await seedRun(home.db, catalogId);
  const render = newId();
  let answered = false;
  const waiting = waitForSync(waitOptions(), runId).finally(() => {
    answered = true;
  });

  await enqueueRun(home.db, {
    id: render,
    catalogId,
    sourceId: null,
    kind: "render",
    cause: "sync",
    causeRunId: runId,
  });
  await finish(runId, "succeeded");
  await until(async () => (await findRun(home.db, runId))?.state === "succeeded", "the sync to end");
  const early = answered;
  await finish(render, "failed");
  const run = await waiting;

  assert.equal(early, false);
  assert.equal(run.id, runId);
  assert.equal(run.state, "succeeded");
});

test("waiting for a sync that fails ends at once, with the reason", async () => {
  const runId = await seedRun(home.db, await seedCatalog(home.db));
  const waiting = waitForSync(waitOptions(), runId);

  await finish(runId, "failed");

  const failure = failureOf(await waiting);
  assert.equal(failure.code, "source_timeout");
  assert.equal(failure.message, "It took too long.");
  assert.equal(failure.runId, runId);
});

test("a run that has ended already is not waited for", async () => {
  const runId = await seedRun(home.db, await seedCatalog(home.db));
  await finish(runId, "succeeded");

  assert.equal((await waitForRun(waitOptions(), runId)).state, "succeeded");
});

test("a caller that stops waiting is released, and the run continues", async () => {
  const catalogId = await seedCatalog(home.db);
  const runId = await enqueueRender(home.db, catalogId, "request");
  const gone = new AbortController();
  const waiting = waitForRun({ ...waitOptions(), signal: gone.signal }, runId);

  gone.abort(new AppError("stopping", "The caller hung up."));

  await assert.rejects(waiting, (error) => error instanceof AppError && error.code === "stopping");
  assert.equal((await findRun(home.db, runId))?.state, "queued");
});

test("a run that is deleted while a caller waits for it is not_found", async () => {
  const catalogId = await seedCatalog(home.db);
  const runId = await enqueueRender(home.db, catalogId, "request");
  const waiting = waitForRun(waitOptions(), runId);

  await home.db.execute({ text: "delete from catalogs where id = $1", values: [catalogId] });

  await assert.rejects(waiting, (error) => error instanceof AppError && error.code === "not_found");
});

test("a failure with an unknown code is internal, with its message kept", async () => {
  const runId = await seedRun(home.db, await seedCatalog(home.db));
  const lease = { owner: newId(), leaseMs: 60_000 };
  while ((await claimRun(home.db, lease))?.id !== runId);
  const error = { code: "from_the_future", message: "Something newer went wrong." };
  await finishRun(home.db, { id: runId, owner: lease.owner }, { state: "failed", error });

  const failure = failureOf(await waitForRun(waitOptions(), runId));

  assert.equal(failure.code, "internal");
  assert.equal(failure.message, error.message);
});
