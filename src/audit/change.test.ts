import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Item } from "../catalog/item.ts";
import { anyItems, auditAll } from "./any-catalog.fixture.ts";
import { type AuditSide, type ScoreChange, countChange } from "./change.ts";
import { describe, item, patched, PERFECT, STOOL } from "./perfect.fixture.ts";

type Explained = Required<Omit<ScoreChange, "reason">>;

type Audited = AuditSide & { readonly verdicts: ReadonlyMap<string, Uint8Array | null> };

function audited(items: readonly Item[], rejected = 0): Audited {
  const context = { ...PERFECT.context, rejected: { count: rejected, reasons: [], examples: [] } };
  const { report, verdicts } = auditAll({ context, items });
  const found = new Map(verdicts.map(({ itemId, encoded }) => [itemId, encoded]));
  return { ...report, verdicts: new Map(items.map(({ id }) => [id, found.get(id) ?? null])) };
}

function attributeChange(was: Audited, is: Audited): ScoreChange {
  const count = countChange(was, is);
  for (const id of new Set([...was.verdicts.keys(), ...is.verdicts.keys()])) {
    count.items(was.verdicts.get(id), is.verdicts.get(id));
  }
  return count.finish();
}

function explained(
  before: readonly Item[],
  after: readonly Item[],
  rejected: { before: number; after: number } = { before: 0, after: 0 },
): Explained {
  const change = attributeChange(audited(before, rejected.before), audited(after, rejected.after));
  assert.ok(change.kind === "explained");
  return change as Explained;
}

const total = (parts: Explained["parts"]) => parts.reduce((sum, { exact }) => sum + BigInt(exact), 0n);
const shownTotal = (parts: Explained["parts"]) =>
  parts.reduce((sum, { points }) => sum + Math.round(100 * points), 0);

/** None on either side about once in four. */
const anyRejected = fc.record({
  before: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 9 })),
  after: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 9 })),
});

test("the parts of a change add up to it exactly, both as fractions and as shown", () => {
  fc.assert(
    fc.property(anyItems, anyItems, anyRejected, (before, after, rejected) => {
      const { parts, denominator, difference } = explained(before, after, rejected);

      assert.equal(total(parts), BigInt(difference) * BigInt(denominator));
      assert.equal(shownTotal(parts), 100 * difference);
    }),
    { numRuns: 50 },
  );
});

test("without rounding, the parts add up to the difference of the raw scores", () => {
  fc.assert(
    fc.property(anyItems, anyItems, anyRejected, (before, after, rejected) => {
      const [was, is] = [audited(before, rejected.before), audited(after, rejected.after)];
      const change = explained(before, after, rejected);

      const causes = change.parts.filter(({ kind }) => kind !== "rounding");
      // a/b − c/d = e/f  ⇔  (a·d − c·b)·f = e·b·d
      const [a, b] = [BigInt(is.exact.raw), BigInt(is.exact.denominator)];
      const [c, d] = [BigInt(was.exact.raw), BigInt(was.exact.denominator)];
      assert.equal((a * d - c * b) * BigInt(change.denominator), total(causes) * b * d);
    }),
    { numRuns: 50 },
  );
});

test("audits of the same items have a change without parts", () => {
  fc.assert(
    fc.property(anyItems, (items) => {
      const { parts, difference, kept } = explained(items, items);

      assert.deepEqual([parts, difference, kept], [[], 0, items.length]);
    }),
    { numRuns: 15 },
  );
});

test("a new finding on an item that stayed is attributed to its rule", () => {
  const after = item("stool", { categories: undefined })(PERFECT).items;

  const { parts, difference } = explained(PERFECT.items, after);

  assert.equal(difference, -1);
  const [rounding, rule] = parts;
  assert.deepEqual([rule?.kind === "rule" && rule.rule, rounding?.kind], ["class.product_type", "rounding"]);
  assert.ok(rule && rule.points < 0);
});

