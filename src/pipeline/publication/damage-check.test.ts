/** Published files that have changed on disk are found without a render, and repaired. */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { readFeeds, render } from "../../../test/actions.ts";
import { closeAfterTests } from "../../../test/close-after.ts";
import { installation } from "../../../test/installation.ts";
import { findCatalog } from "../../store/catalogs.ts";
import { listFeedFiles } from "../../store/feed-files.ts";
import { claimUnchecked } from "../../store/renders.ts";
import { storeItems, wideItems } from "../render/stored-items.fixture.ts";
import { checkFiles } from "./damage-check.ts";

const home = closeAfterTests(await installation());
const { db, jobs } = home;

test("a byte that changes on disk is found by the check, and the next render repairs the file with the same ETag", async () => {
  const catalog = await home.createCatalog();
  await storeItems(db, catalog.id, wideItems(40));
  await render(home, catalog);
  const good = await readFeeds(home, catalog);
  const runId = (await findCatalog(db, catalog.id))?.publishedRunId ?? "";
  const published = { catalogId: catalog.id, runId };
  const { signal } = new AbortController();
  assert.deepEqual(await checkFiles(jobs, published, signal), []);

  const [{ folder, file } = { folder: "", file: "" }] = await listFeedFiles(db, runId);
  const path = join(home.dataDir, "feeds", catalog.id, folder, file);
  const bytes = await readFile(path);
  bytes[bytes.length - 20] = (bytes[bytes.length - 20] ?? 0) ^ 1;
  await writeFile(path, bytes);
  assert.notDeepEqual(await readFeeds(home, catalog), good);

  assert.deepEqual(await checkFiles(jobs, published, signal), [file]);
  await render(home, catalog);
  const repaired = await readFeeds(home, catalog);
  assert.deepEqual(repaired.files, good.files);
});

test("each published render is checked once in the interval, the one that waits longest first", async () => {
  const claimed = new Set<string>();
  for (let render = await claimUnchecked(db, 0); render; render = await claimUnchecked(db, 3_600)) {
    assert.ok(!claimed.has(render.runId));
    claimed.add(render.runId);
  }
  assert.equal(claimed.size, 1);
});
