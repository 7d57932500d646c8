import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { AppError } from "../../errors.ts";
import { BRIEF_RETRIES } from "../source.contract.ts";
import type { WooApi } from "./api.ts";
import { HeavyAnswer } from "./failures.ts";
import { WOO_LIMITS } from "./limits.ts";
import { walkList, type Walker } from "./walk.ts";

const LIST = { route: "things", query: {}, what: "things" };

type Shelves = {
  rows: unknown[];
  /** Called before each page is given, with its number. */
  readonly before?: (page: number, shelves: Shelves) => void;
  /** What the shop says it has, if that is not what it has. */
  readonly claims?: number | null;
  /** Gives its first page whatever is asked, as caches do that do not look at the query. */
  readonly repeatsItself?: boolean;
  readonly asked: { offset: number; size: number }[];
};

/** A list that may change before any page. */
function walkerOver(shelves: Shelves, pageSize: number): Walker {
  const page: WooApi["page"] = (_list, { offset, size }) => {
    shelves.asked.push({ offset, size });
    shelves.before?.(shelves.asked.length, shelves);
    const { rows, claims } = shelves;
    const isPastEnd = offset > 0 && offset >= rows.length;
    const counted = isPastEnd ? 0 : rows.length;
    const total = claims === undefined ? counted : claims;
    const from = shelves.repeatsItself === true ? 0 : offset;
    return Promise.resolve({ rows: rows.slice(from, from + size), total });
  };
  const limits = { ...WOO_LIMITS, retries: BRIEF_RETRIES, pageSize, leastPageSize: 2 };
  const api: WooApi = {
    host: "shop.example",
    page,
    get: () => assert.fail(),
    getOnce: () => assert.fail(),
    noisyAnswers: () => 0,
  };
  return { api, limits, signal: new AbortController().signal };
}

async function idsOf(walker: Walker): Promise<number[]> {
  const ids: number[] = [];
  for await (const rows of walkList(walker, LIST)) {
    for (const listed of rows) ids.push(listed.kind === "row" ? listed.id : 0);
  }
  return ids;
}

const rowsOf = (ids: readonly number[]): { id: number }[] => ids.map((id) => ({ id }));
const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);

describe("a list that is walked", () => {
  for (const count of [0, 1, 9, 10, 11, 19, 20, 100]) {
    test(`gives all its ${count} rows, once each, in pages of ten`, async () => {
      const walker = walkerOver({ rows: rowsOf(upTo(count)), asked: [] }, 10);

      assert.deepEqual(await idsOf(walker), upTo(count));
    });
  }

  test("asks for little more than its pages", async () => {
    const shelves = { rows: rowsOf(upTo(1_000)), asked: [] };

    await idsOf(walkerOver(shelves, 100));

    assert.equal(shelves.asked.length, 11);
  });

  test("gives every row that stays, once, whatever comes and goes, or is called incomplete", async () => {
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
          const shelves: Shelves = {
            rows: rowsOf(sorted),
            asked: [],
            before: (page, shelves) => {
              for (const { removes, adds } of changes.filter((one) => one.page === page)) {
                const kept = (shelves.rows as { id: number }[])
                  .map(({ id }) => id)
                  .filter((id) => !removes.includes(id));
                shelves.rows = rowsOf([...new Set([...kept, ...adds])].toSorted((a, b) => a - b));
              }
            },
          };

          const read = await idsOf(walkerOver(shelves, pageSize)).catch((error: unknown) => error);

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

  test("is found in full although most of what was read has gone when its next page is asked for", async () => {
    const shelves: Shelves = {
      rows: rowsOf(upTo(15)),
      asked: [],
      before: (page, shelves) => {
        if (page === 2) shelves.rows = shelves.rows.slice(8);
      },
    };

    assert.deepEqual(await idsOf(walkerOver(shelves, 10)), upTo(15));
  });

  test("is walked again when it is short, and what was missed comes then", async () => {
    const shelves: Shelves = {
      rows: rowsOf(upTo(30).slice(1)),
      asked: [],
      before: (page, shelves) => {
        if (page === 2) shelves.rows = rowsOf(upTo(30));
      },
    };

    assert.deepEqual(await idsOf(walkerOver(shelves, 10)), [...upTo(30).slice(1), 1]);
  });

  test("that stays short is incomplete, and both numbers are told", async () => {
    const walker = walkerOver({ rows: rowsOf(upTo(5)), claims: 8, asked: [] }, 10);

    await assert.rejects(idsOf(walker), (error: AppError) => {
      assert.equal(error.code, "source_incomplete");
      assert.match(error.message, /8 things, but gave 5/);
      return true;
    });
  });

  test("that claims no end and repeats itself is not believed for ever", async () => {
    const shelves = { rows: rowsOf(upTo(25)), claims: 90_000, repeatsItself: true, asked: [] };

    await assert.rejects(idsOf(walkerOver(shelves, 10)), { code: "source_incomplete" });
    assert.ok(shelves.asked.length < 300, String(shelves.asked.length));
  });

  test("without a total ends where nothing new comes", async () => {
    const walker = walkerOver({ rows: rowsOf(upTo(25)), claims: null, asked: [] }, 10);

    assert.deepEqual(await idsOf(walker), upTo(25));
  });

  test("gives rows without an id as broken, once each, also at the edge of a page", async () => {
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
      assert.deepEqual(await idsOf(walkerOver({ rows, asked: [] }, pageSize)), [1, 0, 3, 0, 5, 0, 7, 0, 9]);
    }
  });

  test("comes in smaller pages from a host that cannot manage large ones", async () => {
    const shelves: Shelves = {
      rows: rowsOf(upTo(40)),
      asked: [],
      before: (page, { asked }) => {
        if ((asked[page - 1]?.size ?? 0) > 5) throw new HeavyAnswer("source_unavailable", "Out of memory.");
      },
    };

    assert.deepEqual(await idsOf(walkerOver(shelves, 20)), upTo(40));
    assert.deepEqual(
      shelves.asked.slice(0, 4).map(({ size }) => size),
      [20, 10, 5, 5],
    );
  });
});
