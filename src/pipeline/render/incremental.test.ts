/** A render that keeps what did not change gives exactly what a complete render gives: bytes, counts, audit and verdicts. */
import assert from "node:assert/strict";
import { open, rm, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import { mock, test } from "node:test";
import fc from "fast-check";
import { render } from "../../../test/actions.ts";
import { closeAfterTests } from "../../../test/close-after.ts";
import { installation } from "../../../test/installation.ts";
import { anyItems } from "../../audit/any-catalog.fixture.ts";
import type { Item } from "../../catalog/item.ts";
import { FEED_FILES } from "../../channels/registry.ts";
import { forgetRenders } from "../../store/catalogs.ts";
import { listFeedFiles } from "../../store/feed-files.ts";
import { findRender } from "../../store/renders.ts";
import { listRuns } from "../../store/runs.ts";
import { discardRender, promoteRender } from "../publication/decide.ts";
import { changePublishGuard } from "../publication/guard/settings.ts";
import { readIndexInfo } from "./compare-indexes.ts";
import { comparisonsIn } from "../../../test/complete-render.ts";
import { storeItems, wideItems } from "./stored-items.fixture.ts";
import { cases, isLong } from "../../../test/long.ts";

const home = closeAfterTests(await installation());
const feedsDir = (catalogId: string) => join(home.dataDir, "feeds", catalogId);

const store = async (catalogId: string, items: readonly Item[]) => storeItems(home.db, catalogId, items);

const { publishedFiles, checkAgainstComplete } = comparisonsIn(home);

const DAY_MS = 86_400_000;
const RUNS = cases(12);

/** Most items of a catalog are those of the one before; some depend on the time. */
const anyEdits = fc.array(
  fc.record({
    items: anyItems,
    kept: fc.infiniteStream(fc.nat(9)),
    days: fc.constantFrom(0, 0, 1, 20),
    isLogged: fc.boolean(),
  }),
  { minLength: 2, maxLength: 4 },
);

test("after any edits and any time, the result is that of a complete render", async () => {
  let kept = 0;
  mock.timers.enable({ apis: ["Date"], now: Date.now() });
  try {
    await fc.assert(
      fc.asyncProperty(anyEdits, async (edits) => {
        const catalog = await home.createCatalog();
        await changePublishGuard(home.db, catalog.id, { enabled: false });
        let items: readonly Item[] = [];
        for (const edit of edits) {
          const stay = items.filter(() => Number(edit.kept.next().value) > 0);
          const ids = new Set(stay.map(({ id }) => id));
          const fresh = edit.items.filter(({ id }) => !ids.has(id)).slice(0, ids.size === 0 ? 12 : 2);
          items = [...stay, ...fresh.map((item, at) => withDates(item, at))];
          mock.timers.setTime(Date.now() + edit.days * DAY_MS);
          await store(catalog.id, items);
          if (!edit.isLogged) await home.db.execute({ text: "delete from item_changes", values: [] });
          const before = home.log.lines.length;
          assert.equal((await render(home, catalog)).status, 200);
          if (home.log.lines.slice(before).every(({ message }) => message !== "rendering all groups"))
            kept += 1;
        }
        await checkAgainstComplete(catalog);
      }),
      { numRuns: RUNS },
    );
  } finally {
    mock.timers.reset();
  }
  // A few random cases may all have rendered everything.
  if (isLong) assert.ok(kept > RUNS, `only ${kept} renders kept something`);
});

function withDates(item: Item, at: number): Item {
  const soon = new Date(Date.now() + (at + 1) * DAY_MS).toISOString();
  if (at % 3 === 0) return { ...item, salePrice: { ...item.price, amount: "0.50" }, saleTo: soon };
  return at % 3 === 1 ? { ...item, availability: "preorder", availabilityDate: soon } : item;
}

const MANY = 900;
const GTINS = ["4006381333931", "5901234123457", "8710398500014"];

/** What can become of the item at a place. It may get what another item has. */
const EDITS: readonly ((item: Item, other: Item) => Item | null)[] = [
  (item) => ({ ...item, title: `${item.title} in another color` }),
  (item) => ({ ...item, price: { ...item.price, amount: "5.50" } }),
  (item, { link }) => ({ ...item, ...(link !== undefined && { link }) }),
  (item, { images }) => ({ ...item, ...(images && { images }) }),
  (item, { description }) => ({ ...item, ...(description !== undefined && { description }) }),
  (item, { id }) => ({ ...item, gtin: GTINS[id.length % 3] ?? "" }),
  (item, { groupId }) => ({ ...item, ...(groupId !== undefined && { groupId }) }),
  ({ groupId: _groupId, ...item }) => item,
  ({ images: _images, ...item }) => item,
  ({ brand: _brand, ...item }) => item,
  (item) => ({ ...item, brand: "Acme", title: `Acme ${item.title}` }),
  () => null,
];

const anyPlace = fc.nat(MANY - 1);
const anyFewEdits = fc.array(
  fc.array(fc.tuple(fc.constantFrom(...EDITS), fc.oneof(anyPlace, fc.nat(30)), anyPlace), {
    minLength: 1,
    maxLength: 4,
  }),
  { minLength: 3, maxLength: 5 },
);

test("after few edits of a catalog of many segments, most segments are not read, and the result is that of a complete render", async () => {
  await fc.assert(
    fc.asyncProperty(anyFewEdits, async (rounds) => {
      const catalog = await home.createCatalog();
      await changePublishGuard(home.db, catalog.id, { enabled: false });
      let items: readonly Item[] = wideItems(MANY);
      await store(catalog.id, items);
      assert.equal((await render(home, catalog)).status, 200);
      for (const edits of rounds) {
        const before = items;
        for (const [edit, at, from] of edits) {
          const other = before[from];
          items = items.flatMap((item, place) =>
            place === at && other ? (edit(item, other) ?? []) : [item],
          );
        }
        await store(catalog.id, items);
        const logged = home.log.lines.length;
        assert.equal((await render(home, catalog)).status, 200);
        const lines = home.log.lines.slice(logged);
        assert.ok(lines.every(({ message }) => message !== "rendering all groups"));
      }
      await checkAgainstComplete(catalog);
    }),
    { numRuns: cases(15) },
  );
});

const sizeOf = async (catalogId: string, folder: string, file: string): Promise<number> =>
  (await stat(join(feedsDir(catalogId), folder, file))).size;

test("a changed item writes a small part of each file, and the rest stays in the folder of the earlier render", async () => {
  const catalog = await home.createCatalog();
  const items = wideItems(1_000);
  await store(catalog.id, items);
  await render(home, catalog);
  const first = await publishedFiles(catalog.id);

  await store(
    catalog.id,
    items.map((item, at) => (at === 500 ? { ...item, title: "Another title" } : item)),
  );
  await render(home, catalog);

  const second = await publishedFiles(catalog.id);
  for (const file of FEED_FILES) {
    const [whole, written] = await Promise.all([
      sizeOf(catalog.id, first.folder, file),
      sizeOf(catalog.id, second.folder, file),
    ]);
    assert.ok(written < whole / 5, `${file}: ${written} of ${whole} bytes were written`);
  }
  await home.jobs.folders.sweep(catalog.id, async () => new Set([second.folder]));
  await checkAgainstComplete(catalog);
});

/** Twenty renders of a catalog that is large enough for many folders. */
if (isLong)
  test("after many changes, no more than 17 folders are needed, and the sweep removes the others", async () => {
    const catalog = await home.createCatalog();
    let items = wideItems(250);
    const { folders } = home.jobs;
    for (let round = 0; round < 20; round += 1) {
      items = items.map((item, at) => (at === round * 12 ? { ...item, title: `Title ${round}` } : item));
      await store(catalog.id, items);
      assert.equal((await render(home, catalog)).status, 200);
      const { folder } = await publishedFiles(catalog.id);
      await folders.sweep(catalog.id, async () => new Set([folder]));
      assert.equal(await folders.has({ catalogId: catalog.id, folder, file: "acp.csv" }), true);
    }
    await checkAgainstComplete(catalog);
  });

async function overwrite(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, "r+");
  await file.write(bytes, 0, bytes.length, 5_000);
  await file.close();
}

