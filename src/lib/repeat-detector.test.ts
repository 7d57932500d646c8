import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { RepeatDetector } from "./repeat-detector.ts";

function mayRepeat(texts: Iterable<string>, maxTexts?: number): boolean {
  const detector = new RepeatDetector(maxTexts);
  for (const text of texts) detector.add(text);
  return detector.mayRepeat;
}

test("a text that was added twice is always noticed, and different texts are not taken for one", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.string({ maxLength: 12 }), { minLength: 1, maxLength: 30 }),
      fc.nat(),
      (texts, index) => {
        assert.equal(mayRepeat(texts), false);
        assert.equal(mayRepeat([...texts, texts[index % texts.length] ?? ""]), true);
      },
    ),
  );
});

test("a hundred thousand similar ids are distinguished", () => {
  const ids = function* (repeated: string[]) {
    for (let i = 0; i < 100_000; i += 1) yield `SKU-${i}-RED`;
    yield* repeated;
  };

  assert.equal(mayRepeat(ids([])), false);
  assert.equal(mayRepeat(ids(["SKU-77777-RED"])), true);
});

test("whichever of many ids is repeated, it is noticed: the table loses none when it grows", () => {
  // The table has grown twice by then.
  const ids = Array.from({ length: 1_700 }, (_, i) => `id-${i}`);
  for (const id of ids) assert.equal(mayRepeat([...ids, id]), true, id);
});

test("above its limit everything may be a repetition", () => {
  assert.equal(mayRepeat(["a", "b"], 3), false);
  assert.equal(mayRepeat(["a", "b", "c"], 3), true);
});
