/** Comparisons against what an independent reader of the files sees, and in bounded memory. */
import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { render } from "../../../../test/actions.ts";
import { closeAfterTests } from "../../../../test/close-after.ts";
import { installation, type TestCatalog } from "../../../../test/installation.ts";
import { anyItems } from "../../../audit/any-catalog.fixture.ts";
import type { Item } from "../../../catalog/item.ts";
import type { ComparedItem, ComparisonTotals } from "../../../contract/comparisons.ts";
import { changeCatalogSettings, findCatalog } from "../../../store/catalogs.ts";
import { listFeedFiles } from "../../../store/feed-files.ts";
import { storeItems, wideItems } from "../../render/stored-items.fixture.ts";
import { changePublishGuard } from "../guard/settings.ts";
import { openComparison } from "./comparison.ts";
import { cases, isLong } from "../../../../test/long.ts";

const home = closeAfterTests(await installation());
const { db, jobs } = home;
const deps = { db, folders: jobs.folders };

/** Renders these items and returns the run. */
async function rendered(catalog: TestCatalog, items: readonly Item[]): Promise<string> {
  await storeItems(db, catalog.id, items);
  assert.equal((await render(home, catalog)).status, 200);
  return publishedRun(catalog);
}

const publishedRun = async ({ id }: TestCatalog): Promise<string> =>
  (await findCatalog(db, id))?.publishedRunId ?? "";

const TABLES = { "acp.csv": ",", "gmc.tsv": "\t" } as const;
type Table = keyof typeof TABLES;

/** The filled columns of each row, by id. */
async function rowsOf({ id: catalogId }: TestCatalog, runId: string, file: Table) {
  const [{ folder } = { folder: "" }] = await listFeedFiles(db, runId);
  const stream = await jobs.folders.open({ catalogId, folder, file, encoding: "identity" });
  const bytes = Buffer.concat(await Array.fromAsync((stream ?? []) as AsyncIterable<Buffer>));
  const rows: Record<string, string>[] = parse(bytes, { columns: true, delimiter: TABLES[file] });
  return new Map(rows.map((row) => [row["item_id"] ?? row["id"] ?? "", row]));
}

/** Differences as `id column before after`. */
async function expected(catalog: TestCatalog, [before, after]: readonly [string, string], file: Table) {
  const [was, is] = [await rowsOf(catalog, before, file), await rowsOf(catalog, after, file)];
  const found: string[] = [];
  for (const id of new Set([...was.keys(), ...is.keys()])) {
    const [old, fresh] = [was.get(id), is.get(id)];
    if (!old || !fresh) found.push(`${id} ${old ? "removed" : "added"}`);
    else
      for (const column of Object.keys(old))
        if (old[column] !== fresh[column])
          found.push(`${id} ${column} ${old[column] ?? ""} → ${fresh[column] ?? ""}`);
  }
  return found.toSorted();
}

async function compared(
  catalog: TestCatalog,
  [before, after]: readonly [string, string],
): Promise<{ readonly items: readonly ComparedItem[]; readonly totals: ComparisonTotals }> {
  const comparison = await openComparison(deps, catalog.id, { before, after });
  return { items: (await Array.fromAsync(comparison.items())).flat(), totals: comparison.totals() };
}

function found(items: readonly ComparedItem[], file: Table): readonly string[] {
  return items
    .flatMap(({ item_id: id, differences }) =>
      differences
        .filter((one) => one.file === file)
        .map(({ field, change, before, after }) =>
          field === null ? `${id} ${change}` : `${id} ${field} ${before ?? ""} → ${after ?? ""}`,
        ),
    )
    .toSorted();
}

const DAY_MS = 86_400_000;

/** The later catalog has most items of the earlier one, in their groups. */
const anyChange = fc.record({
  before: anyItems,
  after: anyItems,
  kept: fc.infiniteStream(fc.nat(9)),
  days: fc.constantFrom(0, 1, 20),
});

test("for any two catalogs, the differences are those that a reader of the tables finds", async () => {
  mock.timers.enable({ apis: ["Date"], now: Date.now() });
  try {
    await fc.assert(
      fc.asyncProperty(anyChange, async ({ before, after, kept, days }) => {
        const catalog = await home.createCatalog();
        await changePublishGuard(db, catalog.id, { enabled: false });
        const first = await rendered(catalog, before.map(withSale));
        const stay = before.map(withSale).filter(() => Number(kept.next().value) > 2);
        const groups = new Map(before.map(({ id, groupId }) => [id, groupId]));
        const ids = new Set(stay.map(({ id }) => id));
        const fresh = after.filter(({ id }) => !ids.has(id)).map((item) => inGroup(item, groups));
        mock.timers.setTime(Date.now() + days * DAY_MS);
        const second = await rendered(catalog, [...stay, ...fresh]);

        for (const pair of [[first, second] as const, [second, first] as const]) {
          const { items, totals } = await compared(catalog, pair);
          for (const file of ["acp.csv", "gmc.tsv"] as const)
            assert.deepEqual(found(items, file), await expected(catalog, pair, file));
          const causes = items.flatMap(({ differences }) => differences.map(({ cause }) => cause.kind));
          assert.deepEqual(new Set(causes).difference(new Set(["source", "clock"])), new Set());
          assert.equal(causes.length, totals.differences);
        }
      }),
      { numRuns: cases(6) },
    );
  } finally {
    mock.timers.reset();
  }
});

const withSale = (item: Item, at: number): Item =>
  at % 3 === 0
    ? {
        ...item,
        salePrice: { ...item.price, amount: "0.50" },
        saleTo: new Date(Date.now() + DAY_MS).toISOString(),
      }
    : item;

/** An item of both catalogs stays in its group: one that moves is another one, in another place of the files. */
function inGroup(item: Item, groups: ReadonlyMap<string, string | undefined>): Item {
  if (!groups.has(item.id)) return item;
  const { groupId: _groupId, ...alone } = item;
  const groupId = groups.get(item.id);
  return groupId === undefined ? alone : { ...alone, groupId };
}

if (isLong)
  test("the first differences are there long before the last, and a reader who stops leaves nothing open", async () => {
    const catalog = await home.createCatalog();
    const first = await rendered(catalog, wideItems(1_500));
    const row = await findCatalog(db, catalog.id);
    await changeCatalogSettings(db, catalog.id, { ...row?.settings, sellerName: "Another name" });
    assert.equal((await render(home, catalog)).status, 200);
    const second = await publishedRun(catalog);

    const comparison = await openComparison(deps, catalog.id, { before: first, after: second });
    const batches = comparison.items();
    const begun = await batches.next();
    assert.ok(begun.done !== true && begun.value.length > 0);
    assert.ok(comparison.totals().items.changed <= 500, "only one batch has been read");
    await batches.return(undefined);

    const { totals } = await compared(catalog, [first, second]);
    // The files for OpenAI name the seller of every item.
    assert.deepEqual(totals.items, { added: 0, removed: 0, changed: 1_500, unchanged: 0 });
    assert.equal(totals.by_cause["settings"], totals.differences);
  });
