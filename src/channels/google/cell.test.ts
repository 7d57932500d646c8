import assert from "node:assert/strict";
import { test } from "node:test";
import { groupCell, listCell, textCell } from "./cell.ts";

test("a plain cell is quoted only for a quote", () => {
  assert.equal(textCell('A 10" plate'), '"A 10"" plate"');
  assert.equal(textCell("Plate, oval: large"), "Plate, oval: large");
});

test("tabs and line breaks become one space and need no quotes", () => {
  assert.equal(textCell("one\t\ttwo\r\nthree"), "one two three");
  assert.equal(textCell('one\n"two"'), '"one ""two"""');
});

test("in a list each value is quoted separately", () => {
  assert.equal(
    listCell(["Home > Table", "Plates, bowls > Oval", "Plain"]),
    'Home > Table,"Plates, bowls > Oval",Plain',
  );
  assert.equal(listCell([]), undefined);
});

test("in a group each sub-value is quoted separately, and a missing one is an empty position", () => {
  assert.equal(groupCell(["Screen", "Width", '7.5"']), 'Screen:Width:"7.5"""');
  assert.equal(groupCell([undefined, "Format", "4:3"]), ':Format:"4:3"');
  assert.equal(groupCell(["US", undefined, undefined, 0]), "US:::0");
});
