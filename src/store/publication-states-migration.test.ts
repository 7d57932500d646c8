/** The migration after which a held render is no failed run, and only the served render is published (0049). */
import assert from "node:assert/strict";
import { cp, readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { freshDb, tempDir } from "../../test/fresh.ts";
import { newId } from "../lib/id.ts";
import { migrate } from "./migrate.ts";
import { findRender } from "./renders.ts";
import { findRun } from "./runs.ts";
import { sql } from "./sql.ts";

const MIGRATIONS = join(import.meta.dirname, "../../migrations");

test("the migration ends held runs as succeeded, and marks renders that were served before as superseded", async () => {
  await using folder = await tempDir();
  for (const name of (await readdir(MIGRATIONS)).filter((file) => file < "0049"))
    await cp(join(MIGRATIONS, name), join(folder.path, name));
  await using db = await freshDb({ isMigrated: false });
  await migrate(db, folder.path);
  const catalogId = newId();
  const renders = {
    first: { id: newId(), state: "published", code: null },
    current: { id: newId(), state: "published", code: null },
    held: { id: newId(), state: "held", code: "render_held" },
    discarded: { id: newId(), state: "discarded", code: "render_held" },
    failed: { id: newId(), state: null, code: "render_failed" },
  } as const;
  await db.execute(sql`
    insert into catalogs (id, slug, name, feed_token_hash, feed_token_sealed)
    values (${catalogId}, 'my-shop', 'Shop', '\\x00', '\\x00')`);
  for (const { id, state, code } of Object.values(renders)) {
    const error = code === null ? null : JSON.stringify({ code, message: "Why." });
    await db.execute(sql`
      insert into runs (id, catalog_id, kind, state, cause, error, finished_at)
      values (${id}, ${catalogId}, 'render', ${code === null ? "succeeded" : "failed"}, 'sync', ${error}, now())`);
    if (state !== null)
      await db.execute(sql`
        insert into renders (run_id, catalog_id, folder, state) values (${id}, ${catalogId}, ${newId()}, ${state})`);
  }
  await db.execute(sql`update catalogs set published_run_id = ${renders.current.id}`);

  await migrate(db);

  const after: Record<string, unknown> = {};
  for (const [name, { id }] of Object.entries(renders)) {
    const [run, render] = [await findRun(db, id), await findRender(db, id)];
    const wasServed = render?.publishedAt instanceof Date;
    after[name] = [run?.state, run?.error?.code ?? null, render?.state ?? null, wasServed];
  }
  assert.deepEqual(after, {
    first: ["succeeded", null, "superseded", true],
    current: ["succeeded", null, "published", true],
    held: ["succeeded", null, "held", false],
    discarded: ["succeeded", null, "discarded", false],
    failed: ["failed", "render_failed", null, false],
  });
});
