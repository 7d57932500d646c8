import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { FEED_LIMITS } from "./limits.ts";
import { sniff } from "./format.ts";
import { assertAll, assertCases } from "../../../test/assert-cases.ts";

const delimiterOf = (text: string): string | null => {
  const sniffed = sniff(text, "auto", FEED_LIMITS);
  return sniffed.kind === "delimited" ? sniffed.delimiter : null;
};
const kindOf = (text: string): string => sniff(text, "auto", FEED_LIMITS).kind;

describe("the delimiter", () => {
  test("is the one that gives the most known column names, not the most frequent one", () => {
    assert.equal(delimiterOf("id;title;description\n1;Mug;a,b,c,d,e,f\n2;Cup;g,h,i,j,k\n"), ";");
    assert.equal(delimiterOf("id|title\n1|a;b;c\n"), "|");
    assert.equal(delimiterOf("id\ttitle\n1\ta, b\n"), "\t");
  });

  test("is the one that gives rows of equal length if the header has no known names", () => {
    assert.equal(delimiterOf("aa;bb;cc\n1;2,5;3\n4;5,5;6\n"), ";");
  });

  test("is not searched inside quotes", () => {
    assert.equal(delimiterOf('"id";"title, long; name"\n1;2\n'), ";");
  });

  test("is found after a sep= line for Excel", () => {
    assert.equal(delimiterOf("sep=;\nid;title\n1;2\n"), ";");
  });
});

describe("the kind of a file", () => {
  test("JSON Lines are objects on separate lines, or one object that is an item", () => {
    assertCases(kindOf, [
      ['{"id":1}\n{"id":2}\n', "json lines"],
      ['{"id":1,"title":"x"}\n', "json lines"],
      ['{"products":[{"id":1,"title":"x"}]}', "json"],
      ['{\n"id":1\n}', "json"],
      ["[1]\n[2]\n", "json"],
    ]);
  });

  test("a web page is recognized, also after an XML declaration and comments", () => {
    assertAll(kindOf, "html", [
      "<!doctype HTML>",
      "<html lang='en'>",
      "<?xml version='1.0'?>\n<!-- x -->\n<!DOCTYPE html>",
    ]);
    assert.equal(kindOf("<header><item/></header>"), "xml");
  });
});

for (const [text, title] of [
  ["<!doctype html><title> Log \n in </title>", "Log in"],
  ['<html><head><TITLE lang="en">Shop</TITLE>', "Shop"],
  ["<html><title></title>", null],
  ["<html><title", null],
  [`<html>${"<TITLE\u0001".repeat(40_000)}`, null],
] as const)
  test(`the title of the page ${JSON.stringify(text.slice(0, 40))} is ${title ?? "unknown"}`, () => {
    assert.deepEqual(sniff(text, "auto", FEED_LIMITS), { kind: "html", title });
  });
