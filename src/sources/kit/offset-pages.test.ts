import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { AppError } from "../../errors.ts";
import { ruleFailure } from "./failure.ts";
import { idIn } from "./json.ts";
import { type OffsetList, offsetPages } from "./offset-pages.ts";

type FakeList = {
  rows: unknown[];
  /** Called before each page is returned, with its number. */
  readonly before?: (page: number) => void;
  /** The total that the shop states, if it is another than the true one. */
  readonly claims?: number | null;
  /** Returns its first page for every offset, as a cache that ignores the query. */
  readonly repeatsFirstPage?: boolean;
  readonly requests: { offset: number; size: number }[];
};

/** A list that may change before any page. */
function listOver(list: FakeList, maxSize: number): OffsetList {
  return {
    fetch: (offset, size) => {
      list.requests.push({ offset, size });
      list.before?.(list.requests.length);
      const { rows, claims } = list;
      const isPastEnd = offset > 0 && offset >= rows.length;
      const counted = isPastEnd ? 0 : rows.length;
      const total = claims === undefined ? counted : claims;
      const from = list.repeatsFirstPage === true ? 0 : offset;
      return Promise.resolve({ rows: rows.slice(from, from + size), total });
    },
    maxSize,
    minSize: 2,
    pause: () => Promise.resolve(),
    owner: "shop.example",
    noun: "things",
    advice: "Look for a plugin that hides them.",
  };
}

/** The ids of all rows; 0 for a row without one. */
async function readIds(list: OffsetList): Promise<number[]> {
  const ids: number[] = [];
  for await (const rows of offsetPages(list)) ids.push(...rows.map((row) => idIn(row) ?? 0));
  return ids;
}

const OUT_OF_MEMORY = ruleFailure(
  { code: "source_unavailable", retry: "now", message: "Out of memory" },
  { status: 500 },
).error;

const rowsOf = (ids: readonly number[]): { id: number }[] => ids.map((id) => ({ id }));
const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);

describe("a list that is read by offset", () => {
  for (const count of [0, 1, 9, 10, 11, 19, 20, 100]) {
    test(`has all its ${count} rows, once each, in pages of ten`, async () => {
      const list = listOver({ rows: rowsOf(upTo(count)), requests: [] }, 10);

      assert.deepEqual(await readIds(list), upTo(count));
    });
  }

  test("needs hardly more requests than it has pages", async () => {
    const fake = { rows: rowsOf(upTo(1_000)), requests: [] };

    await readIds(listOver(fake, 100));

    assert.equal(fake.requests.length, 11);
  });

  test("has every row that stays in the shop, once, or is reported as incomplete", async () => {
    const change = fc.record({
      page: fc.integer({ min: 2, max: 8 }),
      removes: fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 25 }),
      adds: fc.array(fc.integer({ min: 1, max: 90 }), { maxLength: 10 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 60 }),
        fc.array(change, { maxLength: 4 }),
        fc.integer({ min: 2, max: 12 }),
        async (ids, changes, pageSize) => {
          const sorted = ids.toSorted((a, b) => a - b);
          const removed = new Set(changes.flatMap(({ removes }) => removes));
          const fake: FakeList = {
            rows: rowsOf(sorted),
            requests: [],
            before: (page) => {
              for (const { removes, adds } of changes.filter((one) => one.page === page)) {
                const kept = (fake.rows as { id: number }[])
                  .map(({ id }) => id)
                  .filter((id) => !removes.includes(id));
                fake.rows = rowsOf([...new Set([...kept, ...adds])].toSorted((a, b) => a - b));
              }
            },
          };

          const read = await readIds(listOver(fake, pageSize)).catch((error: unknown) => error);

          if (read instanceof AppError) assert.equal(read.code, "source_incomplete");
          else {
            assert.ok(Array.isArray(read), String(read));
            assert.equal(new Set(read).size, read.length);
            assert.deepEqual(
              sorted.filter((id) => !removed.has(id) && !read.includes(id)),
              [],
            );
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  test("is read in full although most rows that were read are removed before the next page", async () => {
    const fake: FakeList = {
      rows: rowsOf(upTo(15)),
      requests: [],
      before: (page) => {
        if (page === 2) fake.rows = fake.rows.slice(8);
      },
    };

    assert.deepEqual(await readIds(listOver(fake, 10)), upTo(15));
  });

  test("is read again when rows are missing, and those are added", async () => {
    const fake: FakeList = {
      rows: rowsOf(upTo(30).slice(1)),
      requests: [],
      before: (page) => {
        if (page === 2) fake.rows = rowsOf(upTo(30));
      },
    };

    assert.deepEqual(await readIds(listOver(fake, 10)), [...upTo(30).slice(1), 1]);
  });

  test("that stays short is incomplete, and the message has both numbers", async () => {
    const list = listOver({ rows: rowsOf(upTo(5)), claims: 8, requests: [] }, 10);

    await assert.rejects(readIds(list), (error: AppError) => {
      assert.equal(error.code, "source_incomplete");
      assert.match(error.message, /8 things, but gave 5/);
      return true;
    });
  });

  test("that claims many rows and repeats its first page is given up", async () => {
    const fake = { rows: rowsOf(upTo(25)), claims: 90_000, repeatsFirstPage: true, requests: [] };

    await assert.rejects(readIds(listOver(fake, 10)), { code: "source_incomplete" });
    assert.ok(fake.requests.length < 300, String(fake.requests.length));
  });

  test("without a total ends with the first page that has no new row", async () => {
    const list = listOver({ rows: rowsOf(upTo(25)), claims: null, requests: [] }, 10);

    assert.deepEqual(await readIds(list), upTo(25));
  });

  test("has rows without an id, once each, also at the edge of a page", async () => {
    const rows = [
      { id: 1 },
      null,
      { id: 3 },
      { name: "no id" },
      { id: 5 },
      { id: "six" },
      { id: 7 },
      [],
      { id: 9 },
    ];
    for (const pageSize of [2, 3, 4, 5, 20]) {
      assert.deepEqual(
        await readIds(listOver({ rows, requests: [] }, pageSize)),
        [1, 0, 3, 0, 5, 0, 7, 0, 9],
      );
    }
  });

  test("is read in smaller pages if the host fails on large ones", async () => {
    const fake: FakeList = {
      rows: rowsOf(upTo(40)),
      requests: [],
      before: (page) => {
        if ((fake.requests[page - 1]?.size ?? 0) > 5) throw OUT_OF_MEMORY;
      },
    };

    assert.deepEqual(await readIds(listOver(fake, 20)), upTo(40));
    assert.deepEqual(
      fake.requests.slice(0, 4).map(({ size }) => size),
      [20, 10, 5, 5],
    );
  });
});
