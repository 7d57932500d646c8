import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../lib/any-character.fixture.ts";
import { clamp, foldLines, foldText, isBlank, plainLines, plainText } from "./text.ts";
import { assertCases } from "../../test/assert-cases.ts";
import { isLong } from "../../test/long.ts";

const anyText = fc.string({ unit: anyCharacter, maxLength: 200 });
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
    "<li>",
    "</li>",
    "<br>",
    "&lt;p&gt;",
    "&lt;/p&gt;",
    "&nbsp",
    "\r",
    "\u2028",
    "👨‍👩‍👧",
  ),
  maxLength: 60,
});

test("markup becomes one line of plain text", () => {
  assertCases(plainText, [
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
  ]);
});

test("a description keeps its paragraphs, lines and list items as lines", () => {
  assertCases(plainLines, [
    ["<p>Hello <b>W</b>orld</p><p>again</p>", "Hello World\n\nagain"],
    ["<p>Wrapped in\n  the source.</p>\n\n<p>Next.</p>", "Wrapped in the source.\n\nNext."],
    ["one<br>two<BR/>three<br /><br />\nfour", "one\ntwo\nthree\n\nfour"],
    ["<div>a</div><div><div>b</div></div>", "a\nb"],
    ["<h2>Care</h2><p>Hand wash.</p>", "Care\n\nHand wash."],
    ["Made of:<ul>\n<li>wool</li>\n<li>silk</li>\n</ul>Soft.", "Made of:\n\n• wool\n• silk\n\nSoft."],
    ["<ul><li><p>wool</p></li><li></li><li><p>silk</p></li></ul>", "• wool\n• silk"],
    ["<ul><li>• wool</li><li>- silk</li><li>-5 °C</li></ul>", "• wool\n- silk\n• -5 °C"],
    ["<ul><li>wool<ol><li>merino</li></ol></li><li>silk</li></ul>", "• wool\n1. merino\n• silk"],
    [
      "<table><tr><th>Width</th><td>10 cm</td></tr><tr><th>Weight</th><td>1 kg</td></tr></table>",
      "Width 10 cm\nWeight 1 kg",
    ],
    ["<p>&nbsp;</p><p>Soft</p><p>&nbsp;</p><p> </p><p>Warm</p>", "Soft\n\nWarm"],
    ["First line\r\nsecond line\n\n\n\nnext  paragraph \n", "First line\nsecond line\n\nnext paragraph"],
    ["<b>Soft</b>\nWarm", "Soft\nWarm"],
    [
      "Stored by\nWordPress.\n\nSecond.\n<ul>\n<li>wool</li>\n</ul>",
      "Stored by WordPress.\n\nSecond.\n\n• wool",
    ],
    ["a\u2028b\u0085c\u000bd\re", "a\nb\nc\nd\ne"],
    ["5 < 6\nand 7 > 6", "5 < 6\nand 7 > 6"],
    ["", ""],
    [" \n\u200b\n ", ""],
  ]);
});

test("the items of an ordered list keep their numbers", () => {
  assertCases(plainLines, [
    ["Care:<ol>\n<li>Wash</li>\n<li><p>Dry</p></li>\n</ol>Done.", "Care:\n\n1. Wash\n2. Dry\n\nDone."],
    ["<OL><li>Wash<li>Dry<li>Iron</OL>", "1. Wash\n2. Dry\n3. Iron"],
    ["<ol><li>Wash</li></ol><p>Wait.</p><ol start='2'><li>Dry</li></ol>", "1. Wash\n\nWait.\n\n2. Dry"],
    ['<ol class=a start=0><li>Wash</li><li value="5">Dry</li><li>Iron</li></ol>', "0. Wash\n5. Dry\n6. Iron"],
    ["<ol><li></li><li>Wash</li><li> &nbsp; </li><li>Dry</li></ol>", "1. Wash\n2. Dry"],
    ["<ol><li>1. Wash</li><li>2) Dry</li><li>2. gear</li></ol>", "1. Wash\n2) Dry\n3. 2. gear"],
    ["<ol><li>1.5 l</li><li>20 g</li></ol>", "1. 1.5 l\n2. 20 g"],
    ["<ol><li>Wash<ul><li>cold</li></ul></li><li>Dry</li></ol>", "1. Wash\n• cold\n2. Dry"],
    ["<ol><li>Wash<ol><li>cold</li><li>warm</li></ol></li><li>Dry</ol>", "1. Wash\n1. cold\n2. warm\n2. Dry"],
    ["<ol reversed><li>Silver</li><li>Gold</li></ol>", "• Silver\n• Gold"],
    ["<ol><li>Wash</li></ol></ol></ul><ul><li>wool</li></ul>", "1. Wash\n\n• wool"],
    ["<p>&lt;ol&gt;&lt;li&gt;Wash&lt;/li&gt;&lt;/ol&gt;</p>", "1. Wash"],
    ["<ol start=4><li>&lt;p&gt;Wash&lt;/p&gt;</li></ol>", "4. Wash"],
  ]);
  assert.equal(plainText("<ol><li>Wash</li><li>Dry</li></ol>"), "Wash Dry");
});