test("added and removed items are parts of their own, not attributed to rules", () => {
  const weak = patched(STOOL, {
    id: "weak",
    gtin: "4006381000079",
    title: "Stool",
    description: describe("The weak stool"),
    images: ["https://cdn.shop.example/weak.jpg"],
    categories: undefined,
  });

  const came = explained(PERFECT.items, [...PERFECT.items, weak]);
  const left = explained([...PERFECT.items, weak], PERFECT.items);

  const kinds = ({ parts }: Explained) =>
    parts.filter(({ kind }) => kind !== "rounding").map(({ kind }) => kind);
  assert.deepEqual(kinds(came), ["newcomers"]);
  assert.deepEqual(kinds(left), ["leavers"]);
  assert.ok(came.difference < 0 && left.difference === -came.difference);
});

test("an item that a channel refuses is attributed to the rule that refuses it", () => {
  const after = item("stool", { link: "http://localhost/stool" })(PERFECT).items;

  const { parts, before, after: now } = explained(PERFECT.items, after);

  assert.deepEqual([before, now], [100, 83], "one of six items is lost");
  assert.deepEqual(
    parts.map(({ kind, rule, points }) => [kind, rule, points]),
    [
      ["rule", "eligibility.public_host", -16.67],
      ["rounding", undefined, -0.33],
    ],
  );
});

test("emptying or filling a catalog is attributed to removed or added items", () => {
  const emptied = explained(PERFECT.items, []);
  const filled = explained([], PERFECT.items);

  assert.deepEqual(
    emptied.parts.map(({ kind, points }) => [kind, points]),
    [["leavers", -100]],
  );
  assert.deepEqual(
    filled.parts.map(({ kind, points }) => [kind, points]),
    [["newcomers", 100]],
  );
});

test("a change in rejected rows is a part of its own", () => {
  const { parts, difference } = explained(PERFECT.items, PERFECT.items, { before: 0, after: 6 });
  const back = explained(PERFECT.items, PERFECT.items, { before: 6, after: 0 });

  assert.equal(difference, -50);
  assert.deepEqual(
    parts.map(({ kind, points }) => [kind, points]),
    [["rejected", -50]],
  );
  assert.deepEqual(
    back.parts.map((part) => [part.kind, part.kind === "rejected" && part.items, part.points]),
    [["rejected", -6, 50]],
  );
  assert.deepEqual(explained(PERFECT.items, PERFECT.items, { before: 3, after: 3 }).parts, []);
});

test("an empty catalog whose rows are all rejected has a change without parts", () => {
  assert.deepEqual(explained([], [], { before: 0, after: 5 }).parts, []);
  assert.deepEqual(
    explained(PERFECT.items, [], { before: 0, after: 5 }).parts.reduce((sum, { points }) => sum + points, 0),
    -100,
  );
});

test("audits under different rules are not compared", () => {
  const before = { ...audited(PERFECT.items), ruleset: { version: 0, hash: "another" } };

  const change = attributeChange(before, audited(PERFECT.items));

  assert.deepEqual(change, {
    kind: "not_comparable",
    reason: "The audits were made under different rules (versions 0 and 7).",
  });
});

test("verdicts that do not add up to the audit's score are an error", () => {
  const changedItems = item("stool", { categories: undefined })(PERFECT).items;
  const good = audited(PERFECT.items);
  const mixed = { ...good, verdicts: audited(changedItems).verdicts };
  const short = { ...good, verdicts: new Map([...good.verdicts].slice(1)) };

  assert.throws(() => attributeChange(good, mixed), { code: "ledger_mismatch" });
  assert.throws(() => attributeChange(short, good), { code: "ledger_mismatch" });
});

test("items may be counted in any order and in batches", () => {
  fc.assert(
    fc.property(anyItems, anyItems, (before, after) => {
      const [was, is] = [audited(before), audited(after)];
      const ids = [...new Set([...was.verdicts.keys(), ...is.verdicts.keys()])];
      const text = (verdict: Uint8Array | null | undefined) =>
        verdict ? Buffer.from(verdict).toString("hex") : String(verdict);
      const pairs = Map.groupBy(ids, (id) => `${text(was.verdicts.get(id))}>${text(is.verdicts.get(id))}`);
      const count = countChange(was, is);
      for (const [first = "", ...others] of [...pairs.values()].toReversed()) {
        count.items(was.verdicts.get(first), is.verdicts.get(first), 1 + others.length);
      }

      assert.deepEqual(count.finish(), attributeChange(was, is));
    }),
    { numRuns: 15 },
  );
});
