import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isUuid, newId, randomBase62 } from "./id.ts";

test("identifiers are UUIDs, and no two are the same", () => {
  const ids = Array.from({ length: 1_000 }, newId);

  assert.ok(ids.every(isUuid));
  assert.equal(new Set(ids).size, ids.length);
});

test("identifiers sort by the moment they were made", async () => {
  const ids: string[] = [];
  let last = 0;
  while (ids.length < 5) {
    if (Date.now() > last) {
      ids.push(newId());
      last = Date.now();
    }
    await new Promise(setImmediate);
  }

  assert.deepEqual(ids, ids.toSorted());
});

test("only an exact UUID is accepted", () => {
  const id = newId();

  for (const text of ["", id.slice(1), `${id}0`, ` ${id}`, `${id}\n`, id.replaceAll("-", ""), `{${id}}`]) {
    assert.equal(isUuid(text), false, JSON.stringify(text));
  }
  assert.equal(isUuid(id.toUpperCase()), true);
  fc.assert(fc.property(fc.uuid(), isUuid));
});

test("random text has the length asked for and needs no escaping anywhere", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 100 }), (length) =>
      new RegExp(`^[0-9A-Za-z]{${length}}$`).test(randomBase62(length)),
    ),
  );
});

test("all characters are equally frequent", () => {
  const counts = new Map<string, number>();
  const total = 62_000;
  for (const character of randomBase62(total)) counts.set(character, (counts.get(character) ?? 0) + 1);

  // A thousand of each are due; ten standard deviations either way is never chance.
  assert.equal(counts.size, 62);
  for (const [character, count] of counts) assert.ok(Math.abs(count - 1_000) < 316, `${character}: ${count}`);
});