test("escaped tags are markup where they form a structure, else visible text", () => {
  assertCases(plainLines, [
    ["&lt;p&gt;Soft&lt;/p&gt;", "Soft"],
    [
      "&lt;p class=&quot;a&quot;&gt;Soft &amp;amp; warm&lt;/p&gt;&lt;p&gt;Dry&lt;/p&gt;",
      "Soft & warm\n\nDry",
    ],
    ["&amp;lt;p&amp;gt;Soft&amp;lt;/p&amp;gt;", "Soft"],
    ["<p>&lt;ul&gt;&lt;li&gt;Soft&lt;/li&gt;&lt;/ul&gt;</p>", "• Soft"],
    ["<style>&lt;!-- &lt;p&gt;&lt;/p&gt; &lt;/style&gt; td {} --></style><p>Soft</p>", "Soft"],
    ["<p data-value='{\"&lt;p&gt;a&lt;/p&gt; it&#39;s'>Soft &lt;em&gt;</p>", "Soft <em>"],
    ["Soft&lt;br /&gt;warm", "Soft\nwarm"],
    ["&lt;strong&gt;Soft&lt;/strong&gt; wool", "Soft wool"],
    ["<p>type &lt;b&gt;so&lt;/b&gt;</p>", "type <b>so</b>"],
    ["use &lt;b&gt; for bold", "use <b> for bold"],
    ["a &lt; b and b &gt; c", "a < b and b > c"],
    ["&lt;Type C&gt; plug &lt;/Type C&gt;", "<Type C> plug </Type C>"],
    ["&#60;p&#62;Soft&#60;/p&#62;", "<p>Soft</p>"],
  ]);
});

test("character references are decoded, and unknown ones are kept", () => {
  assertCases(plainText, [
    ["Salt &amp; Pepper", "Salt & Pepper"],
    ["&amp;amp; &amp;amp;amp; 1&amp;nbsp;kg caf&amp;eacute; it&amp;#39;s", "& & 1 kg café it's"],
    ["&#38;amp;", "&amp;"],
    ["A&nbsp;&nbsp;B", "A B"],
    ["A&nbsp B&nbspC", "A B C"],
    ["caf&eacute, fl&ucirc&ucirc &copy 2026 &amp", "café, flûû © 2026 &"],
    ["?a=1&copy=2&regular=3&amp;copy=4 R&ampD", "?a=1&copy=2&regular=3&copy=4 R&ampD"],
    ["caf&eacute; &#8211; &#x2013; &#X2013;", "café – – –"],
    ["&Lstrok;&oacute;d&zacute;", "Łódź"],
    ["&#150; &#128;", "– €"],
    ["&#0;&#xD800;&#x110000;&#99999999;", "\ufffd\ufffd\ufffd\ufffd"],
    ["AT&T R&D &unknown; &; & &#; &#x;", "AT&T R&D &unknown; &; & &#; &#x;"],
    ["&constructor; &__proto__;", "&constructor; &__proto__;"],
    ["&hellip;&trade;&euro;&frac12;&alpha;&Omega;", "…™€½αΩ"],
  ]);
});

test("invisible characters are removed, and visible ones are kept", () => {
  assertCases(plainText, [
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
  ]);
});

/** What folding makes is well-formed NFC without white space around it, and folding again changes nothing. */
function assertFolded(text: string, fold: (text: string) => string): void {
  assert.ok(text.isWellFormed());
  assert.equal(text, text.normalize("NFC"));
  assert.equal(text, text.trim());
  assert.equal(fold(text), text);
}

test("folded text is one well-formed NFC line without controls, and folding again changes nothing", () => {
  fc.assert(
    fc.property(fc.oneof(anyText, nastyText), (raw) => {
      const text = foldText(raw);
      assertFolded(text, foldText);
      assert.doesNotMatch(text, /\p{Cc}|\p{Co}|\p{Cs}| {2}|[^\S ]/u);
    }),
    { numRuns: 400 },
  );
});

