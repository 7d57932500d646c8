import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { SaxesParser } from "saxes";
import type { Item } from "../../catalog/item.ts";
import type { CatalogSettings } from "../../catalog/settings.ts";
import { foundIn, NOW, reportOn } from "../validate.fixture.ts";
import { openGoogleXml } from "./render-xml.ts";

const MUG: Item = {
  id: "MUG",
  title: "Stoneware mug",
  description: "Glazed stoneware mug, fired twice, dishwasher safe.",
  link: "https://shop.example/mug",
  images: ["https://cdn.example/mug.jpg"],
  price: { amount: "18.00", currency: "USD" },
  availability: "in_stock",
  brand: "Fjellgarn",
};

function render(changes: Partial<Item>, settings: CatalogSettings = {}): string {
  const context = { catalog: { slug: "shop", name: "Shop" }, settings, asOf: NOW, snapshotAt: NOW };
  const writer = openGoogleXml(context);
  const { text } = writer.group({ groupId: null, isWhole: true, items: [{ ...MUG, ...changes }] });
  return writer.head() + text + writer.tail();
}

/** The texts of all elements with this name, by a parser that refuses whatever is not well-formed. */
function textsOf(xml: string, name: string): string[] {
  const parser = new SaxesParser({ xmlns: true });
  const texts: string[] = [];
  let text = "";
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", () => {
    text = "";
  });
  parser.on("text", (found) => {
    text += found;
  });
  parser.on("closetag", (tag) => {
    if (tag.name === name) texts.push(text);
  });
  parser.write(xml).close();
  return texts;
}

describe("hostile texts in gmc.xml", () => {
  const CASES: readonly (readonly [what: string, text: string, expected: string])[] = [
    ["markup and references", `<b>&amp; "it's" &#0;`, `<b>&amp; "it's" &#0;`],
    ["the end of a CDATA section", "a ]]> b <![CDATA[ c", "a ]]> b <![CDATA[ c"],
    ["a closing tag of the file", "</g:title></item></channel></rss>", "</g:title></item></channel></rss>"],
    ["control characters", "a\u0000b\u0001c\u001bd\u007fe", "abcd\u007fe"],
    ["line breaks of all kinds", "a\r\nb\u0085c\u2028d\te", "a b c d e"],
    ["emoji and characters beyond the first plane", "👩‍👩‍👧 𝒳", "👩‍👩‍👧 𝒳"],
    ["half of a surrogate pair", "a\ud83db\ude00c", "abc"],
    ["noncharacters", "a\ufffeb\uffffc", "abc"],
  ];
  for (const [what, text, expected] of CASES)
    test(`${what} leave the file well-formed and the rest of the text as it is`, () => {
      const xml = render({ title: text, color: "Teal" });

      assert.deepEqual(textsOf(xml, "g:title"), [expected]);
      assert.deepEqual(textsOf(xml, "g:id"), ["MUG"]);
    });

  test("the shop's name and address are escaped too", () => {
    const xml = render({}, { sellerName: "Mugs & <more>", storeUrl: "https://shop.example/?a=1&b=2" });

    assert.deepEqual(textsOf(xml, "title"), ["Mugs & <more>"]);
    assert.deepEqual(textsOf(xml, "link"), ["https://shop.example/?a=1&b=2"]);
  });
});

describe("the head of gmc.xml", () => {
  test("has no address while the shop's is unknown", () => {
    assert.deepEqual(textsOf(render({}), "link"), []);
    assert.deepEqual(textsOf(render({}), "title"), ["Shop"]);
  });

  test("declares Google's namespace, so that our validator finds no problem in the XML", async () => {
    const report = await reportOn("gmc.xml", render({ color: "Teal", highlights: ["a", "b"] }));

    assert.deepEqual(foundIn(report, "error"), []);
    assert.deepEqual(
      foundIn(report).filter((found) => found.includes("gmc.xml")),
      [],
    );
    assert.equal(report.rows, 1);
  });
});
