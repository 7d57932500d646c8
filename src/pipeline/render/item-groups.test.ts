import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Item, ItemGroup } from "../../catalog/item.ts";
import { GroupBuilder, MAX_PART } from "./item-groups.ts";

const item = (id: string, groupId: string | null): Item => ({
  id,
  ...(groupId !== null && { groupId }),
  title: "Lamp",
  link: "https://shop.example/p",
  price: { amount: "1.00", currency: "USD" },
  availability: "in_stock",
});

function group(items: readonly Item[], batchSize: number): ItemGroup[] {
  const builder = new GroupBuilder();
  const groups: ItemGroup[] = [];
  for (let i = 0; i < items.length; i += batchSize) {
    groups.push(...builder.add(items.slice(i, i + batchSize)));
  }
  return [...groups, ...builder.end()];
}

/** Runs of one group each, some of them around the size of a part, neighbours in different groups. */
const anyItems = fc
  .array(
    fc.record({
      isGroup: fc.boolean(),
      size: fc.oneof(
        fc.integer({ min: 1, max: 4 }),
        fc.constantFrom(MAX_PART - 1, MAX_PART, MAX_PART + 1, 1_001),
      ),
    }),
    { maxLength: 5 },
  )
  .map((runs) =>
    runs.flatMap(({ isGroup, size }, run) =>
      Array.from({ length: isGroup ? size : 1 }, (_, i) => item(`${run}-${i}`, isGroup ? `g${run}` : null)),
    ),
  );

test("every item is in one group, in order, however the stream is cut", () => {
  fc.assert(
    fc.property(anyItems, fc.constantFrom(1, 7, 499, 5_000), (items, batchSize) => {
      const groups = group(items, batchSize);

      assert.deepEqual(
        groups.flatMap((part) => part.items),
        items,
      );
      for (const { groupId, items: part } of groups) {
        assert.ok(part.every((one) => (one.groupId ?? null) === groupId));
      }
    }),
    { numRuns: 25 },
  );
});

test("a group is whole exactly if it has one part, and no part is larger than the limit", () => {
  fc.assert(
    fc.property(anyItems, fc.constantFrom(7, 499, 5_000), (items, batchSize) => {
      const groups = group(items, batchSize);

      for (const { groupId, items: part, isWhole } of groups) {
        assert.ok(part.length <= MAX_PART);
        const all = items.filter((one) => (one.groupId ?? null) === groupId);
        assert.equal(isWhole, groupId === null || all.length === part.length);
      }
    }),
    { numRuns: 25 },
  );
});

test("items without a group are groups of one", () => {
  const groups = group([item("a", null), item("b", null)], 10);

  assert.deepEqual(
    groups.map(({ groupId, items }) => [groupId, items.length]),
    [
      [null, 1],
      [null, 1],
    ],
  );
});
