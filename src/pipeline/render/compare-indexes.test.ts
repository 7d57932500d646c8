/** The comparison of two renders by their indexes finds what a comparison of their items finds. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { render } from "../../../test/actions.ts";
import { closeAfterTests } from "../../../test/close-after.ts";
import { installation, type TestCatalog } from "../../../test/installation.ts";
import type { AuditPass } from "../audit/pass.ts";
import { encodeItem, type Item } from "../../catalog/item.ts";
import { FEED_FILES } from "../../channels/registry.ts";
import { newId } from "../../lib/id.ts";
import { findCatalog } from "../../store/catalogs.ts";
import { listFeedFiles } from "../../store/feed-files.ts";
import {
  type ComparedItem,
  compareIndexes,
  factsOf,
  type IndexedItem,
  readIndexInfo,
} from "./compare-indexes.ts";
import { minorUnits } from "./item-facts.ts";
import { groupsOf } from "./item-groups.ts";
import { finishFiles, openPass, writeGroups } from "./pass.ts";
import { storeItems, wideItems } from "./stored-items.fixture.ts";
import { cases } from "../../../test/long.ts";

const home = closeAfterTests(await installation());
const { db } = home;
const { folders } = home.jobs;

/** Stores and renders the items; returns the folder. */
async function renderItems(catalog: TestCatalog, items: readonly Item[]): Promise<string> {
  await storeItems(db, catalog.id, items);
  assert.equal((await render(home, catalog)).status, 200);
  const runId = (await findCatalog(db, catalog.id))?.publishedRunId ?? "";
  return (await listFeedFiles(db, runId))[0]?.folder ?? "";
}

async function compare({ id: catalogId }: TestCatalog, [a, b]: readonly [string, string], withEqual = false) {
  const renders = { before: { catalogId, folder: a }, after: { catalogId, folder: b } };
  return (await Array.fromAsync(compareIndexes(folders, renders, { withEqual }))).flat();
}

const placeOf = ({ id, groupId }: Item): string => `${groupId ?? id}/${groupId === undefined ? 1 : 0}/${id}`;

/** Items by their places in feed order: one that moves to another group is another one. */
function naive(before: readonly Item[], after: readonly Item[]): readonly string[] {
  const [was, is] = [before, after].map((items) => new Map(items.map((item) => [placeOf(item), item])));
  const places = [...new Set([...(was?.keys() ?? []), ...(is?.keys() ?? [])])].sort();
  return places.flatMap((place) => {
    const [a, b] = [was?.get(place), is?.get(place)];
    if (a && b) return encodeItem(a).body === encodeItem(b).body ? [] : [`changed ${place}`];
    return [`${a ? "removed" : "added"} ${place}`];
  });
}

function described({ before, after }: ComparedItem): string {
  const item = after ?? before;
  assert.ok(item);
  const kind = before && after ? "changed" : before ? "removed" : "added";
  return `${kind} ${item.sortKey.toString()}/${item.isGrouped ? 0 : 1}/${item.id.toString()}`;
}

type Edit = { readonly at: number; readonly kind: "retitle" | "reprice" | "remove" | "add" | "group" };

function edited(items: readonly Item[], edits: readonly Edit[]): readonly Item[] {
  const byId = new Map(items.map((item) => [item.id, item]));
  for (const { at, kind } of edits) {
    const item = items[at % items.length];
    if (!item) continue;
    if (kind === "remove") byId.delete(item.id);
    else if (kind === "add") byId.set(`${item.id}x`, { ...item, id: `${item.id}x` });
    else if (kind === "group") byId.set(item.id, { ...item, groupId: "g00100" });
    else if (kind === "retitle") byId.set(item.id, { ...item, title: `${item.title} (new)` });
    else byId.set(item.id, { ...item, price: { ...item.price, amount: "5.55" } });
  }
  return [...byId.values()];
}

const anyEdits = fc.array(
  fc.record({
    at: fc.nat(699),
    kind: fc.constantFrom<Edit["kind"]>("retitle", "reprice", "remove", "add", "group"),
  }),
  { maxLength: 12 },
);

