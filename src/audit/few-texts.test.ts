import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { FewTexts } from "./few-texts.ts";

test("it has what was added since it was cleared, few or many", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ maxLength: 2 }), { maxLength: 40 }),
      fc.string({ maxLength: 2 }),
      (texts, other) => {
        const few = new FewTexts();
        for (const text of texts) few.add(text);

        for (const text of texts) assert.ok(few.has(text));
        assert.equal(few.has(other), texts.includes(other));
        few.clear();
        for (const text of texts) assert.ok(!few.has(text));
      },
    ),
  );
});
