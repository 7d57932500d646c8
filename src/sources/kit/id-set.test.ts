import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { idSet } from "./id-set.ts";

test("a set of ids has the same elements as a Set", () => {
  const anyId = fc.oneof(
    fc.integer({ min: 1, max: 200 }),
    fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  );
  fc.assert(
    fc.property(fc.array(anyId), fc.array(anyId), (added, asked) => {
      const [ours, plain] = [idSet(), new Set<number>()];

      for (const id of added) {
        assert.equal(ours.add(id), !plain.has(id));
        plain.add(id);
      }

      assert.equal(ours.size(), plain.size);
      for (const id of [...asked, ...added]) assert.equal(ours.has(id), plain.has(id));
    }),
  );
});
