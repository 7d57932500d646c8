import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { FormatError } from "./format-error.ts";
import { describeTextReader, failureKind } from "./text-reader.contract.ts";
import { xmlElements, type XmlElement, type XmlOptions, type XmlRecordReader } from "./xml-elements.ts";

const options: XmlOptions = {
  isRecord: (name) => name === "item",
  namedCharacter: (name) => (name === "nbsp" ? "\u00a0" : undefined),
  maxFieldChars: 1_000,
  maxRecordChars: 4_000,
  maxDepth: 16,
};
const makeReader = (changes: Partial<XmlOptions> = {}): XmlRecordReader =>
  xmlElements({ ...options, ...changes });

function recordsOf(text: string, reader = makeReader()) {
  return [...reader.push(text), ...reader.end()];
}

/** Name, text and children, for short comparisons. */
type Tree = readonly [string, string, ...Tree[]];
const tree = ({ name, text, children }: XmlElement): Tree => [name, text, ...children.map(tree)];
const treesOf = (text: string): Tree[] => recordsOf(text).map(({ element }) => tree(element));

describe("xmlElements", () => {
  test("every record is a small tree with its texts, CDATA and attributes", () => {
    const [record] = recordsOf(
      '<r>\n<item id="7"><g:a>x &amp; <![CDATA[<b>]]></g:a><b><c>1</c></b></item></r>',
    );

    assert.ok(record);
    assert.deepEqual(tree(record.element), ["item", "", ["g:a", "x & <b>"], ["b", "", ["c", "1"]]]);
    assert.equal(record.element.attributes["id"], "7");
    assert.equal(record.line, 2);
  });

  test("records have the namespaces declared by their ancestors", () => {
    const [record] = recordsOf(
      '<r xmlns="http://d" xmlns:g="http://g"><c xmlns:constructor="x"><item/></c></r>',
    );

    assert.deepEqual(
      [...(record?.namespaces ?? [])],
      [
        ["", "http://d"],
        ["g", "http://g"],
        ["constructor", "x"],
      ],
    );
  });

  test("the first record fixes the depth: one inside another is part of it, one elsewhere is none", () => {
    assert.deepEqual(treesOf("<r><c><item>1<item>2</item></item></c><item>3</item></r>"), [
      ["item", "1", ["item", "2"]],
    ]);
  });

  test("a root is never a record, and a document without any is empty", () => {
    const reader = makeReader();

    assert.deepEqual(recordsOf("<item><a/></item>", reader), []);
    assert.equal(reader.rootName(), "item");
  });

  test("unescaped ampersands and undeclared entities are accepted", () => {
    assert.deepEqual(treesOf("<r><item>R&D&nbsp;&euro;</item></r>"), [["item", "R&D\u00a0&euro;"]]);
  });

  test("entities that the file declares are refused, both nested and external ones", () => {
    const laughs = '<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><r><item>&b;</item></r>';
    const external = '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><r><item>&x;</item></r>';

    assert.equal(
      failureKind(() => recordsOf(laughs)),
      "unsupported",
    );
    assert.equal(
      failureKind(() => recordsOf(external)),
      "unsupported",
    );
  });

  test("a document type without entities is accepted", () => {
    assert.deepEqual(treesOf("<!DOCTYPE rss><rss><item>1</item></rss>"), [["item", "1"]]);
  });

  test("XML that is not well-formed fails with the position", () => {
    try {
      recordsOf("<r>\n<item><a></b></item></r>");
      assert.fail("expected a FormatError");
    } catch (error) {
      assert.ok(error instanceof FormatError);
      assert.equal(error.kind, "malformed");
      assert.equal(error.line, 2);
    }
  });

  test("XML that ends early is truncated", () => {
    for (const text of ["", "<r>", "<r><item><a>x</a>", "<r><item/>", "<r><item/></r", "<!-- x"]) {
      assert.equal(
        failureKind(() => recordsOf(text)),
        "truncated",
        text,
      );
    }
  });

  test("nesting beyond its limit is refused", () => {
    assert.equal(
      failureKind(() => recordsOf(`<r><item>${"<a>".repeat(20)}`)),
      "too_large",
    );
  });

  test("texts, tags, attributes, comments, document types and records are limited", () => {
    const endless = {
      text: ["<r><item><a>", "lorem ipsum "],
      "text outside records": ["<r>", "lorem ipsum "],
      tag: ["<r><", "abcdefghijkl"],
      attribute: ["<r><item a='", "lorem ipsum "],
      attributes: ["<r><item ", "a='1' ".replace("a", "b")],
      comment: ["<r><!--", "lorem ipsum "],
      CDATA: ["<r><item><![CDATA[", "lorem ipsum "],
      "document type": ["<!DOCTYPE r [", "<!-- lorem -->"],
      instruction: ["<?x ", "lorem ipsum "],
      "record of elements": ["<r><item>", "<a/>"],
      "record of texts": ["<r><item>", "x<!-- y -->"],
    };
    for (const [what, [start = "", more = ""]] of Object.entries(endless)) {
      const reader = makeReader();
      reader.push(start);
      let pushed = 0;

      const kind = failureKind(() => {
        for (; pushed < 20_000; pushed += more.length) reader.push(more);
      });

      assert.ok(kind === "too_large" || (what === "attributes" && kind === "malformed"), `${what}: ${kind}`);
      assert.ok(pushed <= 4_100, `${what} was let on for ${pushed} characters`);
    }
  });
});

describe("xmlElements laws", () => {
  const anyText = fc.string({
    unit: fc.constantFrom("a", "&amp;", "&", "é", "😀", " ", "\n", "\r\n", "]]", "<![CDATA[<&]]>"),
  });
  const anyXml = fc.oneof(
    fc
      .array(anyText)
      .map((texts) => `<r>${texts.map((text) => `<item><t>${text}</t></item>`).join("\n")}</r>`),
    fc.string({
      unit: fc.constantFrom("<r>", "</r>", "<item>", "</item>", "<a b='1'>", "</a>", "x", "&", "<!--", "-->"),
      maxLength: 12,
    }),
  );
  describeTextReader("XML elements", () => makeReader(), anyXml);
});
