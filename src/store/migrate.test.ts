import assert from "node:assert/strict";
import { cp, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { freshDb, tempDir } from "../../test/fresh.ts";
import { migrate } from "./migrate.ts";

const REAL = join(import.meta.dirname, "../../migrations");

test("an empty database gets every migration once, also when many processes start at the same time", async () => {
  await using db = await freshDb({ isMigrated: false });

  const applied = await Promise.all(Array.from({ length: 5 }, async () => migrate(db)));

  assert.deepEqual(applied.flat(), (await readdir(REAL)).sort());
  assert.deepEqual(await migrate(db), []);
});

test("a migration that fails leaves nothing of itself behind and stops those after it", async () => {
  await using db = await freshDb({ isMigrated: false });
  await using folder = await tempDir();
  await writeFile(join(folder.path, "0001_good.sql"), "create table good (n int)");
  await writeFile(join(folder.path, "0002_bad.sql"), "create table half (n int); select no_such_function()");
  await writeFile(join(folder.path, "0003_never.sql"), "create table never (n int)");

  await assert.rejects(migrate(db, folder.path), /no_such_function/);

  const tables = await db.query<{ name: string }>({
    text: "select tablename as name from pg_tables where schemaname = current_schema() order by 1",
    values: [],
  });
  assert.deepEqual(
    tables.map(({ name }) => name),
    ["good", "schema_migrations"],
  );
});

test("a database that newer code migrated is refused with its own error code", async () => {
  await using db = await freshDb();
  await db.execute({
    text: "insert into schema_migrations (version, name, sha256) values (9999, '9999_future.sql', 'x')",
    values: [],
  });

  await assert.rejects(migrate(db), { code: "schema_too_new", message: /9999/ });
});

test("a released migration that was edited is refused", async () => {
  await using db = await freshDb();
  await using folder = await tempDir();
  await cp(REAL, folder.path, { recursive: true });
  await writeFile(join(folder.path, "0001_init.sql"), "-- edited\n");

  await assert.rejects(migrate(db, folder.path), { code: "schema_too_new", message: /0001_init\.sql/ });
});
