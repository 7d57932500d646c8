/** Small updates that wait for the same catalog: applied together, with the result of one after the other. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { startWorker, waitLimit } from "../../../test/actions.ts";
import { closeAfterTests } from "../../../test/close-after.ts";
import { installation } from "../../../test/installation.ts";
import { cases } from "../../../test/long.ts";
import { seedRun, seedSource } from "../../../test/seed.ts";
import { newId } from "../../lib/id.ts";
import { claimRun } from "../../store/run-claims.ts";
import { findRun, findRunCausedBy, type Run } from "../../store/runs.ts";
import { sql } from "../../store/sql.ts";
import { waitForRun } from "../requests.ts";
import { PUSH_LIMITS, type PushLimits } from "./received-bytes.ts";
import { type PushRequest, requestPush } from "./request.ts";

const home = closeAfterTests(await installation({ hasWorker: false }));
const { db } = home;

type Sent = Pick<PushRequest, "mode"> & { readonly text: string; readonly maxRemovedRatio?: number };

async function* of(text: string): AsyncGenerator<Uint8Array, void, void> {
  yield Buffer.from(text);
}

async function send(
  catalogId: string,
  { mode, text, maxRemovedRatio = 1 }: Sent,
  limits: PushLimits = PUSH_LIMITS,
): Promise<string> {
  const request: PushRequest = {
    catalogId,
    key: null,
    mode,
    format: "json",
    file: null,
    maxRemovedRatio,
    bytes: of(text),
    coding: "identity",
    signal: new AbortController().signal,
  };
  return (await requestPush(home, request, limits)).runId;
}

const update = (...rows: readonly unknown[]): Sent => ({ mode: "update", text: JSON.stringify(rows) });

const product = (id: string, more: object = {}): object => ({
  id,
  title: `Mug ${id}`,
  link: `https://shop.example/${id}`,
  price: "9.50 USD",
  ...more,
});

const ended = (runId: string): Promise<Run> =>
  waitForRun({ db, notices: home.notices, signal: waitLimit() }, runId);

/** Without renders: what they share is checked by the runs. */
const SYNCS_ONLY = { options: { slots: { sync: 1 } } } as const;

const itemsOf = (catalogId: string) =>
  db.query<{ id: string; body: string; sourceId: string | null }>(sql`
    select id, body, source_id is null as "isPushed" from items where catalog_id = ${catalogId} order by id`);

const counts = async (catalogId: string) =>
  db.first(sql`
    select item_count as "itemCount", (select count(*) from items where catalog_id = ${catalogId}) as items
      from catalogs where id = ${catalogId}`);

/** A catalog with an item that was pushed and one that a source owns. */
async function seeded(): Promise<string> {
  const { id } = await home.createCatalog();
  await using worker = startWorker(home, SYNCS_ONLY);
  await ended(await send(id, update(product("pushed"), product("owned"))));
  await worker.stop();
  const sourceId = await seedSource(db, id);
  await db.execute(sql`update items set source_id = ${sourceId} where catalog_id = ${id} and id = 'owned'`);
  await db.execute(sql`update sources set item_count = 1 where id = ${sourceId}`);
  return id;
}

const anyId = fc.constantFrom("pushed", "owned", "a", "b", "c");
const anyRow = fc.oneof(
  fc.record({ id: anyId, price: fc.constantFrom("1.00 USD", "2.00 USD", "free") }),
  fc.record({ id: anyId, brand: fc.constantFrom("Kiln", null, "n/a", "") }),
  fc.record({ id: anyId, title: fc.constantFrom("Cup", null) }),
  fc.record({ id: anyId, delete: fc.constant(true) }),
  fc
    .tuple(anyId, fc.constantFrom({}, { mode: "replace" }, { price: "1.299" }, { group_id: "g" }))
    .map(([id, more]) => product(id, more)),
  fc.constant("no product"),
);
const anyPush: fc.Arbitrary<Sent> = fc.oneof(
  { weight: 9, arbitrary: fc.array(anyRow, { minLength: 1, maxLength: 3 }).map((rows) => update(...rows)) },
  { weight: 1, arbitrary: fc.constant<Sent>({ mode: "update", text: "[{" }) },
  { weight: 1, arbitrary: fc.constant<Sent>({ mode: "replace", text: JSON.stringify([product("a")]) }) },
);

