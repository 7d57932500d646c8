import assert from "node:assert/strict";
import { test } from "node:test";
import { freshDb } from "../../test/fresh.ts";
import { seedCatalog } from "../../test/seed.ts";
import { anyDue, seedEndpoint, seedEvent } from "../../test/fakes/receiver-seed.ts";
import { sql } from "./sql.ts";
import { listApplied } from "./migrate.ts";
import { countHealth, serverFacts } from "./health.ts";
import { claimDeliveries } from "../webhooks/queue.sql.ts";
import { isLong } from "../../test/long.ts";

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

test("a delivery is late while it is not claimed, and when its lease has expired", async () => {
  await using db = await freshDb();
  const catalogId = await seedCatalog(db);
  await seedEndpoint(db, catalogId);
  const latenessS = async () => (await countHealth(db)).deliveryLatenessS;
  assert.equal(await latenessS(), 0);

  await seedEvent(db, catalogId, { at: new Date() });
  await db.execute(sql`update webhook_queue set due_at = ${minutesAgo(10)}`);
  assert.ok((await latenessS()) >= 600);

  assert.equal((await claimDeliveries(db, anyDue())).length, 1);
  await db.execute(sql`update webhook_queue set lease_until = ${minutesAgo(5)}`);
  assert.ok((await latenessS()) >= 600, "its lease ended minutes ago");

  assert.equal((await claimDeliveries(db, anyDue())).length, 1);
  assert.equal(await latenessS(), 0);
});

if (isLong)
  test("counts are exact while a table is small, and close to it when only a sample of a large one is read", async () => {
    await using db = await freshDb();
    const catalogId = await seedCatalog(db);
    await db.execute(sql`
    insert into runs (id, catalog_id, kind, state, cause, finished_at)
    select gen_random_uuid(), ${catalogId}, 'render', case when n % 4 = 0 then 'failed' else 'succeeded' end,
           'request', now()
      from generate_series(1, 20000) n`);
    const counts = async (pages?: number) =>
      Object.fromEntries((await countHealth(db, pages)).runs.map(({ state, count }) => [state, count]));

    assert.deepEqual(await counts(), { failed: 5_000, succeeded: 15_000 });
    const { failed = 0, succeeded = 0 } = await counts(100);

    assert.ok(failed > 2_000 && failed < 10_000, String(failed));
    assert.ok(succeeded > 6_000 && succeeded < 30_000, String(succeeded));
  });

test("no plan of the counts reads the delivery log or the queue from end to end", async () => {
  await using db = await freshDb();
  const statements: string[] = [];
  const watched = {
    ...db,
    query: async <Row>(statement: Parameters<typeof db.query>[0]) => {
      statements.push(statement.text);
      return db.query<Row>(statement);
    },
    first: async <Row>(statement: Parameters<typeof db.first>[0]) => {
      statements.push(statement.text);
      return db.first<Row>(statement);
    },
  };

  await countHealth(watched);

  const scans = statements.filter((text) =>
    /from (webhook_deliveries|runs|renders|destination_deliveries)\b(?! tablesample)/.test(text),
  );
  assert.deepEqual(scans, []);
  assert.ok(statements.some((text) => text.includes("order by q.turn limit 1")));
});

test("the facts of the server name its newest migration", async () => {
  await using db = await freshDb();
  const applied = await listApplied(db);

  assert.equal((await serverFacts(db))?.schema, applied.at(-1)?.version);
});
