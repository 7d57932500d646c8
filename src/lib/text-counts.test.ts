import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { textCounts } from "./text-counts.ts";

test("counts texts like a Map, up to two", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ maxLength: 4 })),
      fc.array(fc.string({ maxLength: 4 })),
      (added, asked) => {
        const counts = textCounts();
        for (const text of added) counts.add(text);
        for (const text of [...added, ...asked]) {
          const expected = Math.min(added.filter((other) => other === text).length, 2);
          assert.equal(counts.count(text), expected);
        }
      },
    ),
  );
});

test("keeps its counts when it grows", () => {
  const counts = textCounts();
  for (let at = 0; at < 200_000; at += 1) counts.add(`SKU-${at % 150_000}`);

  const found = [0, 1, 2].map((wanted) => {
    let matching = 0;
    for (let at = 0; at < 200_000; at += 1) if (counts.count(`SKU-${at}`) === wanted) matching += 1;
    return matching;
  });

  assert.deepEqual(found, [50_000, 100_000, 50_000]);
});