for (const { what, name, damage } of [
  {
    what: "another byte",
    name: "gmc.tsv",
    damage: async (path: string) => overwrite(path, Buffer.from("X")),
  },
  { what: "a missing end", name: "gmc.tsv", damage: async (path: string) => truncate(path, 10_000) },
  { what: "a missing file", name: "gmc.tsv", damage: async (path: string) => rm(path) },
  { what: "a missing end", name: "index.bin", damage: async (path: string) => truncate(path, 10_000) },
  {
    what: "a missing end",
    name: "index.directory",
    damage: async (path: string) => truncate(path, 100),
  },
  {
    what: "a missing end",
    name: "index.outcomes",
    damage: async (path: string) => truncate(path, 51),
  },
  { what: "zeros", name: "index.bin", damage: async (path: string) => overwrite(path, Buffer.alloc(2_000)) },
  {
    what: "ones",
    name: "index.bin",
    damage: async (path: string) => overwrite(path, Buffer.alloc(2_000, 255)),
  },
].filter((_, at) => isLong || at % 2 === 0)) {
  test(`with ${what} in the earlier ${name}, everything is rendered again`, async () => {
    const catalog = await home.createCatalog();
    const items = wideItems(150);
    await store(catalog.id, items);
    await render(home, catalog);
    const { folder } = await publishedFiles(catalog.id);
    await damage(join(feedsDir(catalog.id), folder, name));

    await store(catalog.id, items.slice(0, -1));
    const before = home.log.lines.length;
    assert.equal((await render(home, catalog)).status, 200);

    assert.ok(home.log.lines.slice(before).some(({ message }) => message === "rendering all groups"));
    await checkAgainstComplete(catalog);
  });
}

