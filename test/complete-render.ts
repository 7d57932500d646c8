/** Compares what a render has produced with what a complete render produces. */
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { render } from "./actions.ts";
import type { installation, TestCatalog } from "./installation.ts";
import { eachKeyHash } from "../src/audit/catalog-tables.ts";
import { findNewestAudit } from "../src/store/audits.ts";
import { findCatalog } from "../src/store/catalogs.ts";
import { listFeedFiles } from "../src/store/feed-files.ts";
import { findRun } from "../src/store/runs.ts";
import { OpenIndex, readIndexInfo } from "../src/pipeline/render/compare-indexes.ts";
import type { RenderStats } from "../src/pipeline/render/render.ts";
import type { IndexInfo } from "../src/pipeline/render/render-index.ts";

type Home = Awaited<ReturnType<typeof installation>>;

async function publishedFiles(home: Home, catalogId: string) {
  const runId = (await findCatalog(home.db, catalogId))?.publishedRunId ?? "";
  const rows = await listFeedFiles(home.db, runId);
  const [folder = ""] = rows.map((row) => row.folder);
  return { runId, rows, folder };
}

/** Everything that a render produces. */
async function published(home: Home, catalogId: string) {
  const { db } = home;
  const { runId, rows, folder } = await publishedFiles(home, catalogId);
  const stats = (await findRun(db, runId))?.stats as RenderStats;
  const read = async (file: string, encoding: "identity" | "gzip") => {
    const stream = await home.jobs.folders.open({ catalogId, folder, file, encoding });
    return Buffer.concat(await Array.fromAsync((stream ?? []) as AsyncIterable<Buffer>));
  };
  const files: Record<string, unknown> = {};
  for (const { file, etag, bytes, gzipBytes, written, excluded } of rows) {
    const [plain, gzip] = [await read(file, "identity"), await read(file, "gzip")];
    assert.deepEqual([bytes, gzipBytes], [plain.length, gzip.length]);
    files[file] = { etag, plain: plain.toString(), gzip, written, excluded };
  }
  for (const file of ["search.txt", "refusals.jsonl"])
    files[file] = (await read(file, "identity")).toString();
  const {
    as_of: _at,
    hosts: _hosts,
    // An upper limit, and when the items were last compared.
    table_keys: _keys,
    compared_at: _comparedAt,
    ...info
  } = JSON.parse(await read("index.json", "identity").then(String)) as IndexInfo;
  const audit = await findNewestAudit(db, catalogId);
  const { as_of: _asOf, ...report } = JSON.parse(audit?.report ?? "null") as Record<string, unknown>;
  const verdicts = await db.query({
    text: "select item_id, verdict, tags from verdicts where catalog_id = $1 order by item_id",
    values: [catalogId],
  });
  const directory = await readDirectory(home, catalogId, folder, info);
  // Filters, which have room for some keys more or less.
  const { crcs: _crcs, ...index } = info;
  return {
    folder,
    result: { stats, files, report, verdicts, sameUntil: audit?.sameUntil, index, directory },
  };
}

/** Checks that each record describes its segment, and returns the records without their filters. */
async function readDirectory(
  home: Home,
  catalogId: string,
  folder: string,
  info: Pick<IndexInfo, "heads" | "crcs">,
) {
  await using index = await OpenIndex.open(home.jobs.folders, { catalogId, folder }, info);
  const records = [];
  for (const [at, record] of index.directory.entries()) {
    const entries = await index.entriesAt(at);
    assert.deepEqual(entries[0]?.sortKey, record.firstKey);
    assert.equal(
      entries.reduce((sum, entry) => sum + entry.bytes, 0),
      record.bytes,
    );
    for (const { lookups } of entries)
      eachKeyHash(lookups, (first, second) => assert.ok(record.mayLookUp(first, second)));
    records.push({ firstKey: record.firstKey.toString(), numbers: Array.from(record.numbers) });
  }
  return records;
}

/** Nothing can be kept, and nothing reused. */
async function renderCompletely(home: Home, catalog: TestCatalog): Promise<void> {
  const { folder } = await publishedFiles(home, catalog.id);
  await rm(join(home.dataDir, "feeds", catalog.id, folder, "index.json"));
  await home.db.execute({
    text: "update audits set base = '' where catalog_id = $1",
    values: [catalog.id],
  });
  assert.equal((await render(home, catalog)).status, 200);
}

async function checkAgainstComplete(home: Home, catalog: TestCatalog): Promise<void> {
  const incremental = await published(home, catalog.id);
  await renderCompletely(home, catalog);
  const complete = await published(home, catalog.id);
  assert.notEqual(complete.folder, incremental.folder);
  assert.deepEqual(incremental.result, complete.result);
}

/** The first keys of the segments of the published render's index. */
async function directoryOf(home: Home, catalogId: string): Promise<readonly Buffer[]> {
  const { folder } = await publishedFiles(home, catalogId);
  const info = await readIndexInfo(home.jobs.folders, { catalogId, folder });
  assert.ok(info);
  await using index = await OpenIndex.open(home.jobs.folders, { catalogId, folder }, info);
  return index.directory.map(({ firstKey }) => firstKey);
}

export const comparisonsIn = (home: Home) => ({
  publishedFiles: async (catalogId: string) => publishedFiles(home, catalogId),
  checkAgainstComplete: async (catalog: TestCatalog) => checkAgainstComplete(home, catalog),
  directoryOf: async (catalogId: string) => directoryOf(home, catalogId),
});
