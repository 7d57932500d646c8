import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { clamp, foldText, isBlank, plainText } from "./text.ts";

const anyText = fc.string({ unit: "binary", maxLength: 200 });
const nastyText = fc.string({
  unit: fc.constantFrom(
    ...Array.from("ab <>&;#/!-\"'=\t\n"),
    "\0",
    "\u0085",
    "\u00a0",
    "\u00ad",
    "\u0301",
    "\u200b",
    "\u200d",
    "\u202e",
    "\u2066",
    "\ufeff",
    "\ue000",
    "\uffff",
    "\ud800",
    "\udc00",
    "\u{1f3f4}",
    "\u{e0067}",
    "\u{e007f}",
    "\u{10ffff}",
    "&amp;",
    "<p>",
    "</b>",
    "<script>",
    "👨‍👩‍👧",
  ),
  maxLength: 60,
});

test("markup becomes one line of plain text", () => {
  const cases: [string, string][] = [
    ["<p>Hello <b>W</b>orld</p><p>again</p>", "Hello World again"],
    ["one<br>two<BR/>three", "one two three"],
    ["<ul><li>a</li><li>b</li></ul>", "a b"],
    ["<a title=\"x > y\" href='q'>link</a>", "link"],
    ["m<sup>2</sup>", "m2"],
    ["a<script>if (a < b) { '</p>' }</script>b", "a b"],
    ["a<STYLE type=x>p > a {}</style >b", "a b"],
    ["a<template><p>no</p></template>b", "a b"],
    ["a<script>never closed", "a"],
    ["a<!-- <b>no</b> -->b", "ab"],
    ["a<!-- never closed", "a"],
    ["<!DOCTYPE html>a<?xml version='1.0'?>b", "a b"],
    ["<![CDATA[<p>in CDATA</p>]]>", "in CDATA"],
    ["<o:p>Word</o:p><product-card>x</product-card>", "Word x"],
    ["unclosed <b attr", "unclosed <b attr"],
    ['<p class="never closed>a</p>', "a"],
    ["5 < 6 and 7 > 6", "5 < 6 and 7 > 6"],
    ["I <3 it", "I <3 it"],
    ["cable <Type C>", "cable <Type C>"],
    ["<", "<"],
    ["</", "</"],
    ["<>", "<>"],
  ];

  for (const [html, text] of cases) assert.equal(plainText(html), text, html);
});

test("references are decoded once, and only where there is one", () => {
  const cases: [string, string][] = [
    ["Salt &amp; Pepper", "Salt & Pepper"],
    ["&amp;amp;", "&amp;"],
    ["&lt;b&gt;bold&lt;/b&gt;", "<b>bold</b>"],
    ["A&nbsp;&nbsp;B", "A B"],
    ["caf&eacute; &#8211; &#x2013; &#X2013;", "café – – –"],
    ["&Lstrok;&oacute;d&zacute;", "Łódź"],
    ["&#150; &#128;", "– €"],
    ["&#0;&#xD800;&#x110000;&#99999999;", "\ufffd\ufffd\ufffd\ufffd"],
    ["AT&T R&D &copy &unknown; &; & &#; &#x; &#12a;", "AT&T R&D &copy &unknown; &; & &#; &#x; &#12a;"],
    ["&constructor; &__proto__;", "&constructor; &__proto__;"],
    ["&hellip;&trade;&euro;&frac12;&alpha;&Omega;", "…™€½αΩ"],
  ];

  for (const [html, text] of cases) assert.equal(plainText(html), text, html);
});

test("invisible characters go, and what readers see stays", () => {
  const cases: [string, string][] = [
    ["a\0b\u0007c\u009fd", "abcd"],
    ["a\r\n\t b\u2028c\u00a0d\u3000e\u0085f", "a b c d e f"],
    ["\ufeffBOM soft\u00adhyphen zero\u200bwidth", "BOM softhyphen zerowidth"],
    ["private \ue000\u{f0000} non\uffff\ufdd0character", "private noncharacter"],
    ["lone \ud800 and \udc00", "lone \ufffd and \ufffd"],
    ["e\u0301", "é"],
    ["family 👨‍👩‍👧 and ❤️", "family 👨‍👩‍👧 and ❤️"],
    [
      "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
      "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
    ],
    ["hid\u{e0068}\u{e0069}den", "hidden"],
    ["مرحبا \u200fبالعالم", "مرحبا \u200fبالعالم"],
    ["over\u202eride\u2066d", "overrided"],
    ["می‌خواهم", "می‌خواهم"],
    ["\u200d\u200e \u200f", ""],
    ["日本語　テキスト", "日本語 テキスト"],
  ];

  for (const [raw, text] of cases) assert.equal(plainText(raw), text, JSON.stringify(raw));
});