test("if the stored verdicts are not those of the published render, everything is rendered again", async () => {
  const catalog = await home.createCatalog();
  const items = wideItems(50);
  await store(catalog.id, items);
  await render(home, catalog);
  await home.db.execute({
    text: "update audits set folder = gen_random_uuid() where catalog_id = $1",
    values: [catalog.id],
  });
  await home.db.execute({ text: "delete from verdicts where catalog_id = $1", values: [catalog.id] });

  await store(catalog.id, items.slice(1));
  await render(home, catalog);

  await checkAgainstComplete(catalog);
});

if (isLong)
  test("a group of more than 500 variants that changes, or stays, gives the same result", async () => {
    const catalog = await home.createCatalog();
    const large = wideItems(520).map((item): Item => ({ ...item, groupId: "large" }));
    const items = [...large, ...wideItems(800).slice(520)];
    await store(catalog.id, items);
    await render(home, catalog);

    await store(catalog.id, items.slice(0, -1));
    await render(home, catalog);
    await checkAgainstComplete(catalog);

    await store(catalog.id, items.slice(1));
    await render(home, catalog);
    await checkAgainstComplete(catalog);
  });

/** The newest render, held or published: its files and figures. */
async function newestFiles(catalogId: string) {
  const [run] = await listRuns(home.db, catalogId, { kind: "render", limit: 1 });
  const rows = await listFeedFiles(home.db, run?.id ?? "");
  const folder = rows[0]?.folder ?? "";
  const index = await readIndexInfo(home.jobs.folders, { catalogId, folder });
  const verdicts = await home.db.query({
    text: "select item_id, verdict, tags from verdicts where catalog_id = $1 order by item_id",
    values: [catalogId],
  });
  const files = rows.map(({ file, etag, bytes, gzipBytes, written }) => ({
    file,
    etag,
    bytes,
    gzipBytes,
    written,
  }));
  return { runId: run?.id ?? "", folder, result: { files, totals: index?.totals, verdicts } };
}

test("while a render is held, after it is discarded and after it is promoted, the result is that of a complete render", async () => {
  const catalog = await home.createCatalog();
  const { id: catalogId } = catalog;
  let items = wideItems(300);
  const by = { name: "owner", keyId: null };
  const editAndCompare = async (at: number, amount: string) => {
    items = items.map((item, i) => (i % 20 === at ? { ...item, price: { ...item.price, amount } } : item));
    await store(catalogId, items);
    const before = home.log.lines.length;
    await render(home, catalog);
    assert.ok(home.log.lines.slice(before).every(({ message }) => message !== "rendering all groups"));
    const incremental = await newestFiles(catalogId);
    // Nothing is kept from an index of another basis.
    await forgetRenders(home.db, catalogId);
    await render(home, catalog);
    const complete = await newestFiles(catalogId);
    assert.notEqual(complete.folder, incremental.folder);
    assert.deepEqual(incremental.result, complete.result);
    return complete.runId;
  };
  await store(catalogId, items);
  await render(home, catalog);
  const first = await editAndCompare(1, "0.00");
  assert.equal((await findRender(home.db, first))?.state, "held");
  const second = await editAndCompare(2, "0.00");
  await discardRender(home.db, { catalogId, runId: second, reason: "Wrong.", by });
  const third = await editAndCompare(3, "0.00");
  await promoteRender({ ...home.jobs, db: home.db }, { catalogId, runId: third, reason: "Right.", by });
  const fourth = await editAndCompare(4, "11.00");
  assert.equal((await findRender(home.db, fourth))?.state, "published");
});
