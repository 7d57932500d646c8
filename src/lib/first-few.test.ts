/** The list of a pass that visits only what has changed is the beginning of the list of all values. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { comparePlaces, FirstFew, type PlacedValue } from "./first-few.ts";

const MOST = 4;

type World = ReadonlyMap<string, readonly number[]>;

const placed = (world: World): readonly PlacedValue<number>[] =>
  [...world]
    .toSorted(([a], [b]) => comparePlaces(a, b))
    .flatMap(([place, values]) => values.map((value) => ({ place, value })));

const anyWorld = fc
  .uniqueArray(
    fc.record({
      place: fc.constantFrom("a", "b", "b\0", "c", "d", "é", "\u{FF5E}", "\u{1F600}", "z"),
      values: fc.constantFrom([], [1], [1, 2], [1, 2, 3]),
    }),
    { selector: ({ place }) => place },
  )
  .map((list): World => new Map(list.map(({ place, values }) => [place, values])));

test("after any changes, the first values are those of all values", () => {
  fc.assert(
    fc.property(fc.array(anyWorld, { minLength: 2, maxLength: 6 }), (worlds) => {
      let before: readonly PlacedValue<number>[] = [];
      let old: World = new Map();
      for (const world of worlds) {
        const list = new FirstFew<number>(MOST, before);
        const places = [...new Set([...old.keys(), ...world.keys()])].toSorted(comparePlaces);
        const isSame = (place: string): boolean =>
          old !== world && JSON.stringify(old.get(place)) === JSON.stringify(world.get(place));
        for (const place of places.filter((one) => !isSame(one))) {
          list.drop(place);
          for (const value of world.get(place) ?? []) if (!list.isFull) list.add(place, value);
        }
        const from = list.missingFrom();
        if (from !== undefined)
          for (const place of places.filter((one) => isSame(one) && comparePlaces(one, from) >= 0)) {
            if (list.missingFrom(place) === undefined) continue;
            list.refill(place);
            for (const value of world.get(place) ?? [])
              if (list.missingFrom(place) !== undefined) list.add(place, value);
          }
        assert.deepEqual(list.list(), placed(world).slice(0, MOST));
        before = list.list();
        old = world;
      }
    }),
    { numRuns: 2_000 },
  );
});
