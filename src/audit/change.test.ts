import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Item } from "../catalog/item.ts";
import { anyItems, auditAll } from "./any-catalog.fixture.ts";
import { attributeChange, compareCodePoints, type ItemVerdictRow } from "./change-stream.ts";
import { type Change, countChange } from "./change.ts";
import { describe, item, patched, PERFECT, STOOL } from "./perfect.fixture.ts";

type Explained = Extract<Change, { kind: "explained" }>;

function audited(items: readonly Item[]) {
  const { report, verdicts } = auditAll({ ...PERFECT, items });
  const byId = new Map(verdicts.map(({ itemId, encoded }) => [itemId, encoded]));
  const rows = items
    .map(({ id }): ItemVerdictRow => ({ itemId: id, encoded: byId.get(id) ?? null }))
    .sort((a, b) => compareCodePoints(a.itemId, b.itemId));
  return { ...report, rows, verdicts: stream(rows) };
}

async function* stream(rows: readonly ItemVerdictRow[]): AsyncGenerator<ItemVerdictRow> {
  yield* rows;
}

async function explained(before: readonly Item[], after: readonly Item[]): Promise<Explained> {
  const change = await attributeChange(audited(before), audited(after));
  assert.ok(change.kind === "explained");
  return change;
}

const total = (parts: Explained["parts"]) => parts.reduce((sum, { exact }) => sum + BigInt(exact), 0n);
const shownTotal = (parts: Explained["parts"]) =>
  parts.reduce((sum, { points }) => sum + Math.round(100 * points), 0);

test("the parts of a change add up to it with no remainder, exactly and as they are shown", async () => {
  await fc.assert(
    fc.asyncProperty(anyItems, anyItems, async (before, after) => {
      const { parts, denominator, difference } = await explained(before, after);

      assert.equal(total(parts), BigInt(difference) * BigInt(denominator));
      assert.equal(shownTotal(parts), 100 * difference);
    }),
    { numRuns: 100 },
  );
});

test("without ceiling and rounding, the parts make up the difference of the raw scores", async () => {
  await fc.assert(
    fc.asyncProperty(anyItems, anyItems, async (before, after) => {
      const [was, is] = [audited(before), audited(after)];
      const change = await attributeChange(was, is);
      assert.ok(change.kind === "explained");

      const causes = change.parts.filter(({ kind }) => kind !== "ceiling" && kind !== "rounding");
      // a/b − c/d = e/f  ⇔  (a·d − c·b)·f = e·b·d
      const [a, b] = [BigInt(is.exact.raw), BigInt(is.exact.denominator)];
      const [c, d] = [BigInt(was.exact.raw), BigInt(was.exact.denominator)];
      assert.equal((a * d - c * b) * BigInt(change.denominator), total(causes) * b * d);
    }),
    { numRuns: 100 },
  );
});

test("a change of nothing has no parts", async () => {
  await fc.assert(
    fc.asyncProperty(anyItems, async (items) => {
      const { parts, difference, kept } = await explained(items, items);

      assert.deepEqual([parts, difference, kept], [[], 0, items.length]);
    }),
    { numRuns: 20 },
  );
});

test("what went wrong on an item that stayed is put down to its rule", async () => {
  const after = item("stool", { categories: undefined })(PERFECT).items;

  const { parts, difference } = await explained(PERFECT.items, after);

  assert.equal(difference, -1);
  const [rounding, rule] = parts;
  assert.deepEqual([rule?.kind === "rule" && rule.rule, rounding?.kind], ["class.product_type", "rounding"]);
  assert.ok(rule && rule.points < 0);
});

test("a weak newcomer pulls the score down and a weak leaver lets it rise, and no rule is blamed", async () => {
  const weak = patched(STOOL, {
    id: "weak",
    gtin: "4006381000079",
    title: "Stool",
    description: describe("The weak stool"),
    images: ["https://cdn.shop.example/weak.jpg"],
    categories: undefined,
  });

  const came = await explained(PERFECT.items, [...PERFECT.items, weak]);
  const left = await explained([...PERFECT.items, weak], PERFECT.items);

  const kinds = ({ parts }: Explained) =>
    parts.filter(({ kind }) => kind !== "rounding").map(({ kind }) => kind);
  assert.deepEqual(kinds(came), ["newcomers"]);
  assert.deepEqual(kinds(left), ["leavers"]);
  assert.ok(came.difference < 0 && left.difference === -came.difference);
});

test("a ceiling that comes or goes is a part of its own", async () => {
  const after = item("stool", { brand: undefined })(PERFECT).items;

  const { parts, before, after: now } = await explained(PERFECT.items, after);

  assert.deepEqual([before, now], [100, 79]);
  assert.deepEqual(parts.map(({ kind }) => kind).slice(0, 2), ["ceiling", "rule"]);
});

test("a catalog that is emptied or filled is put down to those who left or came", async () => {
  const emptied = await explained(PERFECT.items, []);
  const filled = await explained([], PERFECT.items);

  assert.deepEqual(
    emptied.parts.map(({ kind, points }) => [kind, points]),
    [["leavers", -100]],
  );
  assert.deepEqual(
    filled.parts.map(({ kind, points }) => [kind, points]),
    [["newcomers", 100]],
  );
});

test("audits under different rules are not compared", async () => {
  const before = { ...audited(PERFECT.items), ruleset: { version: 0, hash: "another" } };

  const change = await attributeChange(before, audited(PERFECT.items));

  assert.deepEqual(change, {
    kind: "not_comparable",
    reason: "The audits were made under different rules (versions 0 and 1).",
  });
});

test("verdicts that are not those of the audit are refused", async () => {
  const spoiled = item("stool", { categories: undefined })(PERFECT).items;
  const mixed = { ...audited(PERFECT.items), verdicts: stream(audited(spoiled).rows) };
  const short = { ...audited(PERFECT.items), verdicts: stream(audited(PERFECT.items).rows.slice(1)) };

  await assert.rejects(attributeChange(audited(PERFECT.items), mixed), { code: "ledger_mismatch" });
  await assert.rejects(attributeChange(short, audited(PERFECT.items)), { code: "ledger_mismatch" });
});

test("verdicts that do not come in the order of their ids are refused", async () => {
  const { rows, ...report } = audited(PERFECT.items);
  const backwards = { ...report, verdicts: stream(rows.toReversed()) };

  await assert.rejects(attributeChange(backwards, audited(PERFECT.items)), {
    code: "ledger_mismatch",
    message: /order of their ids/,
  });
});

test("items may be counted in any order when they come in pairs", () => {
  fc.assert(
    fc.property(anyItems, anyItems, (before, after) => {
      const [was, is] = [audited(before), audited(after)];
      const wasById = new Map(was.rows.map((row) => [row.itemId, row.encoded]));
      const isById = new Map(is.rows.map((row) => [row.itemId, row.encoded]));
      const counted = (order: readonly string[]) => {
        const count = countChange(was, is);
        for (const id of order) count.item(wasById.get(id), isById.get(id));
        return count.finish();
      };

      const ids = [...new Set([...wasById.keys(), ...isById.keys()])];
      assert.deepEqual(counted(ids), counted(ids.toReversed()));
    }),
    { numRuns: 20 },
  );
});

test("ids are ordered as their UTF-8 bytes are", () => {
  const anyId = fc.string({ unit: "binary", maxLength: 6 });
  fc.assert(
    fc.property(anyId, anyId, (a, b) => {
      assert.equal(Math.sign(compareCodePoints(a, b)), Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
  );
  assert.ok(compareCodePoints("\u{1f600}", "\uff5e") > 0);
});
