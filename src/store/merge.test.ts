import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { freshDb } from "../../test/fresh.ts";
import { seedCatalog, seedSource } from "../../test/seed.ts";
import { findCatalog } from "./catalogs.ts";
import type { Db } from "./db.ts";
import { eachItemBody } from "./items.ts";
import {
  claimOrphans,
  applyDifference,
  measureDifference,
  measureRemovals,
  prepareMerge,
  recordDifference,
  rejectForeign,
  rejectDuplicates,
} from "./merge.ts";
import type { MergeCounts, MergeScope } from "./merge.ts";
import { countPushedItems } from "./pushes.ts";
import { beginSourceRemoval, endSourceRemoval, lockRemovedSource, removeSourceBatch } from "./removals.ts";
import type { ItemsPolicy } from "./removals.ts";
import { findSource, lockSource } from "./sources.ts";
import { openStaging, type Staging } from "./staging.ts";
import { cases } from "../../test/long.ts";

type Row = { readonly id: string; readonly body: string; readonly groupId?: string | null };

/** Any text will do as a fingerprint as long as equal bodies have equal ones. */
const fingerprint = (body: string): string =>
  Buffer.from(body.padEnd(16, "\0")).subarray(0, 16).toString("hex");

async function mergeRows(db: Db, scope: SourceScope, rows: readonly Row[]) {
  return db.session(async (session) => {
    const staging = await openStaging(session);
    let position = 0;
    for (const { id, body, groupId = null } of rows) {
      position += 1;
      await staging.add({ position, id, groupId, fingerprint: fingerprint(body), body });
    }
    await staging.finish();
    return session.tx(async (tx) => {
      const catalog = (await findCatalog(tx, scope.catalogId))?.itemCount ?? 0;
      const repeated = await rejectDuplicates(tx, 100);
      const had = (await findSource(tx, scope.sourceId))?.itemCount ?? 0;
      const source = had + (await claimOrphans(tx, scope, { catalog, source: had }));
      const foreign = await rejectForeign(tx, scope, 100);
      const difference = await measureDifference(tx, scope, { catalog, source });
      const keys = await applyDifference(tx, scope, difference, { catalog });
      await recordDifference(tx, scope, difference, keys);
      return { repeated, foreign, difference };
    });
  });
}

const NO_DIFFERENCE: MergeCounts = { fresh: 0, changed: 0, unchanged: 0, removed: 0, rehashed: 0 };

async function bodies(db: Db, catalogId: string): Promise<string[]> {
  return db.session(async (session) =>
    (await Array.fromAsync(eachItemBody(session, catalogId))).flat().map(({ body }) => body),
  );
}

type SourceScope = MergeScope & { readonly sourceId: string };

async function seedScope(db: Db): Promise<SourceScope> {
  const catalogId = await seedCatalog(db);
  return { catalogId, sourceId: await seedSource(db, catalogId), mode: "replace" };
}

test("after a merge the catalog has exactly the source's items, and the counts are right", async () => {
  await using db = await freshDb();
  const anyRows = fc.uniqueArray(
    fc.record({ id: fc.constantFrom("a", "b", "c", "d", "e", "f"), body: fc.constantFrom("1", "2", "3") }),
    { selector: ({ id }) => id },
  );

  await fc.assert(
    fc.asyncProperty(fc.array(anyRows, { minLength: 1, maxLength: 4 }), async (reads) => {
      const scope = await seedScope(db);
      let before = new Map<string, string>();
      for (const rows of reads) {
        const after = new Map(rows.map(({ id, body }) => [id, body]));

        const { difference } = await mergeRows(db, scope, rows);

        const stayed = rows.filter(({ id }) => before.has(id));
        assert.deepEqual(difference, {
          fresh: rows.length - stayed.length,
          changed: stayed.filter(({ id, body }) => before.get(id) !== body).length,
          unchanged: stayed.filter(({ id, body }) => before.get(id) === body).length,
          removed: before.size - stayed.length,
          rehashed: 0,
        } satisfies MergeCounts);
        assert.deepEqual(
          await bodies(db, scope.catalogId),
          [...after].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, body]) => body),
        );
        assert.equal((await findCatalog(db, scope.catalogId))?.itemCount, after.size);
        assert.equal((await findSource(db, scope.sourceId))?.itemCount, after.size);
        before = after;
      }
    }),
    { numRuns: cases(25) },
  );
});