/** What a run says, apart from its id and its times. */
const outcome = ({ state, stats, error }: Run) => ({ state, stats, error });

test("pushes that are applied together have the results of the same pushes applied one after the other", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyPush, { minLength: 1, maxLength: 8 }), async (pushes) => {
      const [together, alone] = [await seeded(), await seeded()];
      const queued: string[] = [];
      for (const push of pushes) queued.push(await send(together, push));
      await using worker = startWorker(home, SYNCS_ONLY);
      const outcomes = await Promise.all(queued.map(async (runId) => outcome(await ended(runId))));
      const expected: unknown[] = [];
      // A large push is applied alone.
      for (const push of pushes)
        expected.push(outcome(await ended(await send(alone, push, { ...PUSH_LIMITS, smallBytes: 0 }))));
      await worker.stop();

      assert.deepEqual(outcomes.map(sortedIssues), expected.map(sortedIssues));
      assert.deepEqual(await itemsOf(together), await itemsOf(alone));
      assert.deepEqual(await counts(together), await counts(alone));
    }),
    { numRuns: cases(60) },
  );
});

/** Warnings of one push come in the order of its rows, or of its batches. */
function sortedIssues(ended: unknown): unknown {
  return JSON.parse(
    JSON.stringify(ended, (name, value: unknown) =>
      name === "warning_examples" || name === "rejections"
        ? (value as object[]).map((entry) => JSON.stringify(entry)).toSorted()
        : value,
    ),
  );
}

test("pushes that wait are one merge and one render, each with its own run, and one that is bad fails alone", async () => {
  const { id: catalogId } = await home.createCatalog();
  const runIds: string[] = [];
  for (const push of [
    update(product("a")),
    { mode: "update", text: "[{" } as const,
    update({ id: "a", price: "8.00 USD" }, product("b")),
    update({ id: "a", title: "Cup" }),
  ])
    runIds.push(await send(catalogId, push));

  await using worker = startWorker(home, SYNCS_ONLY);
  const runs = await Promise.all(runIds.map(ended));
  await worker.stop();

  assert.deepEqual(
    runs.map(({ state, error, stats }) => [state, error?.code, stats["upserted"]]),
    [
      ["succeeded", undefined, 1],
      ["failed", "body_malformed", 0],
      ["succeeded", undefined, 2],
      ["succeeded", undefined, 1],
    ],
  );
  const renders = await Promise.all(runIds.map(async (runId) => (await findRunCausedBy(db, runId))?.id));
  assert.deepEqual(renders, [renders[0], undefined, renders[0], renders[0]]);
  assert.ok(renders[0]);
  const snapshot = await db.first<{ snapshot: number }>(
    sql`select snapshot from catalogs where id = ${catalogId}`,
  );
  assert.equal(snapshot?.snapshot, 1);
  const [a] = await itemsOf(catalogId);
  assert.match(a?.body ?? "", /"title":"Cup"/);
  assert.match(a?.body ?? "", /8/);
});

test("a push whose worker died is applied alone by the next one, and those that waited with it after it", async () => {
  const { id: catalogId } = await home.createCatalog();
  const runIds: string[] = [];
  for (const price of ["1.00 USD", "2.00 USD", "3.00 USD"])
    runIds.push(await send(catalogId, update(product("a", { price }))));
  await db.execute(sql`
    update runs set state = 'running', owner = ${newId()}, attempts = 1, lease_until = now() - interval '1 second'
     where id = ${runIds[0]}`);

  await using worker = startWorker(home, SYNCS_ONLY);
  const runs = await Promise.all(runIds.map(ended));
  await worker.stop();

  assert.deepEqual(
    runs.map(({ state, stats }) => [state, stats["upserted"]]),
    [
      ["succeeded", 1],
      ["succeeded", 1],
      ["succeeded", 1],
    ],
  );
  assert.match((await itemsOf(catalogId))[0]?.body ?? "", /3/);
});

