import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { FEED_LIMITS } from "./limits.ts";
import { sniff } from "./format.ts";
import { assertCases } from "../../../test/assert-cases.ts";

const delimiterOf = (text: string): string | null => {
  const sniffed = sniff(text, "auto", FEED_LIMITS);
  return sniffed.kind === "delimited" ? sniffed.delimiter : null;
};
const kindOf = (text: string): string => sniff(text, "auto", FEED_LIMITS).kind;

describe("the delimiter", () => {
  test("is the one whose header makes most sense, not the one that is commonest", () => {
    assert.equal(delimiterOf("id;title;description\n1;Mug;a,b,c,d,e,f\n2;Cup;g,h,i,j,k\n"), ";");
    assert.equal(delimiterOf("id|title\n1|a;b;c\n"), "|");
    assert.equal(delimiterOf("id\ttitle\n1\ta, b\n"), "\t");
  });

  test("is told by rows of equal length where the header says nothing", () => {
    assert.equal(delimiterOf("aa;bb;cc\n1;2,5;3\n4;5,5;6\n"), ";");
  });

  test("is not looked for inside quotes", () => {
    assert.equal(delimiterOf('"id";"title, long; name"\n1;2\n'), ";");
  });

  test("is not the one that Excel is told on the first line, unless it is", () => {
    assert.equal(delimiterOf("sep=;\nid;title\n1;2\n"), ";");
  });
});

describe("the kind of a file", () => {
  test("JSON Lines are two objects on two lines, or one that is an item", () => {
    assertCases(kindOf, [
      ['{"id":1}\n{"id":2}\n', "json lines"],
      ['{"id":1,"title":"x"}\n', "json lines"],
      ['{"products":[{"id":1,"title":"x"}]}', "json"],
      ['{\n"id":1\n}', "json"],
      ["[1]\n[2]\n", "json"],
    ]);
  });

  test("a page is a page, also behind an XML declaration and comments", () => {
    for (const page of [
      "<!doctype HTML>",
      "<html lang='en'>",
      "<?xml version='1.0'?>\n<!-- x -->\n<!DOCTYPE html>",
    ]) {
      assert.equal(kindOf(page), "html", page);
    }
    assert.equal(kindOf("<header><item/></header>"), "xml");
  });
});