test("folded text is one well-formed NFC line without controls, and folding again changes nothing", () => {
  fc.assert(
    fc.property(fc.oneof(anyText, nastyText), (raw) => {
      const text = foldText(raw);
      assert.ok(text.isWellFormed());
      assert.equal(text, text.normalize("NFC"));
      assert.equal(text, text.trim());
      assert.doesNotMatch(text, /\p{Cc}|\p{Co}|\p{Cs}| {2}|[^\S ]/u);
      assert.equal(foldText(text), text);
    }),
    { numRuns: 1_000 },
  );
});

test("text that was escaped as HTML comes back as it was", () => {
  const escape = (text: string): string => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);

  fc.assert(
    fc.property(fc.oneof(anyText, nastyText), (raw) => {
      const text = foldText(raw);
      assert.equal(plainText(escape(text)), text);
      assert.equal(plainText(`<div class="a">${escape(text)}</div>`), text);
    }),
    { numRuns: 500 },
  );
});

test("a megabyte of broken markup is read through like any other megabyte", () => {
  const unfinished = [
    "<a x='",
    "<",
    "&",
    '<a "',
    "<!--",
    "<script>",
    '<a x=">" ',
    "<b =",
    "&#",
    "</",
    "<p ='",
  ];

  for (const piece of unfinished) {
    const text = plainText(piece.repeat(Math.ceil(1_000_000 / piece.length)));
    assert.ok(text.length <= 1_100_000, piece);
  }
});

test("words that say nothing are blank, whatever their case", () => {
  for (const word of [
    "",
    "  ",
    "n/a",
    "N/A",
    "null",
    "NULL",
    "None",
    "undefined",
    "-",
    " – ",
    "NaN",
    "#N/A",
    "#REF!",
    "\u00a0",
  ])
    assert.ok(isBlank(word), JSON.stringify(word));
  assert.ok(isBlank(" ".repeat(1_000)));
  for (const word of ["0", "no", "na", "nullable", "-5", "none of these", "N", "unknown", "constructor", "é"])
    assert.ok(!isBlank(word), word);
});

test("a text within its limit is left alone", () => {
  fc.assert(fc.property(anyText, (text) => clamp(text, Array.from(text).length) === text));
});

test("a cut ends on a whole word where one is near", () => {
  assert.equal(clamp("hello wide world", 13), "hello wide");
  assert.equal(clamp("hello wide world", 10), "hello wide");
  assert.equal(clamp("hello wide world", 11), "hello wide");
  assert.equal(clamp("a verylongwordthatneverends", 12), "a verylongwo");
  assert.equal(clamp("nospacesatall", 5), "nospa");
});

test("a cut never parts what a reader sees as one character", () => {
  assert.equal(clamp("ab👨‍👩‍👧cd", 4), "ab");
  assert.equal(clamp("ab👨‍👩‍👧cd", 7), "ab👨‍👩‍👧");
  assert.equal(clamp("ae\u0301e\u0301", 2), "a");
  assert.equal(clamp("🇩🇪🇫🇷", 3), "🇩🇪");
  // One character that alone is too long has to be cut somewhere.
  assert.equal(clamp(`e${"\u0301".repeat(1_000_000)}`, 10), `e${"\u0301".repeat(9)}`);
});

test("a cut text is a beginning of the text, within the limit and well-formed", () => {
  const text = fc.oneof(nastyText, anyText).map((raw) => raw.toWellFormed());

  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 80 }), (whole, limit) => {
      const cut = clamp(whole, limit);
      assert.ok(whole.startsWith(cut));
      assert.ok(Array.from(cut).length <= limit);
      assert.ok(cut.isWellFormed());
    }),
    { numRuns: 500 },
  );
});
