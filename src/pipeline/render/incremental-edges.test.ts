/** Changes at the edges of segments, of files and of markets: a render that keeps the rest gives what a complete one gives. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { render } from "../../../test/actions.ts";
import { closeAfterTests } from "../../../test/close-after.ts";
import { installation, type TestCatalog } from "../../../test/installation.ts";
import { cases } from "../../../test/long.ts";
import type { Item } from "../../catalog/item.ts";
import { changePublishGuard } from "../publication/guard/settings.ts";
import { comparisonsIn } from "../../../test/complete-render.ts";
import { storeItems, wideItems } from "./stored-items.fixture.ts";

const home = closeAfterTests(await installation());
const { checkAgainstComplete, directoryOf } = comparisonsIn(home);

async function catalogWithoutGuard(): Promise<TestCatalog> {
  const catalog = await home.createCatalog();
  await changePublishGuard(home.db, catalog.id, { enabled: false });
  return catalog;
}

/** Stores and renders the items; returns whether something was kept, if there was a render before. */
async function renderItems(catalog: TestCatalog, items: readonly Item[]): Promise<boolean> {
  await storeItems(home.db, catalog.id, items);
  const logged = home.log.lines.length;
  assert.equal((await render(home, catalog)).status, 200);
  return home.log.lines.slice(logged).every(({ message }) => message !== "rendering all groups");
}

/** Renders each of the lists after the other, and compares the last render with a complete one. */
async function checkRenders(...lists: readonly (readonly Item[])[]): Promise<void> {
  const catalog = await catalogWithoutGuard();
  for (const items of lists) assert.ok(await renderItems(catalog, items));
  await checkAgainstComplete(catalog);
}

const MANY = 400;

type Edit = { readonly at: number; readonly removed: number; readonly added: readonly string[] };

/** Removes items that follow each other, and adds some in their place, whose ids have characters of one to four bytes. */
const anyEdit: fc.Arbitrary<Edit> = fc.record({
  at: fc.oneof(
    fc.nat(MANY),
    fc.nat(30),
    fc.nat(60).map((back) => MANY - back),
  ),
  removed: fc.oneof(fc.nat(3), fc.nat(60)),
  added: fc.uniqueArray(fc.constantFrom("~", "é", "\u{FF5E}", "\u{1F600}", "a~", "é\u{1F600}"), {
    maxLength: 3,
  }),
});

function edited(items: readonly Item[], { at, removed, added }: Edit): readonly Item[] {
  const model = items[Math.min(at, items.length - 1)];
  if (!model) return wideItems(MANY);
  const ids = new Set(items.map(({ id }) => id));
  const fresh = added
    .map((suffix) => `${model.groupId ?? model.id}${suffix}`)
    .filter((id) => !ids.has(id))
    .flatMap((id): Item[] => {
      const { groupId: _groupId, ...alone } = model;
      const withGroup = { ...alone, id: `${id} in a group`, groupId: id };
      // An item without a group, and a group of the same name.
      return [{ ...alone, id }, ...(ids.has(withGroup.id) ? [] : [withGroup])];
    });
  return [...items.slice(0, at), ...fresh, ...items.slice(at + removed)];
}

test("after ranges of groups are removed and added, the result is that of a complete render", async () => {
  let kept = 0;
  const runs = cases(10);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(anyEdit, { minLength: 1, maxLength: 2 }), { minLength: 2, maxLength: 4 }),
      async (rounds) => {
        const catalog = await catalogWithoutGuard();
        let items: readonly Item[] = wideItems(MANY);
        await renderItems(catalog, items);
        for (const edits of rounds) {
          for (const edit of edits) items = edited(items, edit);
          if (await renderItems(catalog, items)) kept += 1;
        }
        await checkAgainstComplete(catalog);
      },
    ),
    { numRuns: runs, endOnFailure: true },
  );
  assert.ok(kept > 0, `only ${kept} renders kept something`);
});

test("a last segment that is merged with the one before is not lost by the next change", async () => {
  const catalog = await catalogWithoutGuard();
  const keyOf = ({ id, groupId = id }: Item): string => groupId;
  const all = wideItems(400);
  await renderItems(catalog, all);
  const [before = "", last = ""] = (await directoryOf(catalog.id)).slice(-2).map(String);
  const items = all.filter((item, at) => keyOf(item) < last || keyOf(all[at - 8] ?? item) < last);
  const few = items.filter((item, at) => keyOf(item) >= last || keyOf(items[at - 8] ?? item) < before);
  const changed = few.map((item, at) => (at === few.length - 1 ? { ...item, title: "Another title" } : item));
  for (const list of [items, few, changed]) assert.ok(await renderItems(catalog, list));
  await checkAgainstComplete(catalog);
});

test("if the first item of a market gets another currency, the other items are compared with the new one", async () => {
  const catalog = await catalogWithoutGuard();
  // The settings have no currency for another country.
  const abroad = wideItems(60).map((item): Item => ({ ...item, country: "CA" }));
  const [first, ...others] = abroad.filter(({ groupId }) => groupId === undefined) as [Item, ...Item[]];
  await renderItems(catalog, [first, ...others]);
  await renderItems(catalog, [{ ...first, price: { amount: "10.00", currency: "EUR" } }, ...others]);
  await checkAgainstComplete(catalog);
});

test("an item that becomes the first text of a file is still compared with items before it that the file leaves out", async () => {
  const [first, second, third, ...others] = wideItems(60).slice(3) as [Item, Item, Item, ...Item[]];
  const leftOut: Item = {
    ...first,
    description: third.description ?? "",
    feed: { excluded: { openai: "Leave out" } },
  };
  await checkRenders([leftOut, second, third, ...others], [leftOut, third, ...others]);
});