test("folded lines have no control characters except line breaks, no trailing spaces, no two empty lines, and folding again changes nothing", () => {
  fc.assert(
    fc.property(fc.oneof(anyText, nastyText), (raw) => {
      const text = foldLines(raw);
      assertFolded(text, foldLines);
      assert.doesNotMatch(text, /(?!\n)\p{Cc}|\p{Co}|\p{Cs}| {2}|[^\S \n]| \n|\n |\n{3}/u);
      assert.equal(foldText(text), foldText(raw.replace(/\r\n?|[\v\f]/g, "\n")));
    }),
    { numRuns: 400 },
  );
});

test("a description in one line has the same words as the one with lines", () => {
  fc.assert(
    fc.property(nastyText, (raw) => {
      const words = (text: string): string => text.replace(/[\s•\p{Cf}]+/gu, "");
      assert.equal(words(plainLines(raw)), words(plainText(raw)));
    }),
    { numRuns: 400 },
  );
});

test("text that is escaped as HTML is decoded to the same text", () => {
  const escape = (text: string): string => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);

  fc.assert(
    fc.property(fc.oneof(anyText, nastyText), (raw) => {
      const text = foldText(raw);
      assert.equal(plainText(escape(text)), text);
      assert.equal(plainText(`<div class="a">${escape(text)}</div>`), text);
      assert.equal(plainLines(`<div class="a">${escape(text)}</div>`), text);
    }),
    { numRuns: 200 },
  );
});

if (isLong)
  test("a long text of broken markup takes about linear time", () => {
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
      "&lt;",
      "&lt;p&gt;",
      "&lt;/p&gt;",
      "&amp;",
      "&amp;amp;",
      "amp;",
      "&nbsp",
      "<li>",
      "<ol>",
      "<ol><li>a",
      "<ol start ",
      "<li value= ",
      "</ol>",
      "<br>",
      "<p>\n",
      "\n",
      "\r",
      " \n",
      " ",
      "•",
    ];

    // In quadratic time, one of these takes minutes.
    for (const piece of unfinished) {
      const broken = piece.repeat(Math.ceil(250_000 / piece.length));
      assert.ok(plainText(broken).length <= 275_000, piece);
      assert.ok(plainLines(`<p>${broken}`).length <= 275_000, piece);
    }
  });

test("filler words are blank, in any case", () => {
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

test("a text within its limit is not changed", () => {
  fc.assert(fc.property(anyText, (text) => clamp(text, Array.from(text).length) === text));
});

test("a cut text ends at a word boundary if one is near", () => {
  assert.equal(clamp("hello wide world", 13), "hello wide");
  assert.equal(clamp("hello wide world", 10), "hello wide");
  assert.equal(clamp("hello wide world", 11), "hello wide");
  assert.equal(clamp("a verylongwordthatneverends", 12), "a verylongwo");
  assert.equal(clamp("nospacesatall", 5), "nospa");
  assert.equal(clamp("hello wide\nworld", 13), "hello wide");
  assert.equal(clamp("hello wide\n\nworld", 11), "hello wide");
});

test("a text is never cut inside a grapheme", () => {
  assert.equal(clamp("ab👨‍👩‍👧cd", 4), "ab");
  assert.equal(clamp("ab👨‍👩‍👧cd", 7), "ab👨‍👩‍👧");
  assert.equal(clamp("ae\u0301e\u0301", 2), "a");
  assert.equal(clamp("🇩🇪🇫🇷", 3), "🇩🇪");
  // One character that alone is too long has to be cut somewhere.
  assert.equal(clamp(`e${"\u0301".repeat(1_000_000)}`, 10), `e${"\u0301".repeat(9)}`);
});

test("a cut text is a well-formed prefix of the text, within the limit", () => {
  const text = fc.oneof(nastyText, anyText).map((raw) => raw.toWellFormed());

  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 80 }), (whole, limit) => {
      const cut = clamp(whole, limit);
      assert.ok(whole.startsWith(cut));
      assert.ok(Array.from(cut).length <= limit);
      assert.ok(cut.isWellFormed());
    }),
    { numRuns: 200 },
  );
});

test("any two characters of the plane that most texts use are folded to NFC, without invisible ones", () => {
  const latin = [...Array(0x2200).keys()].map((code) => String.fromCharCode(code));
  const invisible = /[\p{Cc}\xad\u200b\u202a-\u202e\u2060-\u206f]/gu;
  for (const char of latin) {
    for (const text of [`a${char}b`, `é${char}`, `${char}\u2019`]) {
      const expected = text
        .replace(/[\s\u0085]+/g, " ")
        .replace(invisible, "")
        .trim()
        .normalize("NFC");
      assert.equal(foldText(text), expected);
    }
  }
});
