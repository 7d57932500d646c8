import assert from "node:assert/strict";
import { test } from "node:test";
import { table } from "./table.ts";

test("columns are as wide as their widest cell, and no line ends with spaces", () => {
  assert.deepEqual(
    table(
      ["id", "name"],
      [
        ["1", "Lamp"],
        ["1000", ""],
      ],
    ),
    ["ID    NAME", "1     Lamp", "1000"],
  );
});

test("an empty table says so", () => {
  assert.deepEqual(table(["id"], []), ["(none)"]);
});
