import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { cut } from "./text-reader.contract.ts";
import { xmlRepair } from "./xml-repair.ts";

const named = (name: string): string | undefined =>
  ({ nbsp: "\u00a0", "#8364": "€", "#x20AC": "€", "#0": "\u0000", "#11": "\u000b" })[name];

function repair(...pieces: string[]): string {
  const repair = xmlRepair(named);
  return pieces.map((piece) => repair.push(piece)).join("") + repair.end();
}

describe("xmlRepair", () => {
  test("a bare ampersand is escaped, in texts and in attributes", () => {
    assert.equal(repair('<a href="?a=1&b=2">R&D & co</a>'), '<a href="?a=1&amp;b=2">R&amp;D &amp; co</a>');
  });

  test("the entities of XML are not changed", () => {
    assert.equal(repair("&amp;&lt;&gt;&quot;&apos;"), "&amp;&lt;&gt;&quot;&apos;");
  });

  test("an HTML entity becomes a numeric reference, an unknown one plain text", () => {
    assert.equal(repair("a&nbsp;b &#x20AC; &lol9;"), "a&#160;b &#8364; &amp;lol9;");
  });

  test("CDATA keeps its ampersands", () => {
    assert.equal(
      repair("<![CDATA[a & b &nbsp;]]> & <![CDATA[&]]>"),
      "<![CDATA[a & b &nbsp;]]> &amp; <![CDATA[&]]>",
    );
  });

  test("characters that XML forbids are removed, literal or as a reference", () => {
    assert.equal(repair("a\u0000b\u000bc\ud83d\ude00&#0;&#11;\n\t"), "abc\ud83d\ude00\n\t");
  });

  test("splitting the text into chunks does not change the result", () => {
    const anyXml = fc.string({
      unit: fc.constantFrom(
        "&",
        "amp;",
        "nbsp;",
        "#8364;",
        "<![CDATA[",
        "]]>",
        "]",
        "<",
        "x",
        " ",
        ">",
        "lol;",
      ),
      maxLength: 20,
    });
    fc.assert(
      fc.property(anyXml, fc.array(fc.nat(), { maxLength: 6 }), (text, cuts) => {
        assert.equal(repair(...cut(text, cuts)), repair(text));
        assert.equal(repair(...text.split("")), repair(text));
      }),
      { numRuns: 500 },
    );
  });
});
