/** The migration that adds what a status needs (0018), on a database with a history of syncs. */
import assert from "node:assert/strict";
import { cp, readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { freshDb, tempDir } from "../../test/fresh.ts";
import { seedCatalog, seedSource } from "../../test/seed.ts";
import { newId } from "../lib/id.ts";
import type { Db } from "./db.ts";
import { migrate } from "./migrate.ts";
import { sql } from "./sql.ts";

const MIGRATIONS = join(import.meta.dirname, "../../migrations");

async function migrateUpTo(db: Db, last: string): Promise<void> {
  await using folder = await tempDir();
  for (const name of await readdir(MIGRATIONS))
    if (name < last) await cp(join(MIGRATIONS, name), join(folder.path, name));
  await migrate(db, folder.path);
}

type Ended = {
  readonly state: "succeeded" | "failed";
  readonly stats?: object;
  readonly code?: string;
};

const SUCCESS: Ended = {
  state: "succeeded",
  stats: { seen: 12, rejected: 3, rejection_codes: { missing_price: 2, unpublished: 1 } },
};
const FAILURE: Ended = { state: "failed", code: "source_timeout" };
const CANCELED: Ended = { state: "failed", code: "canceled" };

const HISTORIES: Readonly<Record<string, readonly Ended[]>> = {
  "all good": [SUCCESS, SUCCESS],
  "failing after a success": [FAILURE, SUCCESS, CANCELED, FAILURE, FAILURE],
  "good again": [FAILURE, FAILURE, SUCCESS],
  "never good": [FAILURE, CANCELED, FAILURE],
  "only canceled": [CANCELED],
};

const minute = (n: number) => new Date(Date.UTC(2026, 0, 1, 12, n));

/** The runs of one source in order; `null`: pushes. */
async function endRuns(
  db: Db,
  { catalogId, sourceId, runs }: { catalogId: string; sourceId: string | null; runs: readonly Ended[] },
): Promise<void> {
  for (const [at, { state, stats = {}, code }] of runs.entries()) {
    const id = newId();
    const error = code === undefined ? null : JSON.stringify({ code, message: "It failed." });
    await db.execute(sql`
      insert into runs (id, catalog_id, source_id, kind, state, cause, created_at)
      values (${id}, ${catalogId}, ${sourceId}, 'sync', 'running', 'schedule', ${minute(at)})`);
    await db.execute(sql`
      update runs set state = ${state}, stats = ${JSON.stringify(stats)}, error = ${error}, finished_at = ${minute(at)}
       where id = ${id}`);
  }
}

const healthOf = (db: Db, originId: string) =>
  db.first(sql`
    select error->>'code' as code, finished_at, failing_since, failures, last_success_at, seen, rejected
      from sync_health where origin_id = ${originId}`);

for (const [name, runs] of Object.entries(HISTORIES))
  test(`a history that is ${name} is recorded by the migration as it is run by run`, async () => {
    await using old = await freshDb({ isMigrated: false });
    await migrateUpTo(old, "0018");
    const catalogId = await seedCatalog(old);
    const sourceId = await seedSource(old, catalogId);
    await endRuns(old, { catalogId, sourceId, runs });
    await endRuns(old, { catalogId, sourceId: null, runs });

    await migrate(old, MIGRATIONS);
    const migrated = await healthOf(old, sourceId);
    const pushes = await healthOf(old, catalogId);
    const other = await seedSource(old, catalogId);
    await endRuns(old, { catalogId, sourceId: other, runs });

    assert.deepEqual(migrated, await healthOf(old, other));
    assert.deepEqual(pushes, migrated);
    assert.equal(migrated === undefined, name === "only canceled");
  });

test("failures are counted from the last success, and rejected rows without unpublished ones", async () => {
  await using db = await freshDb();
  const catalogId = await seedCatalog(db);
  const sourceId = await seedSource(db, catalogId);

  await endRuns(db, { catalogId, sourceId, runs: HISTORIES["failing after a success"] ?? [] });

  assert.deepEqual(await healthOf(db, sourceId), {
    code: "source_timeout",
    finishedAt: minute(4),
    failingSince: minute(3),
    failures: 2,
    lastSuccessAt: minute(1),
    seen: 12,
    rejected: 2,
  });
});