test("a merge that changes nothing writes no item row and keeps the snapshot", async () => {
  await using db = await freshDb();
  const scope = await seedScope(db);
  const rows = [
    { id: "a", body: "1" },
    { id: "b", body: "2" },
  ];
  await mergeRows(db, scope, rows);
  const versions = async () =>
    db.query({
      text: "select xmin::text, ctid::text from items where catalog_id = $1 order by id",
      values: [scope.catalogId],
    });
  const before = { rows: await versions(), snapshot: (await findCatalog(db, scope.catalogId))?.snapshot };

  const { difference } = await mergeRows(db, scope, rows);

  assert.deepEqual(difference, { fresh: 0, changed: 0, unchanged: 2, removed: 0, rehashed: 0 });
  assert.deepEqual(
    { rows: await versions(), snapshot: (await findCatalog(db, scope.catalogId))?.snapshot },
    before,
  );
});

test("of rows with the same id the first is used and the others are rejected", async () => {
  await using db = await freshDb();
  const scope = await seedScope(db);

  const { repeated } = await mergeRows(db, scope, [
    { id: "a", body: "first" },
    { id: "b", body: "only" },
    { id: "a", body: "second" },
    { id: "a", body: "third" },
  ]);

  assert.deepEqual(repeated, {
    count: 2,
    sample: [
      { position: 3, id: "a" },
      { position: 4, id: "a" },
    ],
  });
  assert.deepEqual(await bodies(db, scope.catalogId), ["first", "only"]);
});

test("an id that another source of the catalog owns is rejected, and its item is unchanged", async () => {
  await using db = await freshDb();
  const scope = await seedScope(db);
  const second = { ...scope, sourceId: await seedSource(db, scope.catalogId) };
  await mergeRows(db, scope, [{ id: "a", body: "mine" }]);

  const { foreign, difference } = await mergeRows(db, second, [
    { id: "a", body: "theirs" },
    { id: "b", body: "new" },
  ]);

  assert.deepEqual(foreign, {
    count: 1,
    sample: [{ position: 1, id: "a", isPushed: false, isRemoval: false }],
  });
  assert.deepEqual(difference, { fresh: 1, changed: 0, unchanged: 0, removed: 0, rehashed: 0 });
  assert.deepEqual(await bodies(db, scope.catalogId), ["mine", "new"]);
});

test("two catalogs may use the same ids", async () => {
  await using db = await freshDb();
  const [one, two] = [await seedScope(db), await seedScope(db)];
  await mergeRows(db, one, [{ id: "a", body: "one" }]);

  const { foreign } = await mergeRows(db, two, [{ id: "a", body: "two" }]);

  assert.equal(foreign.count, 0);
  assert.deepEqual(await bodies(db, one.catalogId), ["one"]);
  assert.deepEqual(await bodies(db, two.catalogId), ["two"]);
});

test("variants are adjacent, also when an item's id equals a group's", async () => {
  await using db = await freshDb();
  const scope = await seedScope(db);

  await mergeRows(db, scope, [
    { id: "z", body: "g1", groupId: "m" },
    { id: "m", body: "single" },
    { id: "a", body: "g2", groupId: "m" },
    { id: "b", body: "alone" },
  ]);

  const order = await bodies(db, scope.catalogId);
  assert.equal(Math.abs(order.indexOf("g1") - order.indexOf("g2")), 1);
  assert.deepEqual(order, ["alone", "g2", "g1", "single"]);
});

test("when an item is removed, the catalog's other sources are read in full", async () => {
  await using db = await freshDb();
  const scope = await seedScope(db);
  const second = { ...scope, sourceId: await seedSource(db, scope.catalogId) };
  await mergeRows(db, scope, [{ id: "a", body: "1" }]);
  await db.execute({ text: `update sources set validators = '{"etag":"x"}'`, values: [] });

  await mergeRows(db, scope, []);

  assert.equal((await findSource(db, second.sourceId))?.validators, null);
  assert.deepEqual((await findSource(db, scope.sourceId))?.validators, { etag: "x" });
});