test("a replacement is applied alone, in its place", async () => {
  const { id: catalogId } = await home.createCatalog();
  const replacement: Sent = { mode: "replace", text: JSON.stringify([product("b")]) };
  const runIds: string[] = [];
  for (const push of [update(product("a")), replacement, update(product("c"))])
    runIds.push(await send(catalogId, push));

  await using worker = startWorker(home, SYNCS_ONLY);
  const [, replaced] = await Promise.all(runIds.map(ended));
  await worker.stop();

  assert.equal(replaced?.stats["removed"], 1);
  assert.deepEqual(
    (await itemsOf(catalogId)).map(({ id }) => id),
    ["b", "c"],
  );
});

test("a push does not wait for the pushes of another catalog", async () => {
  const [{ id: busy }, { id: other }] = [await home.createCatalog(), await home.createCatalog()];
  const waiting = await Promise.all(
    Array.from({ length: 20 }, async (_, i) => send(busy, update(product(`p-${i}`)))),
  );
  // As if a worker applied the first one for a long time.
  await db.execute(sql`
    update runs set state = 'running', owner = ${newId()}, attempts = 1, lease_until = now() + interval '50 seconds'
     where id = (select id from runs where catalog_id = ${busy} order by created_at, id limit 1)`);

  await using worker = startWorker(home, SYNCS_ONLY);
  const run = await ended(await send(other, update(product("a"))));
  await worker.stop();

  assert.equal(run.state, "succeeded");
  for (const runId of waiting) assert.notEqual((await findRun(db, runId))?.state, "succeeded");
});

test("a push that may remove any number of items does not share the render of one that may not", async () => {
  const { id: catalogId } = await home.createCatalog();
  const runIds = [
    await send(catalogId, { ...update(product("a")), maxRemovedRatio: 0.5 }),
    await send(catalogId, update({ id: "a", delete: true })),
  ];

  await using worker = startWorker(home, SYNCS_ONLY);
  await Promise.all(runIds.map(ended));
  await worker.stop();

  const [first, second] = await Promise.all(runIds.map(async (runId) => findRunCausedBy(db, runId)));
  assert.ok(first && second);
  assert.notEqual(first.id, second.id);
});

test("a push waits for a render of its catalog that has just begun, and not for a long one", async () => {
  const { id: catalogId } = await home.createCatalog();
  const renderId = await seedRun(db, catalogId, { kind: "render" });
  const claim = async (only: string) =>
    (await claimRun(db, { owner: newId(), leaseMs: 60_000 }, { only }))?.id;
  assert.equal(await claim(renderId), renderId);
  const pushId = await send(catalogId, update(product("1")));

  assert.equal(await claim(pushId), undefined);
  await db.execute(
    sql`update runs set started_at = started_at - interval '1 minute' where id = ${renderId}::uuid`,
  );
  assert.equal(await claim(pushId), pushId);
});

test("a push does not wait for a render whose worker died", async () => {
  const { id: catalogId } = await home.createCatalog();
  const renderId = await seedRun(db, catalogId, { kind: "render" });
  const claim = async (only: string, leaseMs: number) =>
    (await claimRun(db, { owner: newId(), leaseMs }, { only }))?.id;
  assert.equal(await claim(renderId, -1), renderId);
  const pushId = await send(catalogId, update(product("1")));

  assert.equal(await claim(pushId, 60_000), pushId);
});

test("the render after a push waits while a small push is next, and only then", async () => {
  const { id: catalogId } = await home.createCatalog();
  const claim = async (only: string) =>
    (await claimRun(db, { owner: newId(), leaseMs: 60_000 }, { only }))?.id;
  const first = await send(catalogId, update(product("1")));
  await db.execute(sql`update runs set state = 'succeeded', finished_at = now() where id = ${first}::uuid`);
  const renderId = await seedRun(db, catalogId, { kind: "render", cause: "sync", causeRunId: first });
  // The wait is half a second from here: so it does not end during the test.
  await db.execute(sql`update runs set created_at = now() + interval '1 hour' where id = ${renderId}::uuid`);
  const next = await send(catalogId, update(product("2")));

  assert.equal(await claim(renderId), undefined);
  await db.execute(sql`update runs set due_at = now() + interval '1 hour' where id = ${next}::uuid`);
  assert.equal(await claim(renderId), renderId);
});