test("any two renders of a catalog are compared as their items are", async () => {
  await fc.assert(
    fc.asyncProperty(anyEdits, anyEdits, async (first, second) => {
      const catalog = await home.createCatalog();
      const items = [wideItems(700)] as (readonly Item[])[];
      items.push(edited(items[0] ?? [], first), edited(edited(items[0] ?? [], first), second));
      const renders: string[] = [];
      for (const one of items) renders.push(await renderItems(catalog, one));
      for (const [a, b] of [
        [0, 1],
        [1, 2],
        [2, 0],
        [0, 2],
      ] as const) {
        const found = await compare(catalog, [renders[a] ?? "", renders[b] ?? ""]);
        assert.deepEqual(found.map(described), naive(items[a] ?? [], items[b] ?? []));
        for (const { after } of found) checkFacts(after, items[b] ?? []);
      }
    }),
    { numRuns: cases(4) },
  );
});

function checkFacts(found: IndexedItem | undefined, items: readonly Item[]): void {
  const item = items.find(({ id }) => id === found?.id.toString());
  if (!found) return;
  assert.ok(item);
  const { price, currency, availability } = factsOf(found);
  assert.deepEqual(
    [price, currency, availability],
    [minorUnits(item.price), item.price.currency, item.availability],
  );
}

test("what both renders share is not read, and the offsets in the files are right nevertheless", async () => {
  const catalog = await home.createCatalog();
  const items = wideItems(1_500);
  const first = await renderItems(catalog, items);
  const second = await renderItems(
    catalog,
    items.map((item, at) => (at === 1_200 ? { ...item, title: "Another title" } : item)),
  );

  const read = await compare(catalog, [first, second], true);
  assert.ok(read.length > 0 && read.length < items.length / 2, `${read.length} items were read`);
  const changed = await compare(catalog, [first, second]);
  assert.deepEqual(changed.map(described), ["changed w01200/1/w01200"]);
  const textAt = async (folder: string, { offsets, entry }: IndexedItem, at: number): Promise<string> => {
    const start = offsets.files[at] ?? 0;
    const end = start + (entry.files[at]?.bytes ?? 0) - 1;
    const file = FEED_FILES[at] ?? "acp.csv";
    const stream = await folders.open(
      { catalogId: catalog.id, folder, file, encoding: "identity" },
      { start, end },
    );
    return Buffer.concat(await Array.fromAsync((stream ?? []) as AsyncIterable<Buffer>)).toString();
  };
  const [{ before, after } = { before: undefined, after: undefined }] = changed;
  assert.ok(before && after);
  for (const [at, file] of FEED_FILES.entries()) {
    const old: string = await textAt(first, before, at);
    const fresh: string = await textAt(second, after, at);
    assert.match(old, /Lamp 1200/, file);
    assert.match(fresh, /Another title/, file);
    for (const text of [old, fresh])
      assert.equal(text.includes("w01199") || text.includes("w01201"), false, file);
  }
});

/** As after its first error. */
const FAILED_AUDIT: AuditPass = {
  add: () => undefined,
  record: () => null,
  keep: () => true,
  addKept: () => undefined,
  replaced: () => undefined,
  examplesFrom: () => undefined,
  needsExample: () => false,
  addExamples: () => undefined,
  remove: () => undefined,
  abandon: () => Promise.resolve(),
  finish: () => Promise.resolve({ kind: "failed", error: null }),
};

test("a render whose audit fails has an index too, from which nothing is kept", async () => {
  const catalog = await home.createCatalog();
  const items = wideItems(20);
  const first = await renderItems(catalog, items);
  const row = await findCatalog(db, catalog.id);
  assert.ok(row);
  const second = newId();
  const folder = await folders.create(catalog.id, second);
  const pass = await openPass(row, new Date(), { folder, audit: FAILED_AUDIT });
  const groups = groupsOf(items.slice(1)).map((group) => ({
    group,
    bodies: group.items.map((item) => encodeItem(item).body),
    fingerprints: group.items.map((item) => Buffer.from(encodeItem(item).fingerprint, "hex")),
    sources: group.items.map(() => null),
  }));
  await writeGroups(pass, groups);
  await finishFiles(pass, second);
  const basis = "any";
  const context = { slug: "", name: "", settings: {}, snapshot_at: "", rules_version: 0 };
  const { items: count, heads } = pass;
  const made = { base: "", effects: 0, items: count, heads, tallies: [], snapshot: 1, compared_at: "" };
  await pass.index.finish(folder, { ...made, basis, context }, null);
  await folder.commit();

  const info = await readIndexInfo(folders, { catalogId: catalog.id, folder: second });
  assert.deepEqual([info?.basis, info?.totals.items], [null, 19]);
  assert.deepEqual((await compare(catalog, [first, second])).map(described), ["removed g00000/0/w00000"]);
});