test("a first merge scans the table a few times, not once per row, even with statistics of an empty table", async () => {
  await using db = await freshDb();
  const scope = await seedScope(db);
  // What autovacuum leaves behind where a catalog was removed: statistics that promise an empty table.
  await db.execute({ text: "vacuum analyze items", values: [] });

  const scans = await db.session(async (session) => {
    const staging = await openStaging(session);
    for (let position = 1; position <= 500; position += 1) {
      const id = `item-${position}`;
      await staging.add({ position, id, groupId: null, fingerprint: fingerprint(id), body: id });
    }
    await staging.finish();
    return session.tx(async (tx) => {
      await prepareMerge(tx, scope, { catalog: 1, staged: 500 });
      await applyDifference(tx, scope, { ...NO_DIFFERENCE, fresh: 500 }, { catalog: 1 });
      return tx.query<{ count: number }>({
        text: "select seq_scan as count from pg_stat_xact_user_tables where relid = 'items'::regclass",
        values: [],
      });
    });
  });

  assert.ok((scans[0]?.count ?? 500) < 10, `the table was read ${scans[0]?.count} times`);
});

test("a merge right after a large one is planned for a large catalog, before the table is analyzed", async () => {
  await using db = await freshDb();
  const scope = await seedScope(db);
  await db.execute({ text: "vacuum analyze items", values: [] });
  const add = async (staging: Staging, from: number) => {
    for (let position = 1; position <= 3_000; position += 1) {
      const id = `item-${position + from}`;
      await staging.add({
        position,
        id,
        groupId: null,
        fingerprint: fingerprint(id + String(from)),
        body: id,
      });
    }
    await staging.finish();
  };
  await db.session(async (session) => {
    await add(await openStaging(session), 0);
    await session.tx(async (tx) =>
      applyDifference(tx, scope, { ...NO_DIFFERENCE, fresh: 3_000 }, { catalog: 0 }),
    );
  });

  const plan = await db.session(async (session) => {
    await add(await openStaging(session), 100);
    return session.tx(async (tx) => {
      await prepareMerge(tx, scope, { catalog: 3_000, staged: 3_000 });
      return tx.query<{ "QUERY PLAN": string }>({
        text: `explain delete from items i where i.catalog_id = $1 and i.source_id is not distinct from $2
                  and not exists (select 1 from staged s where s.id = i.id)`,
        values: [scope.catalogId, scope.sourceId],
      });
    });
  });

  assert.doesNotMatch(plan.map((line) => line["QUERY PLAN"]).join("\n"), /Nested Loop/);
});

/** A row without a body is a removal. */
type Change = { readonly id: string; readonly body: string | null };

async function mergePushed(
  db: Db,
  { catalogId, mode, changes }: Pick<MergeScope, "catalogId" | "mode"> & { changes: readonly Change[] },
) {
  const scope: MergeScope = { catalogId, sourceId: null, mode };
  return db.session(async (session) => {
    const staging = await openStaging(session);
    for (const [index, { id, body }] of changes.entries()) {
      await (body === null
        ? staging.remove(index + 1, id)
        : staging.add({ position: index + 1, id, groupId: null, fingerprint: fingerprint(body), body }));
    }
    await staging.finish();
    return session.tx(async (tx) => {
      const repeated = await rejectDuplicates(tx, 100);
      await claimOrphans(tx, scope, { catalog: 0, source: 0 });
      const foreign = await rejectForeign(tx, scope, 100);
      const had = {
        catalog: (await findCatalog(tx, catalogId))?.itemCount ?? 0,
        source: await countPushedItems(tx, catalogId),
      };
      const { left: removals, unknown } = await measureRemovals(tx, catalogId, 100);
      const difference = await measureDifference(tx, scope, had);
      const keys = await applyDifference(tx, scope, difference, had);
      await recordDifference(tx, scope, difference, keys);
      return { repeated, foreign, removals, unknown, difference };
    });
  });
}

