import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "csv-parse/sync";
import { catalogCsv, CHANGED_EVERY, type Edition, SHARES } from "./catalog.ts";

const textOf = (items: number, edition: Edition = "first"): string =>
  [...catalogCsv(items, edition)].join("");
const rowsOf = (items: number, edition: Edition = "first"): Record<string, string>[] =>
  parse(textOf(items, edition), { columns: true });

test("the catalog is the same every time, and a smaller one is the beginning of a larger one", () => {
  assert.equal(textOf(300), textOf(300));
  assert.ok(textOf(300).startsWith(textOf(200)));
});

test("an item has about as many bytes as a real one", () => {
  const bytes = Buffer.byteLength(textOf(600)) / 600;
  assert.ok(bytes > 900 && bytes < 1_300, `${bytes} bytes an item`);
});

test("there are as many rows as requested, with distinct ids", () => {
  const ids = rowsOf(600).map(({ id }) => id);
  assert.equal(ids.length, 600);
  assert.equal(new Set(ids).size, 600);
});

test("ids are in no order", () => {
  const groups = [...new Set(rowsOf(600).map(({ item_group_id }) => item_group_id ?? ""))];
  const rising = groups.filter((group, at) => at > 0 && group > (groups[at - 1] ?? "")).length;
  assert.ok(rising > groups.length * 0.3 && rising < groups.length * 0.7);
});

test("the edition with a blank column has other bytes and the same values", () => {
  const withColumn = rowsOf(500, "blank_column");
  assert.deepEqual(
    withColumn.map(({ custom_label_4: _blank, ...row }) => row),
    rowsOf(500),
  );
  assert.ok(withColumn.every(({ custom_label_4 }) => custom_label_4 === ""));
});

test("the changed edition differs in one item of a hundred", () => {
  const before = rowsOf(1_000);
  const different = rowsOf(1_000, "changed").filter((row, at) => row["price"] !== before[at]?.["price"]);
  assert.equal(different.length, 1_000 / CHANGED_EVERY);
});

test("each edition of a share changes what the one before it changes, and more", () => {
  const before = rowsOf(1_000);
  const changed = (edition: Edition) =>
    rowsOf(1_000, edition).flatMap((row, at) => (row["quantity"] === before[at]?.["quantity"] ? [] : [at]));

  const shares = SHARES.map(changed);

  assert.deepEqual(
    shares.map(({ length }) => length),
    [1, 10, 100, 1_000],
  );
  for (const [i, share] of shares.slice(1).entries()) assert.ok(shares[i]?.every((at) => share.includes(at)));
});
