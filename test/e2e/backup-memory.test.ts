/**
 * A backup is a stream: its memory does not grow with the catalog. Slow, so it is with the tests of whole processes.
 */
import assert from "node:assert/strict";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { freshDb, tempDir } from "../fresh.ts";
import { seedCatalog } from "../seed.ts";
import { sql } from "../../src/store/sql.ts";
import { writeBackup } from "../../src/store/backup/backup.ts";
import { restoreBackup } from "../../src/store/backup/restore.ts";

const ITEMS = 200_000;
/** What the collector has not got to yet is within this as well. */
const LIMIT_MB = 96;

/** The most memory that the work takes beyond what was there before, in megabytes. */
async function peakOf(work: () => Promise<unknown>): Promise<number> {
  const used = () => {
    const { heapUsed, external } = process.memoryUsage();
    return (heapUsed + external) / 1e6;
  };
  const before = used();
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, used());
  }, 10);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return peak - before;
}

test(`a backup of ${ITEMS} items and its restore need bounded memory`, async () => {
  await using db = await freshDb();
  await using other = await freshDb({ isMigrated: false });
  await using folder = await tempDir();
  const catalogId = await seedCatalog(db);
  // Bodies that do not compress well, about 1 KB each.
  await db.execute(sql`
    insert into items (catalog_id, id, sort_key, fingerprint, body)
    select ${catalogId}::uuid, 'item-' || n, 'item-' || n, decode(md5(n::text), 'hex'),
           json_build_object('id', n, 'text', (select string_agg(md5((n * 40 + k)::text), ' ') from generate_series(1, 30) k))
      from generate_series(1, ${ITEMS}::int) n`);
  const path = join(folder.path, "all.backup");

  const backup = await peakOf(async () => writeBackup(db, { path, notes: {}, overwrite: false }));
  const { size } = await stat(path);
  let counts = {};
  const restore = await peakOf(async () => {
    counts = await restoreBackup(other, path);
  });

  assert.ok(size > 80_000_000, `the file has only ${size} bytes: the test shows nothing`);
  assert.equal((counts as { items?: number }).items, ITEMS);
  assert.ok(backup < LIMIT_MB, `the backup took ${Math.round(backup)} MB`);
  assert.ok(restore < LIMIT_MB, `the restore took ${Math.round(restore)} MB`);
});
