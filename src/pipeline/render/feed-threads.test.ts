/** Feeds that are rendered on threads are the same, byte for byte, and so is everything else that a render leaves. */
import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { readFeeds, render } from "../../../test/actions.ts";
import { closeAfterTests } from "../../../test/close-after.ts";
import { tempDir } from "../../../test/fresh.ts";
import { installation } from "../../../test/installation.ts";
import { cases, isLong } from "../../../test/long.ts";
import { anyItems } from "../../audit/any-catalog.fixture.ts";
import { encodeItem, type Item } from "../../catalog/item.ts";
import { feedFolders } from "../../files/feed-folders.ts";
import { type Catalog, findCatalog } from "../../store/catalogs.ts";
import { auditContext, openAuditPass } from "../audit/pass.ts";
import { feedThreadsFor, type FeedThreadUse, openFeedThreads } from "./feed-threads.ts";
import { groupsOf, type StoredGroup } from "./item-groups.ts";
import { feedContextOf, finishFiles, openPass, writeGroups } from "./pass.ts";
import { storeItems, wideItems } from "./stored-items.fixture.ts";

const home = closeAfterTests(await installation());
const AS_OF = new Date();
const HERE: FeedThreadUse = { mostThreads: 0 };
const onThreads = (mostThreads: number): FeedThreadUse => ({ minItems: 0, mostThreads });

async function anyCatalog(): Promise<Catalog> {
  const catalog = await findCatalog(home.db, (await home.createCatalog()).id);
  assert.ok(catalog);
  return catalog;
}

const storedGroups = (items: readonly Item[]): readonly StoredGroup[] =>
  groupsOf(items).map((group) => {
    const encoded = group.items.map(encodeItem);
    return {
      group,
      bodies: encoded.map(({ body }) => body),
      fingerprints: encoded.map(({ fingerprint }) => Buffer.from(fingerprint, "hex")),
      sources: encoded.map(() => null),
    };
  });

/** What a render of the items leaves: its folder and its figures. */
async function leftBy(catalog: Catalog, items: readonly Item[], use: FeedThreadUse) {
  await using temp = await tempDir();
  const folder = await feedFolders(temp.path).create(catalog.id, "render");
  return await home.db.session(async (session) => {
    const context = await auditContext(home.db, catalog, AS_OF);
    const audit = await openAuditPass(session, catalog, context);
    await using threads = openFeedThreads(feedContextOf(catalog, AS_OF), folder, {
      items: items.length,
      ...use,
    });
    assert.equal(threads === null, use === HERE);
    const pass = await openPass(catalog, AS_OF, { folder, audit, threads });
    const groups = storedGroups(items);
    for (let at = 0; at < groups.length; at += 20) await writeGroups(pass, groups.slice(at, at + 20));
    const files = await finishFiles(pass, "render");
    const made = { basis: "", base: "", effects: 0, snapshot: 1, compared_at: "" };
    const renderContext = { slug: "", name: "", settings: {}, snapshot_at: "", rules_version: 0 };
    const outcome = await audit.finish(null);
    assert.ok(outcome.kind === "judged");
    const { items: count, heads, index } = pass;
    const tallies = pass.tallies.map((tally) => tally.stored());
    await index.finish(
      folder,
      { ...made, context: renderContext, items: count, heads, tallies },
      outcome.state,
    );
    await folder.commit();
    await audit.abandon();
    const path = join(temp.path, catalog.id, "render");
    const hashes: Record<string, string> = {};
    for (const name of (await readdir(path)).sort())
      hashes[name] = hash("sha256", await readFile(join(path, name)));
    return { hashes, files, count, tallies, outcome };
  });
}

test("threads write the same files, and report the same refusals and counts", async () => {
  const catalog = await anyCatalog();
  await fc.assert(
    fc.asyncProperty(anyItems, fc.integer({ min: 1, max: 3 }), async (items, threads) => {
      assert.deepEqual(await leftBy(catalog, items, onThreads(threads)), await leftBy(catalog, items, HERE));
    }),
    { numRuns: cases(3) },
  );
});

if (isLong)
  test("files of many segments, with large groups, are the same", async () => {
    const catalog = await anyCatalog();
    const items = wideItems(2_500).map((item, at) => ({
      ...item,
      // One group of more than one part, and refusals in every batch.
      ...(at < 700 && { groupId: "g" }),
      ...(at % 50 === 0 && { title: "L".repeat(200), images: [] }),
    }));

    const here = await leftBy(catalog, items, HERE);
    const elsewhere = await leftBy(catalog, items, onThreads(2));

    assert.equal(here.count, 2_500);
    assert.ok(here.tallies.some(({ refused }) => refused > 0));
    assert.deepEqual(elsewhere, here);
  });

if (isLong)
  test("a published catalog of threads has the bytes of one without", async () => {
    const items = wideItems(300);
    const catalog = await home.createCatalog();
    await storeItems(home.db, catalog.id, items);
    assert.equal((await render(home, catalog)).status, 200);
    const { files: here } = await readFeeds(home, catalog);

    Object.assign(home.jobs, { feedThreads: onThreads(1) });
    // Another snapshot, with the same content.
    await storeItems(home.db, catalog.id, items);
    await rm(join(home.dataDir, "feeds", catalog.id), { recursive: true });
    assert.equal((await render(home, catalog)).status, 200);

    assert.deepEqual((await readFeeds(home, catalog)).files, here);
  });

test("an error on a thread fails the render with its code", async () => {
  const catalog = await anyCatalog();
  await using temp = await tempDir();
  const folder = await feedFolders(temp.path).create(catalog.id, "render");
  await rm(join(temp.path, catalog.id), { recursive: true });
  const context = feedContextOf(catalog, AS_OF);
  await using threads = openFeedThreads(context, folder, { items: 1, ...onThreads(2) });

  await assert.rejects(async () => threads?.finish(), { code: "ENOENT" });
  // What is asked later fails as well, instead of waiting.
  await assert.rejects(async () => threads?.render(storedGroups(wideItems(1))), { code: "ENOENT" });
});

test("threads are used from four cores up", () => {
  assert.deepEqual([1, 2, 3, 4, 8].map(feedThreadsFor), [0, 0, 0, 3, 7]);
});