test("updates and replacements of pushed items behave like a map, and do not change a source's items", async () => {
  await using db = await freshDb();
  const anyChange = fc.record({
    id: fc.constantFrom("a", "b", "c", "d", "pulled"),
    body: fc.constantFrom("1", "2", null),
  });
  const anyPush = fc.record({
    isWhole: fc.boolean(),
    changes: fc.array(anyChange, { maxLength: 6 }),
  });

  await fc.assert(
    fc.asyncProperty(fc.array(anyPush, { minLength: 1, maxLength: 4 }), async (pushes) => {
      const scope = await seedScope(db);
      const { catalogId } = scope;
      await mergeRows(db, scope, [{ id: "pulled", body: "0" }]);
      let model = new Map<string, string>();
      for (const { isWhole, changes: said } of pushes) {
        const changes = isWhole ? said.filter(({ body }) => body !== null) : said;
        const taken = changes.filter(({ id }, i) => changes.findIndex((other) => other.id === id) === i);
        const own = taken.filter(({ id }) => id !== "pulled");
        const before = model;
        model = new Map(isWhole ? [] : before);
        for (const { id, body } of own) {
          if (body === null) model.delete(id);
          else model.set(id, body);
        }

        const mode = isWhole ? "replace" : "patch";
        const { repeated, foreign, removals, unknown, difference } = await mergePushed(db, {
          catalogId,
          mode,
          changes,
        });

        assert.equal(repeated.count, changes.length - taken.length);
        assert.equal(foreign.count, taken.length - own.length);
        assert.equal(removals, own.filter(({ body }) => body === null).length);
        const gone = own.filter(({ id, body }) => body === null && !before.has(id));
        assert.deepEqual(
          unknown.sample.map(({ id }) => id),
          gone.map(({ id }) => id),
        );
        assert.equal(unknown.count, gone.length);
        const { fresh, changed, unchanged, removed } = difference;
        assert.equal(fresh + changed + unchanged, own.length - removals);
        assert.equal(removed, [...before.keys()].filter((id) => !model.has(id)).length);
        assert.equal(await countPushedItems(db, catalogId), model.size);
        assert.deepEqual((await bodies(db, catalogId)).sort(), ["0", ...model.values()].sort());
      }
    }),
    { numRuns: cases(25) },
  );
});

test("when a push removes items, every source is read in full, since rejected ids may be free", async () => {
  await using db = await freshDb();
  const scope = await seedScope(db);
  const { catalogId } = scope;
  await mergePushed(db, { catalogId, mode: "patch", changes: [{ id: "a", body: "1" }] });
  await db.execute({ text: `update sources set validators = '{"etag":"x"}'`, values: [] });

  await mergePushed(db, { catalogId, mode: "patch", changes: [{ id: "a", body: null }] });

  assert.equal((await findSource(db, scope.sourceId))?.validators, null);
});

/** Removes a source and goes over its items, or leaves them for the job. */
async function removeSource(db: Db, id: string, items: ItemsPolicy, isDone: boolean): Promise<void> {
  await db.tx(async (tx) => {
    const source = await lockSource(tx, id);
    assert.ok(source);
    await beginSourceRemoval(tx, source, items);
    const removal = await lockRemovedSource(tx, id);
    if (!isDone || !removal) return;
    await removeSourceBatch(tx, removal);
    await endSourceRemoval(tx, removal);
  });
}

const REMOVALS = [
  { title: "items that were kept from a removed source", items: "keep", isDone: true, pushed: 2 },
  { title: "items that a running removal will keep", items: "keep", isDone: false, pushed: 1 },
  {
    title: "items that a running removal will remove",
    items: "remove",
    isDone: false,
    pushed: 1,
  },
] as const;

for (const { title, items, isDone, pushed } of REMOVALS) {
  test(`${title} are claimed by the source or push that names them, and by no other`, async () => {
    await using db = await freshDb();
    const scope = await seedScope(db);
    const { catalogId } = scope;
    const second = { ...scope, sourceId: await seedSource(db, catalogId) };
    await mergeRows(db, scope, [
      { id: "a", body: "1" },
      { id: "b", body: "1" },
      { id: "c", body: "1" },
    ]);
    await removeSource(db, scope.sourceId, items, isDone);
    await mergePushed(db, { catalogId, mode: "patch", changes: [{ id: "b", body: "2" }] });

    const { foreign, difference } = await mergeRows(db, second, [
      { id: "a", body: "2" },
      { id: "b", body: "3" },
    ]);

    assert.deepEqual(foreign, {
      count: 1,
      sample: [{ position: 2, id: "b", isPushed: true, isRemoval: false }],
    });
    assert.deepEqual(difference, { fresh: 0, changed: 1, unchanged: 0, removed: 0, rehashed: 0 });
    assert.equal((await findSource(db, second.sourceId))?.itemCount, 1);
    assert.equal(await countPushedItems(db, catalogId), pushed);
    assert.equal((await findCatalog(db, catalogId))?.itemCount, 3);
  });
}
